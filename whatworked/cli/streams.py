"""Standard streams as the commands need them: open, and able to take any character."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path


def prepare_streams() -> None:
    """Make the standard streams fit to be written to.

    A stream that the caller closed becomes the null device, so that no file opened later takes its number and worker
    processes can flush it. A character that the caller's encoding lacks is written as a backslash escape.
    """
    _fill_descriptors()
    null = Path(os.devnull)
    sys.stdin = sys.stdin or null.open(encoding="utf-8")
    sys.stdout = sys.stdout or null.open("w", encoding="utf-8")
    sys.stderr = sys.stderr or null.open("w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def drop_output() -> None:
    """Send what is still buffered for standard output nowhere, so that flushing it at exit cannot fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def says_anything(stream: object) -> bool:
    """Whether the encoding of a text stream has every character."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return str(encoding).lower().replace("_", "-") in ("utf-8", "utf8")


def _fill_descriptors() -> None:
    """Open the null device under each of the numbers 0 to 2 that is closed."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
