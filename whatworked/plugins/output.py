"""Standard output belongs to the command: what a plug-in writes to it goes to standard error, also from C."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

_OUT, _ERR = 1, 2


@contextlib.contextmanager
def diverted() -> Iterator[None]:
    """Send what the block writes to standard output to standard error, by Python's stream and by the descriptor."""
    with contextlib.redirect_stdout(sys.stderr), _descriptor_diverted():
        yield


def divert_for_good() -> None:
    """Do so for the rest of this process: for workers, and when the interpreter ends."""
    _flush()
    sys.stdout = sys.stderr
    with contextlib.suppress(OSError):
        os.dup2(_ERR, _OUT)


@contextlib.contextmanager
def _descriptor_diverted() -> Iterator[None]:
    try:
        if os.path.sameopenfile(_OUT, _ERR):
            kept = None
        else:
            _flush()
            kept = os.dup(_OUT)
            os.dup2(_ERR, _OUT)
    except OSError:  # one of them is closed
        kept = None
    try:
        yield
    finally:
        if kept is not None:
            _flush()
            os.dup2(kept, _OUT)
            os.close(kept)


def _flush() -> None:
    for stream in (sys.__stdout__, sys.stdout):
        with contextlib.suppress(Exception):
            if stream is not None:
                stream.flush()
    # C keeps a buffer of its own, which would otherwise be written when the process ends.
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).fflush(None)
