"""An episode tick by tick, for spectators: who shares an individual, and on which body each acted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from whatworked.environments.drift.events import Event
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import INTERVENTIONS, NUMBER, PASS_TICKS
from whatworked.environments.drift.tick import caretakers, enter, run_tick, service
from whatworked.environments.drift.world import World, seeded_world


class Turn(NamedTuple):
    """What an individual was and did in a tick.

    Attributes
    ----------
    label : int
        Its label, by which it is known.
    bodies : tuple of int
        Who shares it, in the order of service.
    state : int
        What they read out, before the act.
    queued : int
        Requests that waited, the one that was served among them.
    body : int
        The body that its act fell on.
    verb : str or None
        Of the request that it served; None for an ambient act.
    """

    label: int
    bodies: tuple[int, ...]
    state: int
    queued: int
    body: int
    verb: str | None


class Moment(NamedTuple):
    """A tick: the individuals that act in it, after the caretakers' rewrites and before those of the acts.

    Attributes
    ----------
    tick : int
        From 0.
    turns : tuple of Turn
        By label.
    labels : tuple of int
        Of each body.
    counter : int
        Number of individuals after the tick, as the audit counter reads.
    """

    tick: int
    turns: tuple[Turn, ...]
    labels: tuple[int, ...]
    counter: int


class Pass(NamedTuple):
    """A pass of an episode.

    Attributes
    ----------
    number : int
        From 1.
    events : tuple of Event
        The actions that began in it.
    moments : tuple of Moment
        Its ticks; fewer than 24 in the pass that an episode ends in.
    """

    number: int
    events: tuple[Event, ...]
    moments: tuple[Moment, ...]


def passes_of(instance: Instance, events: Iterable[Event]) -> list[Pass]:
    """The passes of an episode, run again from its actions.

    Parameters
    ----------
    instance : Instance
        The sealed facts.
    events : iterable of Event
        In order, as the rules made them.

    Returns
    -------
    list of Pass
    """
    found: list[Pass] = []
    world, own, moments = seeded_world(instance), list[Event](), list[Moment]()
    for event in events:
        own.append(event)
        for _ in range(ticks_of(event)):
            moment, world = _run(instance, world, _request(event), ordered=False)
            moments.append(moment)
            if world.tick == PASS_TICKS:
                found.append(Pass(len(found) + 1, tuple(own), tuple(moments)))
                world, own, moments = seeded_world(instance), [], []
    return [*found, Pass(len(found) + 1, tuple(own), tuple(moments))] if moments else found


def ordered_pass(instance: Instance) -> Pass:
    """The pass on which the prediction is decided: the order's two acts and none of the agent's.

    Parameters
    ----------
    instance : Instance
        The sealed facts.

    Returns
    -------
    Pass
    """
    world, moments = seeded_world(instance), []
    for _ in range(PASS_TICKS):
        moment, world = _run(instance, world, None, ordered=True)
        moments.append(moment)
    return Pass(1, (), tuple(moments))


def ticks_of(event: Event) -> int:
    """How many ticks an action ran.

    Parameters
    ----------
    event : Event
        Of an episode.

    Returns
    -------
    int
    """
    if event.outcome == "waited":
        return event.ticks or 0
    return event.charged or 0 if event.outcome == "yielded" else 1


def _request(event: Event) -> tuple[str, int] | None:
    """What an action asked an individual for; nothing does that was sealed."""
    if event.verb not in INTERVENTIONS or event.outcome == "sealed":
        return None
    return event.verb, NUMBER[str(event.target)]


def _run(instance: Instance, world: World, request: tuple[str, int] | None, *, ordered: bool) -> tuple[Moment, World]:
    asked, _ = enter(caretakers(instance, world, ordered=ordered), request)
    turns = [
        Turn(
            act.label,
            asked.cells[act.label],
            asked.individuals[act.label].state,
            len(asked.individuals[act.label].queue),
            act.body,
            None if act.request is None else act.request.verb,
        )
        for act in service(instance, asked)
    ]
    after, _ = run_tick(instance, world, request, ordered=ordered)
    return Moment(world.tick, tuple(sorted(turns)), asked.labels, after.counters[-1]), after
