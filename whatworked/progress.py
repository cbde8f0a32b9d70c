"""Progress bars: on standard error, and only where a person is looking."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


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


@contextmanager
def progress(total: int, unit: str, initial: int = 0, label: str = "") -> Iterator[Progress]:
    """Progress over `total` units with rate and remaining time; silent where there is nothing to do or no terminal."""
    if not total or not sys.stderr.isatty():
        yield _Silent()
        return
    from tqdm import tqdm

    with tqdm(
        total=total, unit=f" {unit}", initial=initial, desc=label or None, file=sys.stderr, dynamic_ncols=True
    ) as bar:
        yield bar
