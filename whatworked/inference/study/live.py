"""Whether what a campaign states holds: cubes measured live, exactly and with noise.

Every cube is measured as `whatworked.measure` does: both anchors, again where noise is to be estimated, then what the
look-ahead asks for, with noise also settings again. Then three statements are checked against the truth: intervals of
single effects that are not known exactly, intervals of each option's average effect, and the probability that the
setting put forward is the best.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from whatworked.environments.effects.task import Task
from whatworked.inference.estimator import RelevanceModel
from whatworked.inference.noise import REPEATS, noisy_mixture
from whatworked.inference.policy import Belief, choose, effect_laplacian
from whatworked.inference.sampler import Sampler
from whatworked.surfaces.edges import edges
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import FloatArray, IntArray, all_bits, bits_of

LEVELS = (0.5, 0.8, 0.9)
"""Rates at which intervals are checked."""
NOISES = (0.05, 0.1, 0.2)
"""Standard deviations of the noise, as shares of a cube's range."""
RUNS = {4: 10, 6: 22}
"""Runs in all, by number of options."""
_DRAWS = 1000
_SAME = 1e-9


@dataclass(frozen=True)
class Held:
    """What held on one cube.

    Attributes
    ----------
    name : str
        The cube.
    single, average : tuple of float
        Share of effects, and of options' average effects, that their intervals hold, by `LEVELS`; NaN where all single
        effects are known.
    stated, best : float
        Probability that the setting put forward is the best, as stated, and whether it is (1 or 0).
    repeats : float
        Share of the runs that measured a setting again.
    """

    name: str
    single: tuple[float, ...]
    average: tuple[float, ...]
    stated: float
    best: float
    repeats: float


def four_and_six(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """The cubes of some tasks without rules, flat ones left out."""
    return tuple(task for task in tasks if task.equivalence is None and task.surface.range > _SAME)


def check(task: Task, noise: float, seed: int, is_stated: bool) -> Held:
    """Measure a cube and check what is stated of it.

    Parameters
    ----------
    task : Task
        The cube; four or six options.
    noise : float
        Standard deviation of the noise as a share of the cube's range; 0 for exact results.
    seed : int
        Of the noise.
    is_stated : bool
        Whether the noise is stated, or has to be estimated.
    """
    truth, d = task.surface.utilities, task.surface.d
    sd = noise * task.surface.range
    generator = np.random.default_rng([seed, *task.condition.encode()])
    told = None if noise and not is_stated else sd
    ranks, values, model = _measured(truth, d, sd, generator, told)
    drawn = model.draws(all_bits(d), _DRAWS)
    expected = model.predict(all_bits(d))
    if not noise:
        drawn[:, ranks] = values
        expected[ranks] = values
    place = int(np.argmax(np.round(expected, 9)))
    return Held(
        task.condition,
        _single(model, truth, d, np.array([], dtype=np.int64) if noise else ranks),
        _average(drawn, truth, d),
        float((drawn[:, place] >= drawn.max(axis=1)).mean()),
        float(truth[place] >= truth.max() - _SAME),
        1.0 - np.unique(ranks).size / ranks.size,
    )


def _measured(
    truth: FloatArray, d: int, sd: float, generator: np.random.Generator, told: float | None
) -> tuple[IntArray, FloatArray, RelevanceModel]:
    laplacian = effect_laplacian(Equivalence.trivial(d))
    ranks, cells = np.array([0, (1 << d) - 1], dtype=np.int64), np.arange(1 << d, dtype=np.int64)
    if told is None:
        ranks = np.concatenate([ranks, ranks[:REPEATS]])
    values = truth[ranks] + sd * generator.standard_normal(ranks.size)
    while True:
        order = np.lexsort((values, ranks))
        mixture = noisy_mixture(bits_of(ranks[order], d), values[order], told, Sampler())
        if ranks.size == RUNS[d]:
            return ranks, values, RelevanceModel(mixture, float(values.mean()))
        candidates = cells if sd else np.setdiff1d(cells, ranks)
        (rank,), _ = choose(Belief.of(mixture, all_bits(d)), candidates, laplacian, 1)
        ranks = np.append(ranks, rank)
        values = np.append(values, truth[rank] + sd * generator.standard_normal())


def _single(model: RelevanceModel, truth: FloatArray, d: int, known: IntArray) -> tuple[float, ...]:
    off, on = edges(d)
    unknown = ~(np.isin(off, known) & np.isin(on, known))
    off, on = off[unknown], on[unknown]
    if not off.size:
        return (np.nan,) * len(LEVELS)
    effect = truth[on] - truth[off]
    shares = []
    for level in LEVELS:
        low, high = model.effect_interval(bits_of(off, d), bits_of(on, d), level)
        shares.append(float(((low - _SAME <= effect) & (effect <= high + _SAME)).mean()))
    return tuple(shares)


def _average(drawn: FloatArray, truth: FloatArray, d: int) -> tuple[float, ...]:
    off, on = edges(d)
    option = np.log2(on - off).astype(np.int64)
    differences, effects = drawn[:, on] - drawn[:, off], truth[on] - truth[off]
    held = np.zeros((len(LEVELS), d))
    for number in range(d):
        mine = option == number
        averages, effect = differences[:, mine].mean(axis=1), effects[mine].mean()
        for row, level in enumerate(LEVELS):
            low, high = np.quantile(averages, [(1 - level) / 2, (1 + level) / 2])
            held[row, number] = low - _SAME <= effect <= high + _SAME
    return tuple(held.mean(axis=1).tolist())


def check_all(tasks: Sequence[Task], noise: float, seeds: int, is_stated: bool) -> Iterator[Held]:
    """`check` on every cube with every seed; exact results need one seed."""
    for task in tasks:
        for seed in range(seeds if noise else 1):
            yield check(task, noise, seed, is_stated)


@dataclass(frozen=True)
class Line:
    """Stated against held over some cubes.

    Attributes
    ----------
    cubes : int
        How many were measured.
    single, average : tuple of (float, float)
        Mean share held and its standard error over cubes, by `LEVELS`.
    best : (float, float, float)
        Mean stated probability of the best setting, the share that was best, and the standard error of their
        difference.
    repeats : float
        Mean share of repeated runs.
    """

    cubes: int
    single: tuple[tuple[float, float], ...]
    average: tuple[tuple[float, float], ...]
    best: tuple[float, float, float]
    repeats: float


def summarise(parts: Sequence[Held]) -> Line:
    """Means over cubes, with standard errors that take the runs of one cube together."""
    stated, best = np.array([part.stated for part in parts]), np.array([part.best for part in parts])
    names = [part.name for part in parts]
    return Line(
        len(parts),
        tuple(_mean(np.array([part.single[row] for part in parts]), names) for row in range(len(LEVELS))),
        tuple(_mean(np.array([part.average[row] for part in parts]), names) for row in range(len(LEVELS))),
        (float(stated.mean()), float(best.mean()), _mean(best - stated, names)[1]),
        float(np.mean([part.repeats for part in parts])),
    )


def _mean(shares: FloatArray, names: Sequence[str]) -> tuple[float, float]:
    groups: dict[str, list[float]] = {}
    for name, share in zip(names, shares.tolist(), strict=True):
        if not np.isnan(share):
            groups.setdefault(name, []).append(share)
    means = np.array([np.mean(group) for group in groups.values()])
    return float(means.mean()), float(means.std(ddof=1) / means.size**0.5) if means.size > 1 else float("nan")
