"""Running a plug-in's code. An error in it becomes a named failure; what it prints goes to standard error."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import threading
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import NoReturn

from whatworked.errors import PluginError, WhatWorkedError
from whatworked.plugins.limits import TimeLimitError
from whatworked.plugins.output import diverted
from whatworked.plugins.process_state import preserved
from whatworked.plugins.said import plugin_output

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")
_LONGEST = 400


@dataclass(frozen=True)
class Failure:
    """Why a plug-in delivered nothing.

    Attributes
    ----------
    where : str
        ``"policy"`` or ``"estimator"``.
    cause : str
        Exception and message in one line; equal on every run.
    trace : str
        The traceback, for the log.
    late : bool
        Whether the time limit ended it; where it was by then (`trace`) differs from run to run.
    """

    where: str
    cause: str
    trace: str = ""
    late: bool = False

    def __str__(self) -> str:
        return f"{self.where}: {self.cause}"


@dataclass
class CallResult:
    """What happened in a guarded call: a failure or None, and how often each category of warning was raised."""

    failure: Failure | None = None
    warnings: Counter[str] = field(default_factory=Counter)


@contextlib.contextmanager
def guarded(where: str) -> Iterator[CallResult]:
    """Run a plug-in's code; of all exceptions, only the user's own Ctrl-C leaves the block.

    Inside the block standard output goes to standard error, so that a plug-in that prints does not spoil the output of
    a command. Warnings are counted, not shown. State of the process is put back.
    """
    result = CallResult()
    with (
        preserved(),
        diverted(),
        plugin_output(),
        warnings.catch_warnings(record=True) as raised,
        interrupts_noted() as noted,
    ):
        warnings.simplefilter("always")
        try:
            yield result
        except BaseException as error:  # a plug-in that calls sys.exit must not end the run
            if noted and isinstance(error, KeyboardInterrupt):
                raise
            late = isinstance(error, TimeLimitError)
            result.failure = Failure(where, describe(error), _trace(), late)
        warned = [warning.category.__name__ for warning in raised]
    # At a time limit, how many warnings there were depends on the machine.
    if result.failure is None or not result.failure.late:
        result.warnings.update(warned)


@contextlib.contextmanager
def interrupts_noted() -> Iterator[list[int]]:
    """A list that is empty unless the user interrupts the block: a KeyboardInterrupt without that is a plug-in's."""
    noted: list[int] = []
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield noted
        return

    def note(signum: int, frame: FrameType | None) -> None:
        noted.append(signum)
        handler(signum, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, handler)


@contextlib.contextmanager
def named_failures(what: str) -> Iterator[None]:
    """Run a plug-in's code when it is loaded or built; whatever it raises becomes a `PluginError` that begins so.

    Errors of this package, the time limit and the user's own Ctrl-C pass. State of the process is put back, and what is
    written to standard output goes to standard error. A plug-in cannot end the process by ``os._exit``, which would
    read as if the command had done its work.
    """
    with preserved(), diverted(), plugin_output(), _kept_alive(), interrupts_noted() as noted:
        try:
            yield
        except (WhatWorkedError, TimeLimitError):
            raise
        except BaseException as error:
            if noted and isinstance(error, KeyboardInterrupt):
                raise
            line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
            at = f" (line {line})" if line else ""
            raise PluginError(f"{what}: {describe(error)}{at}") from error


@contextlib.contextmanager
def _kept_alive() -> Iterator[None]:
    def leave(status: int) -> NoReturn:
        raise SystemExit(status)

    before, os._exit = os._exit, leave
    try:
        yield
    finally:
        os._exit = before


def describe(error: BaseException) -> str:
    """Exception and message in one line, without memory addresses, which differ from run to run."""
    name = type.__getattribute__(type(error), "__name__")
    try:
        message = " ".join(_ADDRESS.sub("0x…", encodable(str(error))).split())
    except BaseException:  # making the message runs the plug-in's code, too
        message = "its message cannot be told"
    text = f"{name}: {message}" if message else name
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _trace() -> str:
    try:
        return encodable(traceback.format_exc())
    except BaseException:  # so does making the traceback
        return ""


def encodable(text: str) -> str:
    """The text, with backslash escapes for what UTF-8 cannot encode, as names of files may hold."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
