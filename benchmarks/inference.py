"""Cost of the relevance-averaged processes: milliseconds of a fit, a prediction, a choice; seconds of an episode.

Run: OMP_NUM_THREADS=1 python benchmarks/inference.py [--quick]

Limits: one fit with six options and 20 measurements under 10 ms, with experience under 25 ms; a whole episode of 32
purchases under 2 s. Fits are timed on the measurements that the policy buys itself. One BLAS thread, as in `whatworked
bench`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

from whatworked import references
from whatworked.controls import KrigingEstimator, KrigingPolicy
from whatworked.inference import ExperiencedRelevanceEstimator, RelevanceEstimator, RelevancePolicy
from whatworked.inference.study.experience import measured_elsewhere, with_experience
from whatworked.protocols import Estimator, Policy, SearchState
from whatworked.surfaces import all_bits, bits_of, ranks_of

EXPERIENCED = ("mitdb_102__d6", "spambase__d6", "astronaut__d6")
CONDITIONS = ("co2__d6", "scifact__d6", "mitdb_100__d6")


def milliseconds(work: Callable[[], object], repeats: int) -> float:
    work()
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return 1e3 * statistics.median(found)


def episode(utilities: np.ndarray, policy: Policy, estimator: Estimator, budget: int) -> list[int]:
    d = len(utilities).bit_length() - 1
    ranks = [0, len(utilities) - 1]
    for spent in range(budget):
        state = SearchState(d, bits_of(ranks, d), utilities[ranks], budget - spent)
        ranks += ranks_of(policy.ask(state, 1)).tolist()
    estimator.fit(bits_of(ranks, d), utilities[ranks]).predict(all_bits(d))
    return ranks


def choices(name: str, repeats: int) -> str:
    """Milliseconds of the parts of one step after 20 measurements."""
    utilities = references.load_surface(name).utilities
    ranks = episode(utilities, RelevancePolicy(), RelevanceEstimator(), 18)
    masks, values = bits_of(ranks, 6), utilities[ranks]
    state = SearchState(6, masks, values, 14)
    estimator, everything = RelevanceEstimator(), all_bits(6)
    model = estimator.fit(masks, values)
    timed = (
        lambda: estimator.fit(masks, values),
        lambda: model.predict(everything),
        lambda: RelevancePolicy(score="variance").ask(state, 1),
        lambda: RelevancePolicy(score="lookahead").ask(state, 1),
        lambda: KrigingPolicy().ask(state, 1),
    )
    fit, predict, variance, lookahead, kriging = (milliseconds(work, repeats) for work in timed)
    return f"{fit:>8.1f}{predict:>9.1f}{variance:>14.1f}{lookahead:>15.1f}{kriging:>10.1f}"


def episodes(name: str, repeats: int) -> str:
    """Seconds of a whole episode."""
    utilities = references.load_surface(name).utilities
    ours = milliseconds(lambda: episode(utilities, RelevancePolicy(), RelevanceEstimator(), 32), repeats)
    kriging = milliseconds(lambda: episode(utilities, KrigingPolicy(), KrigingEstimator(), 32), repeats)
    return f"relevance-lookahead {ours / 1e3:.2f}   gp-effect {kriging / 1e3:.2f}"


def experienced(condition: str, repeats: int) -> str:
    """Milliseconds of a fit to 20 masks without and with experience, and seconds of reading the known surfaces."""
    pool = measured_elsewhere()
    (task,) = with_experience([one for one in pool if one.condition == condition], pool)
    ranks = np.sort(np.random.default_rng(0).choice(64, 20, replace=False))
    masks, values = bits_of(ranks, 6), task.surface.utilities[ranks]
    start = time.perf_counter()
    ExperiencedRelevanceEstimator().fit(masks, values, task.experience)
    first = time.perf_counter() - start
    plain = milliseconds(lambda: RelevanceEstimator().fit(masks, values), repeats)
    whole = milliseconds(lambda: ExperiencedRelevanceEstimator().fit(masks, values, task.experience), repeats)
    known = len(task.experience) if task.experience else 0
    return f"{known:>4} known surfaces: RGP {plain:.1f} ms, ERGP {whole:.1f} ms, the first time {first:.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    repeats = 5 if parser.parse_args().quick else 25
    print("condition        fit 20  predict  ask variance  ask lookahead  GP-E ask   (ms)")
    for name in CONDITIONS:
        print(f"{name:<15}{choices(name, repeats)}")
    print("\nepisode of 32 purchases, six options (s)")
    for name in CONDITIONS:
        print(f"{name:<15}  {episodes(name, max(1, repeats // 8))}")
    print("with experience, one fit to 20 masks")
    for name in EXPERIENCED:
        print(f"{name:<15}{experienced(name, repeats)}")


if __name__ == "__main__":
    main()
