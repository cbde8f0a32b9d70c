"""What a reader is given: the bytes of a file or of a folder's files, as text and as JSON, within stated limits."""

from __future__ import annotations

import bisect
import hashlib
import json
import re
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

from whatworked.errors import RecordError
from whatworked.process.records.record import SourceFile
from whatworked.storage.files import storage_errors

FILE_LIMIT = 256 * 2**20
"""Bytes of the largest file that is read."""
LINE_LIMIT = 10_000_000
"""Bytes of the longest line of a file of JSON lines that is read."""
_SAMPLE = 200
"""Lines that are looked at to tell a format."""

Shape: TypeAlias = Literal["object", "list", "lines", "text", "binary", "folder"]


class Source:
    """A file, or a folder whose files are read together.

    Parameters
    ----------
    path : Path
        The file or folder.
    name : str
        What it is called in records and messages.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name

    @cached_property
    def members(self) -> tuple[Source, ...]:
        """The files of a folder, by name; none for a file. Folders within it are not looked into."""
        with storage_errors(self.path, "read"):
            if not self.path.is_dir():
                return ()
            files = sorted(child for child in self.path.iterdir() if child.is_file())
        return tuple(Source(file, f"{self.name}/{file.name}") for file in files)

    def member(self, name: str) -> Source | None:
        """The file of a folder with that name, possibly below further folders; None if there is none."""
        path = self.path / name
        return Source(path, f"{self.name}/{name}") if path.is_file() else None

    @cached_property
    def data(self) -> bytes:
        """The bytes of the file.

        Raises
        ------
        StorageError
            If it cannot be read.
        RecordError
            If it is no regular file, which might never end, or larger than `FILE_LIMIT`.
        """
        with storage_errors(self.path, "read"):
            if not self.path.is_file():
                raise RecordError(f"{self.name} is no regular file; save what it gives to one")
            size = self.path.stat().st_size
            if size > FILE_LIMIT:
                raise RecordError(f"{self.name} has {size:,} bytes; at most {FILE_LIMIT:,} are read: split it by run")
            return self.path.read_bytes()

    @cached_property
    def text(self) -> str:
        """The file as text; bytes that are not UTF-8 show as U+FFFD, and `undecoded` counts them."""
        for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
            if self.data.startswith(mark):
                return self.data.decode(encoding, errors="replace")
        return self.data.decode("utf-8-sig", errors="replace")

    @cached_property
    def undecoded(self) -> int:
        """Number of characters U+FFFD that stand for bytes which are not UTF-8."""
        return 0 if self.shape in ("folder", "binary") else self.text.count("\ufffd") - self.data.count(b"\xef\xbf\xbd")

    @cached_property
    def shape(self) -> Shape:
        """What the file holds, by its content."""
        if self.path.is_dir():
            return "folder"
        if b"\x00" in self.data[:4096] and not self.data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return "binary"
        document = self._document
        if isinstance(document, dict):
            return "object"
        if isinstance(document, list):
            return "list"
        return "lines" if any(isinstance(value, dict) for value in self._sample) else "text"

    @cached_property
    def value(self) -> Any:
        """The file as one JSON value; None if it is not one."""
        return self._document

    @cached_property
    def sample(self) -> list[dict[str, Any]]:
        """The first objects that the file holds: of a list, of JSON lines, or the one that it is."""
        if self.shape == "lines":
            return [value for value in self._sample if isinstance(value, dict)]
        values = self._document if self.shape == "list" else [self._document]
        return [value for value in values[:_SAMPLE] if isinstance(value, dict)]

    @cached_property
    def entries(self) -> list[tuple[str, Any]]:
        """Everything that a list or a file of JSON lines holds, each with its place.

        Raises
        ------
        RecordError
            For a line that is no JSON, too long or nested too deeply. A last line that was cut short is left out, and
            `cut_short` says so.
        """
        if self.shape == "list":
            return [(f"entry {number}", value) for number, value in enumerate(self._document)]
        return [(f"line {number}", value) for number, value in self._json_lines()]

    @cached_property
    def cut_short(self) -> bool:
        """Whether the file's last line has no end and is no JSON, as after a crash."""
        lines = self.text.split("\n")
        return bool(lines[-1].strip()) and _loaded(lines[-1]) is _BROKEN

    @property
    def problem(self) -> str | None:
        """What keeps a file that looks like JSON from being JSON."""
        if self.shape != "text" or self.text.lstrip()[:1] not in ("{", "["):
            return None
        try:
            json.loads(self.text)
        except RecursionError:
            return "it is nested too deeply"
        except ValueError as error:
            return f"it is no JSON ({error})"
        return None

    @cached_property
    def files(self) -> tuple[SourceFile, ...]:
        """Digest of the file, or of each file of the folder."""
        if self.path.is_dir():
            below = sorted(path for path in self.path.rglob("*") if path.is_file())
            found = (Source(path, f"{self.name}/{path.relative_to(self.path).as_posix()}") for path in below)
            return tuple(file for source in found for file in source.files)
        return (SourceFile(name=self.name, size=len(self.data), sha256=hashlib.sha256(self.data).hexdigest()),)

    @cached_property
    def _document(self) -> Any:
        if self.path.is_dir() or self.text.lstrip()[:1] not in ("{", "["):
            return None
        value = _loaded(self.text)
        return None if value is _BROKEN else value

    @cached_property
    def _sample(self) -> list[Any]:
        lines = (line for line in self.text.split("\n", _SAMPLE + 1)[:_SAMPLE] if line.lstrip()[:1] == "{")
        return [value for value in map(_loaded, lines) if value is not _BROKEN]

    def _json_lines(self) -> list[tuple[int, Any]]:
        found = []
        lines = self.text.split("\n")
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            # A character is at least a byte: only what may be too long is measured exactly.
            if len(line) > LINE_LIMIT // 4 and len(line.encode("utf-8", "surrogatepass")) > LINE_LIMIT:
                raise RecordError(
                    f"{self.name}, line {number} is longer than {LINE_LIMIT:,} bytes; cut it or leave it out"
                )
            value = _loaded(line)
            if value is not _BROKEN:
                found.append((number, value))
            elif number < len(lines):
                raise RecordError(f"{self.name}, line {number} is no JSON ({_fault(line)}); mend or remove that line")
        return found


class LineNumbers:
    """Numbers of the lines of a text at positions in it.

    Parameters
    ----------
    body : str
        The text.
    """

    def __init__(self, body: str) -> None:
        self._ends = [match.start() for match in re.finditer("\n", body)]

    def at(self, position: int) -> int:
        """Number of the line that a position is in, from 1."""
        return bisect.bisect_left(self._ends, position) + 1


_BROKEN = object()


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _BROKEN


def _fault(text: str) -> str:
    try:
        json.loads(text)
    except RecursionError:
        return "nested too deeply"
    except ValueError as error:
        return str(error)
    return "unknown"
