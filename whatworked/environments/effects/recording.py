"""The record of what was bought, delivered and graded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from whatworked.environments.effects.delivery import Delivery
from whatworked.environments.effects.task import Task
from whatworked.grading.grades import Grade
from whatworked.grading.record import Record
from whatworked.surfaces.masks import as_strings


def record_of(
    task: Task,
    method: str,
    seed: int,
    budget: int,
    bought: Sequence[int],
    grade: Grade,
    delivery: Delivery | None,
    steps: Iterable[Mapping[str, float]] = (),
    near_tie: bool = False,
    failure: str | None = None,
) -> Record:
    """The record of one method on one task under one budget and seed.

    Parameters
    ----------
    task : Task
        What was explored.
    method : str
        Label.
    seed, budget : int
        Of the method; credits it was given.
    bought : sequence of int
        Ranks in order, anchors not counted.
    grade : Grade
        Of the delivery, or of a missing one.
    delivery : Delivery or None
        None where nothing was delivered.
    steps : iterable of mapping
        Hyper-parameters chosen by each fit, in order.
    near_tie : bool
        Whether any choice lay within rounding of a tie.
    failure : str or None
        Why nothing was delivered.
    """
    return Record(
        condition=task.condition,
        method=method,
        seed=seed,
        budget=budget,
        table=task.digest,
        purchases=as_strings(bought, task.d),
        aliases=() if delivery is None else as_strings(delivery.aliases, task.d),
        steps=tuple(dict(step) for step in steps),
        predictions=None if delivery is None else tuple(delivery.predictions.tolist()),
        grade=grade,
        near_tie=near_tie,
        failure=failure,
    )
