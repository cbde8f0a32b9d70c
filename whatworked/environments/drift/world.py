"""One pass of the world as a value: individuals, what the instruments hold, and the number of the next tick."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import FEN, HOLD


class Request(msgspec.Struct, frozen=True):
    """An act that waits to be served.

    Attributes
    ----------
    arrival : int
        Running number over the pass.
    verb : str
        One of the five interventions, or ``move``.
    body : int
        The body that it names.
    """

    arrival: int
    verb: str
    body: int


class Individual(msgspec.Struct, frozen=True):
    """What all bodies of one label are.

    Attributes
    ----------
    state : int
        What its bodies read out.
    offset : int
        Where its rotation stands against the clock.
    queue : tuple of Request
        By arrival.
    """

    state: int
    offset: int = 0
    queue: tuple[Request, ...] = ()


class Instruments(msgspec.Struct, frozen=True):
    """What the instruments hold; everything but the pass ledger is cleared at the crossing.

    Attributes
    ----------
    tallies : tuple of int
        Cumulative figure, by place of the fen body.
    tally_rows : tuple of tuple of int
        The tallies after each tick.
    mark_rows : tuple of tuple of int
        The printers that marked, by tick.
    last_marks : tuple of int
        Tick of the last mark, by place of the printer; the seeded backlog stands before tick 0.
    answers : tuple of int
        The beacons that answered in the last tick.
    charges : dict of int to int
        Answers in this pass, by beacon.
    waiting : tuple of int
        Consignments that wait, by joining.
    released : tuple of int
        Consignments that were released, in order.
    moved : tuple of int
        Consignments on which an act fell in the last tick.
    movements : dict of int to int
        Movements in this pass of the consignments in the Hold.
    latched : frozenset of int
        Bodies whose acts read idle.
    """

    tallies: tuple[int, ...]
    last_marks: tuple[int, ...]
    latched: frozenset[int]
    tally_rows: tuple[tuple[int, ...], ...] = ()
    mark_rows: tuple[tuple[int, ...], ...] = ()
    answers: tuple[int, ...] = ()
    charges: dict[int, int] = {}
    waiting: tuple[int, ...] = ()
    released: tuple[int, ...] = ()
    moved: tuple[int, ...] = ()
    movements: dict[int, int] = {}


class World(msgspec.Struct, frozen=True):
    """The world between two ticks of a pass.

    Attributes
    ----------
    tick : int
        The next tick; 24 at the crossing.
    labels : tuple of int
        By body.
    individuals : dict of int to Individual
        By label.
    cells : dict of int to tuple of int
        The bodies of each label, in the order in which ambient acts go round.
    instruments : Instruments
        What can be read.
    counters : tuple of int
        Number of individuals after each tick.
    arrivals : int
        Requests that have come in this pass.
    """

    tick: int
    labels: tuple[int, ...]
    individuals: dict[int, Individual]
    cells: dict[int, tuple[int, ...]]
    instruments: Instruments
    counters: tuple[int, ...] = ()
    arrivals: int = 0


def seeded_world(instance: Instance) -> World:
    """The world at the start of every pass."""
    cells = cells_of(instance, instance.labels, set(instance.labels))
    return World(
        tick=0,
        labels=instance.labels,
        individuals={label: Individual(instance.states[label]) for label in cells},
        cells=cells,
        instruments=Instruments(
            tallies=instance.bases,
            last_marks=tuple(-age for age in instance.backlog),
            latched=instance.latched,
            movements=dict.fromkeys(HOLD, 0),
        ),
    )


def cells_of(instance: Instance, labels: tuple[int, ...], wanted: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """The bodies of each wanted label that has any, in the order of service."""
    found: dict[int, list[int]] = {label: [] for label in wanted}
    for body, label in enumerate(labels):
        if label in found:
            found[label].append(body)
    return {label: tuple(sorted(cell, key=instance.ranks.__getitem__)) for label, cell in found.items() if cell}


def tally_of(instruments: Instruments, body: int) -> int:
    """The tally of a fen body."""
    return instruments.tallies[FEN.index(body)]
