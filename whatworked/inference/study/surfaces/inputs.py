"""Prepared inputs from plain arrays, by the rules of the catalog's families."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from whatworked.declaration.prepared import PreparedInput
from whatworked.surfaces.masks import FloatArray

SEED = 20260907
"""The catalog's common seed."""
_NOISE = 0.1
_SIDE = 256
_TEST_SHARE = 0.3
_HIDDEN_SHARE = 0.2

Numbers = npt.ArrayLike


def _distinct(X: Numbers, y: Numbers) -> tuple[FloatArray, npt.NDArray[Any]]:
    """Rows without exact repetitions, in the order of their first appearance."""
    features, target = np.asarray(X, dtype=np.float64), np.asarray(y)
    _, first = np.unique(np.column_stack([features, target.astype(np.float64)]), axis=0, return_index=True)
    kept = np.sort(first)
    return features[kept], target[kept]


def supervised(name: str, family: str, X: Numbers, y: Numbers) -> PreparedInput:
    """Classification or regression: distinct rows, split by groups of equal features."""
    from sklearn.model_selection import GroupShuffleSplit

    features, target = _distinct(X, y)
    target = np.unique(target, return_inverse=True)[1].astype(np.int64) if family == "classification" else target
    groups = np.unique(features, axis=0, return_inverse=True)[1].ravel()
    splitter = GroupShuffleSplit(n_splits=1, test_size=_TEST_SHARE, random_state=SEED)
    train, test = next(splitter.split(features, target, groups))
    parts = {"X_train": features[train], "y_train": target[train], "X_test": features[test], "y_test": target[test]}
    if family == "regression":
        parts = {key: np.asarray(value, dtype=np.float64) for key, value in parts.items()}
    return PreparedInput(name, family, parts, {})


def clustering(name: str, X: Numbers, y: Numbers) -> PreparedInput:
    """Clustering: distinct rows, as many clusters as labels."""
    features, labels = _distinct(X, y)
    classes, codes = np.unique(labels, return_inverse=True)
    arrays = {"X": features, "labels": codes.astype(np.int64)}
    return PreparedInput(name, "clustering", arrays, {"n_clusters": len(classes)})


def forecasting(name: str, series: Numbers) -> PreparedInput:
    """Forecasting: three quarters to fit; a series that dips below zero is raised to start at zero."""
    values = np.asarray(series, dtype=np.float64)
    values = values - min(0.0, float(values.min()))
    return PreparedInput(name, "forecasting", {"series": values}, {"cut": int(0.75 * len(values))})


def restoration(name: str, image: npt.NDArray[Any]) -> PreparedInput:
    """Restoration: grey, at most 256 pixels a side, with Gaussian noise."""
    from PIL import Image

    pixels = image if image.dtype == np.uint8 else np.round(255 * np.asarray(image, dtype=np.float64)).astype(np.uint8)
    grey = Image.fromarray(pixels).convert("L")
    grey.thumbnail((_SIDE, _SIDE), Image.Resampling.LANCZOS)
    clean = np.asarray(grey, dtype=np.float64) / 255
    noisy = np.clip(clean + np.random.default_rng(SEED).normal(0, _NOISE, clean.shape), 0, 1)
    return PreparedInput(name, "restoration", {"clean": clean, "noisy": noisy}, {})


def link_prediction(name: str, graph: Any) -> PreparedInput:
    """Link prediction: a fifth of the edges hidden for calibration, a fifth for the test."""
    import networkx as nx

    plain = nx.convert_node_labels_to_integers(nx.Graph(graph))
    count = plain.number_of_nodes()
    edges = sorted({(min(a, b), max(a, b)) for a, b in plain.edges() if a != b})
    known = set(edges)
    others = [(a, b) for a in range(count) for b in range(a + 1, count) if (a, b) not in known]
    generator = np.random.default_rng(SEED)
    present = [edges[k] for k in generator.permutation(len(edges))]
    absent = [others[k] for k in generator.permutation(len(others))]
    hidden = round(_HIDDEN_SHARE * len(edges))
    labels = np.repeat(np.array([1, 0], dtype=np.int64), hidden)
    arrays = {
        "observed_edges": present[: len(edges) - 2 * hidden],
        "fit_pairs": present[len(edges) - 2 * hidden : len(edges) - hidden] + absent[:hidden],
        "test_pairs": present[len(edges) - hidden :] + absent[hidden : 2 * hidden],
    }
    pairs = {key: np.array(value, dtype=np.int64) for key, value in arrays.items()}
    return PreparedInput(
        name, "link_prediction", {**pairs, "fit_labels": labels, "test_labels": labels}, {"n_nodes": count}
    )


def retrieval(name: str, documents: Sequence[str], queries: Sequence[str]) -> PreparedInput:
    """Retrieval: query k is answered by document k; the 64 first of at least that many are asked."""
    asked = min(64, len(queries))
    facts = {
        "documents": list(documents),
        "document_ids": [f"{k:05d}" for k in range(len(documents))],
        "queries": list(queries[:asked]),
        "query_ids": [f"{k:05d}" for k in range(asked)],
        "relevant": [[k] for k in range(asked)],
        "excluded": [[] for _ in range(asked)],
    }
    return PreparedInput(name, "retrieval", {}, facts)


def beat_detection(name: str, seed: int, noise: float, wander: float, tall_t: float) -> PreparedInput:
    """A synthetic electrocardiogram of 300 s at 360 Hz: P, QRS and T waves as Gaussian bumps.

    Parameters
    ----------
    name : str
        Name of the record.
    seed : int
        Seed of rhythm and noise.
    noise : float
        Standard deviation of white noise, mV.
    wander : float
        Amplitude of the baseline's wander, mV.
    tall_t : float
        Height of the T wave, mV; the R wave is 1 mV.
    """
    rate, seconds = 360, 300
    generator = np.random.default_rng(seed)
    beats = np.cumsum(generator.normal(0.8, 0.08, 500).clip(0.45, 1.4)) + 0.5
    beats = beats[beats < seconds - 0.5]
    heights = generator.normal(1.0, 0.12, len(beats))
    time = np.arange(rate * seconds) / rate
    signal = wander * np.sin(2 * np.pi * 0.25 * time) + generator.normal(0, noise, len(time))
    waves = (
        (-0.16, 0.12, 0.020),
        (-0.025, -0.15, 0.008),
        (0.0, 1.0, 0.010),
        (0.03, -0.25, 0.010),
        (0.28, tall_t, 0.045),
    )
    for beat, height in zip(beats, heights, strict=True):
        window = slice(max(0, int((beat - 0.4) * rate)), int((beat + 0.6) * rate))
        for delay, size, width in waves:
            signal[window] += height * size * np.exp(-0.5 * ((time[window] - beat - delay) / width) ** 2)
    # Two hundred steps to the mV, as a digitiser gives.
    arrays = {"signal": np.round(signal * 200) / 200, "events": np.round(beats * rate).astype(np.int64)}
    return PreparedInput(name, "beat_detection", arrays, {"sample_rate": rate})
