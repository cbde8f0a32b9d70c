"""One script for each local repair of the doctrine: at most 20 paid actions that can show the repair to be wrong.

Each gives whether its readings contradict the repair. They look for what they need, so on some instances they find
nothing; none contradicts a repair that the readings would fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

from whatworked.environments.drift.inventory import SITES
from whatworked.environments.drift.strategies.hands import Hands

PRICE = 20
"""Paid actions that each may take."""
Rows = Sequence[Mapping[str, int]]


def fen_capacity(hands: Hands) -> bool:
    """Against *the mats limit the take*: a retool leaves the heads as they are, and changes how many take in a tick."""
    hands.goto("fen-shallows")
    quiet = [hands.read("intake-tallyboard") for _ in range(7)]
    body = _sharing(quiet, SITES["fen-shallows"].bodies)
    hands.cross()
    hands.office("retool", body)
    touched = [hands.read("intake-tallyboard") for _ in range(7)]
    return _takers(quiet[1:]) != _takers(touched[:6])


def _sharing(rows: Rows, bodies: Iterable[str]) -> str:
    """A body here that takes in turn with another one."""
    taking = {name: _ticks_of_taking(rows, name) for name in rows[0]}
    for body in bodies:
        partners = [taking[other] for other in taking if other != body and not taking[other] & taking[body]]
        if taking[body] and any(partners):
            return body
    return min(bodies, key=lambda name: len(taking[name]))


def _ticks_of_taking(rows: Rows, name: str) -> set[int]:
    return {tick for tick, (before, after) in enumerate(pairwise(rows)) if after[name] > before[name]}


def _takers(rows: Rows) -> list[int]:
    """How many bodies take in each tick."""
    return [sum(after[name] > before[name] for name in after) for before, after in pairwise(rows)]


def power_window(hands: Hands) -> bool:
    """Against *two heads on one supply*: a retool frees the pair at once, and some more retools lock it again."""
    hands.goto("trellis-bay")
    hands.wait_until(4)
    quiet = dict(hands.read("job-strip"))
    hands.wait_until(8)
    quiet |= dict(hands.read("job-strip"))
    pair = _exclusive_pair(list(quiet.values()), SITES["trellis-bay"].bodies)
    if pair is None:
        return False
    hands.cross()
    hands.office("retool", pair[0])
    hands.wait_until(4)
    freed = _both(hands.read("job-strip"), pair)
    locked = False
    for count in (2, 3, 4):
        hands.office("retool", pair[0])
        if count > 2:
            hands.wait(3)
            rows = hands.read("job-strip")
            locked |= not _both(rows[1:], pair) and _either(rows[1:], pair)
    return freed and locked


def _exclusive_pair(rows: Sequence[Sequence[str]], here: Sequence[str]) -> tuple[str, str] | None:
    """A printer here and another one of which exactly one marks in every tick, or else never both."""
    names = sorted({name for row in rows for name in row})
    pairs = [(near, far) for near in here for far in names if near != far and near in names]
    never = [pair for pair in pairs if not any(pair[0] in row and pair[1] in row for row in rows)]
    always = [pair for pair in never if all(pair[0] in row or pair[1] in row for row in rows)]
    return next(iter([*always, *never]), None)


def _both(rows: Sequence[Sequence[Any]], pair: tuple[str, str]) -> bool:
    return any(pair[0] in marked and pair[1] in marked for _, marked in rows)


def _either(rows: Sequence[Sequence[Any]], pair: tuple[str, str]) -> bool:
    return any(pair[0] in marked or pair[1] in marked for _, marked in rows)


def channel(hands: Hands) -> bool:
    """Against *two beacons on one channel*: a pair that never answers together is silent together in some tick."""
    hands.goto("ladder-mast")
    rows = [hands.read("answer-board") for _ in range(PRICE - 1)]
    names = sorted({name for row in rows for name in row})
    for pair in combinations(names, 2):
        times = [sum(name in row for row in rows) for name in pair]
        together = any(pair[0] in row and pair[1] in row for row in rows)
        silent = any(pair[0] not in row and pair[1] not in row for row in rows)
        if min(times) >= 3 and not together and silent:
            return True
    return False


def priority_list(hands: Hands) -> bool:
    """Against *re-labelling re-sorts a list*: the same stamp, done later, gives another order of release."""
    hands.goto("consign-floor")
    orders = []
    for tick in (9, 11, 12, 14):
        hands.wait_until(tick)
        hands.office("stamp", "consignment-d1")
        hands.wait_until(19)
        orders.append(hands.read("manifest-slate")["released"])
    return any(sooner != later for sooner, later in pairwise(orders))


def deduplication_key(hands: Hands) -> bool:
    """Against *a key in the registry*: one act changes counter, tallies and strip, and no row of the roster."""
    before = _tour(hands, None)
    hands.cross()
    after = _tour(hands, "feeder-1")
    tally, strip, counter, roster = (before[place] != after[place] for place in range(4))
    return tally and strip and counter and not roster


def _tour(hands: Hands, body: str | None) -> list[Any]:
    """One reading of each of four instruments, at the same ticks of a pass with and without an act."""
    hands.goto("fen-shallows")
    if body is not None:
        hands.office("retool", body)
    hands.wait_until(4)
    shown = [hands.read("intake-tallyboard")]
    hands.goto("trellis-bay")
    shown.append(hands.read("job-strip"))
    hands.goto("registry")
    return [*shown, hands.read("audit-counter"), hands.read("standing-roster")]


FALSIFIERS: Mapping[str, Callable[[Hands], bool]] = {
    "fen capacity": fen_capacity,
    "power window": power_window,
    "channel": channel,
    "priority list": priority_list,
    "deduplication key": deduplication_key,
}
"""By the repair that they are against."""
