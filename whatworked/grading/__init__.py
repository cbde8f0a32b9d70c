"""Grading a prediction of a whole response surface against the truth."""

from __future__ import annotations

from whatworked.grading.artifact import (
    read_artifact,
)
from whatworked.grading.floor import GradeAboveFloor, grade_above_floor
from whatworked.grading.grader import (
    grade,
    grade_many,
    grade_missing,
)
from whatworked.grading.grades import (
    ENDPOINT,
    NEAR_OPTIMAL,
    TOLERANCES,
    Grade,
)
from whatworked.grading.record import (
    Record,
)
from whatworked.grading.score import (
    PRIMARY,
    SCORES,
    UNFLOORED,
    Score,
    score_named,
)
from whatworked.grading.uncertainty import (
    Calibration,
    Distribution,
    Uncertainty,
    calibration,
)

__all__ = [
    "ENDPOINT",
    "NEAR_OPTIMAL",
    "PRIMARY",
    "SCORES",
    "TOLERANCES",
    "UNFLOORED",
    "Calibration",
    "Distribution",
    "Grade",
    "GradeAboveFloor",
    "Record",
    "Score",
    "Uncertainty",
    "calibration",
    "grade",
    "grade_above_floor",
    "grade_many",
    "grade_missing",
    "read_artifact",
    "score_named",
]
