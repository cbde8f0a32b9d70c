"""Ridge helpers for programs of players.

``ridge_main(observations)`` and ``ridge_pair(observations)`` return ``{mask: predicted utility}`` for all masks,
``suggest(observations, count)`` the masks that a ridge would have measured next. `observations` may be the variable of
that name, pairs of mask and utility, or a dict from masks to utilities.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

ALPHAS = (10.0, 1.0, 0.1, 1e-3, 1e-5)
"""Penalties, the largest first: of equal losses the first wins."""
DECIMALS = 14
CHOICE_DECIMALS = 6
"""Scores go into the thousands, so that their ninth decimal is rounding; equal ones go to the lexically first mask."""


def ridge_main(observations: Any) -> dict[str, float]:
    """Main effects alone."""
    return _fit(observations, 1)


def ridge_pair(observations: Any) -> dict[str, float]:
    """Main effects and pair interactions."""
    return _fit(observations, 2)


def suggest(observations: Any, count: int = 1, degree: int = 2) -> list[str]:
    """Masks whose prediction by a ridge is least certain, each chosen as if those before were measured."""
    masks = [mask for mask, _ in pairs_of(observations)]
    every = all_masks(len(masks[0]))
    chosen: list[str] = []
    for _ in range(min(count, len(every) - len(masks))):
        x = _with_intercept([*masks, *chosen], degree)
        penalty = np.diag([1e-8, *[0.01] * (x.shape[1] - 1)])
        inverse = np.linalg.inv(x.T @ x + penalty)
        rest = [mask for mask in every if mask not in masks and mask not in chosen]
        rows = _with_intercept(rest, degree)
        spread = np.round(np.einsum("ij,jk,ik->i", rows, inverse, rows), CHOICE_DECIMALS)
        chosen.append(rest[int(np.argmax(spread))])
    return chosen


def all_masks(d: int) -> list[str]:
    """All masks of d options in lexical order."""
    return ["".join(bits) for bits in itertools.product("01", repeat=d)]


def pairs_of(observations: Any) -> list[tuple[str, float]]:
    """Observations in any of their forms, as pairs of mask and utility."""
    if isinstance(observations, Mapping) and "observations" in observations:
        observations = observations["observations"]
    entries: Iterable[Any] = observations.items() if isinstance(observations, Mapping) else observations
    pairs = [(e["mask"], e["utility"]) if isinstance(e, Mapping) else (e[0], e[1]) for e in entries]
    return [(m if isinstance(m, str) else "".join(str(int(bit)) for bit in m), float(u)) for m, u in pairs]


def _fit(observations: Any, degree: int) -> dict[str, float]:
    pairs = pairs_of(observations)
    measured = dict(pairs)
    x, y = _features(list(measured), degree), np.array(list(measured.values()))
    losses = [round(_loss(x, y, alpha), DECIMALS) for alpha in ALPHAS]
    alpha = ALPHAS[int(np.argmin(losses))]
    every = all_masks(len(pairs[0][0]))
    predicted = np.clip(_predict(x, y, alpha, _features(every, degree)), 0.0, 1.0)
    return {mask: measured.get(mask, float(value)) for mask, value in zip(every, predicted, strict=True)}


def _loss(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], alpha: float) -> float:
    """Mean squared error of predicting each observation from the others."""
    kept = ~np.eye(len(y), dtype=bool)
    errors = [y[k] - _predict(x[kept[k]], y[kept[k]], alpha, x[k : k + 1])[0] for k in range(len(y))]
    return float(np.mean(np.square(errors)))


def _predict(
    x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], alpha: float, rows: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    center, mean = x.mean(axis=0), y.mean()
    centered = x - center
    solved = np.linalg.solve(centered.T @ centered + alpha * np.eye(x.shape[1]), centered.T @ (y - mean))
    return np.asarray(mean + (rows - center) @ solved)


def _features(masks: list[str], degree: int) -> np.ndarray[Any, Any]:
    z = 2.0 * np.array([[int(bit) for bit in mask] for mask in masks], dtype=float) - 1.0
    if degree == 1:
        return z
    return np.hstack([z, *(z[:, [i]] * z[:, [j]] for i, j in itertools.combinations(range(z.shape[1]), 2))])


def _with_intercept(masks: list[str], degree: int) -> np.ndarray[Any, Any]:
    return np.hstack([np.ones((len(masks), 1)), _features(masks, degree)])
