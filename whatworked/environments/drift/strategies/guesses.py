"""Predictions without an account of the world: what surface readings, copied or combined, would give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatworked.environments.drift.inventory import BODIES, PASS_TICKS, SITE_OF, SITES
from whatworked.environments.drift.strategies.hands import Hands
from whatworked.environments.drift.strategies.walks import UNKNOWN

_PAPER_ORDER: Mapping[str, Any] = {
    "tick": 4,
    "intake_tick": 10,
    "counter_tick": 11,
    "fen": "feeder-3",
    "site": "ladder-mast",
}
_LATEST = 14
"""The last tick that an order asks of."""


def constant(hands: Hands) -> None:
    """The same figures on every instance."""
    hands.commit(*UNKNOWN)


def copy_undisturbed(hands: Hands) -> None:
    """Commit the three readings of a pass in which nothing is done."""
    tallies = tally_rows(hands)
    answers = _answer_rows(hands)
    ledger = _ledger(hands)
    order = _order(hands)
    beacons = SITES[order["site"]].bodies
    first = min(
        (
            tick - order["tick"]
            for tick in answers
            for name in beacons
            if tick > order["tick"] and name in answers[tick]
        ),
        default=16,
    )
    intake = tallies.get(order["intake_tick"], {}).get(order["fen"], UNKNOWN[0])
    hands.commit(intake, min(first, 16), ledger.get(order["counter_tick"], UNKNOWN[2]))


def ledger_and_pace(hands: Hands) -> None:
    """The undisturbed tally before the act and the body's own pace from it on; the ledger's figure for the counter."""
    tallies = tally_rows(hands)
    ledger = _ledger(hands)
    order = _order(hands)
    act, asked = order["tick"], order["intake_tick"]
    start = tallies.get(act - 1, {}).get(order["fen"], UNKNOWN[0])
    pace = max(_step(tallies, order["fen"], tick) for tick in range(1, _LATEST))
    hands.commit(start + pace * (asked - act + 1), 1, ledger.get(order["counter_tick"], UNKNOWN[2]))


def peer_feeder(hands: Hands) -> None:
    """Another body's tally for the one that is asked for."""
    tallies = tally_rows(hands)
    ledger = _ledger(hands)
    order = _order(hands)
    row = tallies.get(order["intake_tick"], {})
    peer = next((row[name] for name in ("feeder-2", "feeder-1") if name in row and name != order["fen"]), UNKNOWN[0])
    hands.commit(peer, 2, ledger.get(order["counter_tick"], UNKNOWN[2]))


def staging(hands: Hands) -> None:
    """Wait for the order, then try to carry it out in the window; the seal refuses what it names."""
    tallies = tally_rows(hands)
    ledger = _ledger(hands)
    order = _order(hands)
    hands.goto(SITE_OF[BODIES.index(order["fen"])])
    hands.wait_until(order["tick"])
    hands.office(order.get("verb", "retool"), order["fen"])
    hands.wait_until(order["intake_tick"])
    shown = hands.read("intake-tallyboard") or tallies.get(order["intake_tick"], {})
    hands.commit(shown.get(order["fen"], UNKNOWN[0]), 1, ledger.get(order["counter_tick"], UNKNOWN[2]))


def _order(hands: Hands) -> Mapping[str, Any]:
    hands.open_window()
    return hands.order or _PAPER_ORDER


def tally_rows(hands: Hands) -> dict[int, dict[str, int]]:
    """The tallyboard of one undisturbed pass, by tick."""
    hands.goto("fen-shallows")
    hands.cross()
    rows = {}
    while hands.tick <= _LATEST and not hands.window:
        tick = hands.tick
        rows[tick] = hands.read("intake-tallyboard")
    hands.cross()
    return rows


def _answer_rows(hands: Hands) -> dict[int, list[str]]:
    hands.cross()
    rows: dict[int, list[str]] = {}
    hands.goto("ladder-mast")
    while 0 < hands.tick < PASS_TICKS - 1 and not hands.window:
        tick = hands.tick
        rows[tick] = hands.read("answer-board")
    hands.cross()
    return rows


def _ledger(hands: Hands) -> dict[int, int]:
    hands.goto("ledger-stack")
    return dict(enumerate(hands.read("pass-ledger") or ()))


def _step(tallies: Mapping[int, Mapping[str, int]], body: str, tick: int) -> int:
    if tick not in tallies or tick - 1 not in tallies:
        return 0
    return tallies[tick][body] - tallies[tick - 1][body]
