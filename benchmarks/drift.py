"""The drift: how long a tick, an instance and a scripted episode take.

A tick is measured over whole passes of generated instances, with and without requests; an instance over a set of them,
drafts that were thrown away included; an episode over the reference route with its score. Then so many episodes under
the engine, every call on disk before its answer, each scored and replayed from its journal afterwards.

Run: python benchmarks/drift.py [--episodes 1000] [--processes 2]
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from whatworked.environments.drift.detectors import first_truths
from whatworked.environments.drift.generation import generate, generate_set
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import PASS_TICKS
from whatworked.environments.drift.order import run_pass
from whatworked.environments.drift.patterns import moving_ticks
from whatworked.environments.drift.rules import Options
from whatworked.environments.drift.strategies.hands import Hands, Table
from whatworked.environments.drift.strategies.walks import full_walk, passive_reader, random_player, route
from whatworked.episodes import Episode
from whatworked.episodes.playing import choose_player, play
from whatworked.episodes.records import read_record, replay, score_of, setup_of
from whatworked.episodes.registry import environment_of

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


PLAYERS = ("route", "walk", "passive", "random", "falsifiers", "sweep", "wide-sweep")


def play_game(place: tuple[str, int]) -> int:
    """Play one game under the engine; its calls."""
    folder, number = Path(place[0]) / str(place[1]), place[1]
    environment = environment_of("drift")
    instance = environment.find(f"evaluation-{number % 12:03}")
    with Episode(folder, environment, instance, {}) as episode:
        play(episode, choose_player(PLAYERS[number % len(PLAYERS)], "drift"), seed=number)
        return len(episode.entries)


def score_game(place: tuple[str, int]) -> bool:
    """Whether replaying a game gives its journal; it is scored as well."""
    record = read_record(Path(place[0]) / str(place[1]))
    setup = setup_of(record)
    score_of(record, setup)
    return replay(record, setup).difference is None


def engine(episodes: int, processes: int) -> None:
    with tempfile.TemporaryDirectory() as folder, multiprocessing.get_context("spawn").Pool(processes) as pool:
        places = [(folder, number) for number in range(episodes)]
        start = time.perf_counter()
        calls = sum(pool.imap_unordered(play_game, places))
        played = time.perf_counter() - start
        same = sum(pool.imap_unordered(score_game, places))
        scored = time.perf_counter() - start - played
    print(
        f"{episodes} episodes, {calls} calls, {processes} processes: {played:.1f} s; scored and replayed {scored:.1f} s"
    )
    print(f"the same on replay: {same} of {episodes}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
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
    engine(arguments.episodes, arguments.processes)


if __name__ == "__main__":
    main()
