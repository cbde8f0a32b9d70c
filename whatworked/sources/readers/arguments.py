"""The arguana-counterargs corpus: as deposited in an archive, or as lines."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from typing import IO

from whatworked.catalog.manifest_layout import ArgumentLinesReader, ArgumentTreeReader
from whatworked.errors import RawDataError
from whatworked.sources.archives import ARCHIVE_ERRORS, LARGEST, read_bounded, unpack
from whatworked.sources.raw import RawBytes, RawCorpus
from whatworked.sources.readers import named, single
from whatworked.sources.readers.corpora import json_lines, require_text, texts_by_id

_TEXTS = "02-extracted-arguments/"
_PAIRS = "03-pairs-best-counter-task/training/01-debate-opposing-counters.tsv.zip"
_PAIRS_MEMBER = "01-debate-opposing-counters.tsv"
_ARGUMENT_ENDS = ("-point.txt", "-counter.txt")
_TRAINING = "training/"


def read_tree(reader: ArgumentTreeReader, files: Mapping[str, RawBytes]) -> RawCorpus:
    """Read the deposit: argument texts from ``02-extracted-arguments``, true training pairs from ``03-pairs-…``.

    Raises
    ------
    RawDataError
        If the bytes are neither a tar nor a zip archive, lack those folders, hold a text twice or an empty one, or a
        line of pairs is cut short.
    """
    del reader
    raw = single(files)
    texts, packed_pairs = _members(raw)
    if not texts or packed_pairs is None:
        raise RawDataError(f"{raw.origin}: lacks {_TEXTS} or {_PAIRS}; the wrong archive?")
    origin = f"{raw.origin}:{_PAIRS}"
    rows = _fields(RawBytes(unpack(packed_pairs, _PAIRS_MEMBER, origin), origin), range(3, 100))
    pairs = [(row[0], row[1]) for row in rows if row[2] == "true"]
    return _corpus({path: data.decode("utf-8") for path, data in texts.items()}, pairs, raw.origin)


def read_lines(reader: ArgumentLinesReader, files: Mapping[str, RawBytes]) -> RawCorpus:
    """Read the same content from ``arguments.jsonl.gz`` (path and text) and ``true_pairs.tsv`` (two paths a line).

    Raises
    ------
    RawDataError
        If a file is not there, the text file cannot be unpacked, a line is not as described, a path stands twice or a
        text is empty.
    """
    del reader
    packed = named(files, "arguments.jsonl.gz")
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed.data)) as stream:
            unpacked = RawBytes(read_bounded(stream, LARGEST, packed.origin), packed.origin)
    except ARCHIVE_ERRORS as error:
        raise RawDataError(f"{packed.origin}: cannot be unpacked: {error}") from error
    rows = ((line, row["path"], row["text"]) for line, row in json_lines(unpacked, ("path", "text")))
    pairs = list(_fields(named(files, "true_pairs.tsv"), range(2, 3)))
    return _corpus(texts_by_id(rows, packed.origin), [(row[0], row[1]) for row in pairs], packed.origin)


def tree_digest(raw: RawBytes) -> str:
    """SHA-256 over the lines ``<sha256 of file>  <path>`` of all argument texts sorted by path, joined by newlines.

    It tells whether an archive holds the corpus whatever way it was packed.

    Raises
    ------
    RawDataError
        If the bytes are neither a tar nor a zip archive.
    DigestMismatchError
        If more is packed in there than a corpus can hold.
    """
    texts, _ = _members(raw)
    lines = [f"{hashlib.sha256(texts[path]).hexdigest()}  {path}" for path in sorted(texts)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _fields(raw: RawBytes, allowed: range) -> Iterator[list[str]]:
    """Tab-separated fields of each line; `RawDataError` names a line that has another number of them than allowed."""
    for number, line in enumerate(raw.data.decode("utf-8").split("\n"), start=1):
        fields = line.removesuffix("\r").split("\t")
        if fields == [""]:
            continue
        if len(fields) not in allowed:
            raise RawDataError(
                f"{raw.origin}: line {number} has {len(fields)} fields separated by tabs, expected {allowed.start}"
            )
        yield fields


def _corpus(texts: Mapping[str, str], pairs: Iterable[tuple[str, str]], origin: str) -> RawCorpus:
    """Documents are the distinct texts; the id of one is the lexically first path that holds it."""
    require_text(texts, "argument", origin)
    first: dict[str, str] = {}
    for path in sorted(texts):
        first.setdefault(texts[path], path)
    relevant: dict[str, list[str]] = {}
    for point, counter in pairs:
        if not point.startswith(_TRAINING):
            continue
        if point not in texts or counter not in texts:
            raise RawDataError(f"{origin}: a true pair names a text that is missing: {point}, {counter}")
        relevant.setdefault(point, []).append(first[texts[counter]])
    queries = {point: texts[point] for point in relevant}
    return RawCorpus({path: text for text, path in first.items()}, queries, relevant, origin)


def _members(raw: RawBytes) -> tuple[dict[str, bytes], bytes | None]:
    texts: dict[str, bytes] = {}
    pairs: bytes | None = None
    left = LARGEST
    try:
        for name, stream in _streams(io.BytesIO(raw.data)):
            data = read_bounded(stream, left, raw.origin)
            left -= len(data)
            _, found, path = name.partition(_TEXTS)
            if found and path.endswith(_ARGUMENT_ENDS):
                if path in texts:
                    raise RawDataError(f"{raw.origin}: {path} stands twice in the archive; keep one")
                texts[path] = data
            elif name.endswith(_PAIRS):
                pairs = data
    except RawDataError:
        raise
    except ARCHIVE_ERRORS as error:
        raise RawDataError(f"{raw.origin}: not a readable tar or zip archive: {error}") from error
    return texts, pairs


def _wanted(name: str) -> bool:
    return name.endswith((*_ARGUMENT_ENDS, _PAIRS))


def _streams(packed: io.BytesIO) -> Iterator[tuple[str, IO[bytes]]]:
    """Name and content of every wanted member of a tar or zip archive."""
    if zipfile.is_zipfile(packed):
        with zipfile.ZipFile(packed) as archive:
            yield from ((name, archive.open(name)) for name in archive.namelist() if _wanted(name))
        return
    packed.seek(0)
    with tarfile.open(fileobj=packed) as tar:
        for member in tar:
            content = tar.extractfile(member) if member.isfile() and _wanted(member.name) else None
            if content is not None:
                yield member.name, content
