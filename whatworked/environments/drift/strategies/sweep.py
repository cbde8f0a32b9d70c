"""A script that knows the form of the order: it rehearses both ordered acts at every tick, in passes of their own.

The two acts do not interact, so where the form is the published one, the right rehearsals give the answer. The script
knows no mechanism beyond that: it picks the beacon by what its stamp does to the counter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from whatworked.environments.drift.inventory import BODIES, PASS_TICKS, SITE_OF, SITES
from whatworked.environments.drift.order import ANSWER_WITHIN, COUNTER_AFTER, INTAKE_AFTER
from whatworked.environments.drift.strategies.guesses import tally_rows
from whatworked.environments.drift.strategies.hands import Hands
from whatworked.environments.drift.strategies.walks import UNKNOWN

ACT_TICKS = range(1, 8)
_STAMP_TICK = 5
"""A tick at which no caretaker moves the counter, for picking a beacon."""


class Rehearsal(NamedTuple):
    """What an act alone brought.

    Attributes
    ----------
    figure : int
        Tally six ticks later, or ticks until the answer.
    counters : tuple of int
        The ledger of that pass.
    """

    figure: int
    counters: tuple[int, ...]


def sweep(hands: Hands, fen: str = "feeder-3", verb: str = "retool", site: str = "ladder-mast") -> None:
    """Rehearse an order of an assumed form at each tick, and commit what the rehearsals add up to.

    Parameters
    ----------
    hands : Hands
        What to play with.
    fen, verb, site : str
        The body and verb that the order is assumed to name, and the site of its beacon.
    """
    hands.goto("ledger-stack")
    hands.cross()
    quiet = _ledger(hands)
    hands.cross()
    beacon = _pick_beacon(hands, site, quiet)
    intakes = _rehearse(hands, "fen-shallows", verb, fen)
    answers = _rehearse(hands, site, "stamp", beacon)
    hands.open_window()
    _commit(hands, intakes, answers, quiet, (fen, verb, site))


def _commit(
    hands: Hands,
    intakes: Mapping[int, Rehearsal],
    answers: Mapping[int, Rehearsal],
    quiet: tuple[int, ...],
    assumed: tuple[str, str, str],
) -> None:
    order: Mapping[str, Any] = hands.order or {}
    named = (order.get("fen"), order.get("verb"), order.get("site"))
    act = order.get("tick", ACT_TICKS[0])
    if act not in intakes or act not in answers:
        hands.commit(*UNKNOWN)
        return
    at = act + COUNTER_AFTER
    counter = intakes[act].counters[at] + answers[act].counters[at] - quiet[at]
    intake = intakes[act].figure if named[:2] == assumed[:2] else UNKNOWN[0]
    hands.commit(intake, answers[act].figure if named[2] == assumed[2] else UNKNOWN[1], counter)


def wide_sweep(hands: Hands) -> None:
    """Rehearse a stamp at both sites of beacons, and guess what the other act does from how often its body acts.

    Made for orders that may name any fen body and verb, which are too many to rehearse.

    Parameters
    ----------
    hands : Hands
        What to play with.
    """
    tallies = tally_rows(hands)
    quiet = _ledger(hands)
    effects, answers = {}, {}
    for site in ("ladder-mast", "drum"):
        found = _stamp_effects(hands, site, quiet)
        beacon = _most_joining(found)
        effects[site] = found[beacon]
        answers[site] = _answer_times(hands, beacon)
    hands.open_window()
    order: Mapping[str, Any] = hands.order or {"fen": "feeder-3", "site": "ladder-mast", "tick": ACT_TICKS[0]}
    act, site, fen = order["tick"], order["site"], order["fen"]
    steps = [tallies[tick][fen] - tallies[tick - 1][fen] for tick in tallies if tick - 1 in tallies]
    # The ordered act is the body's own at its tick. The best guesses for what follows: a body that acted in every tick
    # joins another one, and one that did not goes on among two others.
    acts, change = (4, -1) if 0 not in steps else (3, 0)
    intake = tallies.get(act - 1, {fen: 0})[fen] + max(steps, default=1) * acts
    counter = quiet[act + COUNTER_AFTER] + effects[site] + change
    hands.commit(intake, answers[site].get(act, UNKNOWN[1]), counter)


def _answer_times(hands: Hands, beacon: str) -> dict[int, int]:
    """Ticks from a stamp until the beacon answers, by tick of the stamp; read at the Mast, where the board stands."""
    times = {}
    for act in ACT_TICKS:
        hands.goto(SITE_OF[BODIES.index(beacon)])
        hands.cross()
        hands.wait_until(act)
        hands.office("stamp", beacon)
        moved = hands.place != "ladder-mast"
        hands.goto("ladder-mast")
        times[act] = _until(hands, beacon) + int(moved)
    return times


def _pick_beacon(hands: Hands, site: str, quiet: tuple[int, ...]) -> str:
    return _most_joining(_stamp_effects(hands, site, quiet))


def _most_joining(effects: Mapping[str, int]) -> str:
    """The beacon whose stamp joins it to something: the counter does not rise. Of several, one that lowers it."""
    return min(effects, key=lambda name: (effects[name] > 0, effects[name]))


def _stamp_effects(hands: Hands, site: str, quiet: tuple[int, ...]) -> dict[str, int]:
    """By how much a stamp of each beacon of a site moves the counter."""
    effects = {}
    for beacon in SITES[site].bodies:
        hands.goto(site)
        hands.wait_until(_STAMP_TICK)
        hands.office("stamp", beacon)
        hands.goto("ledger-stack")
        hands.cross()
        shown = hands.read("pass-ledger") or quiet
        effects[beacon] = shown[_STAMP_TICK] - quiet[_STAMP_TICK]
    return effects


def _rehearse(hands: Hands, site: str, verb: str, body: str) -> dict[int, Rehearsal]:
    """Do one act at each tick in a pass of its own; read what is asked, and the ledger in the pass after."""
    figures: dict[int, int] = {}
    ledgers: dict[int, tuple[int, ...]] = {}
    before: int | None = None
    for act in ACT_TICKS:
        hands.goto(site)
        hands.cross()
        hands.wait_until(act)
        hands.office(verb, body)
        figures[act] = _intake(hands, act, body) if verb != "stamp" or site == "fen-shallows" else _until(hands, body)
        # The ledger of the pass before hangs until this pass ends.
        hands.goto("ledger-stack")
        shown = hands.read("pass-ledger")
        if before is not None and shown:
            ledgers[before] = tuple(shown)
        before = act
    hands.cross()
    ledgers[ACT_TICKS[-1]] = _ledger(hands)
    return {act: Rehearsal(figures[act], ledgers[act]) for act in ACT_TICKS if len(ledgers.get(act, ())) == PASS_TICKS}


def _intake(hands: Hands, act: int, body: str) -> int:
    hands.wait_until(act + INTAKE_AFTER)
    return int((hands.read("intake-tallyboard") or {}).get(body, UNKNOWN[0]))


def _until(hands: Hands, body: str) -> int:
    """Ticks until the beacon answers, read tick by tick."""
    for after in range(1, ANSWER_WITHIN):
        if body in (hands.read("answer-board") or ()):
            return after
    return ANSWER_WITHIN


def _ledger(hands: Hands) -> tuple[int, ...]:
    hands.goto("ledger-stack")
    return tuple(hands.read("pass-ledger") or ())
