"""The local files that a plug-in's code imports. They decide what it does, so its origin names them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, PathFinder
from pathlib import Path

from whatworked.declaration.imports import imported_names
from whatworked.plugins.distributions import distribution_of
from whatworked.plugins.origin import Origin, SourceFile
from whatworked.storage.canonical import sha256


def origin_of(path: Path, data: bytes, elsewhere: list[str]) -> Origin:
    """The origin of a plug-in's file: the file, then the local files that it imports, directly or not.

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
    contents = {(own, own.parent): data}
    _follow(contents, own.parent, elsewhere)
    del contents[own, own.parent]
    return Origin.of_files([SourceFile(path.name, sha256(data)), *_named(contents)])


def module_files(names: Sequence[str]) -> tuple[SourceFile, ...]:
    """The local files behind modules: their own and those of their packages first, then what these import, by name.

    Parameters
    ----------
    names : sequence of str
        Absolute names. Those of installed modules lead to no file.

    Returns
    -------
    tuple of SourceFile
        Each named by its path in the folder that its top-level module stands in.

    Raises
    ------
    OSError
        If a file cannot be read.
    """
    own: dict[tuple[Path, Path], bytes] = {}
    for name in names:
        parts = name.split(".")
        for root in _roots(parts[0], sys.path):
            for found in reversed(list(_files(parts, root))):
                own.setdefault((found, root), found.read_bytes())
    contents = dict(own)
    _follow(contents, None, sys.path)
    imported = {key: data for key, data in contents.items() if key not in own}
    stated = [SourceFile(file.relative_to(root).as_posix(), sha256(data)) for (file, root), data in own.items()]
    return (*stated, *_named(imported))


def _named(contents: dict[tuple[Path, Path], bytes]) -> list[SourceFile]:
    named = sorted((file.relative_to(root).as_posix(), sha256(data)) for (file, root), data in contents.items())
    return [SourceFile(name, digest) for name, digest in named]


def _follow(contents: dict[tuple[Path, Path], bytes], folder: Path | None, elsewhere: Sequence[str]) -> None:
    """Add to `contents`, files by path and the folder their names start from, what they import and so on."""
    waiting = list(contents)
    while waiting:
        current = waiting.pop()
        for found in _imported(current, contents[current], folder, elsewhere):
            if found not in contents:
                contents[found] = found[0].read_bytes()
                waiting.append(found)


def _imported(
    place: tuple[Path, Path], data: bytes, folder: Path | None, elsewhere: Sequence[str]
) -> Iterator[tuple[Path, Path]]:
    """Existing local files that the imports in a file may load, each with the folder that names start from."""
    path, root = place
    if path.suffix != ".py":
        return
    package = ".".join(path.parent.relative_to(root).parts)
    for name in imported_names(data, package):
        parts = name.split(".")
        local = folder is not None and _is_local(parts[0], folder, elsewhere)
        for start in [folder] if local and folder is not None else _roots(parts[0], elsewhere):
            for found in _files(parts, start):
                yield found, start


def _files(parts: Sequence[str], folder: Path) -> Iterator[Path]:
    """A module's file, and those of the packages it is in."""
    for length in range(1, len(parts) + 1):
        place = folder.joinpath(*parts[:length])
        compiled = [place.with_name(f"{place.name}{suffix}") for suffix in EXTENSION_SUFFIXES]
        for candidate in (place.with_name(f"{place.name}.py"), place / "__init__.py", *compiled):
            if candidate.is_file():
                yield candidate


def _is_local(name: str, folder: Path, elsewhere: Sequence[str]) -> bool:
    """Whether a top-level module is taken from `folder`; an installed module of that name comes first."""
    if name in sys.stdlib_module_names:
        return False
    found = PathFinder.find_spec(name, list(elsewhere))
    if found is None or found.loader is None:
        return _spec_of(name) is None or any(folder.joinpath(name + suffix).exists() for suffix in ("", ".py"))
    return found.origin is not None and Path(found.origin).is_relative_to(folder)


def _roots(name: str, elsewhere: Sequence[str]) -> list[Path]:
    """The folders that a local top-level module stands in; none for an installed one, or one that is not found."""
    found = _spec_of(name)
    if found is None:
        return []
    if found.submodule_search_locations is not None:
        places = [Path(place) for place in found.submodule_search_locations]
    else:
        places = [Path(found.origin)] if found.origin and found.has_location else []
    roots = [place.resolve().parent for place in places if distribution_of(name, place) is None]
    # Folders of plug-in files are on the path for those plug-ins alone.
    hidden = set(sys.path) - set(elsewhere)
    return [root for root in roots if str(root) not in hidden]


def _spec_of(name: str) -> ModuleSpec | None:
    module = sys.modules.get(name)
    if module is not None:
        return getattr(module, "__spec__", None)
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None
