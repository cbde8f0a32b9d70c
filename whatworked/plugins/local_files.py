"""The files of its own folder that a plug-in's file imports. They decide what it does, so its origin names them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import PathFinder
from pathlib import Path

from whatworked.declaration.imports import imported_names
from whatworked.plugins.origin import Origin, SourceFile
from whatworked.storage.canonical import sha256


def origin_of(path: Path, data: bytes, elsewhere: list[str]) -> Origin:
    """The origin of a plug-in's file: the file, then the files of its folder that it imports, directly or not.

    Parameters
    ----------
    path : Path
        The file.
    data : bytes
        What is in it.
    elsewhere : list of str
        Folders in which modules are looked for before that of the file.

    Raises
    ------
    OSError
        If a file that is imported cannot be read.
    """
    own = path.resolve()
    folder = own.parent
    contents: dict[Path, bytes] = {own: data}
    waiting = [own]
    while waiting:
        current = waiting.pop()
        for found in _imported(current, contents[current], folder, elsewhere):
            if found not in contents:
                contents[found] = found.read_bytes()
                waiting.append(found)
    del contents[own]
    imported = {file.relative_to(folder).as_posix(): content for file, content in contents.items()}
    named = [(path.name, data), *sorted(imported.items())]
    return Origin.of_files(SourceFile(name, sha256(content)) for name, content in named)


def _imported(path: Path, data: bytes, folder: Path, elsewhere: list[str]) -> Iterator[Path]:
    """Existing files of `folder` that the imports in a file may load."""
    package = ".".join(path.parent.relative_to(folder).parts)
    for name in imported_names(data, package):
        parts = name.split(".")
        if _is_local(parts[0], folder, elsewhere):
            yield from _files(parts, folder)


def _files(parts: Sequence[str], folder: Path) -> Iterator[Path]:
    """A module's file, and those of the packages it is in."""
    for length in range(1, len(parts) + 1):
        place = folder.joinpath(*parts[:length])
        for candidate in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
            if candidate.is_file():
                yield candidate


def _is_local(name: str, folder: Path, elsewhere: list[str]) -> bool:
    """Whether a top-level module is taken from `folder`; an installed module of that name comes first."""
    if name in sys.stdlib_module_names:
        return False
    found = PathFinder.find_spec(name, elsewhere)
    if found is None or found.loader is None:
        return True
    return found.origin is not None and Path(found.origin).is_relative_to(folder)
