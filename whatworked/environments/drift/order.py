"""The standing order's pass, and the three figures that it is asked for."""

from __future__ import annotations

from typing import NamedTuple

from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import BODIES, NUMBER, PASS_TICKS, PLACE_OF
from whatworked.environments.drift.tick import run_tick
from whatworked.environments.drift.world import World, seeded_world

INTAKE_AFTER = 6
"""Ticks from the act to the asked tally."""
ANSWER_WITHIN = 16
"""Ticks in which the beacon may answer; also the figure for one that does not."""
COUNTER_AFTER = 7
"""Ticks from the act to the asked counter."""


class Answer(NamedTuple):
    """The three figures.

    Attributes
    ----------
    intake : int
        The fen body's tally six ticks after the act.
    answer : int
        Ticks until the beacon first answers after the act; 16 if it does not within 16.
    counter : int
        The audit counter seven ticks after the act.
    """

    intake: int
    answer: int
    counter: int


def run_pass(instance: Instance, requests: dict[int, tuple[str, str]] | None = None, *, ordered: bool = False) -> World:
    """Run one fresh pass to its crossing.

    Parameters
    ----------
    instance : Instance
        The sealed facts.
    requests : dict of int to (str, str), optional
        Verb and body of the agent's request, by tick.
    ordered : bool
        Whether the caretakers carry out the standing order.

    Returns
    -------
    World
        At the crossing; its instruments hold the rows of the whole pass.
    """
    return passes(instance, requests, ordered=ordered)[-1]


def passes(
    instance: Instance,
    requests: dict[int, tuple[str, str]] | None = None,
    *,
    ordered: bool = False,
    until: int = PASS_TICKS,
) -> list[World]:
    """The world before each tick of one fresh pass, and after the last one run."""
    worlds = [seeded_world(instance)]
    for tick in range(until):
        asked = (requests or {}).get(tick)
        request = None if asked is None else (asked[0], NUMBER[asked[1]])
        worlds.append(run_tick(instance, worlds[-1], request, ordered=ordered)[0])
    return worlds


def answer_of(instance: Instance) -> Answer:
    """The answer: the order carried out on a fresh pass without acts of the agent's.

    Parameters
    ----------
    instance : Instance
        The world.

    Returns
    -------
    Answer
    """
    return figures(instance, passes(instance, ordered=True))


def figures(instance: Instance, worlds: list[World]) -> Answer:
    """The three asked figures as a pass shows them, whatever was done in it.

    Parameters
    ----------
    instance : Instance
        The sealed facts, whose order says which bodies and ticks are asked for.
    worlds : list of World
        A whole pass, as `passes` gives it.

    Returns
    -------
    Answer
    """
    order = instance.order
    first = next(
        (tick for tick in range(order.tick + 1, PASS_TICKS) if order.beacon in worlds[tick + 1].instruments.answers),
        order.tick + ANSWER_WITHIN,
    )
    return Answer(
        worlds[-1].instruments.tally_rows[order.tick + INTAKE_AFTER][PLACE_OF[order.fen]],
        min(first - order.tick, ANSWER_WITHIN),
        worlds[-1].counters[order.tick + COUNTER_AFTER],
    )


def order_bodies(instance: Instance) -> tuple[str, str, str]:
    """Names of the order's beacon, fen body and consignment."""
    order = instance.order
    return BODIES[order.beacon], BODIES[order.fen], BODIES[order.consignment]
