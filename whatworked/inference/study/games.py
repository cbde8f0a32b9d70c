"""Playing estimators and policies on response surfaces, for choosing and checking the methods of this package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from whatworked.catalog.tracks import ADDED, FOUR, PAIRED
from whatworked.environments.effects.delivery import deliver, grade_deliveries
from whatworked.environments.effects.loop import asker, buy
from whatworked.environments.effects.relabelling import Relabelling
from whatworked.environments.effects.task import Task, load_task
from whatworked.grading.grades import Grade
from whatworked.inference.study.surfaces import OutsideSurface
from whatworked.methods.classes import ClassAwareEstimator, inner_model
from whatworked.protocols import Estimator, Policy, Predictor
from whatworked.surfaces.masks import IntArray

RULES = "rules"
"""The track ``paired`` with the code-equivalence classes known."""
ALL_SIX = "six"
"""All six-option surfaces outside the catalog."""
BUDGETS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {FOUR: (8,), PAIRED: (20, 32), RULES: (20, 32), ADDED: (20, 32), ALL_SIX: (20, 32)}
)
"""Budgets at which each track is scored."""
SECTIONS = tuple((track, budget) for track in BUDGETS if track != ALL_SIX for budget in BUDGETS[track])
"""Tracks and budgets of the catalog."""
OUTSIDE_SECTIONS = tuple((track, budget) for track in (FOUR, ALL_SIX) for budget in BUDGETS[track])
"""Tracks and budgets of the surfaces outside the catalog."""


def relabelled(task: Task, number: int) -> Task:
    """The same task with its options in another order; number 0 is the task itself."""
    return Relabelling(number, task.d).task(task)


@dataclass(frozen=True, eq=False)
class Stop:
    """What was fitted at a budget.

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


def catalog_games() -> tuple[Task, ...]:
    """All conditions that have a reference table; the paired ones a second time with their classes."""
    from whatworked import references
    from whatworked.catalog.catalog import conditions

    present = set(references.conditions())
    if not present:
        raise references.no_tables(None)
    found = []
    for condition in conditions():
        if condition.id in present:
            place = condition.id, condition.source, condition.family
            found.append(load_task(*place, condition.track))
            if condition.track == PAIRED:
                found.append(load_task(*place, RULES, rules=True))
    return tuple(found)


def outside_games(surfaces: Sequence[OutsideSurface]) -> tuple[Task, ...]:
    """Surfaces outside the catalog with six options, and with the first four; flat ones are left out."""
    found = []
    for outside in surfaces:
        name = outside.surface.name
        four = outside.surface.restricted({"E": 0, "F": 0})
        for track, surface in ((FOUR, four), (ALL_SIX, outside.surface)):
            if surface.range > 1e-9:
                found.append(Task(name, name, outside.family, track, surface))
    return tuple(found)


def play(task: Task, policy: Policy, estimator: Estimator, budgets: Sequence[int]) -> Iterator[Stop]:
    """Buy one mask at a time up to the largest of the budgets, and stop at each of them, in ascending order."""
    surface, classes = task.surface, task.equivalence
    aware = estimator if classes is None else ClassAwareEstimator(estimator, classes)
    bought = buy(asker(policy), surface.utilities, max(budgets), 1, classes, task.experience)
    for budget in sorted(budgets):
        delivery = deliver(aware, surface.utilities, bought[:budget], classes, task.experience)
        (grade,) = grade_deliveries(surface, [delivery])
        yield Stop(budget, inner_model(delivery.model), delivery.known, grade)
