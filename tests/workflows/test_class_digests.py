"""On real sources plain code, which passes every option on, gives one digest per class: that of the stages."""

from __future__ import annotations

from pathlib import Path

import plain_workflows
import pytest

from whatworked import workflows
from whatworked.declaration import PreparedInput
from whatworked.declaration.workflow import Store
from whatworked.sources import Library
from whatworked.surfaces import bits_of, mask_strings

SOURCES = {
    "regression": "concrete",
    "clustering": "wine",
    "restoration": "astronaut",
    "link_prediction": "graph_lesmis",
}
"""A source that is always there, for each family with inactive options whose data the package carries."""


@pytest.mark.parametrize(("family", "source"), SOURCES.items())
def test_one_digest_per_class(family: str, source: str, tmp_path: Path) -> None:
    data: PreparedInput = Library(tmp_path, offline=True).prepared(source)
    workflow = workflows.get(family)
    equivalence = workflow.equivalence()
    digests: dict[int, set[str]] = {}
    for rank in equivalence.representative.tolist():
        digests[rank] = set()
    for rank in range(64):
        predicted = getattr(plain_workflows, family)(data, *(bool(bit) for bit in bits_of([rank], 6)[0]))
        digests[int(equivalence.representative[rank])].add(workflow.form.digest(predicted))
    assert {rank: len(found) for rank, found in digests.items()} == dict.fromkeys(digests, 1)
    store: Store = {}
    masks = mask_strings(6)
    assert {rank: {workflow.run(data, masks[rank], store).digest} for rank in digests} == digests
