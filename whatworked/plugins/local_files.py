"""The local files that a plug-in's code imports. They decide what it does, so its origin names them.

They are found by reading, before anything is run, and those of the plug-in's folder are read once: what is imported
afterwards is compiled from the bytes whose digests the origin states. So a file that is exchanged in between, a link
that leads elsewhere, or compiled code in ``__pycache__`` changes nothing.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.abc import ExecutionLoader, MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, PathFinder
from pathlib import Path
from types import CodeType

from whatworked.declaration.imports import imported_names
from whatworked.plugins.distributions import distribution_of
from whatworked.plugins.origin import Origin, SourceFile
from whatworked.storage.canonical import sha256
from whatworked.storage.files import read_file

LARGEST_FILE = 1 << 24
"""Bytes that a Python file may have. The largest of the standard library has less than a megabyte."""


@dataclass(frozen=True)
class LocalFiles:
    """A plug-in's file and the files of its folder that it imports, as they were read.

    Attributes
    ----------
    path : Path
        The plug-in's own file, links resolved.
    contents : dict of Path to bytes
        The own file and the imported ones of its folder.
    origin : Origin
        Their names and digests.
    """

    path: Path
    contents: dict[Path, bytes]
    origin: Origin

    def loader(self) -> ExecutionLoader:
        """What loads the own file from the bytes that were read."""
        return _BytesLoader(self.path, self.contents[self.path])

    def serve(self, *, sealed: bool) -> None:
        """Let the imported files be imported by name, from the bytes that were read.

        Parameters
        ----------
        sealed : bool
            Whether packages among them hold nothing but what was read.
        """
        folder = self.path.parent
        for file, data in self.contents.items():
            if file == self.path:
                continue
            parts = file.relative_to(folder).with_suffix("").parts
            package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if package else parts)
            _SERVED.modules[name] = _BytesLoader(file, data, package=package)
            for length in range(1, len(parts)):
                _SERVED.packages[".".join(parts[:length])] = None if sealed else folder.joinpath(*parts[:length])
        if _SERVED not in sys.meta_path:
            sys.meta_path.insert(0, _SERVED)


class _BytesLoader(ExecutionLoader):
    """Loads a module from bytes, never from compiled code."""

    def __init__(self, path: Path, data: bytes, *, package: bool = False) -> None:
        self._path, self._data, self._package = path, data, package

    def get_filename(self, fullname: str) -> str:
        """Where the bytes were read."""
        del fullname
        return str(self._path)

    def get_source(self, fullname: str) -> str:
        """The text, for tracebacks and `inspect`."""
        del fullname
        return importlib.util.decode_source(self._data)

    def get_code(self, fullname: str) -> CodeType:
        """The compiled bytes."""
        del fullname
        return self.source_to_code(self._data, str(self._path))

    def is_package(self, fullname: str) -> bool:
        """Whether the file is the ``__init__.py`` of a package."""
        del fullname
        return self._package


class _Served(MetaPathFinder):
    """Finds the modules that plug-ins import from their folders."""

    def __init__(self) -> None:
        self.modules: dict[str, _BytesLoader] = {}
        self.packages: dict[str, Path | None] = {}

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The module of that name, None if it is none of ours."""
        del path, target
        loader = self.modules.get(fullname)
        if loader is None and fullname not in self.packages:
            return None
        place = self.packages.get(fullname)
        spec = ModuleSpec(fullname, loader, is_package=fullname in self.packages)
        if loader is not None:
            spec = (
                importlib.util.spec_from_file_location(fullname, loader.get_filename(fullname), loader=loader) or spec
            )
        if fullname in self.packages:
            spec.submodule_search_locations = [] if place is None else [str(place)]
        return spec


_SERVED = _Served()


def local_files(path: Path, elsewhere: list[str]) -> LocalFiles:
    """Read a plug-in's file, and the local files that it imports, directly or not. Nothing is run.

    Parameters
    ----------
    path : Path
        The file.
    elsewhere : list of str
        Folders in which modules are looked for before that of the file.

    Raises
    ------
    OSError
        If one of them cannot be read.
    """
    own = path.resolve()
    data, folder = read_file(own, LARGEST_FILE), own.parent
    contents = {(own, folder): data}
    _follow(contents, folder, elsewhere)
    imported = {key: content for key, content in contents.items() if key != (own, folder)}
    origin = Origin.of_files([SourceFile(path.name, sha256(data)), *_named(imported)])
    return LocalFiles(own, {file: content for (file, root), content in contents.items() if root == folder}, origin)


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
                own.setdefault((found, root), read_file(found, LARGEST_FILE))
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
                contents[found] = read_file(found[0], LARGEST_FILE)
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
