from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile

import numpy as np
import pytest

from whatworked.catalog.manifest_layout import (
    ArgumentLinesReader,
    ArgumentTreeReader,
    ArraysReader,
    BeirReader,
    EdgeListReader,
    GmlReader,
    Reader,
    TableReader,
    WfdbReader,
)
from whatworked.errors import DigestMismatchError, RawDataError
from whatworked.sources.raw import Raw, RawArrays, RawBytes, RawCorpus, RawGraph, RawTable
from whatworked.sources.readers import arguments, read
from whatworked.sources.readers.arguments import tree_digest


def _read(reader: Reader, **files: bytes | str) -> Raw:
    named = {name: data.encode() if isinstance(data, str) else data for name, data in files.items()}
    return read(reader, {name: RawBytes(data, f"/raw/{name}") for name, data in named.items()})


def _table(reader: TableReader, text: str | bytes) -> RawTable:
    raw = _read(reader, file=text)
    assert isinstance(raw, RawTable)
    return raw


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("final", [True, False])
def test_table_with_header(end: str, final: bool) -> None:
    text = end.join(["a, b", '1,"x,y"', "2,z"]) + (end if final else "")
    table = _table(TableReader(), "\ufeff" + text)
    assert dict(table.columns) == {"a": ["1", "2"], "b": ["x,y", "z"]}
    assert table.rows == 2


def test_table_of_white_space_with_empty_lines() -> None:
    table = _table(TableReader(delimiter="", columns=("a", "b")), "1  2 \n3\t4\n\n")
    assert dict(table.columns) == {"a": ["1", "3"], "b": ["2", "4"]}


def test_table_with_a_foreign_first_line_and_other_labels() -> None:
    reader = TableReader(skip_lines=1, columns=("a", "c"), labels={"c": {"0": "M"}})
    assert _table(reader, "2,1,names\n5,0\n6,1\n").columns["c"] == ["M", "1"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,b\n1,2\n3\n", r"/raw/file: data row 2 has 1 fields, expected 2"),
        ("a,b\n1,2,3\n", "has 3 fields"),
        ("a,b\n", "no rows"),
        ("", "no rows"),
        ("a,a\n1,2\n", "more than once: a"),
        (b"a,b\n\xff\xfe,2\n", "not UTF-8"),
        ('a,b\n"1,2\n', "separated by"),
    ],
)
def test_wrong_tables_are_refused(text: str | bytes, told: str) -> None:
    with pytest.raises(RawDataError, match=told):
        _table(TableReader(), text)


GML = """
Creator "A [bracket] in a name"
graph [ directed 0
  node [ id 7 label "x y" ]
  node [ id 2 label "z" value 3 graphics [ x 1 y 2 ] ]
  edge [ source 7 target 2 value 1 ]
  edge [ source 2 target 2 ]
]
"""


def test_gml() -> None:
    raw = _read(GmlReader(), file=GML)
    assert isinstance(raw, RawGraph)
    assert (raw.nodes, raw.edges) == ((2, 7), ((7, 2), (2, 2)))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("]\n]", "]", "never closed"),
        ("]\n]", "]\n]]", "too many"),
        ("id 7", "id x", "integer 'id'"),
        ("id 7", "", "integer 'id'"),
        ("id 2", "id 7", "twice"),
        ("source 7", "source 8", r"unknown nodes \[8\]"),
        ("graph [", "grape [", "0 GML graphs"),
        ("graph [", "graph [" * 5000, "nested too deeply"),
        ("edge [ source 7 target 2 value 1 ]", "edge ]", "without a value"),
    ],
)
def test_wrong_gml_is_refused(old: str, new: str, told: str) -> None:
    assert old in GML
    with pytest.raises(RawDataError, match=told):
        _read(GmlReader(), file=GML.replace(old, new, 1))


def test_edge_lists_with_and_without_names() -> None:
    plain = _read(EdgeListReader(), file="0\t3\n1\t0\n")
    named = _read(EdgeListReader(nodes=("z", "a", "m")), file="# note\nz\ta\n")
    assert isinstance(plain, RawGraph)
    assert isinstance(named, RawGraph)
    assert (plain.nodes, plain.edges) == ((0, 1, 3), ((0, 3), (1, 0)))
    assert (named.nodes, named.edges) == ((0, 1, 2), ((0, 1),))


@pytest.mark.parametrize("text", ["0 1\n", "0\t1\t2\n", "0\tx\n", "", "\xff\n"])
def test_wrong_edge_lists_are_refused(text: str) -> None:
    with pytest.raises(RawDataError):
        _read(EdgeListReader(), file=text)


def _npz(**arrays: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("reader", "files", "told"),
    [
        (TableReader(), {"a.csv": "x\n1\n", "b.csv": "x\n1\n"}, "a.csv, b.csv: this reader takes one file"),
        (BeirReader(), {"corpus.jsonl": "", "queries.jsonl": ""}, "needs qrels/, too"),
        (BeirReader(), {"qrels/test.tsv": "", "queries.jsonl": ""}, "needs corpus.jsonl, too"),
        (ArgumentLinesReader(), {"true_pairs.tsv": ""}, "needs arguments.jsonl.gz, too"),
        (TableReader(labels={"z": {"1": "2"}}), {"a.csv": "x\n1\n"}, "labels are given for column 'z'"),
    ],
)
def test_forms_with_other_files_or_columns_are_refused(reader: Reader, files: dict[str, str], told: str) -> None:
    with pytest.raises(RawDataError, match=told):
        _read(reader, **files)


def test_arrays() -> None:
    raw = _read(ArraysReader(), file=_npz(series=np.arange(3.0)))
    assert isinstance(raw, RawArrays)
    assert raw.arrays["series"].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "data", [_npz(x=np.array([{}], dtype=object)), b"PK\x03\x04", b"", b"hello", _npz(x=np.arange(9))[:60]]
)
def test_pickles_and_broken_archives_are_refused(data: bytes) -> None:
    with pytest.raises(RawDataError, match="/raw/file"):
        _read(ArraysReader(), file=data)


BEIR = {
    "corpus.jsonl": '{"_id": "d1", "title": "T", "text": "one\u2028two", "metadata": {}}\n',
    "queries.jsonl": '{"_id": "q1", "text": "what"}\n{"_id": "q2", "text": "never judged"}\n',
    "qrels/train.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n",
}


def test_beir() -> None:
    raw = _read(BeirReader(), **BEIR)
    assert isinstance(raw, RawCorpus)
    assert raw.documents == {"d1": "T one\u2028two"}
    assert (raw.queries, raw.relevant) == ({"q1": "what"}, {"q1": ["d1"]})


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("corpus.jsonl", '{"_id": "d1", "text": "one"}\n', "line 1 lacks"),
        ("corpus.jsonl", '{"_id": "d1"', "line 1 is not JSON"),
        ("queries.jsonl", "[]\n", "line 1 lacks"),
        ("queries.jsonl", "", "unknown queries q1"),
        ("qrels/train.tsv", "query-id\tcorpus-id\tscore\nq1\td1\n", "line 2"),
        ("qrels/train.tsv", "query-id\tcorpus-id\tscore\nq1\td1\tyes\n", "line 2"),
    ],
)
def test_wrong_beir_exports_are_refused(file: str, text: str, told: str) -> None:
    with pytest.raises(RawDataError, match=told):
        _read(BeirReader(), **(BEIR | {file: text}))


TEXTS = {
    "training/t/d/pro/pro01a-point.txt": "Point.\n",
    "training/t/d/pro/pro01b-counter.txt": "Counter.\n",
    "test/t/d/con/con01a-point.txt": "Counter.\n",
}
PAIRS = "\n".join(
    [
        "training/t/d/pro/pro01a-point.txt\ttraining/t/d/pro/pro01b-counter.txt\ttrue",
        "training/t/d/pro/pro01a-point.txt\ttest/t/d/con/con01a-point.txt\tfalse",
    ]
)


def _deposit(kind: str, texts: dict[str, str] = TEXTS) -> bytes:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("01-debate-opposing-counters.tsv", PAIRS)
    members = {f"corpus/02-extracted-arguments/{path}": text.encode() for path, text in texts.items()}
    members["corpus/02-extracted-arguments/training/t/d/title.txt"] = b"not an argument"
    members["corpus/03-pairs-best-counter-task/training/01-debate-opposing-counters.tsv.zip"] = inner.getvalue()
    stream = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(stream, "w") as archive:
            for name, data in members.items():
                archive.writestr(name, data)
    else:
        with tarfile.open(fileobj=stream, mode=f"w:{kind}") as tar:
            for name, data in members.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def _lines() -> dict[str, bytes]:
    rows = "".join(json.dumps({"path": path, "text": text}) + "\n" for path, text in TEXTS.items())
    pairs = "".join("\t".join(line.split("\t")[:2]) + "\n" for line in PAIRS.split("\n") if line.endswith("true"))
    return {"arguments.jsonl.gz": gzip.compress(rows.encode()), "true_pairs.tsv": pairs.encode()}


@pytest.mark.parametrize("kind", ["zip", "xz", "gz"])
def test_the_deposit_and_the_lines_are_one_corpus(kind: str) -> None:
    tree = _read(ArgumentTreeReader(), file=_deposit(kind))
    lines = _read(ArgumentLinesReader(), **_lines())
    assert isinstance(tree, RawCorpus)
    assert isinstance(lines, RawCorpus)
    assert (
        tree.documents
        == lines.documents
        == {
            "training/t/d/pro/pro01a-point.txt": "Point.\n",
            "test/t/d/con/con01a-point.txt": "Counter.\n",
        }
    )
    assert tree.relevant == lines.relevant == {"training/t/d/pro/pro01a-point.txt": ["test/t/d/con/con01a-point.txt"]}
    assert tree.queries == lines.queries == {"training/t/d/pro/pro01a-point.txt": "Point.\n"}


def test_the_tree_digest_does_not_depend_on_packing_but_on_every_text() -> None:
    digests = {tree_digest(RawBytes(_deposit(kind), "x")) for kind in ("zip", "xz")}
    changed = TEXTS | {"training/t/d/pro/pro01a-point.txt": "Point\n"}
    assert len(digests) == 1
    assert tree_digest(RawBytes(_deposit("zip", changed), "x")) not in digests


@pytest.mark.parametrize(
    "data", [b"", b"neither", _deposit("xz")[:300], _deposit("zip")[:300]], ids=["empty", "text", "xz", "zip"]
)
def test_broken_archives_are_refused(data: bytes) -> None:
    with pytest.raises(RawDataError, match="/raw/file"):
        _read(ArgumentTreeReader(), file=data)


@pytest.mark.parametrize("kind", ["zip", "xz"])
def test_a_corpus_beyond_all_bounds_is_not_unpacked(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is on all texts together."""
    longest = max(len(text) for text in TEXTS.values())
    monkeypatch.setattr(arguments, "LARGEST", longest)
    with pytest.raises(DigestMismatchError, match="more than"):
        tree_digest(RawBytes(_deposit(kind), "x"))


def test_the_wrong_archive_is_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("readme.txt", "other data")
    with pytest.raises(RawDataError, match="wrong archive"):
        _read(ArgumentTreeReader(), file=stream.getvalue())


def test_a_pair_of_a_missing_text_is_refused() -> None:
    files = _lines() | {"true_pairs.tsv": b"training/gone.txt\ttraining/t/d/pro/pro01b-counter.txt\n"}
    with pytest.raises(RawDataError, match="missing"):
        _read(ArgumentLinesReader(), **files)
    with pytest.raises(RawDataError, match="unpacked"):
        _read(ArgumentLinesReader(), **(_lines() | {"arguments.jsonl.gz": b"not gzip"}))


def test_a_broken_record_is_refused() -> None:
    files = {"9.hea": b"9 1 360 10\r\n9.dat 212 200 11 1024 0 0 0 MLII\r\n", "9.dat": b"", "9.atr": b""}
    with pytest.raises(RawDataError, match="record 9"):
        _read(WfdbReader(record="9"), **files)


@pytest.mark.parametrize("name", sorted(BEIR))
def test_other_encodings_are_refused(name: str) -> None:
    with pytest.raises(RawDataError, match="not UTF-8"):
        _read(BeirReader(), **(BEIR | {name: b"\xff\xfe"}))
