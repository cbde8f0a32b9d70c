"""Other estimators on the observations that the study bought: what acquisition gives, and what the estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from whatworked.controls.methods import METHODS, PLAIN_ESTIMATORS, estimator
from whatworked.controls.results import Cohort, Row, cohorts, graded
from whatworked.environments.effects.delivery import deliver, grade_deliveries
from whatworked.grading.grades import Grade
from whatworked.grading.record import Record
from whatworked.statistics.averages import Measurement, macro_mean
from whatworked.surfaces.masks import mask_ranks
from whatworked.surfaces.surface import ResponseSurface

Surfaces = Callable[[str], ResponseSurface]


def refit(surface: ResponseSurface, purchases: Sequence[str], name: str, aliases: Sequence[str] = ()) -> Grade:
    """Grade of a reference estimator on the anchors and the given masks.

    Parameters
    ----------
    surface : ResponseSurface
        The truth, d options.
    purchases : sequence of str
        Masks bought, in order.
    name : str
        Key of `whatworked.controls.ESTIMATORS`.
    aliases : sequence of str
        Masks whose value follows from a measured one of their class; they take it.
    """
    bought, inferred = mask_ranks(purchases, surface.d), mask_ranks(aliases, surface.d)
    delivery = deliver(estimator(name), surface.utilities, bought.tolist())
    delivery.predictions[inferred] = surface.utilities[inferred]
    return grade_deliveries(surface, [delivery])[0]


def acquisition_matrix(
    records: Iterable[Record], budget: int, surface_of: Surfaces, estimators: Sequence[str] = tuple(PLAIN_ESTIMATORS)
) -> tuple[Row, ...]:
    """Family-macro recovery of every estimator on the observations of every acquisition policy.

    Class-aware methods are left out: their estimators see classes, not masks. Rows are policies, columns estimators.
    """
    chosen = [cohort for cohort in cohorts(records, budget) if not METHODS[cohort.method].class_aware]
    refits = _Refits(surface_of)
    return tuple(
        {
            "conditions": cohort.group,
            "budget": budget,
            "policy": METHODS[cohort.method].policy,
            "records": len(cohort.members),
            **{name: macro_mean(_recoveries(cohort, refits, name)) for name in estimators},
        }
        for cohort in chosen
    )


def coverage_table(records: Iterable[Record], budget: int, surface_of: Surfaces) -> tuple[Row, ...]:
    """How much of recovery is plain coverage, and what mean completion reaches on the same observations.

    Columns, family-macro: ``coverage`` c, the share of effects with both ends measured; ``hidden_ratio`` Q_U, the
    error on the others over the mean absolute effect (records without any are left out); recovery, and that of mean
    completion.
    """
    refits = _Refits(surface_of)
    rows = []
    for cohort in cohorts(records, budget):
        recovered, completed = cohort.macro(graded("effect_recovery")), macro_mean(_recoveries(cohort, refits, "mean"))
        rows.append(
            {
                **cohort.key,
                "coverage": cohort.macro(graded("coverage")),
                "hidden_ratio": cohort.macro(graded("effect_ratio_unobserved")),
                "recovery": recovered,
                "mean_completion": completed,
                "gain": None if recovered is None else recovered - completed,
            }
        )
    return tuple(rows)


class _Refits:
    """Recoveries on the observations of records, each worked out once."""

    def __init__(self, surface_of: Surfaces) -> None:
        self._surface_of = surface_of
        self._surfaces: dict[str, ResponseSurface] = {}
        self._held: dict[tuple[str, tuple[str, ...], tuple[str, ...], str], float] = {}

    def recovery(self, record: Record, name: str) -> float:
        key = record.condition, record.purchases, record.aliases, name
        if key not in self._held:
            if record.condition not in self._surfaces:
                self._surfaces[record.condition] = self._surface_of(record.condition)
            self._held[key] = refit(
                self._surfaces[record.condition], record.purchases, name, record.aliases
            ).effect_recovery
        return self._held[key]


def _recoveries(cohort: Cohort, refits: _Refits, name: str) -> list[Measurement]:
    return [
        Measurement(condition.family, condition.source, refits.recovery(record, name), record.seed)
        for condition, record in cohort.members
    ]
