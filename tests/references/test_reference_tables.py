"""The committed tables: complete, intact, and equal to the published figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from published_figures import Published

from whatworked import references
from whatworked.catalog import Condition, conditions
from whatworked.references.index import read_index
from whatworked.workflows import get

PAIRED = [one for one in conditions() if one.track == "paired"]
PUBLISHED = Published(Path(__file__).resolve().parent.parent / "published").conditions
CLASSES = {
    "classification": 64,
    "regression": 36,
    "clustering": 48,
    "forecasting": 64,
    "restoration": 36,
    "retrieval": 48,
}


def test_every_condition_has_an_intact_table() -> None:
    found = {one.id: references.load_table(one.id) for one in conditions()}
    assert set(references.conditions()) == set(found)
    assert sum(len(table.rows) for table in found.values()) == 1248
    assert {table.header.source for table in found.values()} == {one.source for one in conditions()}


@pytest.mark.parametrize("condition", PUBLISHED)
def test_utilities_are_the_published_ones(condition: str, published: Published) -> None:
    surface = references.load_surface(condition)
    expected = published.utilities(condition)
    assert set(expected) == set(surface.masks)
    far = {mask: surface[mask] - value for mask, value in expected.items() if abs(surface[mask] - value) > 1e-12}
    assert far == {}


@pytest.mark.parametrize("one", PAIRED, ids=lambda one: one.id)
def test_a_four_option_table_is_the_subcube_of_its_six_option_table(one: Condition) -> None:
    four = references.load_table(one.source)
    six = {row.mask[:4]: row for row in references.load_table(one.id).rows if row.mask.endswith("00")}
    for row in four.rows:
        other = six.pop(row.mask)
        assert (row.utility, row.native, row.prediction) == (other.utility, other.native, other.prediction)
        assert (row.warnings, row.fingerprint, row.sensitivity) == (
            other.warnings,
            other.fingerprint,
            other.sensitivity,
        )
    assert six == {}
    assert four.header.options == references.load_table(one.id).header.options[:4]
    assert four.header.cost_scale == references.load_table(one.id).header.cost_scale


@pytest.mark.parametrize("one", conditions(), ids=lambda one: one.id)
def test_masks_of_a_class_have_the_same_prediction(one: Condition) -> None:
    rows = references.load_table(one.id).rows
    equivalence = get(one.family).equivalence(one.dimensions)
    for rank, representative in enumerate(equivalence.representative):
        assert rows[rank].prediction == rows[representative].prediction
        assert rows[rank].utility == rows[representative].utility


@pytest.mark.parametrize("one", PAIRED, ids=lambda one: one.id)
def test_paired_conditions_have_the_specified_number_of_classes(one: Condition) -> None:
    assert len(get(one.family).equivalence(6)) == CLASSES[one.family]


@pytest.mark.parametrize("one", conditions(), ids=lambda one: one.id)
def test_the_header_and_the_index_say_what_the_workflow_and_the_manifest_say(one: Condition) -> None:
    from whatworked.catalog.manifest_files import manifest

    header, workflow = references.load_table(one.id).header, get(one.family).restricted(one.dimensions)
    assert [(note.letter, note.name, note.off, note.on) for note in header.options] == [
        (option.letter, option.name, option.off, option.on) for option in workflow.options
    ]
    entry = read_index(references.folder()).tables[one.id]
    assert entry.prepared == manifest(one.source).expected.digest
    assert entry.workflow == workflow.version
    assert (entry.family, entry.source, entry.records) == (one.family, one.source, 1 << one.dimensions)


def test_utilities_follow_from_native_values() -> None:
    for one in conditions():
        surface = references.load_surface(one.id)
        assert surface.native is not None
        mapped = surface.native if surface.utility_map is None else surface.utility_map.to_utility(surface.native)
        assert mapped.tolist() == surface.utilities.tolist()


def test_warnings_are_recorded_where_they_are_known_to_arise() -> None:
    astronaut = {row.mask: row.warnings for row in references.load_table("astronaut__d6").rows if row.warnings}
    assert {mask for mask, warned in astronaut.items() if len(warned) == 2} >= {"101001", "101011", "101101", "101111"}
    breast = references.load_table("breast_diagnostic").rows[0]
    assert breast.warnings == ("ConvergenceWarning",)


def test_all_tables_were_made_under_the_pinned_profile() -> None:
    makers = read_index(references.folder()).makers.values()
    assert makers
    for maker in makers:
        assert maker.profile.blas
        assert not [name for name in maker.profile.vector_features if "AVX512" in name or name == "X86_V4"]
        assert all(library.endswith("Haswell") for library in maker.profile.blas)
        assert maker.profile.threads == 1
