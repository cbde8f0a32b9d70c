"""Stages do what the specification says, share without trace, and change nothing they are given."""

from __future__ import annotations

import pickle

import networkx as nx
import numpy as np
import plain_workflows
import pytest
from workflow_samples import SAMPLES

from whatworked import workflows
from whatworked.declaration import Workflow
from whatworked.declaration.workflow import Store
from whatworked.surfaces import mask_strings

EXACT = {"classification", "clustering", "retrieval", "beat_detection"}
"""Families whose predictions are labels, rankings or samples: these must be equal, the others to rounding."""


def content(value: object) -> bytes:
    if isinstance(value, nx.Graph):  # which caches views of itself
        value = (list(value.nodes(data=True)), list(value.edges(data=True)))
    return pickle.dumps(value)


@pytest.mark.parametrize("family", SAMPLES)
def test_every_mask_agrees_with_plain_code(family: str) -> None:
    workflow, data = workflows.get(family), SAMPLES[family]()
    store: Store = {}
    for mask in mask_strings(6):
        expected = getattr(plain_workflows, family)(data, *(bit == "1" for bit in mask))
        found = workflow.predict(data, mask, store).value
        if family in EXACT:
            assert np.array_equal(found, expected) if isinstance(found, np.ndarray) else found == expected, mask
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=mask)


@pytest.mark.parametrize("family", SAMPLES)
def test_cold_and_shared_runs_are_identical_in_any_order(family: str) -> None:
    workflow, data = workflows.get(family), SAMPLES[family]()
    store: Store = {}
    masks = list(mask_strings(6))
    shuffled = [masks[index] for index in np.random.default_rng(0).permutation(64)]
    shared = {mask: workflow.run(data, mask, store) for mask in shuffled}
    for mask in masks[::5]:
        assert workflow.run(data, mask) == shared[mask], mask


@pytest.mark.parametrize("family", SAMPLES)
def test_no_stage_changes_what_it_was_given(family: str) -> None:
    workflow, data = workflows.get(family), SAMPLES[family]()
    before = content(data)
    store: Store = {}
    seen: dict[object, bytes] = {}
    for mask in mask_strings(6)[::3]:
        workflow.predict(data, mask, store)
        for key, result in store.items():
            assert seen.setdefault(key, content(result.value)) == content(result.value), (mask, key)
    assert content(data) == before


@pytest.mark.parametrize("family", SAMPLES)
def test_a_stage_runs_once_per_key_and_only_when_needed(family: str) -> None:
    workflow, data = workflows.get(family), SAMPLES[family]()
    runs: list[str] = []
    counted = _counting(workflow, runs)
    store: Store = {}
    masks = mask_strings(6)
    for mask in masks:
        counted.predict(data, mask, store)
    keys = {key for mask in masks for key in workflow.stage_keys(mask)}
    assert len(runs) == len(keys)
    del runs[:]
    counted.predict(data, masks[0], store)
    assert runs == []


@pytest.mark.parametrize("family", SAMPLES)
def test_predictions_have_the_declared_form(family: str) -> None:
    workflow, data = workflows.get(family), SAMPLES[family]()
    prediction = workflow.predict(data, "010101").value
    if workflow.form.dtype is None:
        assert isinstance(prediction, list | dict)
    else:
        assert prediction.dtype == workflow.form.dtype


@pytest.mark.parametrize("family", SAMPLES)
def test_workflows_travel_to_other_processes(family: str) -> None:
    workflow, data = workflows.get(family), SAMPLES[family]()
    arrived = pickle.loads(pickle.dumps(workflow.restricted(4)))
    assert arrived.run(data, "0110") == workflow.run(data, "011000")


def test_warnings_are_recorded_with_and_without_sharing() -> None:
    workflow = workflows.get("restoration")
    data = SAMPLES["restoration"]()
    flat = type(data)("flat", "restoration", {name: np.zeros((16, 16)) for name in ("clean", "noisy")}, {})
    store: Store = {}
    first = workflow.run(flat, "001000", store)
    assert "RuntimeWarning" in first.warnings
    assert workflow.run(flat, "001000", store).warnings == first.warnings == workflow.run(flat, "001000").warnings
    assert workflow.run(flat, "001100", store).warnings == first.warnings
    assert workflow.run(data, "001000").warnings == ()


def _counting(workflow: Workflow, runs: list[str]) -> Workflow:
    from dataclasses import replace

    def counted(stage):
        def run(*arguments):
            runs.append(stage.name)
            return stage.run(*arguments)

        return replace(stage, run=run)

    return replace(workflow, stages=tuple(counted(stage) for stage in workflow.stages))
