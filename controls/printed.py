"""Tables of the study that the paper prints: strict counts, recovery given exact, native units over all, by source."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from whatworked.catalog.catalog import conditions
from whatworked.catalog.tracks import TRACKS
from whatworked.controls.results import Cohort, Row, cohorts, graded
from whatworked.grading.grades import ENDPOINT, PROFILE_KEYS, ZERO, Grade
from whatworked.grading.record import Record
from whatworked.statistics.averages import mean
from whatworked.surfaces.edges import edges
from whatworked.surfaces.surface import ResponseSurface

Surfaces = Callable[[str], ResponseSurface]


def exact_table(records: Iterable[Record], budget: int) -> tuple[Row, ...]:
    """Counts of records that are strict at each tolerance, exact, exact but not strict, and what exact ones recover.

    ``recovery_given_exact`` is the plain mean over exact records; None where there is none.
    """
    return tuple(_exact_row(cohort) for cohort in cohorts(records, budget))


def _exact_row(cohort: Cohort) -> Row:
    grades = [record.grade for _, record in cohort.members if record.grade]
    exact = [grade for grade in grades if grade.exact]
    return {
        **cohort.key,
        **{f"strict_{key}": sum(grade.strict_profile[key] for grade in grades) for key in PROFILE_KEYS},
        "exact": len(exact),
        "exact_not_strict": sum(not grade.strict for grade in exact),
        "recovery_given_exact": mean([grade.effect_recovery for grade in exact]) if exact else None,
    }


def native_macro_table(records: Iterable[Record], budget: int, surface_of: Surfaces) -> tuple[Row, ...]:
    """Family-macro recovery and strict share in utilities and in native units, and records with an infinite cost.

    A family whose metric is its utility counts with that in both.
    """
    native = _NativeStrict(surface_of)
    return tuple(
        {
            **cohort.key,
            "recovery": cohort.macro(graded("effect_recovery")),
            "native_recovery": cohort.macro(_native_recovery),
            "strict": cohort.macro(graded("strict")),
            "native_strict": cohort.macro(native.of),
            "unbounded": sum(bool(record.grade and record.grade.native_unbounded) for _, record in cohort.members),
        }
        for cohort in cohorts(records, budget)
    )


def _native_recovery(record: Record) -> float | None:
    grade = record.grade
    if grade is None:
        return None
    return grade.effect_recovery if grade.native_effect_recovery is None else grade.native_effect_recovery


class _NativeStrict:
    """Whether no effect in native units is wrong by more than a tenth of their range."""

    def __init__(self, surface_of: Surfaces) -> None:
        self._surface_of = surface_of
        self._surfaces: dict[str, ResponseSurface] = {}

    def of(self, record: Record) -> float | None:
        grade: Grade | None = record.grade
        if grade is None or record.predictions is None:
            return None if grade is None else float(grade.strict)
        if record.condition not in self._surfaces:
            self._surfaces[record.condition] = self._surface_of(record.condition)
        surface = self._surfaces[record.condition]
        if surface.utility_map is None:
            return float(grade.strict)
        truth = np.asarray(surface.utility_map.to_native(surface.utilities))
        predicted = np.asarray(surface.utility_map.to_native(np.asarray(record.predictions)))
        if not np.isfinite(predicted).all():
            return 0.0
        off, on = edges(surface.d)
        errors = np.abs((predicted[on] - predicted[off]) - (truth[on] - truth[off]))
        return float(errors.max() <= max(ZERO, ENDPOINT * float(np.ptp(truth))))


def counts_table(records: Iterable[Record]) -> tuple[Row, ...]:
    """Records by track: how many, of how many conditions and methods, without a delivery, with an infinite cost."""
    several = list(records)
    track_of = {condition.id: str(condition.track) for condition in conditions()}
    rows = []
    for track in TRACKS:
        members = [record for record in several if track_of.get(record.condition) == track]
        rows.append(
            {
                "conditions": track,
                "sources": len({record.condition for record in members}),
                "methods": len({record.method for record in members}),
                "budgets": len({record.budget for record in members}),
                "records": len(members),
                "missing": sum(record.predictions is None for record in members),
                "unbounded": sum(bool(record.grade and record.grade.native_unbounded) for record in members),
                "near_ties": sum(record.near_tie for record in members),
            }
        )
    return tuple(rows)


def by_source_table(records: Iterable[Record], budget: int) -> tuple[Row, ...]:
    """Recovery of every method on every condition, seeds averaged; one row a condition, one column a method."""
    found = [cohort for cohort in cohorts(records, budget) if cohort.group != "six"]
    rows: dict[tuple[str, str], Row] = {}
    methods = list(dict.fromkeys(cohort.method for cohort in found))
    for cohort in found:
        values: dict[str, list[float]] = {}
        for condition, record in cohort.members:
            if record.grade is not None:
                values.setdefault(condition.id, []).append(record.grade.effect_recovery)
        for name, recoveries in values.items():
            row = rows.setdefault(
                (cohort.group, name),
                {"conditions": cohort.group, "budget": budget, "condition": name, **dict.fromkeys(methods)},
            )
            row[cohort.method] = mean(recoveries)
    return tuple(rows.values())
