"""What each instrument shows, as plain JSON values."""

from __future__ import annotations

from typing import Any

from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import (
    BODIES,
    CONSIGNMENTS,
    DRUM,
    FEN,
    FEN_SITES,
    HOLD,
    PLACE_OF,
    PRINTERS,
    SITE_OF,
    names,
)
from whatworked.environments.drift.world import Instruments, World

STRIP_ROWS = 4
"""Ticks that the job strip holds."""


def reading(instance: Instance, world: World, instrument: str, ledger: tuple[int, ...]) -> Any:
    """What an instrument shows after a tick.

    Parameters
    ----------
    instance : Instance
        The sealed facts.
    world : World
        After the tick.
    instrument : str
        Its id.
    ledger : tuple of int
        Counters of the pass before; empty in the first.

    Returns
    -------
    object
        Plain JSON, of a shape of its own for each instrument.
    """
    held = world.instruments
    tick = world.tick - 1
    if instrument == "intake-tallyboard":
        return tally_reading(held.tallies)
    if instrument == "mat-gauge":
        return _gauge(instance, held)
    if instrument == "job-strip":
        first = max(0, tick + 1 - STRIP_ROWS)
        return [[when, names(held.mark_rows[when])] for when in range(first, tick + 1)]
    if instrument == "tool-rack":
        return {BODIES[body]: tick - held.last_marks[PLACE_OF[body]] for body in PRINTERS}
    if instrument == "answer-board":
        return names(held.answers)
    if instrument == "charge-dial":
        return {BODIES[body]: held.charges.get(body, 0) for body in sorted(DRUM)}
    if instrument == "manifest-slate":
        return {"waiting": names(held.waiting), "released": names(held.released), "moved": names(held.moved)}
    if instrument == "berth-scale":
        return _scale(instance, held)
    if instrument == "audit-counter":
        return world.counters[-1]
    if instrument == "standing-roster":
        return roster(instance)
    return list(ledger)


def tally_reading(tallies: tuple[int, ...]) -> dict[str, int]:
    """The tallyboard's lines: one figure a fen body."""
    return {BODIES[body]: figure for body, figure in zip(FEN, tallies, strict=True)}


def roster(instance: Instance) -> dict[str, int]:
    """The roll: what each body's individual would read out in its seeded state."""
    return {name: instance.reading(body, instance.states[instance.labels[body]]) for body, name in enumerate(BODIES)}


def due_ticks(instance: Instance) -> dict[int, int]:
    """The tick at which a consignment begins to wait, for those that do."""
    return {body: tick for tick, bodies in instance.joins.items() for body in bodies}


def _gauge(instance: Instance, held: Instruments) -> dict[str, int]:
    taken = dict.fromkeys(FEN_SITES, 0)
    for body in FEN:
        taken[SITE_OF[body]] += held.tallies[PLACE_OF[body]] - instance.bases[PLACE_OF[body]]
    return {site: stock - taken[site] for site, stock in zip(FEN_SITES, instance.stock, strict=True)}


def _scale(instance: Instance, held: Instruments) -> dict[str, list[int | None]]:
    due = due_ticks(instance)
    return {BODIES[body]: [due.get(body), held.movements[body]] for body in CONSIGNMENTS if body in HOLD}
