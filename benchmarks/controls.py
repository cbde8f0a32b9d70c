"""The whole control study against a plain implementation of the same formulas, side by side in one run.

Run: python benchmarks/controls.py [--jobs 2] [--every 1]

Both compute all 4,206 records from the reference tables with the same number of worker processes under the same numeric
profile. The plain one, tests/controls/oracle.py, is also what the tests compare with: it takes one record at a time and
shares nothing. With --every N it computes every N-th record only and its time is scaled up (the table says so).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from whatworked.catalog import conditions
from whatworked.controls import store
from whatworked.controls.plan import planned
from whatworked.controls.study import run_study, task_of
from whatworked.environments.effects import Task
from whatworked.grading import Record
from whatworked.surfaces import mask_string
from whatworked.workers.pool import DEFAULT_BACKEND, map_calls, open_pool
from whatworked.workers.profile import pinned_profile

ORACLE = Path(__file__).resolve().parent.parent / "tests" / "controls"


def plain_records(task: Task, every: int) -> list[tuple[Record, float]]:
    """Records of one condition by the plain implementation, each with its effect recovery."""
    sys.path.insert(0, str(ORACLE))
    import oracle

    surface = dict(zip(task.surface.masks, task.surface.utilities.tolist(), strict=True))
    d = task.surface.d
    assert task.equivalence is not None
    ranks = task.equivalence.representative
    classes = {mask: mask_string(ranks[rank], d) for rank, mask in enumerate(task.surface.masks)}
    made = []
    for cell in planned(task.track)[::every]:
        one = oracle.record(cell.method, surface, cell.seed, cell.budget, classes)
        record = Record(
            condition=task.condition,
            method=cell.method,
            seed=cell.seed,
            budget=cell.budget,
            table=task.digest,
            purchases=tuple(one.purchases),
            predictions=tuple(one.predictions.values()),
        )
        made.append((record, oracle.grades(surface, one.predictions)["effect_recovery"]))
    return made


def run_plain(jobs: int, every: int) -> tuple[float, list[tuple[Record, float]]]:
    start = time.perf_counter()
    tasks = sorted((task_of(one) for one in conditions()), key=lambda task: (-task.d, -len(planned(task.track))))
    with open_pool(DEFAULT_BACKEND, jobs, pinned_profile(), jobs) as pool:
        results = map_calls(pool, plain_records, [(task, every) for task in tasks])
        made = [pair for part in results for pair in part]
    return time.perf_counter() - start, made


def run_fast(jobs: int) -> tuple[float, tuple[Record, ...]]:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        run_study(conditions(), Path(folder), jobs=jobs, resume=False)
        return time.perf_counter() - start, store.read_records(Path(folder))


def agreement(fast: tuple[Record, ...], plain: list[tuple[Record, float]]) -> str:
    held = {(one.condition, one.method, one.seed, one.budget): one for one in fast}
    other_paths, largest = [], 0.0
    for record, recovery in plain:
        mine = held[record.condition, record.method, record.seed, record.budget]
        if mine.purchases != record.purchases:
            other_paths.append(mine)
        elif mine.grade is not None:
            largest = max(largest, abs(mine.grade.effect_recovery - recovery))
    flagged = sum(one.near_tie for one in other_paths)
    return (
        f"largest difference in recovery {largest:.1e}; {len(other_paths)} records bought other masks, "
        f"{flagged} of them say that a choice lay within rounding of a tie"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1)
    chosen = parser.parse_args()
    seconds, fast = run_fast(chosen.jobs)
    print(f"study     {seconds:8.1f} s  {len(fast)} records, {chosen.jobs} jobs", flush=True)
    plain_seconds, plain = run_plain(chosen.jobs, chosen.every)
    whole = plain_seconds * len(fast) / len(plain)
    scaled = f", scaled up from {plain_seconds:.1f} s for {len(plain)}" if chosen.every > 1 else ""
    print(f"plain     {whole:8.1f} s  {len(fast)} records, {chosen.jobs} jobs{scaled}")
    print(f"faster by {whole / seconds:8.1f} x")
    print(agreement(fast, plain))


if __name__ == "__main__":
    main()
