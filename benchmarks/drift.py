"""The drift: how long a tick, an instance and a scripted episode take.

A tick is measured over whole passes of generated instances, with and without requests; an instance over a set of them,
drafts that were thrown away included; an episode over the reference route with its score.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from whatworked.environments.drift.detectors import first_truths
from whatworked.environments.drift.generation import generate, generate_set
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import PASS_TICKS
from whatworked.environments.drift.order import run_pass
from whatworked.environments.drift.patterns import moving_ticks
from whatworked.environments.drift.rules import Options
from whatworked.environments.drift.strategies.hands import Hands, Table
from whatworked.environments.drift.strategies.walks import full_walk, passive_reader, random_player, route

INSTANCES = 40
BUSY = dict.fromkeys(range(PASS_TICKS), ("stamp", "feeder-3"))


def seconds(action: Callable[[], object], times: int) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        for _ in range(times):
            action()
        best = min(best, (time.perf_counter() - start) / times)
    return best


def episode(instance: Instance, strategy: Callable[[Hands], None]) -> None:
    table = Table(instance, Options())
    strategy(Hands(table))
    first_truths(table.events, moving_ticks(instance))


def main() -> None:
    import random

    world = generate("benchmark", 0)
    print(f"a tick, quiet            {seconds(lambda: run_pass(world), 40) / PASS_TICKS * 1e3:8.3f} ms")
    print(f"a tick with a request    {seconds(lambda: run_pass(world, BUSY), 40) / PASS_TICKS * 1e3:8.3f} ms")
    start = time.perf_counter()
    for _ in generate_set("benchmark", INSTANCES):
        pass
    print(f"an instance              {(time.perf_counter() - start) / INSTANCES * 1e3:8.1f} ms")
    start = time.perf_counter()
    for _ in generate_set("benchmark", INSTANCES, family="wide"):
        pass
    print(f"one with a wider order   {(time.perf_counter() - start) / INSTANCES * 1e3:8.1f} ms")
    for name, strategy in (
        ("route", route),
        ("full walk", full_walk),
        ("passive reader", passive_reader),
        ("random player", lambda hands: random_player(hands, random.Random(1))),
    ):
        print(f"{name + ', scored':25}{seconds(lambda play=strategy: episode(world, play), 3) * 1e3:8.1f} ms")


if __name__ == "__main__":
    main()
