"""Digests say identical; fingerprints say equal up to rounding."""

from __future__ import annotations

import hashlib
import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whatworked import workflows
from whatworked.declaration import (
    PredictionForm,
    labels_fingerprint,
    rankings_fingerprint,
    samples_fingerprint,
    values_fingerprint,
)

VALUES = PredictionForm("values", values_fingerprint, "float64")
LABELS = PredictionForm("labels", labels_fingerprint, "int64", tolerance=0.01)
PROJECTIONS = [
    -0.30952381,
    -0.119047619,
    -0.119047619,
    0.166666667,
    -0.0238095238,
    0.5,
    -0.166666667,
    0.0238095238,
]
RANKINGS = PredictionForm("rankings", rankings_fingerprint, tolerance=0.01)


def test_arrays_are_identified_by_their_bytes() -> None:
    values = np.array([[0.5, 1.0], [2.0, -0.0]])
    assert VALUES.digest(values) == hashlib.sha256(values.tobytes()).hexdigest()
    assert VALUES.digest(np.asfortranarray(values)) == VALUES.digest(values)
    assert VALUES.digest(np.abs(values)) != VALUES.digest(values)


def test_plain_values_are_identified_by_canonical_json() -> None:
    prediction = {"q2": ["ä"], "q1": ["b", "a"]}
    expected = json.dumps(prediction, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert RANKINGS.digest(prediction) == hashlib.sha256(expected).hexdigest()


def test_label_types_of_the_families() -> None:
    assert {family: workflows.get(family).form.dtype for family in workflows.families()[:8]} == {
        "classification": "int64",
        "regression": "float64",
        "clustering": "int32",
        "forecasting": "float64",
        "restoration": "float64",
        "retrieval": None,
        "beat_detection": None,
        "link_prediction": None,
    }


def test_fingerprints_never_change() -> None:
    """Recorded values: the tables of other machines hold them."""
    assert values_fingerprint(np.linspace(0, 1, 7))["projections"] == PROJECTIONS
    assert labels_fingerprint(np.arange(40) % 3)["buckets"] == [0, 3, 2, 4, 3, 3, 2, 4, 2, 1, 1, 3, 3, 2, 2, 5]
    assert samples_fingerprint([3, 1, 4, 15, 92])["buckets"] == [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]
    assert rankings_fingerprint({"q": ["a", "b"], "r": ["c"]})["buckets"] == [
        0,
        0,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        1,
        0,
        1,
        0,
        0,
        0,
    ]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.floats(0.2, 0.9))
def test_values_are_close_within_the_tolerance_only(values: list[float], share: float) -> None:
    array = np.array(values)
    scale = max(np.abs(array).max(), 1.0)
    one = VALUES.fingerprint(np.append(array, scale))
    assert VALUES.close(one, VALUES.fingerprint(np.append(array * (1 + 1e-7 * share), scale)))
    assert not VALUES.close(one, VALUES.fingerprint(np.append(array, scale * (1 + 1e-5))))
    assert not VALUES.close(one, VALUES.fingerprint(np.append(array, [scale, scale])))


@given(st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_buckets_never_overstate_the_number_of_differing_items(seed: int, changed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 5, 200)
    other = labels.copy()
    where = rng.choice(200, size=changed, replace=False)
    other[where] = (other[where] + 1) % 5
    one, two = labels_fingerprint(labels), labels_fingerprint(other)
    assert np.abs(np.subtract(one["buckets"], two["buckets"])).sum() / 2 <= changed
    if changed <= 2:
        assert LABELS.close(one, two)


def test_other_labels_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    one, two = (labels_fingerprint(rng.integers(0, 5, 400)) for _ in range(2))
    assert not LABELS.close(one, two)
    assert not LABELS.close(one, values_fingerprint(np.zeros(400)))


def test_a_reversed_ranking_is_told_apart() -> None:
    documents = [f"d{index}" for index in range(10)]
    one = rankings_fingerprint({f"q{query}": documents for query in range(64)})
    two = rankings_fingerprint({f"q{query}": documents[::-1] for query in range(64)})
    assert not RANKINGS.close(one, two)


def test_empty_predictions_have_fingerprints() -> None:
    assert samples_fingerprint([]) == {"n": 0, "buckets": [0] * 16}
    assert values_fingerprint([])["quantiles"] == [0.0] * 5
