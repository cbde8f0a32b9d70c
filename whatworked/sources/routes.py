"""Local routes to raw files: the user's cache, installed packages, files shipped with the project, a mirror."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from whatworked.catalog.manifest_files import is_of_package
from whatworked.catalog.manifest_layout import Manifest, RawFile
from whatworked.errors import DigestMismatchError, RawDataError, TooLargeError
from whatworked.sources.archives import LARGEST, too_large, unpack
from whatworked.sources.raw import RawBytes
from whatworked.storage.canonical import sha256
from whatworked.storage.files import read_start, storage_errors

Route = Literal["cache", "package", "shipped", "mirror", "network"]
LOCAL_ROUTES: tuple[Route, ...] = ("cache", "package", "shipped", "mirror")


@dataclass(frozen=True)
class Folders:
    """Where this user keeps raw files: the cache and a mirror, either of which may be missing."""

    cache: Path | None
    mirror: Path | None = None

    def raw(self, source: str) -> Path | None:
        """Folder of a source's raw files in the cache; None without a cache."""
        return self.cache / "raw" / source if self.cache else None


@dataclass(frozen=True)
class Place:
    """One raw file at one place: how it is named in messages, and how its bytes are had."""

    route: Route
    origin: str
    load: Callable[[], bytes]


def locate(route: Route, folders: Folders, manifest: Manifest, file: RawFile) -> Place | None:
    """The place where a local route has a raw file, or None. Nothing is read or imported."""
    if route == "package":
        return _package_place(file)
    folder = {
        "cache": folders.raw(manifest.id),
        "shipped": manifest.shipped_folder if file.shipped else None,
        "mirror": folders.mirror / manifest.id if folders.mirror else None,
    }.get(route)
    return _folder_place(route, folder, file) if folder else None


def checked(place: Place, manifest: Manifest, file: RawFile) -> RawBytes:
    """Bytes at a place, after the one check that every route ends in.

    Raises
    ------
    DigestMismatchError
        If the SHA-256 differs; the message names file, both digests and sizes, the official address, the next step.
    TooLargeError
        If there are more bytes than the manifest states; the rest is neither read nor unpacked nor downloaded.
    RawDataError
        If the file is an archive that cannot be read or lacks the member; the message names the same.
    StorageError
        If the file cannot be read.
    SourceUnavailableError
        If it is to be downloaded and cannot be.
    """
    try:
        raw = RawBytes(place.load(), place.origin)
        found = _digest(raw, file)
    except TooLargeError as error:
        raise TooLargeError(_mismatch(place, manifest, file, str(error))) from error
    except RawDataError as error:
        raise RawDataError(_mismatch(place, manifest, file, str(error))) from error
    if found != file.sha256:
        raise DigestMismatchError(_mismatch(place, manifest, file, f"SHA-256 {found} ({len(raw.data)} bytes)"))
    return raw


def _mismatch(place: Place, manifest: Manifest, file: RawFile, found: str) -> str:
    size = f" ({file.size} bytes)" if file.size else ""
    address = f", official address {file.address}" if file.address else ""
    return (
        f"source {manifest.id}: {place.origin} is not the expected {file.name}: {found}, expected "
        f"{file.sha256}{size}{address}; {_next_step(place, manifest)}"
    )


def _next_step(place: Place, manifest: Manifest) -> str:
    if not is_of_package(manifest):
        return f"if this file is the right one, write its digest and size into {manifest.path}, else correct the file"
    return {
        "cache": "move it away and run `whatworked sources fetch` again",
        "package": "another version of that package may hold the expected bytes",
        "shipped": "reinstall whatworked",
        "mirror": "correct the mirror, or leave it out",
        "network": "the site serves other bytes now; use a mirror that has the expected ones",
    }[place.route]


def _digest(raw: RawBytes, file: RawFile) -> str:
    if file.tree:
        from whatworked.sources.readers.arguments import tree_digest

        return tree_digest(raw)
    return sha256(raw.data)


def _folder_place(route: Route, folder: Path, file: RawFile) -> Place | None:
    path = folder / file.name
    if is_file(path):
        return Place(route, str(path), lambda: _read(path, file.largest))
    packed = folder / file.archive if file.archive else None
    if packed is None or not is_file(packed):
        return None
    member = file.name_in_archive
    return Place(route, f"{packed}:{member}", lambda: unpack(_read(packed), member, str(packed), file.size))


def is_file(path: Path) -> bool:
    """Whether there is a file; a folder that may not be looked into is a StorageError, not an absence."""
    with storage_errors(path, "look for"):
        return path.is_file()


def _read(path: Path, largest: int = 0) -> bytes:
    most = largest or LARGEST
    with storage_errors(path, "read"):
        stated = path.stat().st_size
    # A file may grow while it is read, and what the system offers as a file states no size.
    if stated > most or len(data := read_start(path, most)) > most:
        raise too_large(str(path), most)
    return data


def package_of(file: RawFile) -> str:
    """Name of the module that brings a raw file; empty where none does."""
    return file.package.partition(":" if ":" in file.package else "/")[0]


def is_installed(package: str) -> bool:
    """Whether a module of that name can be imported; nothing is imported but its parents."""
    return _origin(package) is not None


def _origin(package: str) -> str | None:
    """The file of a module, or None where there is none."""
    try:
        spec = importlib.util.find_spec(package) if package else None
    except (ImportError, ValueError):  # its parent is not there, or was put together by hand
        return None
    return None if spec is None else spec.origin


def _package_place(file: RawFile) -> Place | None:
    package, origin = package_of(file), _origin(package_of(file))
    if origin is None:
        return None
    if ":" in file.package:
        function = file.package.partition(":")[2]
        return Place("package", f"{package}.{function}()", lambda: _graph_bytes(package, function))
    path = Path(origin).parent / file.package.partition("/")[2]
    return Place("package", str(path), lambda: _read(path, file.largest)) if is_file(path) else None


def _graph_bytes(package: str, function: str) -> bytes:
    """Edge list of a graph that a package's function makes: two names and a tab a line, sorted within and between."""
    try:
        graph = getattr(importlib.import_module(package), function)()
        edges = list(graph.edges())
    except Exception as error:  # it is code of another package
        raise RawDataError(f"{package}.{function}() makes no graph: {type(error).__name__}: {error}") from error
    lines = sorted("\t".join(sorted(map(str, edge))) for edge in edges)
    return "".join(f"{line}\n" for line in lines).encode("utf-8")
