"""Records as a tidy table: one row per record, one column per quantity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from whatworked.errors import RunError
from whatworked.grading.grades import Grade
from whatworked.grading.record import Key, Record, place_of
from whatworked.grading.uncertainty import Uncertainty, flat
from whatworked.runs.description import ConditionDescription, MethodDescription, PlanDescription, RecordCost, to_json
from whatworked.wording import csv_lines

COST_COLUMNS = ("condition", "method", "budget", "seed", "asks", "fits", "policy_seconds", "fit_seconds")
_GRADES = (
    "effect_recovery",
    "effect_mae",
    "max_effect_error",
    "interaction_mae",
    "grid_mae",
    "grid_mae_unobserved",
    "selected",
    "regret",
    "exact",
    "near_optimal",
    "near_optimal_vacuous",
    "strict",
    "coverage",
    "effect_mae_unobserved",
    "effect_ratio_unobserved",
    "mean_absolute_effect",
    "utility_range",
    "native_effect_mae",
    "native_effect_recovery",
    "native_mean_absolute_effect",
    "native_unbounded",
)
"""Quantities of a grade that are columns, in this order; the strict profile follows them."""


@dataclass(frozen=True)
class TidyRow:
    """One record with the groups of its condition and the parts of its method.

    Attributes
    ----------
    condition, source, family, track : str
        Id and groups of the condition.
    dimensions : int
        Its number of options.
    method, estimator, policy : str
        Labels.
    budget, seed : int
        Credits it was given; seed of the method's randomness.
    delivered : bool
        Whether there are predictions.
    grade : Grade
        Of the predictions, or of a missing delivery.
    near_tie : bool
        Whether a choice lay within rounding of a tie.
    purchases, aliases : tuple of str
        Masks bought, in order; masks that took the value of their class.
    failure : str or None
        Why nothing was delivered.
    """

    condition: str
    source: str
    family: str
    track: str
    dimensions: int
    method: str
    estimator: str
    policy: str
    budget: int
    seed: int
    delivered: bool
    grade: Grade
    near_tie: bool
    purchases: tuple[str, ...]
    aliases: tuple[str, ...]
    failure: str | None

    @property
    def key(self) -> Key:
        """Condition, method, budget and seed."""
        return self.condition, self.method, self.budget, self.seed

    @property
    def uncertainty(self) -> Uncertainty | None:
        """Grades of stated uncertainty; None where none was stated."""
        stated = self.grade.uncertainty
        return None if isinstance(stated, msgspec.UnsetType) else stated

    @property
    def spent(self) -> int:
        """Credits spent."""
        return len(self.purchases)

    @property
    def largest_budget(self) -> int:
        """Masks that can be bought: all but the two anchors."""
        return (1 << self.dimensions) - 2

    def to_dict(self) -> dict[str, Any]:
        """The row as it stands in ``records.csv``.

        Returns
        -------
        dict of str to object
            By column, the same columns in every row; None where a quantity is undefined, masks in one text.
        """
        return {
            "condition": self.condition,
            "source": self.source,
            "family": self.family,
            "track": self.track,
            "dimensions": self.dimensions,
            "method": self.method,
            "estimator": self.estimator,
            "policy": self.policy,
            "budget": self.budget,
            "seed": self.seed,
            "spent": self.spent,
            "delivered": self.delivered,
            **{name: getattr(self.grade, name) for name in _GRADES},
            **{f"strict_{tolerance}": passed for tolerance, passed in self.grade.strict_profile.items()},
            "near_tie": self.near_tie,
            "purchases": " ".join(self.purchases),
            "aliases": " ".join(self.aliases),
            "failure": self.failure,
        }


def tidy_rows(plan: PlanDescription, records: Iterable[Record]) -> list[TidyRow]:
    """One row per record.

    Parameters
    ----------
    plan : PlanDescription
        It says the groups of a condition and the parts of a method.
    records : iterable of Record
        All graded.

    Raises
    ------
    RunError
        If a record has no grade.
    """
    conditions, methods = plan.by_condition, plan.by_method
    return [_row(record, conditions[record.condition], methods[record.method]) for record in records]


def flat_rows(rows: Sequence[TidyRow]) -> list[dict[str, Any]]:
    """Rows by column; where any record states its uncertainty, with the grades of that behind the others."""
    if not any(row.uncertainty for row in rows):
        return [row.to_dict() for row in rows]
    return [row.to_dict() | flat(row.uncertainty or Uncertainty()) for row in rows]


def records_csv(rows: Sequence[TidyRow]) -> str:
    """Rows as CSV text."""
    return as_csv(flat_rows(rows))


def costs_csv(costs: Iterable[RecordCost]) -> str:
    """Costs as CSV text, with a header even if there are none."""
    return as_csv([to_json(cost) for cost in costs], COST_COLUMNS)


def as_csv(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> str:
    """Rows as CSV text; see `whatworked.wording.csv_lines`."""
    names = list(columns or (rows[0] if rows else ()))
    return csv_lines([names, *([row[name] for name in names] for row in rows)])


def _row(record: Record, condition: ConditionDescription, method: MethodDescription) -> TidyRow:
    if record.grade is None:
        raise RunError(f"{place_of(record.key)} has no grade; make the run again with `whatworked bench --fresh`")
    return TidyRow(
        condition=condition.condition,
        source=condition.source,
        family=condition.family,
        track=condition.track,
        dimensions=condition.dimensions,
        method=method.method,
        estimator=method.estimator,
        policy=method.policy,
        budget=record.budget,
        seed=record.seed,
        delivered=record.predictions is not None,
        grade=record.grade,
        near_tie=record.near_tie,
        purchases=record.purchases,
        aliases=record.aliases,
        failure=record.failure,
    )
