"""Three estimators under three policies on all conditions: the run, its comparison, report, packing and verification.

Run: python benchmarks/bench.py [--jobs 2] [--seeds 20]

The engine's own share is what remains of the run's time after the seconds spent in plug-ins, which the run records.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from whatworked.comparing import collect_runs, compare_methods
from whatworked.leaderboard import pack, unpack, verified
from whatworked.report import write_report
from whatworked.runs import bench
from whatworked.testing import check_estimator, check_policy

ESTIMATORS = ["gp", "ridge-pair", "sklearn.svm:SVR"]
POLICIES = ["gp-effect", "design-pair", "random"]


def timed(label: str, work: Callable[[], Any]) -> Any:
    start = time.perf_counter()
    result = work()
    print(f"{label:<58} {time.perf_counter() - start:8.2f} s")
    return result


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start = time.perf_counter()
        run = bench(ESTIMATORS, POLICIES, [4, 8, 20, 32], folder / "run", seeds=given.seeds, jobs=given.jobs)
        wall = time.perf_counter() - start
        fits = sum(cost.fit_seconds for cost in run.costs)
        # Policies are shared by estimators and nested over budgets: each path counts once, at its largest budget.
        paths: dict[tuple[str, str, int], float] = {}
        for row, cost in zip(run.rows(), run.costs, strict=True):
            key = (row.condition, row.policy, row.seed)
            paths[key] = max(paths.get(key, 0.0), cost.policy_seconds)
        inside = fits + sum(paths.values())
        print(f"{f'bench, {len(run.records):,} records, {given.jobs} jobs':<58} {wall:8.2f} s")
        print(f"{'  of it in plug-ins, summed over jobs':<58} {inside:8.2f} s")
        print(f"{'  engine per record':<58} {1e3 * (wall * given.jobs - inside) / len(run.records):8.2f} ms")
        timed(
            "bench again (finished: read and checked)",
            lambda: bench(ESTIMATORS, POLICIES, [4, 8, 20, 32], folder / "run", seeds=given.seeds),
        )
        runs = collect_runs([run])
        results = timed("compare, 9,999 resamples", lambda: compare_methods(runs, "gp-effect"))
        print(f"{'  results':<58} {len(results):8d}")
        timed("report", lambda: write_report(runs, folder / "report.html"))
        print(f"{'  size':<58} {(folder / 'report.html').stat().st_size / 1e6:8.2f} MB")
        data = timed("pack", lambda: pack(run, "benchmark"))
        print(f"{'  size':<58} {len(data) / 1e6:8.2f} MB")
        timed("verify: every record graded again", lambda: verified(unpack(data, "benchmark")))
    timed("conformance kit on estimator gp, d = 1 to 8", lambda: check_estimator("gp"))
    timed("conformance kit on policy gp-effect, d = 1 to 8", lambda: check_policy("gp-effect"))


if __name__ == "__main__":
    main()
