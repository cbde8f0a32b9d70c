"""What of this machine is seen in the sandbox, and under which names: the interpreter and three packages, no data."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from whatworked.errors import SandboxUnavailableError
from whatworked.sandbox.elf import read_binary, shared_libraries

PACKAGES = ("numpy", "scipy", "scikit-learn")
"""Distributions that a program may import, with those they require."""
INTERPRETER = "/python/bin/python3"
LIBRARIES = "/python/lib"
PACKAGE_FOLDER = "/packages"
WORK_FOLDER = "/work"

_DATA_FOLDERS = frozenset({"data", "images", "descr", "test_data"})
"""Folders within packages that hold data sets, and their descriptions, instead of code."""
_FOREIGN = ("site-packages", "dist-packages")
"""Packages of the machine that lie within the standard library's folder."""
_NOT_OFFERED = ("_tkinter", "readline", "_curses", "_dbm", "_gdbm")
"""Extension modules of the standard library that need a screen or a keyboard; their libraries are not looked for."""


@dataclass(frozen=True)
class Layout:
    """What is mounted.

    Attributes
    ----------
    binds : tuple of (str, str)
        Path on this machine and path in the sandbox, each read-only.
    masks : tuple of str
        Folders in the sandbox that are shown empty.
    """

    binds: tuple[tuple[str, str], ...]
    masks: tuple[str, ...]


@lru_cache(maxsize=1)
def machine_layout() -> Layout:
    """The layout for the Python of this process.

    Raises
    ------
    SandboxUnavailableError
        If the interpreter is no program of the usual form, or a package is not installed.
    """
    interpreter = Path(os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable))
    binary = read_binary(interpreter)
    if binary is None or binary.loader is None:
        raise SandboxUnavailableError(
            f"the Python interpreter {interpreter} is no 64-bit ELF program that the system's loader starts",
            "use a Python as the system, conda, pyenv or uv install them",
        )
    standard = Path(os.__file__).parent
    inside = f"/python/{sys.platlibdir}/{standard.name}"
    binds = [(str(interpreter), INTERPRETER), (binary.loader, binary.loader), (str(standard), inside)]
    binaries = [interpreter]
    if (dynamic := _dynamic_modules(standard)) is not None:
        binds.append((str(dynamic), f"{inside}/lib-dynload"))
    binaries += _extensions(dynamic or standard / "lib-dynload")
    masks = [f"{inside}/{name}" for name in _FOREIGN if (standard / name).is_dir()]
    for part in _package_parts():
        binds.append((str(part), f"{PACKAGE_FOLDER}/{part.name}"))
        extensions, data = _package_content(part)
        binaries += extensions
        masks += [f"{PACKAGE_FOLDER}/{part.name}/{folder}" for folder in data]
    libraries = shared_libraries(binaries, [Path(os.path.realpath(source)) for source, _ in binds[2:]])
    binds += [(str(place), f"{LIBRARIES}/{name}") for name, place in sorted(libraries.items())]
    return Layout(tuple(binds), tuple(masks))


def _dynamic_modules(standard: Path) -> Path | None:
    """The folder of extension modules, where it does not lie in the standard library's."""
    if (standard / "lib-dynload").is_dir():
        return None
    return next((Path(entry) for entry in sys.path if entry.endswith("lib-dynload")), None)


def _extensions(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("*.so")) if not path.name.startswith(_NOT_OFFERED)]


def _package_content(part: Path) -> tuple[list[Path], list[str]]:
    """Extension modules in a package, and its folders of data as paths relative to it."""
    extensions: list[Path] = []
    data: list[str] = []
    for folder, folders, files in os.walk(part):
        data += [str(Path(folder, name).relative_to(part)) for name in folders if name in _DATA_FOLDERS]
        folders[:] = sorted(set(folders) - _DATA_FOLDERS - {"__pycache__"})
        extensions += [Path(folder, name) for name in sorted(files) if ".so" in name]
    return extensions, sorted(data)


def _package_parts() -> list[Path]:
    """Folders and modules of the packages and of what they require."""
    waiting, seen = list(PACKAGES), set()
    parts: list[Path] = []
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop(0)).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError as error:
            raise SandboxUnavailableError(
                f"the package {name} is not installed, and programs in the sandbox need it", "install whatworked again"
            ) from error
        parts += _distribution_parts(distribution)
        waiting += _requirements(distribution)
    return sorted(set(parts))


def _requirements(distribution: importlib.metadata.Distribution) -> Iterator[str]:
    for line in distribution.requires or ():
        requirement, _, marker = line.partition(";")
        matched = re.match(r"[A-Za-z0-9._-]+", requirement.strip())
        if matched and not marker.strip():
            yield matched.group()


def _distribution_parts(distribution: importlib.metadata.Distribution) -> list[Path]:
    record = distribution.read_text("RECORD")
    names = {line.split(",")[0].strip('"').split("/")[0] for line in (record or "").splitlines()}
    names -= {"", "..", "__pycache__"}
    parts = [Path(str(distribution.locate_file(name))) for name in sorted(names) if not name.endswith(".dist-info")]
    if not record:
        # Packages of a Linux distribution have no list of files.
        for name in (distribution.read_text("top_level.txt") or distribution.metadata["Name"]).split():
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.origin is not None:
                path = Path(spec.origin)
                parts.append(path.parent if path.name == "__init__.py" else path)
    return [part for part in parts if part.exists()]
