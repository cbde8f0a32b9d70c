"""The control study written straight from the formulas: one record at a time, nothing shared, nothing clever.

This module is the judge of `whatworked.controls` and imports nothing from it. Masks are 0/1 strings; a surface is a
dict ``{mask: utility}``; an equivalence is a dict ``{mask: representative}``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np

ALPHAS = (1e-5, 1e-3, 0.1, 1.0, 10.0)
LENGTHS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
NUGGETS = (1e-6, 1e-3, 0.03, 0.3)
SEED = 20260907


@dataclass
class PlainRecord:
    """What one record of the study holds."""

    purchases: list[str]
    predictions: dict[str, float]
    steps: list[dict[str, float]] = field(default_factory=list)


def cube(d):
    return ["".join(bits) for bits in product("01", repeat=d)]


def features(mask, degree):
    x = [2 * int(bit) - 1 for bit in mask]
    row = [float(value) for value in x]
    if degree == 2:
        row += [float(x[i] * x[j]) for i, j in combinations(range(len(x)), 2)]
    return np.array(row)


def ridge_fit(masks, values, degree, alpha):
    """Return a function mask -> unclipped prediction."""
    X = np.array([features(mask, degree) for mask in masks])
    y = np.array(values)
    x_mean, y_mean = X.mean(axis=0), y.mean()
    centred = X - x_mean
    weights = np.linalg.solve(centred.T @ centred + alpha * np.eye(X.shape[1]), centred.T @ (y - y_mean))
    return lambda mask: float(y_mean + (features(mask, degree) - x_mean) @ weights)


def ridge_losses(masks, values, degree):
    losses = []
    for alpha in ALPHAS:
        squares = []
        for left_out in range(len(masks)):
            kept = [i for i in range(len(masks)) if i != left_out]
            predict = ridge_fit([masks[i] for i in kept], [values[i] for i in kept], degree, alpha)
            squares.append((values[left_out] - predict(masks[left_out])) ** 2)
        losses.append(float(np.mean(squares)))
    return losses


def ridge_alpha(masks, values, degree):
    losses = [round(loss, 14) for loss in ridge_losses(masks, values, degree)]
    return max(alpha for alpha, loss in zip(ALPHAS, losses, strict=True) if loss == min(losses))


def ridge_table(d, masks, values, degree, representative=None):
    representative = representative or {mask: mask for mask in cube(d)}
    alpha = ridge_alpha(masks, values, degree)
    predict = ridge_fit(masks, values, degree, alpha)
    table = {mask: min(1.0, max(0.0, predict(representative[mask]))) for mask in cube(d)}
    return restore(table, masks, values, representative), {"alpha": alpha}


def restore(table, masks, values, representative):
    measured = {representative[mask]: value for mask, value in zip(masks, values, strict=True)}
    return {mask: measured.get(representative[mask], value) for mask, value in table.items()}


def ridge_design(d, degree, budget, representative=None):
    """Masks the design buys, in order, the anchors (their representatives) not counted."""
    representative = representative or {mask: mask for mask in cube(d)}
    candidates = sorted(set(representative.values()))
    measured = start(d, representative)
    bought = []
    while len(bought) < budget:
        left = [mask for mask in candidates if mask not in measured]
        if not left:
            break
        X = np.array([[1.0, *features(mask, degree)] for mask in measured])
        inverse = np.linalg.inv(X.T @ X + np.diag([1e-8] + [0.01] * (X.shape[1] - 1)))
        scores = {}
        for mask in left:
            phi = np.array([1.0, *features(mask, degree)])
            scores[mask] = round(float(phi @ inverse @ phi), 10)
        best = min(mask for mask in left if scores[mask] == max(scores.values()))
        measured.append(best)
        bought.append(best)
    return bought


def start(d, representative):
    return list(dict.fromkeys([representative["0" * d], representative["1" * d]]))


def random_order(d, seed):
    masks = [mask for mask in cube(d) if mask not in ("0" * d, "1" * d)]
    order = np.random.default_rng(SEED + seed).permutation(len(masks))
    return [masks[i] for i in order]


def distance(left, right):
    return sum(a != b for a, b in zip(left, right, strict=True))


def kernel(left, right, length):
    return np.array([[np.exp(-distance(a, b) / length) for b in right] for a in left])


@dataclass
class PlainKriging:
    """Ordinary kriging of the measured masks with given hyper-parameters."""

    masks: list[str]
    values: list[float]
    length: float
    nugget: float

    def __post_init__(self):
        n = len(self.masks)
        self.y = np.array(self.values)
        self.inverse = np.linalg.inv(kernel(self.masks, self.masks, self.length) + self.nugget * np.eye(n))
        self.q = self.inverse @ np.ones(n)
        self.c = np.ones(n) @ self.q

    def loss(self):
        P = self.inverse - np.outer(self.q, self.q) / self.c
        residuals = (P @ self.y) / np.diag(P)
        return float(np.mean(residuals**2))

    def mean(self, cells):
        mu = (self.q @ self.y) / self.c
        K = kernel(cells, self.masks, self.length)
        return mu + K @ (self.inverse @ (self.y - mu))

    def covariance(self, cells):
        K = kernel(cells, self.masks, self.length)
        u = 1 - K @ self.q
        sigma = kernel(cells, cells, self.length) - K @ self.inverse @ K.T + np.outer(u, u) / self.c
        return (sigma + sigma.T) / 2


def kriging(masks, values):
    """The fit chosen by leave-one-out."""
    best = None
    for length in LENGTHS:
        for nugget in NUGGETS:
            model = PlainKriging(masks, values, length, nugget)
            key = (-round(model.loss(), 14), length, nugget)
            if best is None or key > best[0]:
                best = (key, model)
    return best[1]


def differences(d):
    masks = cube(d)
    rows = []
    for i in range(d):
        for mask in masks:
            if mask[i] == "0":
                row = np.zeros(len(masks))
                row[masks.index(mask)] = -1.0
                row[masks.index(mask[:i] + "1" + mask[i + 1 :])] = 1.0
                rows.append(row)
    return np.array(rows)


def kriging_scores(model, d, candidates, target, representative):
    cells = [representative[mask] for mask in cube(d)]
    sigma = model.covariance(cells)
    spread = differences(d) @ sigma if target == "effect" else sigma
    scores = {}
    for mask in candidates:
        j = cube(d).index(mask)
        scores[mask] = round(float(np.sum(spread[:, j] ** 2) / max(sigma[j, j] + model.nugget, 1e-12)), 12)
    return scores


def kriging_record(surface, budget, target, representative=None):
    d = len(next(iter(surface)))
    representative = representative or {mask: mask for mask in cube(d)}
    measured = start(d, representative)
    bought, steps = [], []
    while True:
        values = [surface[mask] for mask in measured]
        model = kriging(measured, values)
        steps.append({"length": model.length, "nugget": model.nugget})
        left = [mask for mask in sorted(set(representative.values())) if mask not in measured]
        if len(bought) == budget or not left:
            break
        scores = kriging_scores(model, d, left, target, representative)
        best = min(mask for mask in left if scores[mask] == max(scores.values()))
        measured.append(best)
        bought.append(best)
    mean = model.mean([representative[mask] for mask in cube(d)])
    table = {mask: min(1.0, max(0.0, float(value))) for mask, value in zip(cube(d), mean, strict=True)}
    return PlainRecord(bought, restore(table, measured, values, representative), steps)


def ridge_record(surface, bought, degree, representative=None):
    d = len(next(iter(surface)))
    identity = representative or {mask: mask for mask in cube(d)}
    measured = start(d, identity) + bought
    table, step = ridge_table(d, measured, [surface[mask] for mask in measured], degree, representative)
    return PlainRecord(bought, table, [step])


def record(method, surface, seed, budget, representative=None):
    """One record of the study; `representative` is used by the class-aware methods only."""
    d = len(next(iter(surface)))
    if method == "D1":
        return ridge_record(surface, ridge_design(d, 1, budget), 1)
    if method == "D2":
        return ridge_record(surface, ridge_design(d, 2, budget), 2)
    if method == "Random D2":
        return ridge_record(surface, random_order(d, seed)[:budget], 2)
    if method == "GP-G":
        return kriging_record(surface, budget, "grid")
    if method == "GP-E":
        return kriging_record(surface, budget, "effect")
    if method == "CD1":
        return ridge_record(surface, ridge_design(d, 1, budget, representative), 1, representative)
    if method == "CD2":
        return ridge_record(surface, ridge_design(d, 2, budget, representative), 2, representative)
    if method == "CGP-E":
        return kriging_record(surface, budget, "effect", representative)
    raise ValueError(method)


def effects(surface):
    """All conditional effects, option by option."""
    d = len(next(iter(surface)))
    found = []
    for i in range(d):
        off = [mask for mask in cube(d) if mask[i] == "0"]
        found += [surface[mask[:i] + "1" + mask[i + 1 :]] - surface[mask] for mask in off]
    return np.array(found)


def grades(truth, prediction):
    """Effect error, recovery, regret, exact and strict count of a complete table."""
    wanted, guessed = effects(truth), effects(prediction)
    error, scale = float(np.mean(np.abs(guessed - wanted))), float(np.mean(np.abs(wanted)))
    recovery = max(0.0, 1 - error / scale) if scale > 1e-12 else float(error <= 1e-12)
    selected = min(prediction, key=lambda mask: (-prediction[mask], mask.count("1"), mask))
    regret = max(truth.values()) - truth[selected]
    spread = max(truth.values()) - min(truth.values())
    strict = float(np.max(np.abs(guessed - wanted))) <= max(1e-12, 0.1 * spread)
    return {
        "effect_mae": error,
        "effect_recovery": recovery,
        "regret": regret,
        "exact": regret <= 1e-12,
        "strict": strict,
    }
