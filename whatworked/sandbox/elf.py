"""Which shared libraries programs need, and where the loader of this machine finds them.

So the sandbox shows the few libraries that Python and its packages are linked to, and nothing else of the system's
folders. See the "ELF-64 Object File Format" and ``man 8 ld.so``.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_LOADED, _DYNAMIC, _INTERPRETER = 1, 2, 3
_NEEDED, _TEXTS, _RPATH, _RUNPATH = 1, 5, 15, 29
_MALFORMED = (struct.error, IndexError, StopIteration)
_STANDARD_FOLDERS = ("/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib")


@dataclass(frozen=True)
class Binary:
    """What the loader reads of a program or library.

    Attributes
    ----------
    machine : int
        Number of the processor's architecture.
    loader : str or None
        Path of the loader, for a program.
    needed : tuple of str
        Names of libraries.
    folders : tuple of str
        Where they are looked for first.
    """

    machine: int
    loader: str | None
    needed: tuple[str, ...]
    folders: tuple[str, ...]


def read_binary(path: Path) -> Binary | None:
    """Read the dynamic section of a 64-bit little-endian ELF file; None for any other file."""
    with path.open("rb") as stream:
        if stream.read(6) != b"\x7fELF\x02\x01":
            return None
        # Of libraries of many megabytes only the pages that are looked at.
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content, contextlib.suppress(*_MALFORMED):
            return _binary(content, str(path.parent))
    return None


def _binary(content: mmap.mmap, folder: str) -> Binary:
    machine = struct.unpack_from("<H", content, 18)[0]
    start, size, count = struct.unpack_from("<Q", content, 32)[0], *struct.unpack_from("<HH", content, 54)
    # Of each segment: kind, offset in the file, address, length in the file.
    segments = [
        (kind, offset, address, length)
        for kind, _, offset, address, _, length in (
            struct.unpack_from("<IIQQQQ", content, start + number * size) for number in range(count)
        )
    ]
    loaders = [content[offset : offset + length] for kind, offset, _, length in segments if kind == _INTERPRETER]
    entries = [
        struct.unpack_from("<qQ", content, place)
        for kind, offset, _, length in segments
        if kind == _DYNAMIC
        for place in range(offset, offset + length, 16)
    ]
    texts = next((_file_offset(segments, value) for tag, value in entries if tag == _TEXTS), 0)
    searched = [_text(content, texts + value) for tag, value in entries if tag in (_RPATH, _RUNPATH)]
    return Binary(
        machine=machine,
        loader=os.fsdecode(loaders[0].rstrip(b"\0")) if loaders else None,
        needed=tuple(_text(content, texts + value) for tag, value in entries if tag == _NEEDED),
        folders=tuple(
            each.replace("$ORIGIN", folder).replace("${ORIGIN}", folder)
            for path in searched
            for each in path.split(":")
        ),
    )


def _file_offset(segments: Iterable[tuple[int, int, int, int]], address: int) -> int:
    return next(
        address - begins + offset
        for kind, offset, begins, length in segments
        if kind == _LOADED and begins <= address < begins + length
    )


def _text(content: mmap.mmap | bytes, place: int) -> str:
    return os.fsdecode(content[place : content.find(b"\0", place)])


@lru_cache(maxsize=1)
def _cached_places() -> Mapping[str, tuple[str, ...]]:
    """Names of libraries and their paths as the loader's cache has them; empty where there is none (musl)."""
    try:
        content = Path("/etc/ld.so.cache").read_bytes()
    except OSError:
        return {}
    start = content.find(b"glibc-ld.so.cache1.1")
    if start < 0:
        return {}
    places: dict[str, tuple[str, ...]] = {}
    (count,) = struct.unpack_from("<I", content, start + 20)
    for number in range(count):
        name, path = struct.unpack_from("<II", content, start + 48 + 24 * number + 4)
        key = _text(content, start + name)
        places[key] = (*places.get(key, ()), _text(content, start + path))
    return places


def shared_libraries(binaries: Iterable[Path], shown: Iterable[Path]) -> dict[str, Path]:
    """Libraries that binaries need, directly and through others, by the name under which they are looked for.

    Parameters
    ----------
    binaries : iterable of Path
        The program first; its architecture is the one that counts.
    shown : iterable of Path
        Folders that are in the sandbox anyway, with the libraries in them.

    Returns
    -------
    dict of str to Path
        Libraries that are not found are left out.
    """
    found: dict[str, Path] = {}
    kept = tuple(f"{folder}{os.sep}" for folder in shown)
    waiting = list(binaries)
    machine: int | None = None
    while waiting:
        binary = read_binary(waiting.pop(0))
        machine = binary.machine if machine is None and binary is not None else machine
        for name in () if binary is None else binary.needed:
            if name in found or os.sep in name:
                continue
            place = _find(name, binary, machine) if binary is not None else None
            if place is None or os.path.realpath(place).startswith(kept):
                continue
            found[name] = place
            waiting.append(place)
    return found


def _find(name: str, binary: Binary, machine: int | None) -> Path | None:
    for place in _places(name, binary):
        if place.is_file() and (library := read_binary(place)) is not None and library.machine == machine:
            return place
    return None


def _places(name: str, binary: Binary) -> Iterator[Path]:
    path = os.environ.get("LD_LIBRARY_PATH", "")
    yield from (Path(folder, name) for folder in (*binary.folders, *path.split(":")) if folder)
    yield from map(Path, _cached_places().get(name, ()))
    yield from (Path(folder, name) for folder in _STANDARD_FOLDERS)
