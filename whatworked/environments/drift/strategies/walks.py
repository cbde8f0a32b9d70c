"""Walks that collect evidence: the reference route, one that satisfies every detector, a reader, a random player."""

from __future__ import annotations

import random
from collections.abc import Sequence

from whatworked.environments.drift.inventory import INTERVENTIONS, SITES
from whatworked.environments.drift.strategies.hands import Hands

UNKNOWN = (12, 2, 17)
"""A guess for who knows nothing: figures near the middle of those of public sets."""


def route(hands: Hands, prediction: Sequence[int] = UNKNOWN) -> None:
    """The reference route: 39 paid actions over four passes that read every block's instrument.

    It experiments nowhere: its log satisfies six detectors, and one more where transcripts are posted.

    Parameters
    ----------
    hands : Hands
        What to play with.
    prediction : sequence of int
        What to commit.
    """
    hands.goto("trellis-bay")
    _reads(hands, "job-strip", 2)
    hands.office("retool", "printer-b2")
    hands.read("job-strip")
    hands.goto("consign-floor")
    hands.read("manifest-slate")
    hands.office("stamp", "consignment-d1")
    _reads(hands, "manifest-slate", 4)
    hands.cross()
    hands.wait(6)
    hands.goto("ladder-mast")
    hands.read("answer-board")
    hands.wait(1)
    hands.read("answer-board")
    hands.office("stamp", "beacon-c2")
    hands.read("answer-board")
    hands.goto("fen-shallows")
    hands.read("intake-tallyboard")
    hands.office("feed", "feeder-3")
    hands.read("intake-tallyboard")
    hands.office("release", "grazer-a4")
    hands.read("intake-tallyboard")
    hands.cross()
    hands.wait(13)
    hands.goto("registry")
    _reads(hands, "audit-counter", 4)
    hands.cross()
    hands.wait(14)
    hands.goto("ledger-stack")
    _reads(hands, "pass-ledger", 2)
    hands.commit(*prediction)


def full_walk(hands: Hands) -> None:
    """A walk whose log satisfies all eighteen detectors on most instances, in 63 paid actions; it commits nothing."""
    _fen_and_trellis(hands)
    hands.goto("ladder-mast")
    hands.read("answer-board")
    hands.office("stamp", "beacon-c2")
    hands.read("answer-board")
    hands.office("retool", "beacon-c4")
    hands.read("answer-board")
    hands.wait_until(6)
    hands.goto("consign-floor")
    _reads(hands, "manifest-slate", 8)
    hands.goto("ladder-mast")
    hands.read("answer-board")
    hands.wait(1)
    _reads(hands, "answer-board", 3)
    hands.wait_until(8)
    hands.goto("registry")
    for verb, line in (("stamp", "1"), ("retool", "2"), ("cull", "5")):
        hands.read("audit-counter")
        hands.office(verb, f"registry-line-{line}")
    hands.read("audit-counter")
    hands.read("standing-roster")
    hands.wait_until(7)
    hands.goto("consign-floor")
    hands.read("manifest-slate")
    hands.office("stamp", "consignment-d1")
    hands.read("manifest-slate")
    hands.office("stamp", "consignment-d2")
    hands.read("manifest-slate")
    hands.goto("registry")
    hands.read("audit-counter")
    hands.office("stamp", "registry-line-1")
    hands.read("audit-counter")
    hands.goto("ledger-stack")
    hands.read("pass-ledger")


def _fen_and_trellis(hands: Hands) -> None:
    hands.goto("fen-shallows")
    hands.read("intake-tallyboard")
    hands.office("cull", "grazer-a4")
    hands.goto("mat-bank")
    hands.read("mat-gauge")
    hands.goto("fen-shallows")
    hands.read("intake-tallyboard")
    hands.office("feed", "feeder-1")
    hands.read("intake-tallyboard")
    hands.goto("trellis-bay")
    for _ in range(2):
        hands.read("job-strip")
        hands.office("retool", "printer-b2")
    hands.read("job-strip")


def passive_reader(hands: Hands) -> None:
    """Read every instrument through whole passes, touch nothing, and commit what the undisturbed pass showed."""
    figures: dict[int, int] = {}
    tallies: dict[int, int] = {}
    for site in (site for site in SITES.values() if site.instruments and site.name != "ledger-stack"):
        hands.goto(site.name)
        while hands.left > 40 and hands.tick < 22:
            shown = [hands.read(name) for name in site.instruments]
            if site.name == "fen-shallows":
                tallies[hands.tick - 1] = shown[0]["feeder-3"]
        hands.cross()
    hands.goto("ledger-stack")
    figures = dict(enumerate(hands.read("pass-ledger") or ()))
    hands.open_window()
    order = hands.order or {"intake_tick": 10, "counter_tick": 11}
    hands.commit(tallies.get(order["intake_tick"], UNKNOWN[0]), UNKNOWN[1], figures.get(order["counter_tick"], 17))


def random_player(hands: Hands, chance: random.Random) -> None:
    """Actions at random until the window opens, then a prediction at random."""
    while not hands.window:
        site = SITES[hands.place] if hands.place else None
        kind = chance.random()
        if site is None or kind < 0.3:
            hands.goto(chance.choice([name for name in SITES if name != hands.place]))
        elif kind < 0.6 and site.instruments:
            hands.read(chance.choice(site.instruments))
        elif kind < 0.65:
            hands.wait(chance.randrange(1, 13))
        else:
            hands.office(chance.choice(INTERVENTIONS), chance.choice(site.bodies))
    hands.commit(chance.randrange(41), chance.randrange(1, 17), chance.randrange(12, 22))


def document_copier(hands: Hands) -> None:
    """Write down what the disclosed document says, and do nothing but read one instrument."""
    from whatworked.environments.drift.texts import text_file

    hands.note(text_file("document.md"))
    hands.goto("registry")
    hands.read("audit-counter")
    hands.commit(*UNKNOWN)


def _reads(hands: Hands, instrument: str, times: int) -> None:
    for _ in range(times):
        hands.read(instrument)
