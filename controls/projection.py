"""What the recorded predictions say of masks that are the same program, and what they are worth made to agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from whatworked.controls.results import Cohort, Row, cohorts, graded
from whatworked.environments.effects.structure import equivalence_error, project, redundant
from whatworked.grading.grader import grade
from whatworked.grading.grades import Grade
from whatworked.grading.record import Record
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import anchors, mask_ranks
from whatworked.surfaces.surface import ResponseSurface

Surfaces = Callable[[str], ResponseSurface]


@dataclass(frozen=True)
class Projected:
    """One record after class projection.

    Attributes
    ----------
    redundant : int
        Purchases of a class that was measured before.
    error : float or None
        Mean difference between equal masks of the prediction, as a share of the range of the truth; None without a
        prediction, and where the truth has no range.
    grade : Grade or None
        Of the projected prediction; None without one.
    """

    redundant: int
    error: float | None
    grade: Grade | None


def projected(record: Record, surface: ResponseSurface, classes: Equivalence) -> Projected:
    """Class projection of a record's prediction, and how far it was from obeying the classes.

    A class that holds a measured mask takes that value, any other the mean of its predictions.

    Parameters
    ----------
    record : Record
        With purchases, and the prediction if there is one.
    surface : ResponseSurface
        The truth of its condition, d options.
    classes : Equivalence
        Of the same options.
    """
    bought = mask_ranks(record.purchases, surface.d)
    repeats = redundant(bought.tolist(), classes)
    if record.predictions is None:
        return Projected(repeats, None, None)
    table = np.array(record.predictions, dtype=np.float64)
    measured = np.array([*anchors(surface.d), *bought.tolist()], dtype=np.int64)
    error = equivalence_error(table, classes) / surface.range if surface.range > 0 else None
    return Projected(repeats, error, grade(surface, project(table, measured, classes), measured))


def projection_table(
    records: Iterable[Record], budget: int, surface_of: Surfaces, classes_of: Callable[[str], Equivalence]
) -> tuple[Row, ...]:
    """Equivalence error and class projection of every method under one budget.

    Columns, family-macro: ``equivalence_error`` as a share of the range, ``redundant`` purchases, recovery before and
    after projection and what that gains; then counts of exact choices before and after. A record without a prediction
    recovers nothing and has no error.

    Parameters
    ----------
    records : iterable of Record
        Of the study.
    budget : int
        Credits.
    surface_of, classes_of : callable
        Truth and classes of a condition, by its id.
    """
    return tuple(_row(cohort, surface_of, classes_of) for cohort in cohorts(records, budget))


def _row(cohort: Cohort, surface_of: Surfaces, classes_of: Callable[[str], Equivalence]) -> Row:
    found = {
        record.key: projected(record, surface_of(condition.id), classes_of(condition.id))
        for condition, record in cohort.members
    }

    def after(record: Record) -> float:
        grade = found[record.key].grade
        return 0.0 if grade is None else grade.effect_recovery

    def error(record: Record) -> float | None:
        return found[record.key].error

    def repeats(record: Record) -> float:
        return float(found[record.key].redundant)

    recovery, projected_recovery = cohort.macro(graded("effect_recovery")), cohort.macro(after)
    gain = None if recovery is None or projected_recovery is None else projected_recovery - recovery
    return {
        **cohort.key,
        "equivalence_error": cohort.macro(error),
        "redundant": cohort.macro(repeats),
        "recovery": recovery,
        "projected_recovery": projected_recovery,
        "gain": gain,
        "exact": sum(bool(record.grade and record.grade.exact) for _, record in cohort.members),
        "projected_exact": sum(bool(member.grade and member.grade.exact) for member in found.values()),
    }
