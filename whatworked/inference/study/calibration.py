r"""Whether stated intervals hold what they claim, and the factor that makes them.

For a truth x and an interval [l, u] around the mean m, the *needed factor* is the least f for which the interval
[m − f(m − l), m + f(u − m)] holds x. The coverage of intervals widened by f is the share of needed factors up to f, so
that one run serves all f. The factor that gives coverage 0.9 on all other families is then tried on the family that was
left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from whatworked.environments.effects.task import Task
from whatworked.inference.estimator import RelevanceModel
from whatworked.inference.study.games import BUDGETS, Stop, play
from whatworked.inference.study.loo import VARIANTS, WITH_EXPERIENCE
from whatworked.surfaces.edges import edges
from whatworked.surfaces.masks import FloatArray, bits_of

LEVELS = (0.25, 0.5, 0.7, 0.8, 0.9, 0.95)
"""Rates at which intervals are checked."""
FITTED_LEVEL = 0.9
"""Rate at which the factor is fitted."""
_TINY = 1e-12


@dataclass(frozen=True, eq=False)
class Needed:
    """Needed factors of the unknown effects at one stop of one game.

    Attributes
    ----------
    name, family, track : str
        Of the task.
    budget : int
        Credits spent.
    factors : ndarray of float64, shape (levels, k)
        One row for each of `LEVELS`; infinite where no factor is enough.
    """

    name: str
    family: str
    track: str
    budget: int
    factors: FloatArray


def needed_factors(truth: FloatArray, middle: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Least factor on each half of each interval that makes it hold the truth, shape (k,)."""
    error = truth - middle
    half = np.where(error >= 0, upper - middle, middle - lower)
    size = np.abs(error)
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(size <= _TINY, 0.0, size / np.maximum(half, 0.0)))


def measure(tasks: Iterable[Task]) -> list[Needed]:
    """Play the shipped method and collect the needed factors of all effects with an unknown end.

    On tasks with experience it is the method that reads it.
    """
    found = []
    for task in tasks:
        variant = VARIANTS["default"] if task.experience is None else WITH_EXPERIENCE["ERGP"]
        estimator, policy = variant.build(class_aware=task.equivalence is not None, inflation=1.0)
        for stop in play(task, policy, estimator, BUDGETS[task.track]):
            factors = _at(task, stop)
            if factors.size:
                found.append(Needed(task.condition, task.family, task.track, stop.budget, factors))
    return found


def _at(task: Task, stop: Stop) -> FloatArray:
    d, truth, model = task.surface.d, task.surface.utilities, stop.model
    off, on = edges(d)
    if task.equivalence is not None:
        off, on = task.equivalence.representative[off], task.equivalence.representative[on]
    unknown = (off != on) & ~(np.isin(off, stop.known) & np.isin(on, stop.known))
    off, on = off[unknown], on[unknown]
    if not len(off) or not isinstance(model, RelevanceModel):
        return np.empty((len(LEVELS), 0))
    before, after = bits_of(off, d), bits_of(on, d)
    middle = model.predict(after) - model.predict(before)
    rows = [
        needed_factors(truth[on] - truth[off], middle, *model.effect_interval(before, after, level)) for level in LEVELS
    ]
    return np.array(rows)


def coverage(parts: Sequence[Needed], factor: float = 1.0) -> FloatArray:
    """Coverage at each level of intervals widened by `factor`, families averaged equally; shape (levels,)."""
    families: dict[str, list[FloatArray]] = {}
    for part in parts:
        families.setdefault(part.family, []).append((part.factors <= factor).mean(axis=1))
    return np.asarray(np.mean([np.mean(rows, axis=0) for rows in families.values()], axis=0))


def fit_factor(parts: Sequence[Needed]) -> float:
    """Smallest factor whose coverage at `FITTED_LEVEL` is that level, by bisection on a logarithmic scale."""
    position = LEVELS.index(FITTED_LEVEL)
    low, high = 1e-3, 1e3
    for _ in range(60):
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if coverage(parts, middle)[position] >= FITTED_LEVEL else (middle, high)
    return high


@dataclass(frozen=True)
class Calibration:
    """Coverage of one family, with the factor fitted to the others.

    Attributes
    ----------
    family : str
        The family left out.
    factor : float
        Fitted without it.
    plain, widened : tuple of float
        Its coverage at each of `LEVELS` without and with the factor.
    """

    family: str
    factor: float
    plain: tuple[float, ...]
    widened: tuple[float, ...]


def pooled(label: str, parts: Sequence[Needed], factor: float) -> Calibration:
    """Coverage of all parts, families averaged equally, without and with a given factor."""
    return Calibration(label, factor, tuple(coverage(parts).tolist()), tuple(coverage(parts, factor).tolist()))


def averaged(label: str, lines: Sequence[Calibration], factor: float) -> Calibration:
    """Mean of lines of single families; `factor` is the one fitted to all of them."""
    plain, widened = (np.mean([getattr(line, name) for line in lines], axis=0) for name in ("plain", "widened"))
    return Calibration(label, factor, tuple(plain.tolist()), tuple(widened.tolist()))


def leave_one_family_out(parts: Sequence[Needed]) -> tuple[Calibration, ...]:
    """Calibrate on all families but one, and check on that one; by family."""
    found = []
    for family in sorted({part.family for part in parts}):
        factor = fit_factor([part for part in parts if part.family != family])
        found.append(pooled(family, [part for part in parts if part.family == family], factor))
    return tuple(found)
