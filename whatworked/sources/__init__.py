"""Sources: acquire raw data, check them, prepare them once, keep the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whatworked.prepared import PreparedInput
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
    """The prepared input of one source; see `whatworked.sources.library.Library` for parameters and errors.

    For several sources make one `Library`: it asks silent sites only once.
    """
    from whatworked.sources.library import Library

    return Library(cache, mirror, offline).prepared(source, again=again)


def __getattr__(name: str) -> object:
    if name != "Library":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from whatworked.sources.library import Library

    return Library
