"""Every metric computed a second time, by plain code that shares nothing with the first.

Verification compares the two on every prediction; they must agree to 1e-10.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from whatworked.surfaces.masks import FloatArray, IntArray

if TYPE_CHECKING:
    from whatworked.declaration.prepared import PreparedInput


def balanced_accuracy(data: PreparedInput, prediction: Iterable[int]) -> float:
    """Mean over the classes of the share of their rows that is predicted right."""
    right: Counter[int] = Counter()
    rows: Counter[int] = Counter()
    for truth, guess in zip(data.arrays["y_test"].tolist(), list(prediction), strict=True):
        rows[truth] += 1
        right[truth] += int(truth == guess)
    return math.fsum(right[label] / rows[label] for label in rows) / len(rows)


def absolute_error(data: PreparedInput, prediction: FloatArray) -> float:
    """Mean absolute error of predicted targets."""
    return _mean_absolute(data.arrays["y_test"], prediction)


def forecast_error(data: PreparedInput, prediction: FloatArray) -> float:
    """Mean absolute error of forecasts."""
    return _mean_absolute(data.arrays["series"][int(data.facts["cut"]) :], prediction)


def pixel_error(data: PreparedInput, prediction: FloatArray) -> float:
    """Root mean square error of the pixels."""
    pairs = zip(data.arrays["clean"].ravel().tolist(), prediction.ravel().tolist(), strict=True)
    squares = [(clean - restored) ** 2 for clean, restored in pairs]
    return math.sqrt(math.fsum(squares) / len(squares))


def mutual_information(data: PreparedInput, prediction: Iterable[int]) -> float:
    """Mutual information over the arithmetic mean of the entropies, from contingency counts.

    Like scikit-learn's it is 1 for two partitions without any division.
    """
    truth, guess = data.arrays["labels"].tolist(), [int(label) for label in prediction]
    rows, columns, cells = Counter(truth), Counter(guess), Counter(zip(truth, guess, strict=True))
    if len(rows) == len(columns) == 1:
        return 1.0
    n = len(truth)
    shared = math.fsum(k / n * math.log(k * n / (rows[i] * columns[j])) for (i, j), k in cells.items())
    return max(shared, 0.0) / ((_entropy(rows, n) + _entropy(columns, n)) / 2)


def area_under_curve(data: PreparedInput, prediction: Sequence[float]) -> float:
    """Share of (positive, negative) pairs in which the positive scores higher; a tie counts one half."""
    labels = data.arrays["test_labels"].tolist()
    positive = [score for score, label in zip(prediction, labels, strict=True) if label == 1]
    negative = [score for score, label in zip(prediction, labels, strict=True) if label == 0]
    halves = sum(2 * (high > low) + (high == low) for high in positive for low in negative)
    return halves / (2 * len(positive) * len(negative))


def event_f1(data: PreparedInput, prediction: Iterable[int], tolerance: float = 0.1) -> float:
    """Event F1 with a maximum bipartite matching found by augmenting paths (Hopcroft and Karp 1973).

    Parameters
    ----------
    data : PreparedInput
        With ``signal``, ``events`` and ``sample_rate``; the first and the last second are left out.
    prediction : iterable of int
        Samples of the predicted events.
    tolerance : float
        Largest distance of a matched pair, in seconds.
    """
    rate = int(data.facts["sample_rate"])
    end = data.arrays["signal"].size - rate
    found, reference = (
        np.array([sample for sample in samples if rate <= sample < end], dtype=np.int64)
        for samples in (list(prediction), data.arrays["events"].tolist())
    )
    if not found.size or not reference.size:
        return 0.0
    near = np.abs(found[:, None] - reference[None, :]) <= round(tolerance * rate)
    partners: IntArray = maximum_bipartite_matching(csr_array(near.astype(np.int8)), perm_type="column")
    return 2 * int((partners >= 0).sum()) / (found.size + reference.size)


def ndcg(data: PreparedInput, prediction: Mapping[str, Sequence[str]]) -> float:
    """Mean NDCG at ten, gain by gain."""
    ids = data.facts["document_ids"]
    scores = []
    for query, relevant in zip(data.facts["query_ids"], data.facts["relevant"], strict=True):
        wanted = {ids[index] for index in relevant}
        gains = [1.0 / math.log2(rank + 1) for rank, document in enumerate(prediction[query], 1) if document in wanted]
        ideal = [1.0 / math.log2(rank + 1) for rank in range(1, min(10, len(wanted)) + 1)]
        scores.append(math.fsum(gains) / math.fsum(ideal))
    return math.fsum(scores) / len(scores)


def _mean_absolute(truth: FloatArray, prediction: FloatArray) -> float:
    errors = [abs(true - guess) for true, guess in zip(truth.tolist(), prediction.tolist(), strict=True)]
    return math.fsum(errors) / len(errors)


def _entropy(counts: Counter[int], n: int) -> float:
    return -math.fsum(k / n * math.log(k / n) for k in counts.values())
