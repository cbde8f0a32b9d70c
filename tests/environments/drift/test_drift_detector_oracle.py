"""The detectors against a second writing of their rules, on random walks that come near to what the rules ask for."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from drift_worlds import written
from plain_detectors import RULES, plain_truths
from slow_sample import slow_but

from whatworked.environments.drift.detectors import first_truths
from whatworked.environments.drift.events import Action, Event, event_line
from whatworked.environments.drift.generation import generate
from whatworked.environments.drift.inventory import INTERVENTIONS, SITES
from whatworked.environments.drift.patterns import moving_ticks
from whatworked.environments.drift.rules import Options, apply, obstacle, opening_state

INSTANCES = [generate("oracle", number) for number in range(3)]
FEN = ("goto fen-shallows", "read intake-tallyboard")
FAVOURITES = ("fen-shallows", "trellis-bay", "ladder-mast", "consign-floor", "registry")


FRAGMENTS = (
    ("goto fen-shallows", "read intake-tallyboard", "feed feeder-1", "goto mat-bank", "read mat-gauge", *FEN),
    (
        "goto registry",
        *("read audit-counter", "stamp registry-line-1", "read audit-counter", "feed registry-line-2") * 2,
    ),
    ("goto trellis-bay", *("retool printer-b2", "read job-strip") * 2),
    ("wait 9", "goto consign-floor", *("read manifest-slate", "stamp consignment-d1") * 2, "read manifest-slate"),
    ("wait 7", "goto consign-floor", *["read manifest-slate"] * 7),
)
"""Stretches that rules ask for; some of their actions fall out."""


def walk(seed: int) -> list[Event]:
    """Visits of some length, in which instruments are read around acts, waits and further acts."""
    chance = random.Random(seed)
    instance = INSTANCES[seed % len(INSTANCES)]
    options = Options(aligned=seed % 2 == 0, budget=chance.choice((40, 70)))
    state, events = opening_state(instance), []
    while state.paid < options.budget:
        actions = fragment(chance) if chance.random() < 0.25 else visit(chance)
        for action in actions:
            if obstacle(state, options, action) is None:
                state, event = apply(instance, options, state, action)
                events.append(event)
    return events


def fragment(chance: random.Random) -> list[Action]:
    parts = [written(text) for text in chance.choice(FRAGMENTS) if chance.random() < 0.93]
    return [Action(**part) for part in parts]


def visit(chance: random.Random) -> list[Action]:
    site = chance.choice(FAVOURITES) if chance.random() < 0.7 else chance.choice(list(SITES))
    actions = [Action(verb="goto", target=site)]
    if chance.random() < 0.4:
        actions.insert(0, Action(verb="wait", n=chance.randrange(1, 25)))
    for _ in range(chance.randrange(1, 9)):
        kind = chance.random()
        if kind < 0.5 and SITES[site].instruments:
            actions.append(Action(verb="read", target=chance.choice(SITES[site].instruments)))
        elif kind < 0.85:
            actions.append(Action(verb=chance.choice(INTERVENTIONS), target=chance.choice(SITES[site].bodies[:2])))
        else:
            actions.append(Action(verb="wait", n=chance.randrange(1, 4)))
    return actions


def both(seed: int) -> tuple[dict[str, int | None], dict[str, int | None]]:
    events = walk(seed)
    moving = moving_ticks(INSTANCES[seed % len(INSTANCES)])
    lines = [json.loads(event_line(event)) for event in events]
    return first_truths(events, moving), plain_truths(lines, set(moving))


@pytest.mark.parametrize("seed", slow_but(range(400), [str(seed) for seed in range(12)]))
def test_two_writings_of_the_detectors_agree(seed: int) -> None:
    ours, theirs = both(seed)
    assert ours == theirs


def test_the_walks_come_near_to_every_rule() -> None:
    """Each rule is true of some walk, early or late, and false of another."""
    held: Counter[str] = Counter()
    times: dict[str, set[int]] = {}
    for seed in range(60):
        truths = first_truths(walk(seed), moving_ticks(INSTANCES[seed % len(INSTANCES)]))
        for block, paid in truths.items():
            if paid is not None:
                held[block] += 1
                times.setdefault(block, set()).add(paid)
    assert {block for block in RULES if not held[block]} == set()
    assert {block for block in RULES if held[block] == 60} <= {"XC1"}
    assert all(len(found) > 2 for block, found in times.items() if held[block] > 5)
