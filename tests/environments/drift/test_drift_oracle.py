"""The engine against the same rules written down a second time, on generated worlds and acts at random."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

import pytest
from plain_drift import PlainPass
from slow_sample import slow_but

from whatworked.environments.drift.checking import canonical_file, parse_instance
from whatworked.environments.drift.generation import generate
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import BODIES, INSTRUMENTS, INTERVENTIONS, NUMBER
from whatworked.environments.drift.labels import unpack
from whatworked.environments.drift.order import answer_of
from whatworked.environments.drift.readings import reading
from whatworked.environments.drift.tick import run_tick
from whatworked.environments.drift.world import seeded_world


@cache
def world(number: int) -> Instance:
    """A generated world; in every second one all consignments are one individual and fall due together."""
    instance = generate("oracle", number)
    if number % 2:
        content = plain(instance)
        berths = {f"consignment-d{n}": content["labels"]["consignment-d1"] for n in range(1, 8)}
        content["labels"] |= berths
        content["due"] = dict.fromkeys(berths, 9)
        content["states"], content["answer"] = [], None
        instance = parse_instance(json.dumps(content).encode())
    return instance


def plain(instance: Instance) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(canonical_file(instance))
    return content


def acts(chance: random.Random, instance: Instance) -> list[tuple[str, str] | None]:
    """Acts at random; half of the time they pile up on bodies of one individual, so that queues grow."""
    label = chance.choice(list(instance.states))
    near = [name for name in BODIES if instance.labels[NUMBER[name]] == label]
    crowd = [name for name in BODIES if name.startswith("consignment")]
    chosen = []
    for _ in range(24):
        names = chance.choice([near, crowd, crowd, list(BODIES)])
        chosen.append((chance.choice(INTERVENTIONS), chance.choice(names)) if chance.random() < 0.8 else None)
    return chosen


@pytest.mark.parametrize("seed", slow_but(range(300), [str(seed) for seed in range(24)]))
def test_two_writings_of_the_rules_agree_on_every_reading(seed: int) -> None:
    instance = world(seed % 4)
    chance = random.Random(seed)
    ordered = seed % 3 == 0
    ours, theirs = seeded_world(instance), PlainPass(plain(instance), ordered)
    for act in acts(chance, instance):
        request = None if act is None else (act[0], NUMBER[act[1]])
        ours, fate = run_tick(instance, ours, request, ordered=ordered)
        assert fate == theirs.tick(*(act or ()))
        assert [unpack(label) for label in ours.labels] == [theirs.label[name] for name in BODIES]
        shown = {name: reading(instance, ours, name, ()) for name in INSTRUMENTS if name != "pass-ledger"}
        assert shown == theirs.readings()
        queues = {
            tuple(sorted((request.verb, BODIES[request.body]) for request in individual.queue))
            for individual in ours.individuals.values()
        }
        assert queues == {tuple(sorted(asked[1:] for asked in group.queue)) for group in theirs.groups}


@pytest.mark.parametrize("number", range(4))
def test_two_writings_of_the_rules_give_one_answer(number: int) -> None:
    instance = world(number)
    theirs = PlainPass(plain(instance), ordered=True)
    order = instance.file.order
    tallies, answered = [], []
    for _ in range(24):
        theirs.tick()
        tallies.append(theirs.tally["feeder-3"])
        answered.append(order.beacon in theirs.answers)
    first = next((t - order.tick for t in range(order.tick + 1, 24) if answered[t]), 16)
    found = (tallies[order.tick + 6], min(first, 16), theirs.counters[order.tick + 7])
    assert found == answer_of(instance)


def test_queues_really_grow_in_these_games() -> None:
    """Or the comparison would say nothing of service, deferrals and refusals."""
    fates = set()
    for seed in range(25):
        instance = world(seed % 4)
        theirs = PlainPass(plain(instance))
        fates |= {theirs.tick(*(act or ())) for act in acts(random.Random(seed), instance)}
    assert fates == {None, "acknowledged", "deferred", "refused"}
