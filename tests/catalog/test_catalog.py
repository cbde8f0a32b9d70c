from __future__ import annotations

import subprocess
import sys

import pytest

from whatworked import catalog
from whatworked.errors import UnknownNameError
from whatworked.workflows import FAMILIES


def test_totals_of_the_catalog() -> None:
    tracks = [one.track for one in catalog.conditions()]
    assert [tracks.count(track) for track in ("four", "paired", "added")] == [22, 6, 8]
    assert sum(2**one.dimensions for one in catalog.conditions()) == 1248
    assert sum(one.dimensions * 2 ** (one.dimensions - 1) for one in catalog.conditions()) == 3392
    assert sum(one.dimensions * (one.dimensions - 1) // 2 for one in catalog.conditions()) == 342
    assert len(catalog.sources()) == 30


def test_order_is_track_then_family_then_source() -> None:
    names = [one.id for one in catalog.conditions()]
    assert names[:5] == ["banknote", "breast_diagnostic", "ionosphere", "spambase", "airfoil"]
    assert names[20:28] == [
        "arguana", "scifact", "spambase__d6", "concrete__d6", "wine__d6", "co2__d6", "astronaut__d6", "scifact__d6",
    ]  # fmt: skip
    assert names[-1] == "graph_lesmis__d6"


def test_paired_sources_of_the_core_study() -> None:
    paired = {one.family: one.source for one in catalog.conditions() if one.track == "paired"}
    assert list(paired.values()) == ["spambase", "concrete", "wine", "co2", "astronaut", "scifact"]
    assert tuple(paired) == FAMILIES[:6]
    assert catalog.families() == FAMILIES


def test_sources_of_a_family() -> None:
    assert catalog.sources("beat_detection") == ("mitdb_100", "mitdb_101", "mitdb_102", "mitdb_103")
    with pytest.raises(UnknownNameError, match="did you mean clustering"):
        catalog.sources("clusterin")


def test_unknown_condition_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="spambase__d6"):
        catalog.condition("spambase_d6")


def test_selection_keeps_the_order_of_the_catalog() -> None:
    chosen = catalog.select(["wine__d6", "wine"], ["retrieval"])
    assert [one.id for one in chosen] == ["wine", "arguana", "scifact", "wine__d6", "scifact__d6"]
    assert catalog.select() == catalog.conditions()
    assert catalog.select("wine") == catalog.select(["wine"])
    assert catalog.select(family="retrieval") == catalog.select(family=["retrieval"])
    assert len(catalog.select("wine", "retrieval")) == 4
    with pytest.raises(UnknownNameError):
        catalog.select(["nope"])
    with pytest.raises(UnknownNameError):
        catalog.select(family=["nope"])


def test_the_catalog_needs_no_numerics() -> None:
    code = (
        "import sys; from whatworked import catalog; catalog.conditions();"
        "print(sorted({'numpy', 'sklearn', 'scipy', 'pandas', 'pooch', 'wfdb'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
