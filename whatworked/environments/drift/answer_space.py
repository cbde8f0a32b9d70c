"""The answers that a set of instances takes: how many there are, and how far a guess would get."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import BODIES
from whatworked.environments.drift.order import Answer, answer_of

LARGEST_SHARE = 0.4
"""Share of a set that the most common value of a field may have (G10)."""
LEAST_FOR_SHARES = 30
"""Instances below which shares say nothing."""


class AnswerSpace(NamedTuple):
    """What the answers of a set are.

    Attributes
    ----------
    instances : int
        How many there are.
    values : dict of str to int
        Distinct values, by field.
    capacity : int
        Product of these.
    triples : int
        Distinct answers.
    top_shares : dict of str to float
        Share of the most common value, by field.
    beacons : dict of str to int
        How often each beacon is the order's.
    ticks : dict of int to int
        How often each act tick is.
    mean_start : float
        Individuals at tick 0, on average.
    """

    instances: int
    values: dict[str, int]
    capacity: int
    triples: int
    top_shares: dict[str, float]
    beacons: dict[str, int]
    ticks: dict[int, int]
    mean_start: float

    @property
    def top_share(self) -> float:
        """The largest of the top shares."""
        return max(self.top_shares.values())


def answer_space(instances: Sequence[Instance]) -> AnswerSpace:
    """Count the answers of a set.

    Parameters
    ----------
    instances : sequence of Instance
        At least one.

    Returns
    -------
    AnswerSpace
    """
    answers = [answer_of(instance) for instance in instances]
    fields = {name: Counter(getattr(answer, name) for answer in answers) for name in Answer._fields}
    values = {name: len(found) for name, found in fields.items()}
    return AnswerSpace(
        instances=len(instances),
        values=values,
        capacity=math.prod(values.values()),
        triples=len(set(answers)),
        top_shares={name: max(found.values()) / len(answers) for name, found in fields.items()},
        beacons=dict(sorted(Counter(BODIES[instance.order.beacon] for instance in instances).items())),
        ticks=dict(sorted(Counter(instance.order.tick for instance in instances).items())),
        mean_start=math.fsum(len(instance.states) for instance in instances) / len(instances),
    )


def set_finding(space: AnswerSpace) -> tuple[bool, str]:
    """G10: whether no field of a set is guessable, and no beacon is left out.

    Parameters
    ----------
    space : AnswerSpace
        Of the set.

    Returns
    -------
    holds : bool
        Small sets hold by themselves.
    detail : str
        What was found.
    """
    shown = ", ".join(f"{name} {share:.1%}" for name, share in space.top_shares.items())
    if space.instances < LEAST_FOR_SHARES:
        return True, f"{space.instances} instances are too few to tell; most common values: {shown}"
    spread = len(space.beacons) >= 4
    return space.top_share <= LARGEST_SHARE and spread, f"most common values: {shown}; {len(space.beacons)} beacons"
