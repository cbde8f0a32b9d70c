"""Each metric and its second computation agree on anything a workflow may predict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workflow_samples import SAMPLES

from whatworked import workflows
from whatworked.declaration import PreparedInput
from whatworked.errors import MetricDisagreementError
from whatworked.surfaces import mask_strings
from whatworked.workflows import beat_detection, events, second_metrics

AGREEMENT = 1e-10
seeds = st.integers(0, 2**32 - 1)


def agree(family: str, data: PreparedInput, prediction: object) -> None:
    assert workflows.get(family).metric.disagreement(data, prediction) <= AGREEMENT


@pytest.mark.parametrize("family", SAMPLES)
def test_they_agree_on_real_predictions(family: str) -> None:
    workflow, data = workflows.get(family), SAMPLES[family]()
    for mask in mask_strings(6)[::9]:
        agree(family, data, workflow.predict(data, mask).value)


@given(seeds, st.integers(1, 40), st.integers(1, 5))
def test_balanced_accuracy(seed: int, rows: int, classes: int) -> None:
    rng = np.random.default_rng(seed)
    truth = np.append(np.arange(classes), rng.integers(0, classes, rows))
    agree("classification", _with(y_test=truth), rng.integers(0, classes, truth.size))


@given(seeds, st.integers(1, 60), st.integers(1, 6), st.integers(1, 6))
def test_mutual_information(seed: int, rows: int, classes: int, clusters: int) -> None:
    rng = np.random.default_rng(seed)
    data = _with(labels=rng.integers(0, classes, rows))
    agree("clustering", data, rng.integers(0, clusters, rows).astype(np.int32))


@given(seeds, st.integers(1, 30), st.integers(1, 30), st.integers(1, 10))
def test_area_under_curve_with_ties(seed: int, positive: int, negative: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat([1, 0], [positive, negative]))
    agree("link_prediction", _with(test_labels=labels), (rng.integers(0, levels, labels.size) / levels).tolist())


@given(seeds, st.integers(0, 60), st.integers(1, 60), st.sampled_from([0.05, 0.1, 0.15]))
@settings(max_examples=200)
def test_event_f1_with_crowded_events(seed: int, predicted: int, reference: int, tolerance: float) -> None:
    rng = np.random.default_rng(seed)
    rate, span = 20, 120
    data = PreparedInput(
        "toy",
        "beat_detection",
        {
            "signal": np.zeros(span),
            "events": np.sort(rng.choice(span, size=min(reference, span), replace=False)),
        },
        {"sample_rate": rate},
    )
    found = sorted(int(sample) for sample in rng.choice(span, size=predicted, replace=False))
    first = beat_detection.event_f1(data, found, tolerance)
    assert first == pytest.approx(second_metrics.event_f1(data, found, tolerance), abs=AGREEMENT)


@given(st.lists(st.integers(0, 60), unique=True), st.lists(st.integers(0, 60), unique=True), st.integers(0, 9))
def test_matching_is_one_to_one_and_symmetric(left: list[int], right: list[int], reach: int) -> None:
    left, right = sorted(left), sorted(right)
    matched = events.count_matches(left, right, reach)
    assert matched == events.count_matches(right, left, reach) <= min(len(left), len(right))
    assert events.count_matches(left, left, reach) == len(left)


def test_only_the_interior_counts() -> None:
    ends = [359, 360, 298 * 360, 299 * 360 - 1, 299 * 360]
    assert events.interior(ends, 360, 300 * 360) == ends[1:4]
    assert events.interior(ends, 360, 300 * 360 + 1) == ends[1:]
    assert events.interior(ends, 360, 720) == []


@pytest.mark.parametrize("seconds", [12, 300, 1800])
def test_events_of_a_record_of_any_length_count_up_to_its_last_second(seconds: int) -> None:
    rate = 50
    arrays = {"signal": np.zeros(seconds * rate), "events": np.arange(0, seconds * rate, 10)}
    data = PreparedInput("toy", "beat_detection", arrays, {"sample_rate": rate})
    first, end = rate, (seconds - 1) * rate
    half = [sample for sample in arrays["events"].tolist() if sample < end // 2]
    counted = len(range(first, end // 2, 10)), len(range(first, end, 10))
    for score in (beat_detection.event_f1, second_metrics.event_f1):
        assert score(data, arrays["events"].tolist()) == 1.0
        assert score(data, half) == pytest.approx(2 * counted[0] / sum(counted))
        assert score(data, [first - 1, end]) == 0.0


@given(seeds, st.integers(1, 12))
def test_ndcg(seed: int, relevant: int) -> None:
    rng = np.random.default_rng(seed)
    ids = [f"d{index}" for index in range(30)]
    wanted = [sorted(rng.choice(30, size=relevant, replace=False).tolist()) for _ in range(3)]
    facts = {"document_ids": ids, "query_ids": ["a", "b", "c"], "relevant": wanted}
    found = {query: [ids[index] for index in rng.permutation(30)[:10]] for query in facts["query_ids"]}
    agree("retrieval", PreparedInput("toy", "retrieval", {}, facts), found)


@given(seeds, st.integers(1, 30))
def test_errors(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    truth, guess = rng.normal(size=(2, n)) * 100
    agree("regression", _with(y_test=truth), guess)
    agree("forecasting", PreparedInput("toy", "", {"series": np.append([1.0, 2.0], truth)}, {"cut": 2}), guess)
    agree("restoration", _with(clean=truth[None]), guess[None])


def test_a_checked_workflow_raises_where_the_metrics_differ() -> None:
    workflow, data = workflows.get("regression"), SAMPLES["regression"]()
    assert workflow.checked().run(data, "011010") == workflow.run(data, "011010")
    wrong = replace(workflow, metric=replace(workflow.metric, second=lambda data, prediction: 3.0))
    with pytest.raises(MetricDisagreementError, match=r"MAE on toy is .*second time 3\.0"):
        wrong.checked().run(data, "011010")


def test_known_values() -> None:
    half = _with(test_labels=np.array([1, 0, 1, 0]))
    assert second_metrics.area_under_curve(half, [0.5, 0.5, 0.9, 0.1]) == 0.875
    assert second_metrics.balanced_accuracy(_with(y_test=np.array([0, 0, 0, 1])), [0, 0, 1, 1]) == pytest.approx(5 / 6)
    ranked = {"document_ids": ["x", "y"], "query_ids": ["q"], "relevant": [[1]]}
    data = PreparedInput("toy", "retrieval", {}, ranked)
    assert second_metrics.ndcg(data, {"q": ["x", "y"]}) == pytest.approx(1 / np.log2(3))


@pytest.mark.parametrize(
    ("family", "scale"),
    [("regression", None), ("forecasting", None), ("restoration", 0.1)],
    ids=lambda value: str(value),
)
def test_costs_become_utilities(family: str, scale: float | None) -> None:
    metric, data = workflows.get(family).metric, SAMPLES[family]()
    costs = metric.cost_map(data)
    assert costs is not None
    if scale is None:
        values = data.arrays["y_train"] if family == "regression" else data.arrays["series"][: data.facts["cut"]]
        scale = float(np.subtract(*np.percentile(values, [75, 25])))
    assert costs.scale == pytest.approx(scale)
    assert metric.utility(data, scale) == pytest.approx(0.5)


def _with(**arrays: np.ndarray) -> PreparedInput:
    return PreparedInput("toy", "toy", arrays, {})
