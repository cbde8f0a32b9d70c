"""Small made-up sources, one per family."""

from __future__ import annotations

import numpy as np

from whatworked.declaration import PreparedInput


def classification() -> PreparedInput:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, 90)
    features = rng.normal(size=(90, 6)) * [1, 5, 0.2, 30, 1, 2] + labels[:, None] * [1, 0, 0.3, 10, 0, 1]
    return PreparedInput("toy", "classification", _split(features, labels.astype(np.int64)), {})


def regression() -> PreparedInput:
    rng = np.random.default_rng(2)
    features = rng.normal(size=(90, 4)) * [1, 5, 0.2, 30] + [0, 3, 1, 100]
    target = 20 + features[:, 0] * features[:, 1] + 0.1 * features[:, 3] + rng.exponential(size=90)
    return PreparedInput("toy", "regression", _split(features, np.abs(target)), {})


def clustering() -> PreparedInput:
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 3, 80)
    features = rng.normal(size=(80, 5)) * [1, 5, 0.2, 30, 3] + labels[:, None] * [2, 0, 0.6, 10, 5]
    return PreparedInput("toy", "clustering", {"X": features, "labels": labels.astype(np.int64)}, {"n_clusters": 3})


def forecasting() -> PreparedInput:
    rng = np.random.default_rng(4)
    series = 30 + 5 * np.sin(np.arange(120) / 4) + np.arange(120) / 20 + rng.normal(size=120)
    return PreparedInput("toy", "forecasting", {"series": series}, {"cut": 90})


def restoration() -> PreparedInput:
    rng = np.random.default_rng(5)
    rows, columns = np.mgrid[0:24, 0:30]
    clean = 0.5 + 0.4 * np.sin(rows / 5) * np.cos(columns / 7)
    noisy = np.clip(clean + rng.normal(0, 0.1, clean.shape), 0, 1)
    return PreparedInput("toy", "restoration", {"clean": clean, "noisy": noisy}, {})


def retrieval() -> PreparedInput:
    rng = np.random.default_rng(6)
    words = "the of and cat dog sat Mat ran far away with a naïve x1 über under over again whale sea"
    words = np.array(words.split())
    documents = [" ".join(rng.choice(words, rng.integers(0, 25))) for _ in range(40)]
    queries = [" ".join(rng.choice(words, 6)) + " unknown" for _ in range(7)] + [
        "never seen the words",
        "whereas cat the dog",
    ]
    facts = {
        "documents": documents,
        "document_ids": [f"d{index:02}" for index in range(40)],
        "queries": queries,
        "query_ids": [f"q{index}" for index in range(9)],
        "relevant": [sorted(rng.choice(40, size=3, replace=False).tolist()) for _ in range(9)],
        "excluded": [[] for _ in range(6)] + [[0, 1], [5], []],
    }
    return PreparedInput("toy", "retrieval", {}, facts)


def beat_detection() -> PreparedInput:
    """Twelve seconds at 100 Hz; at least twice 35 Hz is needed by the low-pass filter."""
    rate, rng = 100, np.random.default_rng(7)
    events = np.sort(rng.choice(np.arange(20, 12 * rate - 20, 12), size=16, replace=False))
    signal = rng.normal(0, 0.05, 12 * rate) + 0.2 * np.sin(np.arange(12 * rate) / 90)
    signal[events] += 1.0
    signal[events + 1] -= 0.4
    return PreparedInput(
        "toy",
        "beat_detection",
        {"signal": np.round(signal, 2), "events": events.astype(np.int64)},
        {"sample_rate": rate},
    )


def link_prediction() -> PreparedInput:
    rng = np.random.default_rng(8)
    n = 30
    pairs = np.array([(i, j) for i in range(n) for j in range(i + 1, n)], dtype=np.int64)
    near = rng.random(len(pairs)) < np.where(pairs[:, 0] % 3 == pairs[:, 1] % 3, 0.5, 0.05)
    edges, others = rng.permutation(pairs[near]), rng.permutation(pairs[~near])
    k = len(edges) // 5
    labels = np.repeat(np.array([1, 0], dtype=np.int64), k)
    arrays = {
        "observed_edges": edges[2 * k :],
        "fit_pairs": np.concatenate([edges[:k], others[:k]]),
        "fit_labels": labels,
        "test_pairs": np.concatenate([edges[k : 2 * k], others[k : 2 * k]]),
        "test_labels": labels,
    }
    return PreparedInput("toy", "link_prediction", arrays, {"n_nodes": n})


def _split(features: np.ndarray, target: np.ndarray) -> dict[str, np.ndarray]:
    return {"X_train": features[:60], "y_train": target[:60], "X_test": features[60:], "y_test": target[60:]}


SAMPLES = {
    make.__name__: make
    for make in (
        classification,
        regression,
        clustering,
        forecasting,
        restoration,
        retrieval,
        beat_detection,
        link_prediction,
    )
}
