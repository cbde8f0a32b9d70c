"""Predictions do not see what they are scored by: other evaluation targets leave every prediction as it was.

The paper checks its workflows so; here it is checked for every family, mask and kind of target.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from workflow_samples import SAMPLES

from whatworked import workflows
from whatworked.declaration import PreparedInput, Workflow
from whatworked.declaration.workflow import Store
from whatworked.sources import Library
from whatworked.surfaces import mask_strings

Change = Callable[[PreparedInput, np.random.Generator], PreparedInput]


def _with(data: PreparedInput, arrays: dict[str, np.ndarray] | None = None, **facts: object) -> PreparedInput:
    return PreparedInput(data.source, data.family, {**data.arrays, **(arrays or {})}, {**data.facts, **facts})


def permuted(name: str) -> Change:
    """The values of an array in another order."""

    def change(data: PreparedInput, rng: np.random.Generator) -> PreparedInput:
        values = data.arrays[name]
        other = rng.permutation(values)
        assert not np.array_equal(other, values)
        return _with(data, {name: other})

    return change


def other_relevance(data: PreparedInput, rng: np.random.Generator) -> PreparedInput:
    """Other relevant documents for every query."""
    n = len(data.facts["document_ids"])
    return _with(data, relevant=[sorted(rng.choice(n, 3, replace=False).tolist()) for _ in data.facts["relevant"]])


def other_events(data: PreparedInput, rng: np.random.Generator) -> PreparedInput:
    """Reference events anywhere, and fewer of them."""
    count = len(data.arrays["events"]) // 2
    events = np.sort(rng.choice(len(data.arrays["signal"]), count, replace=False)).astype(np.int64)
    return _with(data, {"events": events})


def other_last_value(data: PreparedInput, rng: np.random.Generator) -> PreparedInput:
    """Another last value of the series, which no one-step forecast may use."""
    series = data.arrays["series"].copy()
    series[-1] = series.max() * (2 + rng.random())
    return _with(data, {"series": series})


CHANGES: dict[str, tuple[Change, ...]] = {
    "classification": (permuted("y_test"),),
    "regression": (permuted("y_test"),),
    "clustering": (permuted("labels"),),
    "forecasting": (other_last_value,),
    "restoration": (permuted("clean"),),
    "retrieval": (other_relevance,),
    "beat_detection": (other_events,),
    "link_prediction": (permuted("test_labels"),),
}
REAL = {
    "classification": "breast_diagnostic",
    "regression": "concrete",
    "clustering": "wine",
    "forecasting": "nile",
    "restoration": "astronaut",
    "link_prediction": "graph_lesmis",
}
"""A source that is always there, for each family that has one."""


def predictions(workflow: Workflow, data: PreparedInput) -> list[bytes]:
    """What identifies the prediction of every mask."""
    store: Store = {}
    return [workflow.form.encode(workflow.predict(data, mask, store).value) for mask in mask_strings(workflow.d)]


def scores(workflow: Workflow, data: PreparedInput) -> list[float]:
    store: Store = {}
    return [workflow.run(data, mask, store).utility for mask in mask_strings(workflow.d)[:4]]


def test_every_family_is_checked() -> None:
    assert set(CHANGES) == set(workflows.FAMILIES)


@pytest.mark.parametrize("family", SAMPLES)
@pytest.mark.parametrize("seed", range(3))
def test_other_targets_leave_every_prediction_unchanged(family: str, seed: int) -> None:
    workflow, data = workflows.get(family), SAMPLES[family]()
    before, scored = predictions(workflow, data), scores(workflow, data)
    for change in CHANGES[family]:
        other = change(data, np.random.default_rng(seed))
        assert predictions(workflow, other) == before
        assert scores(workflow, other) != scored


@pytest.mark.parametrize("family", REAL)
def test_other_targets_of_a_real_source_leave_every_prediction_unchanged(family: str, tmp_path: Path) -> None:
    workflow, data = workflows.get(family).restricted(4), Library(tmp_path, offline=True).prepared(REAL[family])
    before = predictions(workflow, data)
    for change in CHANGES[family]:
        assert predictions(workflow, change(data, np.random.default_rng(0))) == before


@pytest.mark.parametrize("place", [90, 91, 100, 118])
def test_a_forecast_sees_the_values_before_it_and_no_other(place: int) -> None:
    """Values from t on leave the forecasts up to t as they are; the one at t - 1 is used by the forecast at t."""
    workflow, data = workflows.get("forecasting"), SAMPLES["forecasting"]()
    cut = int(data.facts["cut"])
    series = data.arrays["series"].copy()
    series[place:] = series[place:][::-1] + 3.0
    other, known = _with(data, {"series": series}), place - cut + 1
    store, other_store = {}, {}
    for mask in mask_strings(6):
        before = workflow.predict(data, mask, store).value
        after = workflow.predict(other, mask, other_store).value
        assert before[:known].tobytes() == after[:known].tobytes(), mask
        assert before[known] != after[known], mask
