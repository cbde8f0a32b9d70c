"""Cost of grading: microseconds for small cubes, seconds, memory and growth per added option for large ones.

Run: python benchmarks/grading.py [--largest 20]

Each large size runs in a fresh process, so that its peak memory is its own. "Growth" is the factor against one option
fewer; 2 d / (d - 1), a little above 2, is linear in the number of edges.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable

import numpy as np

from whatworked.grading import grade, grade_many
from whatworked.surfaces import CostMap, ResponseSurface, option_letters


def random_surface(d: int, scale: float | None = None) -> ResponseSurface:
    utilities = np.random.default_rng(d).uniform(0.2, 1.0, 1 << d)
    return ResponseSurface(option_letters(d), utilities, utility_map=None if scale is None else CostMap(scale))


def median_seconds(work: Callable[[], object], calls: int, repeats: int = 9) -> float:
    work()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(calls):
            work()
        seconds.append((time.perf_counter() - start) / calls)
    return statistics.median(seconds)


def small(d: int, scale: float | None, rows: int = 500) -> None:
    truth = random_surface(d, scale)
    predictions = np.random.default_rng(0).uniform(0.2, 1.0, (rows, 1 << d))
    observed = [0, (1 << d) - 1, *range(1, 1 << (d - 1))]
    single = median_seconds(lambda: grade(truth, predictions[0], observed), 200)
    batch = median_seconds(lambda: grade_many(truth, predictions, [observed] * rows), 1) / rows
    print(f"{d:>2}  {'yes' if scale else 'no':>6}  {single * 1e6:>9.1f}  {batch * 1e6:>9.1f}")


def large(d: int) -> tuple[float, float, float, float]:
    """Seconds of the first grade (with A of the truth) and of a second one; peak memory before and after in MB."""
    truth = random_surface(d)
    prediction = np.random.default_rng(0).uniform(0.2, 1.0, 1 << d)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        grade(truth, prediction, [0, (1 << d) - 1])
        seconds.append(time.perf_counter() - start)
    return seconds[0], seconds[1], before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=20, help="largest number of options")
    largest = parser.parse_args().largest
    print(" d  native  single us  batch us/row (500 rows)")
    for d in (4, 6, 8):
        for scale in (None, 1.0):
            small(d, scale)
    print("\n d  first s  second s  growth  peak MB  MB above start")
    previous = None
    spawn = multiprocessing.get_context("spawn")
    for d in range(min(10, largest), largest + 1):
        with spawn.Pool(1) as pool:
            first, second, before, after = pool.apply(large, (d,))
        growth = "" if previous is None else f"{second / previous:.2f}"
        print(f"{d:>2}  {first:>7.3f}  {second:>8.3f}  {growth:>6}  {after:>7.0f}  {after - before:>14.0f}")
        previous = second


if __name__ == "__main__":
    main()
