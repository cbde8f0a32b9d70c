"""Files beside a plug-in's file that it imports: they decide what it does, so they are part of where it comes from."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.machinery import PathFinder
from pathlib import Path

from whatworked.declaration.imports import imported_names
from whatworked.plugins.spec import parse_spec
from whatworked.storage.canonical import sha256

MARK = " sha256:"
"""Stands between the name of a file and the digest of its bytes."""
_FILE = re.compile(rf"(.+?){MARK}([0-9a-f]{{64}})(?:, |$)")


def origin_of(path: Path, data: bytes, elsewhere: list[str]) -> str:
    """Name and digest of a plug-in's file, then of the files of its folder that it imports, directly or not.

    Parameters
    ----------
    path : Path
        The file.
    data : bytes
        What is in it.
    elsewhere : list of str
        Folders in which modules are looked for before that of the file.

    Returns
    -------
    str
        For instance ``"mine.py sha256:…, helper.py sha256:…"``; names by their path in the folder, in order of name.
    """
    folder = path.resolve().parent
    held: dict[Path, bytes] = {path.resolve(): data}
    waiting = [path.resolve()]
    while waiting:
        current = waiting.pop()
        for found in _imported(current, held[current], folder, elsewhere):
            if found not in held:
                held[found] = found.read_bytes()
                waiting.append(found)
    del held[path.resolve()]
    named = {one.relative_to(folder).as_posix(): content for one, content in held.items()}
    files = [(path.name, data), *sorted(named.items())]
    return ", ".join(f"{name}{MARK}{sha256(content)}" for name, content in files)


def digests_in(origin: str) -> Mapping[str, str]:
    """File name to digest, from an origin, the plug-in's own file first; empty where the plug-in is not of a file."""
    return dict(_FILE.findall(origin))


def path_beside(spec: str, name: str) -> str:
    """Path of a file in the folder of the file that a plug-in's text names.

    Examples
    --------
    >>> path_beside("./mine/own.py:Own(depth=2)", "helper.py")
    './mine/helper.py'
    """
    folder, slash, _ = parse_spec(spec).container.rpartition("/")
    return folder + slash + name


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
    """Whether a top-level module would be taken from `folder`: what is installed goes first."""
    if name in sys.stdlib_module_names:
        return False
    found = PathFinder.find_spec(name, elsewhere)
    if found is None or found.loader is None:
        return True
    return found.origin is not None and Path(found.origin).is_relative_to(folder)
