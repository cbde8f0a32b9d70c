"""Progress bars: on standard error, and only where a person is looking."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from whatworked.wording import printable

FALLBACK = 80
"""Columns where the terminal does not know how many it has."""
ROWS = 24
"""Rows, likewise."""
# The bar keeps its width: where room is short, what is being worked on is cut and not the bar.
_FORM = "{l_bar}{bar:16}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_fmt}{postfix}]"


class Progress(Protocol):
    """The part of a progress bar that long work needs."""

    def update(self, n: int = 1) -> object:
        """Say that `n` more units are done."""
        ...

    def set_postfix_str(self, text: str) -> object:
        """Say what is being worked on."""
        ...


class _Silent:
    def update(self, n: int = 1) -> None:
        del n

    def set_postfix_str(self, text: str) -> None:
        del text


class _Shown:
    """A bar that shows names of others as they may be shown."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar

    def update(self, n: int = 1) -> None:
        self._bar.update(n)

    def set_postfix_str(self, text: str) -> None:
        self._bar.set_postfix_str(printable(text))


@contextmanager
def progress(total: int, unit: str, initial: int = 0, label: str = "") -> Iterator[Progress]:
    """Progress over `total` units with rate and remaining time; silent where there is nothing to do or no terminal."""
    if not total or not sys.stderr.isatty():
        yield _Silent()
        return
    from tqdm import tqdm

    # A terminal that does not know its own size says 0, which leaves no room for a bar.
    columns, rows = os.get_terminal_size(sys.stderr.fileno())
    fixed = {"ncols": columns - 1 if columns else FALLBACK, "nrows": rows or ROWS}
    how: dict[str, Any] = {"dynamic_ncols": True} if columns and rows else fixed
    how |= {"desc": label or None, "unit": f" {unit}", "bar_format": _FORM}
    with tqdm(total=total, initial=initial, file=sys.stderr, **how) as bar:
        yield _Shown(bar)
