"""Modules of plug-in files, importable by name also in processes that a plug-in starts.

A file's module is a submodule of this one. Which file it is stands in the environment, which children inherit. When a
submodule is imported, this module comes first and makes it found.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from whatworked.storage.canonical import sha256

__path__: list[str] = []
"""Makes this module a package, of which nothing lies in a folder."""

_VARIABLE = "WHATWORKED_PLUGIN_FILES"


def module_name(path: Path, digest: str) -> str:
    """Name of the module of a file with such bytes."""
    stem = re.sub(r"\W", "_", path.stem)
    return f"{__name__}.{stem}_{digest[:12]}"


def announce(name: str, path: Path, digest: str) -> None:
    """Let this process and its children import a file by name."""
    os.environ[_VARIABLE] = json.dumps({**_announced(), name: [str(path), digest]})


def _announced() -> dict[str, list[str]]:
    try:
        held = json.loads(os.environ.get(_VARIABLE, "{}"))
    except ValueError:
        return {}
    return held if isinstance(held, dict) else {}


class _Finder(importlib.abc.MetaPathFinder):
    """Finds announced files, if their bytes are what they were."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        if not fullname.startswith(f"{__name__}.") or fullname not in (announced := _announced()):
            return None
        file, digest = announced[fullname]
        try:
            if sha256(Path(file).read_bytes()) != digest:
                raise ImportError(f"{file} changed while it was in use")
        except OSError:
            return None
        folder = str(Path(file).parent)
        if folder not in sys.path:
            sys.path.append(folder)
        return importlib.util.spec_from_file_location(fullname, file)


sys.meta_path.append(_Finder())
