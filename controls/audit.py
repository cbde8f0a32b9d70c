"""Whether a record holds what follows from its own choices, and whether each of them is one that a tie allows.

Two machines may part at a tie, and then buy other masks and fit other penalties. What each records must still follow:
every choice may win within rounding, given what was measured before it; the predictions are those of the last fit; the
grade is that of the predictions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from whatworked.controls import kriging, ridge
from whatworked.controls.acquisition import KrigingPolicy, Target, score_candidates
from whatworked.controls.methods import METHODS, Control
from whatworked.controls.paths import play_control
from whatworked.controls.ridge import RidgeEstimator
from whatworked.environments.effects.delivery import Delivery, aliases_of, complete
from whatworked.environments.effects.loop import measured_after, state_after
from whatworked.environments.effects.task import Task
from whatworked.errors import WhatWorkedError
from whatworked.grading.grader import grade
from whatworked.grading.grades import Grade
from whatworked.grading.record import Record
from whatworked.methods.candidates import Known, candidates_of
from whatworked.methods.classes import ClassAwareEstimator, ClassModel
from whatworked.methods.ties import Choice, may_win
from whatworked.protocols import Predictor
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import FloatArray, IntArray, all_bits, as_strings, mask_ranks

TOLERANCE = 1e-9
"""Largest difference of a prediction or a graded quantity that counts as rounding."""


def close(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal, floats up to `TOLERANCE`, relative or absolute."""
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    if isinstance(left, tuple | list) and isinstance(right, tuple | list):
        return len(left) == len(right) and all(map(close, left, right))
    return bool(left == right)


def differing_grades(found: Grade | None, other: Grade | None) -> list[str]:
    """Names of the quantities in which two grades differ by more than rounding, each after the word "grade"."""
    left, right = (grade.to_dict() if grade else {} for grade in (found, other))
    return [f"grade {name}" for name in sorted({*left, *right}) if not close(left.get(name), right.get(name))]


def faults(record: Record, task: Task) -> tuple[str, ...]:
    """What in a record of the study does not follow from its own choices, or was no choice that a tie allows.

    Parameters
    ----------
    record : Record
        Of a method of `whatworked.controls.METHODS`.
    task : Task
        What it was computed from, with the workflow's classes.

    Returns
    -------
    tuple of str
        One phrase per fault; empty for a sound record.
    """
    try:
        return tuple(_faults(_Case(record, task)))
    except WhatWorkedError as error:
        return (str(error),)


class _Case:
    """A record, what it bought, and the truth that it can be held against.

    Raises
    ------
    InvalidMaskError
        If a purchase is no mask of the surface.
    """

    def __init__(self, record: Record, task: Task) -> None:
        self.record, self.surface, self.d, self.control = record, task.surface, task.d, METHODS[record.method]
        self.classes = task.equivalence if self.control.class_aware else None
        self.bought: tuple[int, ...] = tuple(mask_ranks(record.purchases, task.d).tolist())

    def after(self, count: int) -> tuple[Known, IntArray]:
        """What was known after some purchases, one mask per class, and what could still be bought, ascending."""
        utilities = self.surface.utilities
        return candidates_of(state_after(self.bought[:count], utilities, 0, self.classes), self.control.class_aware)

    def delivery(self, model: Predictor) -> Delivery:
        """What a model that was fitted to all that was bought delivers."""
        if self.classes is not None:
            model = ClassModel(self.classes, self.after(len(self.bought))[0], model)
        table = model.predict(all_bits(self.d).astype(np.float64))
        return complete(model, table, self.surface.utilities, self.bought, self.classes)

    @property
    def aliases(self) -> tuple[str, ...]:
        """Unmeasured masks of the classes that were measured."""
        if self.classes is None:
            return ()
        return as_strings(aliases_of(measured_after(self.bought, self.d), self.classes)[0], self.d)


class _Trail:
    """The choices of a record, looked at one by one."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.tied = False

    def choice(self, what: str, place: int, scores: FloatArray, decimals: int, noise: FloatArray | float) -> Choice:
        """Check that position `place` was a possible choice, and whether another one was, too."""
        possible = [may_win(index, scores, decimals, noise) for index in range(len(scores))]
        if not possible[place]:
            self.faults.append(f"{what} is not the best within rounding")
        self.tied = self.tied or sum(possible) > 1
        return Choice(place, near_tie=sum(possible) > 1)


def _faults(case: _Case) -> Iterator[str]:
    record, bought = case.record, case.bought
    allowed = set(case.after(0)[1].tolist())
    if len(set(bought)) < len(bought) or set(bought) - allowed or len(bought) != min(record.budget, len(allowed)):
        yield "purchases are not distinct masks that may be bought, as many as the budget allows"
        return
    trail = _Trail()
    policy = case.control.build_policy(record.seed)
    if isinstance(policy, KrigingPolicy):
        model = _follow_kriging(case, policy.target, trail)
    else:
        model = _follow_ridge(case, trail)
    yield from trail.faults
    if model is not None and not close(record.predictions, case.delivery(model).predictions.tolist()):
        yield "predictions are not those of the last fit"
    if record.near_tie and not trail.tied:
        yield "near_tie, but no choice lies within rounding of a tie"
    if record.aliases != case.aliases:
        yield "aliases do not follow from the purchases"
    regraded = grade(case.surface, record.predictions or (), measured_after(bought, case.d))
    yield from differing_grades(record.grade, regraded)


def _follow_ridge(case: _Case, trail: _Trail) -> Predictor | None:
    """The ridge that a record says it fitted; its purchases hang on no tie, since designs are recorded."""
    record = case.record
    (planned,) = play_control(case.control, record.seed, case.surface.utilities, case.classes, [record.budget])
    trail.tied = planned.near_tie
    if planned.delivery.bought != case.bought:
        trail.faults.append("purchases are not those of the design")
    said = [{"alpha": alpha} for alpha in ridge.ALPHAS]
    if len(record.steps) != 1 or record.steps[0] not in said:
        trail.faults.append("steps are not one penalty of the grid")
        return None
    known, _ = case.after(len(case.bought))
    smoother = ridge.smoother(case.d, tuple(known.ranks.tolist()), _degree(case.control))
    losses, noise = smoother.deciding_losses(known.values)
    place = said.index(record.steps[0])
    return smoother.model(known.values, trail.choice("alpha", place, -losses, ridge.DECIMALS, noise))


def _degree(control: Control) -> int:
    """Degree of the ridge that a method fits; 0 if it fits something else."""
    estimator = control.build_estimator()
    base = estimator.base if isinstance(estimator, ClassAwareEstimator) else estimator
    return base.degree if isinstance(base, RidgeEstimator) else 0


def _follow_kriging(case: _Case, target: Target, trail: _Trail) -> Predictor | None:
    """The last Gaussian process that a record says it fitted, after checking all choices on the way."""
    record, bought = case.record, case.bought
    said = [{"length": length, "nugget": nugget} for length in kriging.LENGTHS for nugget in kriging.NUGGETS]
    if len(record.steps) != len(bought) + 1 or not all(step in said for step in record.steps):
        trail.faults.append("steps are not a pair of the grid before each purchase and one at the end")
        return None
    cells = (case.classes or Equivalence.trivial(case.d)).representative
    model = None
    for count, step in enumerate(record.steps):
        known, left = case.after(count)
        fits = kriging.KrigingFits(case.d, known.ranks, known.values)
        place, decimals = said.index(step), kriging.DECIMALS
        model = fits.model(trail.choice(f"step {count}", place, -fits.losses, decimals, fits.noise))
        if count < len(bought):
            scores = score_candidates(model, left, target, cells)
            place = int(np.flatnonzero(scores.candidates == bought[count])[0])
            trail.choice(f"purchase {record.purchases[count]}", place, scores.values, scores.decimals, scores.noise)
    return model
