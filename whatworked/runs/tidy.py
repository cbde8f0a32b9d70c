"""Records as tidy tables: one row per record, one column per quantity."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from whatworked.grading.record import Record

COSTS = ("condition", "method", "budget", "seed", "asks", "fits", "policy_seconds", "fit_seconds")
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


def tidy_rows(description: Mapping[str, Any], records: Iterable[Record]) -> list[dict[str, Any]]:
    """One flat row per record.

    Parameters
    ----------
    description : mapping
        The plan, as in the manifest; it says the groups of a condition and the parts of a method.
    records : iterable of Record
        With grades.

    Returns
    -------
    list of dict
        Equal keys in every row; None where a quantity is undefined.
    """
    places = {entry["condition"]: entry for entry in description["conditions"]}
    methods = {entry["method"]: entry for entry in description["methods"]}
    return [_row(record, places[record.condition], methods[record.method]) for record in records]


def as_csv(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> str:
    """CSV text: numbers with all their digits, booleans as 0 and 1, undefined values empty."""
    names = list(columns or (rows[0] if rows else ()))
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([[_cell(row[name]) for name in names] for row in rows])
    return stream.getvalue()


def _row(record: Record, place: Mapping[str, Any], method: Mapping[str, str]) -> dict[str, Any]:
    grade = record.grade or {}
    profile = grade.get("strict_profile") or {}
    return {
        **{name: place[name] for name in ("condition", "source", "family", "track", "dimensions")},
        **{name: method[name] for name in ("method", "estimator", "policy")},
        "budget": record.budget,
        "seed": record.seed,
        "spent": len(record.purchases),
        "delivered": record.predictions is not None,
        **{name: grade.get(name) for name in _GRADES},
        **{f"strict_{tolerance}": passed for tolerance, passed in profile.items()},
        "near_tie": record.near_tie,
        "purchases": " ".join(record.purchases),
        "aliases": " ".join(record.aliases),
        "failure": record.failure,
    }


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return int(value)
    return repr(value) if isinstance(value, float) else value
