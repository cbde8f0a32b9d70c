"""Playing reference methods on one surface: one path of purchases serves all budgets.

No reference method looks at the credits that remain, so what a method buys under a small budget is the beginning of
what it buys under a large one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from whatworked.controls.methods import METHODS, Control
from whatworked.controls.plan import StudyCell
from whatworked.environments.effects.delivery import Delivery, deliver, grade_deliveries
from whatworked.environments.effects.loop import asker, buy
from whatworked.environments.effects.recording import record_of
from whatworked.environments.effects.task import Task
from whatworked.grading.record import Record
from whatworked.methods.candidates import Deciding, Decision, bits_of_decisions
from whatworked.methods.classes import inner_model
from whatworked.protocols import Policy, SearchState
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import BitArray, FloatArray, ranks_of


@dataclass(frozen=True, eq=False)
class CellResult:
    """What a reference method delivers under one budget.

    Attributes
    ----------
    delivery : Delivery
        The completed prediction.
    steps : tuple of dict
        Hyper-parameters of each fit, those of the policy first, in order; that of the estimator last.
    near_tie : bool
        Whether any choice lay within rounding of a tie.
    """

    delivery: Delivery
    steps: tuple[Mapping[str, float], ...]
    near_tie: bool


class _Witness:
    """A policy whose decisions are kept."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.decisions: list[Decision] = []

    def ask(self, state: SearchState, n: int) -> BitArray:
        decisions = _decisions(self._policy, state, n)
        self.decisions += decisions
        return bits_of_decisions(state, decisions)


def _decisions(policy: Policy, state: SearchState, n: int) -> Sequence[Decision]:
    if isinstance(policy, Deciding):
        return policy.decide(state, n)
    return [Decision(rank) for rank in ranks_of(policy.ask(state, n)).tolist()]


def play_control(
    control: Control, seed: int, utilities: FloatArray, equivalence: Equivalence | None, budgets: Sequence[int]
) -> Iterator[CellResult]:
    """Play one reference method under several budgets.

    Parameters
    ----------
    control : Control
        The method.
    seed : int
        Of a random order.
    utilities : ndarray of float64, shape (2**d,)
        The truth, from which purchases are answered.
    equivalence : Equivalence or None
        Classes of the workflow; a method that uses no classes does not see them.
    budgets : sequence of int
        Credits, at least one number.

    Yields
    ------
    CellResult
        One per budget, in the given order.
    """
    classes = equivalence if control.class_aware else None
    witness, largest = _Witness(control.build_policy(seed)), max(budgets)
    # A method that does not look at utilities answers one ask for everything as it does many for one mask each.
    batch = 1 if control.sequential else largest
    bought = buy(asker(witness), utilities, largest, batch, classes)
    for budget in budgets:
        delivery = deliver(control.build_estimator(classes), utilities, bought[:budget], classes)
        yield _result(delivery, witness.decisions[: len(delivery.bought)])


def _result(delivery: Delivery, decisions: Sequence[Decision]) -> CellResult:
    model = inner_model(delivery.model)
    steps = [decision.hyperparameters for decision in decisions if decision.hyperparameters]
    steps.append(getattr(model, "hyperparameters", {}))
    near_tie = getattr(model, "near_tie", False) or any(decision.near_tie for decision in decisions)
    return CellResult(delivery, tuple(steps), near_tie)


def run_cells(task: Task, cells: Iterable[StudyCell]) -> tuple[Record, ...]:
    """Records of one condition.

    Parameters
    ----------
    task : Task
        With the workflow's classes, for the class-aware methods.
    cells : iterable of StudyCell
        What to run.

    Returns
    -------
    tuple of Record
        One per cell, in the given order.
    """
    cells = tuple(cells)
    results = [
        result
        for (label, seed), group in groupby(cells, key=lambda cell: (cell.method, cell.seed))
        for result in play_control(
            METHODS[label], seed, task.surface.utilities, task.equivalence, [cell.budget for cell in group]
        )
    ]
    grades = grade_deliveries(task.surface, [result.delivery for result in results])
    return tuple(
        record_of(
            task,
            cell.method,
            cell.seed,
            cell.budget,
            result.delivery.bought,
            grade,
            result.delivery,
            result.steps,
            result.near_tie,
        )
        for cell, result, grade in zip(cells, results, grades, strict=True)
    )
