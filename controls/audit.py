"""Whether a record holds what follows from its own choices, and whether each of them is one that a tie allows.

Two machines may part at a tie, and then buy other masks and fit other penalties. What each records must still follow:
every choice may win within rounding, given what was measured before it; the predictions are those of the last fit; the
grade is that of the predictions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from whatworked.controls import kriging, ridge
from whatworked.controls.acquisition import KrigingPolicy, Target, score_candidates
from whatworked.controls.methods import METHODS
from whatworked.controls.paths import Runner, degree_of, run_method
from whatworked.controls.plan import Cell
from whatworked.errors import WhatWorkedError
from whatworked.grading.grader import grade
from whatworked.grading.record import Record
from whatworked.methods.ties import Choice, may_win
from whatworked.protocols import Predictor
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import FloatArray, anchors, as_strings, mask_ranks
from whatworked.surfaces.surface import ResponseSurface

TOLERANCE = 1e-9
"""Largest difference of a prediction or a graded quantity that counts as rounding."""


def close(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal, floats up to `TOLERANCE`, relative or absolute."""
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    if isinstance(left, tuple | list) and isinstance(right, tuple | list):
        return len(left) == len(right) and all(map(close, left, right))
    return bool(left == right)


def differing_grades(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> list[str]:
    """Names of the quantities in which two grades differ by more than rounding, each after the word "grade"."""
    left, right = one or {}, other or {}
    return [f"grade {name}" for name in sorted({*left, *right}) if not close(left.get(name), right.get(name))]


def faults(record: Record, surface: ResponseSurface, equivalence: Equivalence) -> tuple[str, ...]:
    """What in a record of the study does not follow from its own choices, or was no choice that a tie allows.

    Parameters
    ----------
    record : Record
        Of a method of `whatworked.controls.METHODS`.
    surface : ResponseSurface
        The truth it was computed from.
    equivalence : Equivalence
        The workflow's classes.

    Returns
    -------
    tuple of str
        One phrase per fault; empty for a sound record.
    """
    method = METHODS[record.method]
    runner = Runner(surface.utilities, equivalence if method.class_aware else Equivalence.trivial(surface.d))
    try:
        bought = mask_ranks(record.purchases, surface.d).tolist()
        return tuple(_faults(record, surface, runner, bought))
    except WhatWorkedError as error:
        return (str(error),)


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


def _faults(record: Record, surface: ResponseSurface, runner: Runner, bought: Sequence[int]) -> Iterator[str]:
    allowed = set(runner.left(runner.known(())).tolist())
    if len(set(bought)) < len(bought) or set(bought) - allowed or len(bought) != min(record.budget, len(allowed)):
        yield "purchases are not distinct masks that may be bought, as many as the budget allows"
        return
    trail = _Trail()
    policy = METHODS[record.method].build_policy(record.seed)
    if isinstance(policy, KrigingPolicy):
        model = _follow_kriging(record, runner, policy.target, bought, trail)
    else:
        model = _follow_ridge(record, runner, bought, trail)
    yield from trail.faults
    if model is not None and not close(record.predictions, runner.table(model, runner.known(bought)).tolist()):
        yield "predictions are not those of the last fit"
    if record.near_tie and not trail.tied:
        yield "near_tie, but no choice lies within rounding of a tie"
    if record.aliases != as_strings(runner.aliases(bought), surface.d):
        yield "aliases do not follow from the purchases"
    regraded = grade(surface, record.predictions or (), [*anchors(surface.d), *bought]).to_dict()
    yield from differing_grades(record.grade, regraded)


def _follow_ridge(record: Record, runner: Runner, bought: Sequence[int], trail: _Trail) -> Predictor | None:
    """The ridge that a record says it fitted; its purchases hang on no tie, since designs are recorded."""
    (planned,) = run_method(runner, record.method, record.seed, [Cell(record.method, record.seed, record.budget)])
    trail.tied = planned.near_tie
    if planned.purchases != tuple(bought):
        trail.faults.append("purchases are not those of the design")
    said = [{"alpha": alpha} for alpha in ridge.ALPHAS]
    if len(record.steps) != 1 or record.steps[0] not in said:
        trail.faults.append("steps are not one penalty of the grid")
        return None
    known = runner.known(bought)
    smoother = ridge.smoother(runner.d, tuple(known.ranks.tolist()), degree_of(METHODS[record.method]))
    losses, noise = smoother.deciding_losses(known.values)
    place = said.index(record.steps[0])
    return smoother.model(known.values, trail.choice("alpha", place, -losses, ridge.DECIMALS, noise))


def _follow_kriging(
    record: Record, runner: Runner, target: Target, bought: Sequence[int], trail: _Trail
) -> Predictor | None:
    """The last Gaussian process that a record says it fitted, after checking all choices on the way."""
    said = [{"length": length, "nugget": nugget} for length in kriging.LENGTHS for nugget in kriging.NUGGETS]
    if len(record.steps) != len(bought) + 1 or not all(step in said for step in record.steps):
        trail.faults.append("steps are not a pair of the grid before each purchase and one at the end")
        return None
    model = None
    for count, step in enumerate(record.steps):
        known = runner.known(bought[:count])
        fits = kriging.KrigingFits(runner.d, known.ranks, known.values)
        place, decimals = said.index(step), kriging.DECIMALS
        model = fits.model(trail.choice(f"step {count}", place, -fits.losses, decimals, fits.noise))
        if count < len(bought):
            scores = score_candidates(model, runner.left(known), target, runner.representative)
            place = int(np.flatnonzero(scores.candidates == bought[count])[0])
            trail.choice(f"purchase {record.purchases[count]}", place, scores.values, scores.decimals, scores.noise)
    return model
