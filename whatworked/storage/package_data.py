"""The data files of the package, which are also there where it is imported from an archive."""

from __future__ import annotations

import atexit
import importlib
import tempfile
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from whatworked.errors import StorageError
from whatworked.storage.files import storage_errors


@cache
def package_folder(package: str, below: str = "") -> Path:
    """A folder of data files.

    Python imports modules from an archive (a wheel or zip on the search path), but what is read by path must be a file.
    There the files are unpacked into a temporary folder, which goes when the process ends.

    Parameters
    ----------
    package : str
        Name of the package that they belong to, as in ``"whatworked.references"``.
    below : str
        A folder in it; default: its own.

    Raises
    ------
    StorageError
        If the folder is not there, or cannot be unpacked.
    """
    folder = Path(importlib.import_module(package).__path__[0]) / below
    if folder.is_dir():
        return folder.resolve()
    packed = files(package) / below if below else files(package)
    if not packed.is_dir():
        raise StorageError(f"{folder} is missing, which is a part of this package; install it again")
    with storage_errors(Path(tempfile.gettempdir()), f"unpack {folder} into"):
        unpacked = tempfile.TemporaryDirectory(prefix="whatworked-")
        atexit.register(unpacked.cleanup)
        place = Path(unpacked.name) / folder.name
        _unpack(packed, place)
    return place.resolve()


def _unpack(packed: Traversable, place: Path) -> None:
    place.mkdir()
    for child in packed.iterdir():
        if child.is_dir():
            _unpack(child, place / child.name)
        elif not child.name.endswith((".py", ".pyc")):
            (place / child.name).write_bytes(child.read_bytes())
