"""The index of a folder of files, apart from what the files are."""

from __future__ import annotations

import msgspec
import pytest

from whatworked.controls import store
from whatworked.errors import ReferenceTableError, StorageError
from whatworked.references import folder as tables
from whatworked.references.index import Index
from whatworked.references.index import read_index as read_tables
from whatworked.storage.index import INDEX, DigestIndex, load_index, write_index


class Leaf(msgspec.Struct, frozen=True):
    digest: str
    maker: str


class Tool(msgspec.Struct, frozen=True):
    digest: str


class Leaves(DigestIndex[Leaf, Tool], frozen=True, kw_only=True):
    entries: dict[str, Leaf] = msgspec.field(default_factory=dict, name="leaves")


def load(folder):
    return load_index(folder, Leaves, StorageError)


@pytest.mark.parametrize(
    ("folder", "read"), [(tables(), read_tables), (store.folder(), store.read_index)], ids=["tables", "study"]
)
def test_the_indices_of_the_package_are_written_as_they_were_read(folder, read, tmp_path):
    write_index(tmp_path, read(folder))
    assert (tmp_path / INDEX).read_bytes() == (folder / INDEX).read_bytes()


def test_entries_stand_under_the_name_of_their_kind(tmp_path):
    index = Leaves(entries={"oak": Leaf("1", "saw")}, makers={"saw": Tool("saw")})
    write_index(tmp_path, index)
    assert set(msgspec.json.decode((tmp_path / INDEX).read_bytes())) == {"schema", "leaves", "makers"}
    assert load(tmp_path) == index
    assert index.maker_of("oak") == Tool("saw")


def test_merging_drops_makers_that_nothing_names():
    index = Leaves(entries={"oak": Leaf("1", "saw"), "elm": Leaf("2", "saw")}, makers={"saw": Tool("saw")})
    both = index.merged({"oak": Leaf("3", "axe")}, {"axe": Tool("axe")})
    assert both == Leaves(
        entries={"oak": Leaf("3", "axe"), "elm": Leaf("2", "saw")}, makers={"saw": Tool("saw"), "axe": Tool("axe")}
    )
    assert set(both.merged({"elm": Leaf("4", "axe")}, {}).makers) == {"axe"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"schema": 9, "leaves": {}, "makers": {}}', "its schema is 9 and this version reads schema 1"),
        (
            '{"schema": 1, "makers": {}, "leaves": {"oak": {"digest": "1", "maker": "saw"}}}',
            "makers it does not describe: saw",
        ),
        ('{"leaves": {"oak": {"digest": 1, "maker": "saw"}}}', "Expected `str`"),
        ("{", "truncated"),
    ],
)
def test_what_is_wrong_is_told_to_whoever_makes_the_error(tmp_path, text, words):
    (tmp_path / INDEX).write_text(text)
    with pytest.raises(StorageError, match=words):
        load(tmp_path)


def test_no_file_is_an_empty_index(tmp_path):
    assert load(tmp_path) == Leaves()


def test_each_kind_keeps_its_error(tmp_path):
    (tmp_path / INDEX).write_text("[]")
    with pytest.raises(ReferenceTableError, match="rebuild into a new folder"):
        read_tables(tmp_path)
    with pytest.raises(StorageError, match="run into a new folder"):
        store.read_index(tmp_path)
    assert Index().tables == {}
