"""Rebuild tables of made-up sources in this process's environment; the folder is the argument."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from whatworked.catalog import Condition
from whatworked.declaration import PreparedInput
from whatworked.execution import RebuildRequest, rebuild
from whatworked.workflows import get

CONDITIONS = tuple(
    Condition(f"{family}_made_up", f"{family}_made_up", family, 6, "added")
    for family in ("beat_detection", "classification", "clustering", "regression", "forecasting", "restoration")
)


def rounded(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Rounded, because this process is not pinned: exp and log may differ in the last digit between machines."""
    return np.round(np.asarray(values, dtype=np.float64), 6)


def beats(rng: np.random.Generator) -> PreparedInput:
    """A signal in steps of 1/200 mV, like a recorded one: the envelope has peaks of equal height."""
    rate, seconds = 360, 60
    times = np.arange(rate * seconds) / rate
    events = np.cumsum(rng.integers(250, 330, size=60))
    events = events[events < times.size - 200]
    signal = 0.02 * np.sin(0.6 * np.pi * times) + rng.normal(0, 0.01, times.size)
    bump = np.exp(-((np.arange(-20, 21) / 6) ** 2))
    for event in events:
        signal[event - 20 : event + 21] += rng.choice([0.8, 1.0]) * bump
    arrays = {"signal": np.round(signal * 200) / 200, "events": events.astype(np.int64)}
    return PreparedInput("beat_detection_made_up", "beat_detection", arrays, {"sample_rate": rate})


def rows(rng: np.random.Generator, family: str) -> PreparedInput:
    features = rounded(rng.lognormal(size=(300, 9)))
    score = np.log(features) @ rng.normal(size=9) + rng.normal(size=300)
    if family == "clustering":
        labels = np.digitize(score, [-1.0, 1.0]).astype(np.int64)
        return PreparedInput(f"{family}_made_up", family, {"X": features, "labels": labels}, {"n_clusters": 3})
    target = (score > 0).astype(np.int64) if family == "classification" else rounded(np.exp(score / 5))
    arrays = {
        "X_train": features[:200],
        "y_train": target[:200],
        "X_test": features[200:],
        "y_test": target[200:],
    }
    return PreparedInput(f"{family}_made_up", family, arrays, {})


def prepare(source: str) -> PreparedInput:
    family = source.removesuffix("_made_up")
    rng = np.random.default_rng(11)
    if family == "beat_detection":
        return beats(rng)
    if family == "forecasting":
        series = rounded(np.exp(rng.normal(size=160).cumsum() / 10))
        return PreparedInput(source, family, {"series": series}, {"cut": 120})
    if family == "restoration":
        clean = np.outer(np.linspace(0, 1, 40), np.linspace(1, 0.2, 50))
        noisy = np.clip(clean + rng.normal(0, 0.1, clean.shape), 0, 1)
        return PreparedInput(source, family, {"clean": rounded(clean), "noisy": rounded(noisy)}, {})
    return rows(rng, family)


if __name__ == "__main__":
    report = rebuild(RebuildRequest(CONDITIONS, Path(sys.argv[1]), jobs=1), prepare, get)
    sys.exit(report.exit_code(strict=True))
