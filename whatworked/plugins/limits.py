"""Ending plug-in code that takes longer than it may.

The soft way is an exception raised in the plug-in's code: by a timer's signal in the main thread of a process, by a
thread elsewhere. It does not reach code that stays inside a library written in C, and code may swallow it. The hard way
ends the whole process, by a thread of Python's own that needs no lock; it is taken in worker processes only, where
somebody knows from a note which step it was.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import json
import math
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from types import FrameType

from whatworked.arguments import shown
from whatworked.errors import InvalidOptionError

LONGEST = 10_000_000
"""Largest time limit in seconds."""
_AGAIN = 1.0
"""Seconds after which the exception is raised again, for code that lost it."""
_LEAST = 1e-3
_DUMPED = "Timeout ("
"""How what is written when a process is ended begins."""


class TimeLimitError(BaseException):
    """Raised inside a plug-in's code. Not an Exception: what a plug-in catches on its own account is not this."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"not done within the time limit of {seconds:g} s")


@dataclass(frozen=True)
class Watch:
    """Holds the steps of some work to a time limit each.

    Attributes
    ----------
    seconds : float or None
        The limit; None for none.
    note : file or None
        For the name of the step under way; see `opened`. If it is given, a step that cannot be interrupted is ended
        with its process, and `overrun` says which it was.
    ended : frozenset of str
        Names of steps that were ended in that way: they fail at once.
    """

    seconds: float | None = None
    note: FileIO | None = None
    ended: frozenset[str] = frozenset()

    def used(self, seconds: float, late: bool) -> float:
        """Seconds that count for a step: at least the limit if it was too late, also where it was not tried again."""
        return max(seconds, self.seconds or 0.0) if late else seconds

    @contextlib.contextmanager
    def step(self, *names: str | int, spent: float = 0.0) -> Iterator[None]:
        """Run one step.

        Parameters
        ----------
        *names : str or int
            What the step is called, equal whenever the work is repeated.
        spent : float
            Seconds of the limit that earlier steps have used up.

        Raises
        ------
        TimeLimitError
            If it takes too long, be it that it is interrupted or that it answers too late.
        """
        if self.seconds is None:
            yield
            return
        name, left = json.dumps(names), self.seconds - spent
        if name in self.ended or left <= 0:
            raise TimeLimitError(self.seconds)
        with _ended_with_process(self.note, name, left), _interrupted(left, self.seconds):
            yield


@functools.cache
def opened(path: Path) -> FileIO | None:
    """A file for another process to read, open for the life of this one.

    None where it cannot be written, for which no plug-in is to blame.
    """
    try:
        return FileIO(path, "a")
    except OSError:
        return None


def overrun(path: Path) -> tuple[str, str] | None:
    """Name of the step that a process was ended for, and where in the code it was; None if it ended otherwise.

    The note is then removed.
    """
    try:
        name, _, rest = path.read_text(errors="replace").partition("\n")
        path.unlink()
    except OSError:
        return None
    return (name, rest) if rest.startswith(_DUMPED) else None


def grace(seconds: float) -> float:
    """Seconds after the limit that a step has to be interrupted in, before its process is ended."""
    return 1.0 + 0.1 * seconds


def seconds(limit: object) -> float:
    """A time limit as a float, which `is_limit` may yet refuse.

    Raises
    ------
    InvalidOptionError
        If it is no number; True is none.
    """
    if isinstance(limit, bool | str | bytes) or not hasattr(limit, "__float__") or getattr(limit, "shape", ()) != ():
        raise InvalidOptionError(f"the time limit is {shown(limit)}; give a number of seconds, or None")
    return float(limit)


def is_limit(seconds: float) -> bool:
    """Whether a number of seconds may be a time limit."""
    return math.isfinite(seconds) and 0.0 < seconds <= LONGEST


@contextlib.contextmanager
def _interrupted(seconds: float, limit: float) -> Iterator[None]:
    """Raise `TimeLimitError` in the block after some seconds, and again where it is swallowed."""
    alone = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    with (_by_signal if alone else _by_thread)(seconds, limit):
        yield


@contextlib.contextmanager
def _by_signal(seconds: float, limit: float) -> Iterator[None]:
    late, inside = False, True

    def ring(signum: int, frame: FrameType | None) -> None:
        nonlocal late
        del signum, frame
        late = True
        if inside:
            raise TimeLimitError(limit)

    before = signal.signal(signal.SIGALRM, ring)
    began = time.monotonic()
    delay, interval = signal.setitimer(signal.ITIMER_REAL, max(seconds, _LEAST), _AGAIN)
    try:
        yield
    finally:
        inside = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        if delay:  # somebody else's timer goes on
            signal.setitimer(signal.ITIMER_REAL, max(delay - time.monotonic() + began, _LEAST), interval)
    if late:
        raise TimeLimitError(limit)


@contextlib.contextmanager
def _by_thread(seconds: float, limit: float) -> Iterator[None]:
    """Only the main thread gets signals, and not every system has timers; the interpreter raises in any thread."""
    late, inside = False, True
    guarded, left = threading.Lock(), threading.Event()
    here = threading.get_ident()

    class Late(TimeLimitError):  # noqa: N818 - it passes for its base
        def __init__(self) -> None:
            super().__init__(limit)

    Late.__name__ = TimeLimitError.__name__

    def ring() -> None:
        nonlocal late
        wait = max(seconds, _LEAST)
        while not left.wait(wait):
            wait = _AGAIN
            with guarded:
                if inside:
                    late = True
                    _raise_in(here, Late)

    threading.Thread(target=ring, daemon=True).start()
    try:
        yield
    finally:
        inside = False
        with guarded:
            _raise_in(here, None)  # what was not yet raised is not raised any more
        left.set()
    if late:
        raise TimeLimitError(limit)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    import ctypes

    held = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), held)


@contextlib.contextmanager
def _ended_with_process(note: FileIO | None, name: str, seconds: float) -> Iterator[None]:
    if note is None or not _written(note, name):
        yield
        return
    faulthandler.dump_traceback_later(seconds + grace(seconds), exit=True, file=note)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _written(note: FileIO, name: str) -> bool:
    try:
        note.seek(0)
        note.truncate()
        note.write(f"{name}\n".encode())
    except OSError:  # a full disk: the exception alone must do
        return False
    return True
