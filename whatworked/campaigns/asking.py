"""Which settings to run next, and what each would teach.

Up to 9 options, every setting that may be run is scored by the look-ahead of `RelevancePolicy`. Above, the covariances
of all settings do not fit, and it works on a sample: settings drawn at random with all their neighbours, others for
every number of runs.
Before two results are there, nothing can be learnt from them, and the setting farthest from all runs is taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from whatworked.campaigns.plan import Plan
from whatworked.campaigns.scale import UnitMap
from whatworked.inference.family import Family, family_for
from whatworked.inference.kernel import Prior
from whatworked.inference.mixture import Mixture
from whatworked.inference.noise import REPEATS, noisy_mixture
from whatworked.inference.policy import LARGEST, Belief, choose
from whatworked.inference.sampler import Sampler
from whatworked.surfaces.masks import FloatArray, IntArray, anchors, bits_of, distances, mask_string

SAMPLED = 480
"""Settings of the sample above 9 options, roughly."""


@dataclass(frozen=True)
class Ask:
    """A setting worth running.

    Attributes
    ----------
    mask : str
        The setting.
    teaches : float or None
        Share of what is not known about all conditional effects (their summed variance) that its result alone is
        expected to take away; None before two results are there, and for repeats that tell the noise.
    repeat : int
        How often the setting has a result already; above 0 only with noise.
    reduces : float or None
        By how much its result is expected to reduce the typical uncertainty of an effect, in utilities.
    """

    mask: str
    teaches: float | None
    repeat: int = 0
    reduces: float | None = None


@dataclass(frozen=True)
class Network:
    """Settings, and pairs of them that differ in one option.

    Attributes
    ----------
    cells : ndarray of int64, shape (a,)
        Ranks, ascending.
    off, on : ndarray of int64, shape (m,)
        Places in `cells` of the two ends of each pair.
    option : ndarray of int64, shape (m,)
        The option in which they differ.
    """

    cells: IntArray
    off: IntArray
    on: IntArray
    option: IntArray

    @classmethod
    def of(cls, cells: IntArray, d: int, options: Sequence[int] | None = None) -> Network:
        """All pairs among some cells that differ in one of some options, by place; default: all."""
        off, on, option = [], [], []
        for number in range(d) if options is None else options:
            bit = 1 << (d - 1 - number)
            starts = np.flatnonzero((cells & bit == 0) & np.isin(cells | bit, cells))
            off.append(starts)
            on.append(np.searchsorted(cells, cells[starts] | bit))
            option.append(np.full(starts.size, number))
        return cls(cells, np.concatenate(off), np.concatenate(on), np.concatenate(option).astype(np.int64))

    def laplacian(self) -> FloatArray:
        """Matrix Q with vᵀQv = the sum of squared effects of values v, shape (a, a)."""
        matrix = np.zeros((self.cells.size, self.cells.size))
        for rows, columns, sign in (
            (self.off, self.off, 1.0),
            (self.on, self.on, 1.0),
            (self.off, self.on, -1.0),
            (self.on, self.off, -1.0),
        ):
            np.add.at(matrix, (rows, columns), sign)
        return matrix


def cells_for(plan: Plan, measured: IntArray, holes: IntArray) -> IntArray:
    """Settings to reason about, ascending: all that can have a result, or a sample of them above 9 options."""
    possible = np.setdiff1d(plan.allowed, np.setdiff1d(holes, measured))
    if plan.d <= LARGEST:
        return possible
    generator = np.random.default_rng([plan.d, measured.size, holes.size])
    middles = generator.choice(possible, min(possible.size, SAMPLED // (len(plan.focus) + 1)), replace=False)
    bits = np.concatenate([[0], 1 << (plan.d - 1 - np.array(plan.focus))])
    around = (middles[:, None] ^ bits[None, :]).ravel()
    return np.asarray(np.intersect1d(np.concatenate([around, measured]), possible))


def next_settings(
    plan: Plan, measured: IntArray, values: FloatArray, holes: IntArray, n: int, most: float = math.inf
) -> tuple[Ask, ...]:
    """Up to `n` settings to run next, the most telling first.

    Parameters
    ----------
    plan : Plan
        What may be run.
    measured : ndarray of int64, shape (m,)
        Ranks of the settings with a result; with noise, a setting may appear several times.
    values : ndarray of float64, shape (m,)
        Their results.
    holes : ndarray of int64
        Ranks of the settings that were run without a result. They are not run again, and nothing is supposed of them.
    n : int
        How many.
    most : float
        What a single one may cost.

    Returns
    -------
    tuple of Ask
    """
    if np.unique(measured).size < 2:
        return _spread(plan, np.concatenate([measured, holes]), n, most)
    again = _repeats(plan, measured, holes, most)[:n]
    first = tuple(Ask(mask_string(rank, plan.d), None, 1) for rank in again)
    if len(first) == n:
        return first
    cells = cells_for(plan, measured, holes)
    network = Network.of(cells, plan.d, plan.focus)
    mixture = fit_results(plan, plan.scale.fitted(values), measured, values)
    # With noise, running a setting again can teach more than a new one; what ended in a hole is not run again.
    closed = measured if plan.noise == 0 else np.concatenate([holes, np.array(again, dtype=np.int64)])
    costs = np.array([plan.cost(int(cell)) for cell in cells])
    open_places = np.flatnonzero(~np.isin(cells, closed) & (costs <= most))
    laplacian = network.laplacian()
    belief = Belief.of(mixture, bits_of(cells, plan.d))
    chosen, gains = choose(belief, open_places, laplacian, n - len(first), costs=costs if plan.costs else None)
    total = max(float((laplacian * belief.covariance()).sum()), 0.0)
    typical = mixture.unit * math.sqrt(total / max(network.off.size, 1))
    return first + tuple(
        Ask(
            mask_string(int(cells[place]), plan.d),
            gain,
            int((measured == cells[place]).sum()),
            typical * (1.0 - math.sqrt(1.0 - gain)),
        )
        for place, gain in zip(chosen, gains, strict=True)
    )


def _repeats(plan: Plan, measured: IntArray, holes: IntArray, most: float) -> list[int]:
    """Settings to run again before an unknown noise can be estimated: those that were run first."""
    distinct, counts = np.unique(measured, return_counts=True)
    if plan.noise is not None:
        return []
    once = set(distinct[counts == 1].tolist()) - set(holes.tolist())
    wanted = REPEATS - (measured.size - distinct.size)
    return [rank for rank in measured.tolist() if rank in once and plan.cost(rank) <= most][: max(wanted, 0)]


def fit_results(plan: Plan, unit_map: UnitMap, measured: IntArray, values: FloatArray) -> Mixture:
    """The processes fitted to results, which count in the order of their settings: when each came does not matter."""
    order = np.lexsort((values, measured))
    sd = None if plan.noise is None else unit_map.utility_sd(plan.noise)

    def known(prior: Prior) -> Family | None:
        return family_for(plan.experience, plan.d, prior, Sampler())

    return noisy_mixture(bits_of(measured[order], plan.d), unit_map.utilities(values[order]), sd, Sampler(), known)


def _spread(plan: Plan, run: IntArray, n: int, most: float) -> tuple[Ask, ...]:
    """All options off, all on, then what is farthest from everything run; ties go to the first in order."""
    done: list[int] = run.tolist()
    chosen: list[int] = []
    affordable = np.array([rank for rank in plan.allowed.tolist() if plan.cost(rank) <= most], dtype=np.int64)
    while len(chosen) < n and (left := np.setdiff1d(affordable, done)).size:
        first = [rank for rank in anchors(plan.d) if rank in left]
        if first or not done:
            rank = first[0] if first else int(left[0])
        else:
            rank = int(left[distances(left, done).min(axis=1).argmax()])
        chosen.append(rank)
        done.append(rank)
    return tuple(Ask(mask_string(rank, plan.d), None) for rank in chosen)
