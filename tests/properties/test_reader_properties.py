"""Whatever a raw file holds, a reader gives its content or a RawDataError, nothing else."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import tarfile
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whatworked.catalog.manifest_layout import (
    ArgumentLinesReader,
    ArgumentTreeReader,
    ArraysReader,
    BeirReader,
    EdgeListReader,
    GmlReader,
    Reader,
    TableReader,
)
from whatworked.declaration import PreparedInput
from whatworked.errors import DigestMismatchError, RawDataError
from whatworked.sources.archives import unpack
from whatworked.sources.raw import RawBytes
from whatworked.sources.readers import read
from whatworked.sources.store import load, save


def _zip(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def _tar(mode: str, members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as tar:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def _npz() -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, X=np.arange(40.0).reshape(8, 5), names=np.array(["a", "bc"]))
    return stream.getvalue()


PAIRS = b"training/p-point.txt\ttraining/p-counter.txt\ttrue\n" * 3
DEPOSIT = {
    "c/02-extracted-arguments/training/p-point.txt": b"Point. " * 40,
    "c/02-extracted-arguments/training/p-counter.txt": b"Counter. " * 40,
    "c/03-pairs-best-counter-task/training/01-debate-opposing-counters.tsv.zip": _zip(
        {"01-debate-opposing-counters.tsv": PAIRS}
    ),
}
LINES = "".join(json.dumps({"path": f"training/p-{end}.txt", "text": "T"}) + "\n" for end in ("point", "counter"))
CORPUS = {
    "corpus.jsonl": b'{"_id": "d", "title": "T", "text": "x"}\n',
    "queries.jsonl": b'{"_id": "q", "text": "x"}\n',
    "qrels/train.tsv": b"q\td\ts\nq\td\t1\n",
}
FORMS: dict[str, tuple[Reader, dict[str, bytes]]] = {
    "csv": (TableReader(), {"f": b'a,b\r\n1,"2"\r\n3,4\r\n'}),
    "spaces": (TableReader(delimiter="", columns=("a", "b")), {"f": b"1 2\n3\t4\n"}),
    "gml": (GmlReader(), {"f": b"graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]"}),
    "edges": (EdgeListReader(), {"f": b"0\t1\n1\t2\n"}),
    "arrays": (ArraysReader(), {"f": _npz()}),
    "beir": (BeirReader(), CORPUS),
    "tree.zip": (ArgumentTreeReader(), {"f": _zip(DEPOSIT)}),
    "tree.tar.xz": (ArgumentTreeReader(), {"f": _tar("w:xz", DEPOSIT)}),
    "tree.tar.gz": (ArgumentTreeReader(), {"f": _tar("w:gz", DEPOSIT)}),
    "tree.tar.bz2": (ArgumentTreeReader(), {"f": _tar("w:bz2", DEPOSIT)}),
    "lines": (
        ArgumentLinesReader(),
        {"arguments.jsonl.gz": gzip.compress(LINES.encode()), "true_pairs.tsv": PAIRS.replace(b"\ttrue", b"")},
    ),
}


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """`data` with a byte changed, a piece cut out or put in, or cut short."""
    place = draw(st.integers(0, len(data) - 1))
    how = draw(st.sampled_from(["change", "cut", "insert", "short"]))
    if how == "change":
        return data[:place] + bytes([draw(st.integers(0, 255))]) + data[place + 1 :]
    if how == "cut":
        return data[:place] + data[place + draw(st.integers(1, 9)) :]
    if how == "insert":
        return data[:place] + draw(st.binary(min_size=1, max_size=9)) + data[place:]
    return data[:place]


@pytest.mark.parametrize("form", sorted(FORMS))
def test_undamaged_forms_are_read(form: str) -> None:
    reader, files = FORMS[form]
    read(reader, {name: RawBytes(data, name) for name, data in files.items()})


@pytest.mark.parametrize("form", sorted(FORMS))
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_forms_raise_nothing_else(form: str, data: st.DataObject) -> None:
    reader, files = FORMS[form]
    name = data.draw(st.sampled_from(sorted(files)))
    broken = files | {name: data.draw(damaged(files[name]))}
    with contextlib.suppress(RawDataError):
        read(reader, {key: RawBytes(value, key) for key, value in broken.items()})


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_damaged_archives_raise_nothing_else(method: int, data: st.DataObject) -> None:
    archive = _zip({"folder/data.csv": b"a,b\n" + b"1,2\n" * 30}, method)
    broken = data.draw(damaged(archive))
    with contextlib.suppress(RawDataError):
        unpack(broken, "folder/data.csv", "data.zip")


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_damaged_store_never_gives_other_content(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.npz"
    prepared = PreparedInput("s", "f", {"X": np.arange(9.0), "y": np.arange(3)}, {"cut": 3, "texts": ["a", "é"]})
    save(prepared, path)
    path.write_bytes(data.draw(damaged(path.read_bytes())))
    try:
        loaded = load(path, "s", "f", prepared.digest)
    except DigestMismatchError:
        return
    assert loaded.digest == prepared.digest
    assert loaded.arrays["X"].tolist() == list(range(9))
