"""Patterns that detectors are made of: brackets, spans, and what may have caused a change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import SCHEDULE_TICKS, STALL_TICK
from whatworked.environments.drift.log import Log, OwnAct, Reading
from whatworked.environments.drift.order import run_pass


class Bracket(NamedTuple):
    """An act with the nearest reading held before it and the nearest one that describes the same pass after it.

    Attributes
    ----------
    act : OwnAct
        The act.
    before, after : Reading
        The readings around it.
    """

    act: OwnAct
    before: Reading
    after: Reading


def bracket(log: Log, instrument: str, act: OwnAct) -> Bracket | None:
    """The bracket of an instrument around an act, if there is one."""
    readings = log.readings(instrument, act.pass_number)
    held = [reading for reading in readings if reading.tick < act.tick and reading.position < act.position]
    later = [reading for reading in readings if is_after(reading, act)]
    if not held or not later:
        return None
    return Bracket(act, max(held, key=_tick), min(later, key=_tick))


def brackets(log: Log, instrument: str) -> Iterator[Bracket]:
    """All brackets of an instrument."""
    for act in log.all_acts():
        found = bracket(log, instrument, act)
        if found is not None:
            yield found


def is_after(reading: Reading, act: OwnAct) -> bool:
    """Whether a reading of the act's pass shows the world after the act: its tick shows the result of its own act."""
    return reading.tick >= act.tick


def is_attributable(log: Log, found: Bracket) -> bool:
    """Whether the act is the one candidate cause of a change between the ends of its bracket.

    Parameters
    ----------
    log : Log
        All that happened.
    found : Bracket
        The bracket.

    Returns
    -------
    bool
    """
    first, last = found.before.tick, found.after.tick
    if any(first < tick <= last for tick in log.moving):
        return False
    others = (act for act in log.acts[found.act.pass_number] if act.position != found.act.position)
    return not any(first < act.tick <= last for act in others)


def moving_ticks(instance: Instance) -> frozenset[int]:
    """Ticks of the schedule at which the counter changes in a pass that nobody disturbs.

    Parameters
    ----------
    instance : Instance
        The world.

    Returns
    -------
    frozenset of int
    """
    counters = run_pass(instance).counters
    return frozenset(tick for tick in (*SCHEDULE_TICKS, STALL_TICK) if counters[tick] != counters[tick - 1])


def _tick(reading: Reading) -> int:
    return reading.tick
