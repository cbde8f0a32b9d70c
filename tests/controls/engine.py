"""The engine that the study was first computed with, kept as an oracle: it knows the methods from inside.

It takes designs and Gaussian processes by their formulas and never asks a policy or fits an estimator.

No reference method looks at the credits that remain, so what a method buys under a small budget is the beginning of
what it buys under a large one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from whatworked.controls.acquisition import KrigingPolicy, Target, score_candidates
from whatworked.controls.designs import RandomPolicy, random_order, ridge_design
from whatworked.controls.kriging import fit_kriging
from whatworked.controls.methods import METHODS, Control
from whatworked.controls.plan import StudyCell
from whatworked.controls.ridge import RidgeEstimator, fit_ridge
from whatworked.grading.grader import Grade, grade_many
from whatworked.grading.record import Record
from whatworked.methods.candidates import Known
from whatworked.methods.classes import ClassAwareEstimator, with_measured
from whatworked.protocols import Predictor
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import FloatArray, IntArray, all_bits, anchors, as_strings
from whatworked.surfaces.surface import ResponseSurface


@dataclass(frozen=True, eq=False)
class Delivery:
    """What a method delivers under one budget.

    Attributes
    ----------
    cell : StudyCell
        Method, seed and budget.
    purchases : tuple of int
        Ranks in order.
    predictions : ndarray of float64, shape (2**d,)
        Clipped, measured values in place.
    steps : tuple of dict
        Hyper-parameters of each fit.
    near_tie : bool
        Whether any choice lay within rounding of a tie.
    """

    cell: StudyCell
    purchases: tuple[int, ...]
    predictions: FloatArray
    steps: tuple[dict[str, float], ...]
    near_tie: bool


class Runner:
    """Runs methods on one surface.

    Parameters
    ----------
    utilities : ndarray of float64, shape (2**d,)
        The truth, from which purchases are answered.
    equivalence : Equivalence
        Classes a method works on; the trivial ones for a method that knows no classes.
    """

    def __init__(self, utilities: FloatArray, equivalence: Equivalence) -> None:
        self.d = equivalence.d
        self._utilities = utilities
        self.classes = equivalence
        self.representative = equivalence.representative
        self._bits = all_bits(self.d)[self.representative]
        # Several anchors may stand for one class; its representative then counts once.
        self._start = tuple(dict.fromkeys(self.representative[list(anchors(self.d))].tolist()))

    def ridge(
        self, degree: int, order: Sequence[int], near_ties: Sequence[bool], cells: Sequence[StudyCell]
    ) -> Iterator[Delivery]:
        """Fit a ridge after the first B masks of an order for the budget B of each cell."""
        for cell in cells:
            bought = tuple(order[: cell.budget])
            known = self.known(bought)
            model = fit_ridge(self.d, known.ranks.tolist(), known.values, degree)
            near_tie = model.near_tie or any(near_ties[: len(bought)])
            table = self.table(model, known)
            yield Delivery(cell, bought, table, (model.hyperparameters,), near_tie)

    def kriging(self, target: Target, cells: Sequence[StudyCell]) -> Iterator[Delivery]:
        """Refit before every purchase and buy the mask of the largest score; deliver at the budget of each cell."""
        known, near_tie = self.known(()), False
        bought: list[int] = []
        steps: list[dict[str, float]] = []
        waiting = sorted(cells, key=lambda cell: cell.budget)
        while waiting:
            model = fit_kriging(self.d, known.ranks, known.values)
            steps.append(model.hyperparameters)
            near_tie = near_tie or model.near_tie
            left = self.left(known)
            while waiting and (waiting[0].budget == len(bought) or not left.size):
                table = self.table(model, known)
                yield Delivery(waiting.pop(0), tuple(bought), table, tuple(steps), near_tie)
            if waiting:
                scores = score_candidates(model, left, target, self.representative)
                near_tie = near_tie or scores.choice.near_tie
                bought.append(scores.best)
                known = self.known(bought)

    def aliases(self, purchases: Sequence[int]) -> IntArray:
        """Ranks of the masks that are not measured themselves but whose class is, ascending."""
        if len(self.classes) == self.representative.size:
            return np.empty(0, dtype=np.int64)
        measured = self.known(purchases).ranks
        covered = np.flatnonzero(np.isin(self.representative, measured))
        return np.setdiff1d(covered, [*anchors(self.d), *purchases]).astype(np.int64)

    def known(self, purchases: Sequence[int]) -> Known:
        """What is known after some purchases, given by rank: the anchors' representatives, then what was bought."""
        ranks = np.array([*self._start, *purchases], dtype=np.int64)
        return Known(ranks, self._utilities[ranks])

    def left(self, known: Known) -> IntArray:
        """Ranks of the masks that may still be bought, ascending."""
        return np.setdiff1d(self.classes.representatives, known.ranks)

    def table(self, model: Predictor, known: Known) -> FloatArray:
        """Complete prediction table, shape (2**d,): clipped, the values of measured classes in place."""
        table = with_measured(np.clip(model.predict(self._bits), 0.0, 1.0), self.representative, known)
        # An anchor is measured itself, whatever mask stands for its class.
        table[list(anchors(self.d))] = self._utilities[list(anchors(self.d))]
        return table


def run_method(runner: Runner, label: str, seed: int, cells: Sequence[StudyCell]) -> Iterator[Delivery]:
    """Deliveries of one method and seed, by ascending budget."""
    policy, largest = METHODS[label].build_policy(seed), max(cell.budget for cell in cells)
    if isinstance(policy, KrigingPolicy):
        yield from runner.kriging(policy.target, cells)
        return
    degree = degree_of(METHODS[label])
    if isinstance(policy, RandomPolicy):
        order = random_order(runner.d, policy.random_state).tolist()
        yield from runner.ridge(degree, order, [False] * len(order), cells)
        return
    design, near_ties = ridge_design(runner.d, degree, largest, runner.classes)
    yield from runner.ridge(degree, design, near_ties, cells)


def degree_of(method: Control) -> int:
    """Degree of the ridge that a method fits; 0 if it fits something else."""
    estimator = method.build_estimator()
    base = estimator.base if isinstance(estimator, ClassAwareEstimator) else estimator
    return base.degree if isinstance(base, RidgeEstimator) else 0


def run_cells(
    surface: ResponseSurface, equivalence: Equivalence, cells: Iterable[StudyCell], table: str
) -> tuple[Record, ...]:
    """Records of one condition.

    Parameters
    ----------
    surface : ResponseSurface
        Its name is the condition.
    equivalence : Equivalence
        The workflow's classes, for the class-aware methods.
    cells : iterable of StudyCell
        What to run.
    table : str
        Digest of the reference table the surface was read from.

    Returns
    -------
    tuple of Record
        One per cell, by method as given, then seed, then budget.
    """
    runners = {
        False: Runner(surface.utilities, Equivalence.trivial(surface.d)),
        True: Runner(surface.utilities, equivalence),
    }
    deliveries = [
        delivery
        for (label, seed), group in groupby(cells, key=lambda cell: (cell.method, cell.seed))
        for delivery in run_method(runners[METHODS[label].class_aware], label, seed, list(group))
    ]
    grades = grade_many(
        surface,
        np.array([delivery.predictions for delivery in deliveries]),
        [[*anchors(surface.d), *delivery.purchases] for delivery in deliveries],
    )
    return tuple(
        _record(surface, runners[METHODS[one.cell.method].class_aware], one, grade, table)
        for one, grade in zip(deliveries, grades, strict=True)
    )


def _record(surface: ResponseSurface, runner: Runner, delivery: Delivery, grade: Grade, table: str) -> Record:
    return Record(
        condition=surface.name,
        method=delivery.cell.method,
        seed=delivery.cell.seed,
        budget=delivery.cell.budget,
        table=table,
        purchases=as_strings(delivery.purchases, surface.d),
        aliases=as_strings(runner.aliases(delivery.purchases), surface.d),
        steps=delivery.steps,
        predictions=tuple(delivery.predictions.tolist()),
        grade=grade,
        near_tie=delivery.near_tie,
    )
