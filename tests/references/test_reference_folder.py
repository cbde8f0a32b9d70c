"""Reading tables from a folder through its index."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from reference_samples import table

from whatworked import references
from whatworked.errors import ReferenceTableError, UnknownNameError
from whatworked.references.index import INDEX, Index, TableEntry, read_index, write_index
from whatworked.references.schema import render
from whatworked.storage.canonical import sha256
from whatworked.workers.software import Maker, Profile

MAKER = Maker(
    python="3.11.7",
    packages={"numpy": "2.4.6"},
    profile=Profile(
        architecture="x86_64", vector_features=("X86_V2",), blas=("openblas 1 Haswell",), threads=1, hash_seed="0"
    ),
)


def entry(digest: str, maker: str = MAKER.digest) -> TableEntry:
    return TableEntry(
        digest=digest,
        family="toys",
        source="box",
        dimensions=2,
        records=4,
        workflow="1",
        prepared="0" * 64,
        maker=maker,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = render(table(2))
    (tmp_path / "toy.tsv").write_bytes(data)
    write_index(tmp_path, Index(entries={"toy": entry(sha256(data))}, makers={MAKER.digest: MAKER}))
    return tmp_path


def test_the_surface_holds_the_values_of_the_table(folder: Path) -> None:
    surface = references.load_surface("toy", folder)
    assert surface.options == ("A", "B")
    assert surface["01"] == 0.25
    assert surface.native is not None
    assert surface.native[1] == 0.1 * 3
    assert surface.utility_map is not None
    assert surface.utility_map.scale == 0.1
    np.testing.assert_array_equal(surface.utilities, [row.utility for row in references.load_table("toy", folder).rows])


def test_the_table_of_another_condition_is_refused(folder: Path) -> None:
    data = (folder / "toy.tsv").read_bytes()
    (folder / "other.tsv").write_bytes(data)
    write_index(folder, Index(entries={"other": entry(sha256(data))}, makers={MAKER.digest: MAKER}))
    with pytest.raises(ReferenceTableError, match=r"other\.tsv holds the table of toy; .*rebuild other"):
        references.load_table("other", folder)


def test_a_folder_without_tables_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReferenceTableError, match=f"{tmp_path} holds no reference tables"):
        references.load_surface("toy", tmp_path)


def test_an_altered_table_is_refused(folder: Path) -> None:
    path = folder / "toy.tsv"
    path.write_bytes(path.read_bytes().replace(b"\t0.25\t", b"\t0.26\t"))
    with pytest.raises(ReferenceTableError, match="altered"):
        references.load_surface("toy", folder)


def test_a_missing_table_is_named(folder: Path) -> None:
    (folder / "toy.tsv").unlink()
    with pytest.raises(ReferenceTableError, match="missing"):
        references.load_table("toy", folder)


def test_an_unknown_table_offers_the_nearest(folder: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean toy"):
        references.load_table("tyo", folder)


def test_a_folder_without_index_is_empty(tmp_path: Path) -> None:
    assert references.conditions(tmp_path) == ()


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 99}', '{"schema":1,"tables":{"a":{}},"makers":{}}', "\xff"])
def test_a_broken_index_is_refused(folder: Path, text: str) -> None:
    (folder / INDEX).write_bytes(text.encode("latin-1"))
    with pytest.raises(ReferenceTableError, match="index"):
        read_index(folder)


def test_an_index_that_names_an_unknown_maker_is_refused(folder: Path) -> None:
    write_index(folder, Index(entries={"toy": entry("0" * 64, maker="lost")}))
    with pytest.raises(ReferenceTableError, match="makers it does not describe"):
        read_index(folder)


def test_merging_keeps_other_tables_and_drops_makers_without_tables(folder: Path) -> None:
    other = Maker(python="3.12.1", packages={}, profile=MAKER.profile)
    merged = read_index(folder).merged({"new": entry("1" * 64, other.digest)}, {other.digest: other})
    assert set(merged.tables) == {"toy", "new"}
    assert set(merged.makers) == {MAKER.digest, other.digest}
    replaced = merged.merged({"toy": entry("2" * 64, other.digest)}, {})
    assert set(replaced.makers) == {other.digest}


def test_the_index_has_the_same_bytes_whatever_the_order(tmp_path: Path) -> None:
    entries = {name: entry(name * 64) for name in "ab"}
    for where, order in (("one", "ab"), ("two", "ba")):
        write_index(
            tmp_path / where, Index(entries={name: entries[name] for name in order}, makers={MAKER.digest: MAKER})
        )
    assert (tmp_path / "one" / INDEX).read_bytes() == (tmp_path / "two" / INDEX).read_bytes()
