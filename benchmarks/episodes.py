"""What an episode costs beside the player, and whether many processes can serve many episodes at once.

Run: python benchmarks/episodes.py [--episodes 1000] [--processes 8]

First one episode of `effects`, call by call, each on disk before its answer. Then so many episodes, each of them open
in every process at once, which call them in different orders; afterwards every answer is looked for in the journals.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import resource
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from whatworked.episodes import Call, Episode
from whatworked.episodes.records import read_record, replay, setup_of
from whatworked.episodes.registry import environment_of

BUDGET = {"budget": 8}
MASKS = [format(rank, "04b") for rank in range(1, 15)]


def single(folder: Path, calls: int = 200) -> None:
    environment = environment_of("effects")
    with Episode(folder, environment, environment.find("wine__d6"), {"budget": 40}) as episode:
        masks = [format(rank, "06b") for rank in range(1, 63)]
        seconds = []
        processor = time.process_time()
        for number in range(calls):
            start = time.perf_counter()
            episode.call(Call(tool="observe_many", arguments={"masks": [masks[number % len(masks)]]}))
            seconds.append(time.perf_counter() - start)
        processor = time.process_time() - processor
    line = os.open(folder / "line", os.O_WRONLY | os.O_CREAT)
    synced = []
    for _ in range(calls):
        start = time.perf_counter()
        os.write(line, b"x" * 300)
        os.fsync(line)
        synced.append(time.perf_counter() - start)
    os.close(line)
    print(f"{'observe, median':<58} {1e3 * statistics.median(seconds):8.2f} ms")
    print(f"{'observe, 99 of 100 under':<58} {1e3 * statistics.quantiles(seconds, n=100)[-1]:8.2f} ms")
    print(f"{'  of it the processor, mean':<58} {1e3 * processor / calls:8.2f} ms")
    print(f"{'  of it the disk (append and fsync alone, median)':<58} {1e3 * statistics.median(synced):8.2f} ms")
    start = time.perf_counter()
    with Episode(folder, environment, environment.find("wine__d6"), {"budget": 40}):
        print(f"{f'open again, {calls} calls folded':<58} {1e3 * (time.perf_counter() - start):8.2f} ms")


def serve(folder: Path, episodes: int, seed: int, barrier: Any, answers: Any) -> None:
    """Call every episode three times, in an order of one's own, and hand back what was answered."""
    environment = environment_of("effects")
    instance = environment.find("wine")
    held = [Episode(folder / str(number), environment, instance, BUDGET) for number in range(episodes)]
    chance = random.Random(seed)
    plan = [number for number in range(episodes) for _ in range(3)]
    chance.shuffle(plan)
    barrier.wait()
    told = []
    start = time.perf_counter()
    for number in plan:
        reply = held[number].call(Call(tool="observe_many", arguments={"masks": chance.sample(MASKS, 2)}))
        told.append((number, reply.number, reply.budgets["credits"].used))
    answers.put((seed, told, time.perf_counter() - start))


def load(folder: Path, episodes: int, processes: int) -> None:
    context = multiprocessing.get_context("spawn")
    barrier, answers = context.Barrier(processes), context.Queue()
    workers = [
        context.Process(target=serve, args=(folder, episodes, seed, barrier, answers)) for seed in range(processes)
    ]
    for worker in workers:
        worker.start()
    told = [answers.get() for _ in workers]
    for worker in workers:
        worker.join()
    wall = max(seconds for _, _, seconds in told)
    replies = Counter((number, event) for _, calls, _ in told for number, event, _ in calls)
    slips = sum(count - 1 for count in replies.values())
    setup = None
    for number in range(episodes):
        record = read_record(folder / str(number))
        setup = setup or setup_of(record)
        slips += len(record.entries) != 3 * processes
        slips += sum(event.charges.get("credits", 0) for event in record.events) > BUDGET["budget"]
        slips += any((number, event.number) not in replies for event in record.events)
        slips += replay(record, setup).difference is not None
    calls = sum(replies.values())
    print(f"{f'{episodes:,} episodes open in {processes} processes, {calls:,} calls':<58} {wall:8.1f} s")
    print(f"{'  calls a second, each on disk before its answer':<58} {calls / wall:8.0f}")
    print(f"{'  slips (answers lost, doubled or overspent, other bytes)':<58} {slips:8d}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=8)
    given = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each process holds every journal open
    with tempfile.TemporaryDirectory() as name:
        single(Path(name) / "single")
        load(Path(name) / "many", given.episodes, given.processes)


if __name__ == "__main__":
    main()
