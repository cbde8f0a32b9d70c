"""Sources: acquire raw data, check them, prepare them once, keep the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whatworked.declaration.prepared import PreparedInput
    from whatworked.sources.library import Library as Library

__all__ = ["Library", "prepared"]


def prepared(
    source: str,
    *,
    cache: Path | str | None = None,
    mirror: Path | str | None = None,
    offline: bool | None = None,
    again: bool = False,
) -> PreparedInput:
    """The prepared input of one source: from the store, else from raw data, which are then stored.

    For several sources make one `Library`: it asks silent sites only once.

    Parameters
    ----------
    source : str
        Source id, for instance ``"wine"``.
    cache, mirror : path, optional
        Folders, as for `Library`.
    offline : bool, optional
        Leave the network alone, as for `Library`.
    again : bool
        Build it anew even if it is stored.

    Returns
    -------
    PreparedInput

    Raises
    ------
    InvalidOptionError
        If the mirror is no folder, or a path starts with ``~`` and no home folder is known.
    UnknownNameError
        If there is no such source.
    SourceUnavailableError
        If no route leads to its raw data.
    DigestMismatchError
        If raw bytes, the stored file or the result differ from what the manifest says.
    RawDataError
        If raw data cannot be read or prepared.
    StorageError
        If a file cannot be read. (Where only the cache cannot be written, a warning is logged.)
    """
    from whatworked.sources.library import Library

    return Library(cache, mirror, offline).prepared(source, again=again)


def __getattr__(name: str) -> object:
    if name != "Library":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from whatworked.sources.library import Library

    return Library
