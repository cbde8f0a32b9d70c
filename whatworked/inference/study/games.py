"""Playing estimators and policies on response surfaces, for choosing and checking the methods of this package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from whatworked.grading.grader import grade
from whatworked.grading.grades import Grade
from whatworked.inference.study.surfaces import OutsideSurface
from whatworked.methods.classes import ClassAwareEstimator, ClassModel
from whatworked.protocols import Estimator, Policy, Predictor, SearchState
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import FloatArray, IntArray, all_bits, anchors, bits_of, ranks_of
from whatworked.surfaces.surface import ResponseSurface

BUDGETS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"four": (8,), "paired": (20, 32), "rules": (20, 32), "added": (20, 32), "six": (20, 32)}
)
"""Budgets at which each track is scored; ``rules`` is ``paired`` with the code-equivalence classes known, ``six`` all
six-option surfaces outside the catalog."""
SECTIONS = tuple((track, budget) for track in ("four", "paired", "rules", "added") for budget in BUDGETS[track])
"""Tracks and budgets of the catalog."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A surface to explore.

    Attributes
    ----------
    name, family, track : str
        Condition id or name; family; key of `BUDGETS`.
    surface : ResponseSurface
        The truth.
    equivalence : Equivalence or None
        Code-equivalence classes, where they are known.
    relabelling : int
        Which order the options are in; 0 is the original.
    """

    name: str
    family: str
    track: str
    surface: ResponseSurface
    equivalence: Equivalence | None = field(default=None)
    relabelling: int = 0

    def relabelled(self, number: int) -> Problem:
        """The same problem with its options in another order; number 0 is the problem itself.

        A method has no reason to prefer an order of the options, but ties and the fixed points of the sampler break the
        symmetry, and on a few surfaces that is luck. Averaging over relabellings takes the luck out.
        """
        if number == 0:
            return self
        d = self.surface.d
        order = np.random.default_rng([number, d]).permutation(d)
        surface = self.surface.reordered([self.surface.options[place] for place in order])
        classes = self.equivalence
        if classes is not None:
            before = np.empty((1 << d, d), dtype=np.int8)
            before[:, order] = all_bits(d)
            classes = Equivalence.from_keys(classes.representative[ranks_of(before)].tolist())
        return replace(self, surface=surface, equivalence=classes, relabelling=number)


@dataclass(frozen=True, eq=False)
class Stop:
    """The state of an episode at a budget.

    Attributes
    ----------
    budget : int
        Credits that could have been spent.
    model : Predictor
        Fitted to what was measured.
    known : ndarray of int64
        Ranks whose value is known: measured, or of a measured class.
    grade : Grade
        Of the model's prediction.
    """

    budget: int
    model: Predictor
    known: IntArray
    grade: Grade


def catalog_problems() -> tuple[Problem, ...]:
    """All conditions that have a reference table; the paired ones a second time with their classes."""
    from whatworked import references, workflows
    from whatworked.catalog.catalog import conditions

    present = set(references.conditions())
    if not present:
        raise references.no_tables(None)
    found = []
    for one in conditions():
        if one.id in present:
            surface = references.load_surface(one.id)
            found.append(Problem(one.id, one.family, one.track, surface))
            if one.track == "paired":
                classes = workflows.get(one.family).equivalence(one.dimensions)
                found.append(Problem(one.id, one.family, "rules", surface, classes))
    return tuple(found)


def outside_problems(surfaces: Sequence[OutsideSurface]) -> tuple[Problem, ...]:
    """Surfaces outside the catalog with six options, and with the first four; flat ones are left out."""
    found = []
    for one in surfaces:
        four = one.surface.restricted({"E": 0, "F": 0})
        for track, surface in (("four", four), ("six", one.surface)):
            if surface.range > 1e-9:
                found.append(Problem(one.surface.name, one.family, track, surface))
    return tuple(found)


def play(problem: Problem, policy: Policy, estimator: Estimator, budgets: Sequence[int]) -> Iterator[Stop]:
    """Buy one mask at a time up to the largest of the budgets; stop at each of them."""
    surface, d = problem.surface, problem.surface.d
    truth: FloatArray = surface.utilities
    measured = list(anchors(d))
    last = max(budgets)
    for spent in range(last + 1):
        if spent in budgets:
            yield _stop(problem, estimator, spent, measured)
        if spent < last:
            state = SearchState(d, bits_of(measured, d), truth[measured], last - spent, problem.equivalence)
            bought = policy.ask(state, 1)
            if not len(bought):
                for budget in sorted(one for one in budgets if one > spent):
                    yield _stop(problem, estimator, budget, measured)
                return
            measured.extend(int(rank) for rank in ranks_of(bought))


def _stop(problem: Problem, estimator: Estimator, budget: int, measured: Sequence[int]) -> Stop:
    surface, d = problem.surface, problem.surface.d
    classes = problem.equivalence
    aware = estimator if classes is None else ClassAwareEstimator(estimator, classes)
    model = aware.fit(bits_of(measured, d), surface.utilities[list(measured)])
    prediction = model.predict(all_bits(d))
    known = np.array(measured, dtype=np.int64)
    if classes is not None:
        known = np.flatnonzero(np.isin(classes.representative, classes.representative[known])).astype(np.int64)
    inner = model.model if isinstance(model, ClassModel) else model
    clipped = np.clip(prediction, 0.0, 1.0)
    clipped[known] = surface.utilities[known]
    return Stop(budget, inner, known, grade(surface, clipped, known.tolist()))
