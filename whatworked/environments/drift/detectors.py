"""The eighteen detectors: rules over the log of an episode that say whether the evidence of a block is in it.

Each is a function of the log so far. It is asked after every event that can make it true; once true it stays true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations, pairwise
from typing import NamedTuple

from whatworked.environments.drift.events import Event
from whatworked.environments.drift.inventory import (
    BEACONS,
    CONSIGNMENTS,
    FEN,
    INSTRUMENTS,
    PRINTERS,
    STALL_TICK,
    names,
)
from whatworked.environments.drift.log import Log, OwnAct, Reading
from whatworked.environments.drift.patterns import brackets, is_after, is_attributable

TALLY, GAUGE, STRIP, RACK = "intake-tallyboard", "mat-gauge", "job-strip", "tool-rack"
BOARD, SLATE, COUNTER, ROSTER, LEDGER = (
    "answer-board",
    "manifest-slate",
    "audit-counter",
    "standing-roster",
    "pass-ledger",
)
LOAD_TICKS = 4
"""Ticks within which two acts on a printer are one load (TR2)."""
WAITING_TICKS = range(8, 17)
"""Ticks at which a consignment is stamped while others wait (CO2)."""
QUIET_TICKS = range(1, 20)
"""Ticks in which both ends of CA2's bracket lie."""

_FEN, _PRINTERS, _BEACONS, _CONSIGNMENTS = (
    frozenset(names(bodies)) for bodies in (FEN, PRINTERS, BEACONS, CONSIGNMENTS)
)
Rule = Callable[[Log], bool]


class Detector(NamedTuple):
    """A block's rule, and what can make it true.

    Attributes
    ----------
    block : str
        The block whose evidence it finds.
    instruments : frozenset of str
        Instruments of which a new reading can make it true; ``S2`` stands for posted rewrites, ``act`` for an act.
    holds : callable
        From the log to whether it is true.
    """

    block: str
    instruments: frozenset[str]
    holds: Rule


def _fe1(log: Log) -> bool:
    """Two differing tally readings of a pass that span an own release or cull of a fen body."""
    return any(
        _differ_around(log.readings(TALLY, act.pass_number), act)
        for act in log.all_acts()
        if act.verb in ("release", "cull") and act.target in _FEN
    )


def _differ_around(readings: list[Reading], act: OwnAct) -> bool:
    before = [reading.content for reading in readings if not is_after(reading, act)]
    after = [reading.content for reading in readings if is_after(reading, act)]
    return any(first != last for first in before for last in after)


def _fe2(log: Log) -> bool:
    """Tally brackets on two different fen bodies."""
    return len({found.act.target for found in brackets(log, TALLY)} & _FEN) >= 2


def _fe3(log: Log) -> bool:
    """A tally bracket on a fen body with a gauge reading inside its span."""
    return any(
        found.before.tick <= gauge.tick <= found.after.tick
        for found in brackets(log, TALLY)
        if found.act.target in _FEN
        for gauge in log.readings(GAUGE, found.act.pass_number)
    )


def _tr1(log: Log) -> bool:
    """Exactly one of a pair marked in two strip readings; or in one, with a strip bracket on either printer."""
    rows = {(reading.pass_number, reading.tick): reading.content for reading in log.all_readings(STRIP)}
    fresh = [(reading.pass_number, reading.tick) for reading in log.fresh.get(STRIP, ())]
    if any(_same_exclusion(rows[new], row) for new in fresh for moment, row in rows.items() if moment != new):
        return True
    if not any(0 < len(row) < len(PRINTERS) for row in rows.values()):
        return False
    return any(found.act.target in _PRINTERS for found in brackets(log, STRIP))


def _same_exclusion(first: Iterable[str], second: Iterable[str]) -> bool:
    """Whether there are two printers of which exactly one marked in either row."""
    patterns = {(name in first, name in second) for name in _PRINTERS}
    return {(True, True), (False, False)} <= patterns or {(True, False), (False, True)} <= patterns


def _tr2(log: Log) -> bool:
    """Two acts on a printer within four ticks, a strip reading not after the first and one not before the second."""
    return any(
        second.tick - first.tick <= LOAD_TICKS
        and any(reading.tick <= first.tick for reading in log.readings(STRIP, first.pass_number))
        and any(reading.tick >= second.tick for reading in log.readings(STRIP, first.pass_number))
        for first, second in _pairs_on_printers(log)
    )


def _pairs_on_printers(log: Log) -> Iterable[tuple[OwnAct, OwnAct]]:
    for acts in log.acts.values():
        on_printers = (act for act in acts if act.target in _PRINTERS)
        for first, second in combinations(on_printers, 2):
            if first.target == second.target:
                yield first, second


def _tr3(log: Log) -> bool:
    """Two retools of a printer, a strip or rack reading between them and another after the second."""
    for first, second in _pairs_on_printers(log):
        if first.verb == second.verb == "retool":
            readings = [*log.readings(STRIP, first.pass_number), *log.readings(RACK, first.pass_number)]
            between = any(is_after(reading, first) and not is_after(reading, second) for reading in readings)
            if between and any(is_after(reading, second) for reading in readings):
                return True
    return False


def _ld1(log: Log) -> bool:
    """Three live board readings of a pass, two consecutive ones with a wait and no request between them."""
    for fresh in log.fresh.get(BOARD, ()):
        positions = [reading.position for reading in log.readings(BOARD, fresh.pass_number)]
        if len(positions) >= 3 and any(_only_waited(log, *pair) for pair in pairwise(positions)):
            return True
    return False


def _only_waited(log: Log, first: int, last: int) -> bool:
    waited = any(first < position < last for position in log.waits)
    return waited and not any(first < position < last for position in log.requests)


def _ld2(log: Log) -> bool:
    """In one pass, a board bracket around a stamp of a beacon and one around another verb on another beacon."""
    found = [found.act for found in brackets(log, BOARD) if found.act.target in _BEACONS]
    return any(
        stamp.verb == "stamp"
        and other.verb != "stamp"
        and stamp.target != other.target
        and stamp.pass_number == other.pass_number
        for stamp in found
        for other in found
    )


def _ld3(log: Log) -> bool:
    """Differing readings of an instrument at one tick of two passes, an own act before it in exactly one of them."""
    return any(
        old.tick == new.tick
        and old.pass_number != new.pass_number
        and old.content != new.content
        and _acted_before(log, old) != _acted_before(log, new)
        for instrument, readings in log.fresh.items()
        if instrument != LEDGER
        for new in readings
        for old in log.all_readings(instrument)
    )


def _acted_before(log: Log, reading: Reading) -> bool:
    return any(
        act.tick <= reading.tick if reading.posted else act.tick < reading.tick
        for act in log.acts.get(reading.pass_number, ())
    )


def _co1(log: Log) -> bool:
    """Six slate readings of a pass, two released, two changes of the waiting list while the released list grows."""
    return any(_shows_releases(log.readings(SLATE, fresh.pass_number)) for fresh in log.fresh.get(SLATE, ()))


def _shows_releases(readings: list[Reading]) -> bool:
    shown = [reading.content for reading in sorted(readings, key=lambda reading: reading.tick)]
    if len(shown) < 6 or len(shown[-1]["released"]) < 2:
        return False
    grown = [place for place in range(1, len(shown)) if shown[place]["released"] != shown[place - 1]["released"]]
    if not grown:
        return False
    span = range(grown[0], grown[-1] + 1)
    changes = [shown[place]["waiting"] != shown[place - 1]["waiting"] for place in span]
    return changes.count(True) >= 2


def _co2(log: Log) -> bool:
    """A slate bracket around a stamp of a consignment in the middle of the pass."""
    return any(
        found.act.verb == "stamp" and found.act.target in _CONSIGNMENTS and found.act.tick in WAITING_TICKS
        for found in brackets(log, SLATE)
    )


def _co3(log: Log) -> bool:
    """An attributable slate bracket with different waiting lists at its ends."""
    return any(
        found.before.content["waiting"] != found.after.content["waiting"] and is_attributable(log, found)
        for found in brackets(log, SLATE)
    )


def _ca1(log: Log) -> bool:
    """A counter reading and a roster or slate reading of the same pass."""
    passes = {reading.pass_number for readings in log.fresh.values() for reading in readings}
    return any(
        bool(log.readings(COUNTER, number)) and bool(log.readings(ROSTER, number) or log.readings(SLATE, number))
        for number in passes
    )


def _ca2(log: Log) -> bool:
    """An attributable counter bracket with both ends in the quiet part of the pass."""
    return any(
        found.before.tick in QUIET_TICKS and found.after.tick in QUIET_TICKS and is_attributable(log, found)
        for found in brackets(log, COUNTER)
    )


def _ca3(log: Log) -> bool:
    """A ledger reading with figures before the stall."""
    return any(bool(reading.content) and reading.tick < STALL_TICK for reading in log.fresh.get(LEDGER, ()))


def _xc1(log: Log) -> bool:
    """Any own act."""
    return any(True for _ in log.all_acts())


def _xc2(log: Log) -> bool:
    """Counter brackets, or posted rows of own rewrites, around three different verbs."""
    return len({found.act.verb for found in brackets(log, COUNTER)} | log.posted_verbs) >= 3


def _xc3(log: Log) -> bool:
    """Three attributable counter brackets over two passes or more."""
    found = [found for found in brackets(log, COUNTER) if is_attributable(log, found)]
    return len(found) >= 3 and len({around.act.pass_number for around in found}) >= 2


def _detector(block: str, rule: Rule, *instruments: str) -> Detector:
    return Detector(block, frozenset(instruments), rule)


DETECTORS: tuple[Detector, ...] = (
    _detector("FE1", _fe1, TALLY),
    _detector("FE2", _fe2, TALLY),
    _detector("FE3", _fe3, TALLY),
    _detector("TR1", _tr1, STRIP),
    _detector("TR2", _tr2, STRIP),
    _detector("TR3", _tr3, STRIP, RACK),
    _detector("LD1", _ld1, BOARD),
    _detector("LD2", _ld2, BOARD),
    _detector("LD3", _ld3, *(name for name in INSTRUMENTS if name != LEDGER)),
    _detector("CO1", _co1, SLATE),
    _detector("CO2", _co2, SLATE),
    _detector("CO3", _co3, SLATE),
    _detector("CA1", _ca1, COUNTER, ROSTER, SLATE),
    _detector("CA2", _ca2, COUNTER),
    _detector("CA3", _ca3, LEDGER),
    _detector("XC1", _xc1, "act"),
    _detector("XC2", _xc2, COUNTER, "S2"),
    _detector("XC3", _xc3, COUNTER),
)
"""All of them, by domain, the three bridges last."""


def first_truths(events: Iterable[Event], moving: frozenset[int]) -> dict[str, int | None]:
    """When the evidence of each block was first in the log.

    Parameters
    ----------
    events : iterable of Event
        An episode, from its first action on.
    moving : frozenset of int
        Ticks at which the caretakers move the counter; see `patterns.moving_ticks`.

    Returns
    -------
    dict of str to int or None
        Paid actions at the first truth, by block in the order of `DETECTORS`; None for a block without evidence.
    """
    found: dict[str, int | None] = {detector.block: None for detector in DETECTORS}
    log = Log(moving)
    for event in events:
        log.add(event)
        gains = _gains(log, event)
        for detector in DETECTORS:
            if found[detector.block] is None and gains & detector.instruments and detector.holds(log):
                found[detector.block] = event.paid
    return found


def _gains(log: Log, event: Event) -> set[str]:
    """What an event added to the log."""
    gains = set(log.fresh)
    if event.outcome in ("acknowledged", "deferred"):
        gains.add("act")
    if any(posting.stream == "S2" and posting.rows for posting in event.posted or ()):
        gains.add("S2")
    return gains
