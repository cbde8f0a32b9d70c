"""The frame of the conformance kit: checks with names, their results, and the error that reports failures.

numpy's global generator is used here because it is what is being watched.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from io import FileIO
from typing import Any

import numpy as np

from whatworked.errors import PluginError
from whatworked.plugins import Plugin
from whatworked.plugins.guard import describe, guarded
from whatworked.plugins.limits import TimeLimitError, Watch
from whatworked.plugins.process_state import noticing, preserved
from whatworked.plugins.resolve import CHANGED_AT_IMPORT
from whatworked.testing.given import dimensions_of, limit_of, plugin_of

TIME_LIMIT = 60.0
"""Seconds for each case of a check, where nothing else is asked for."""

_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


class ConformanceError(PluginError, AssertionError):
    """A plug-in that breaks its contract; the message lists every check that failed."""


class Violation(Exception):  # noqa: N818 - it is not an error of the program
    """Raised inside a check, with what was wrong."""


@dataclass(frozen=True)
class Check:
    """One thing that is checked.

    Attributes
    ----------
    name : str
        Short name.
    what : str
        The requirement in one sentence.
    run : callable
        ``run(plugin, dimensions)``; raises on a violation.
    """

    name: str
    what: str
    run: Callable[[Plugin, tuple[int, ...]], None]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class CheckResult:
    """The result of one check.

    Attributes
    ----------
    name, what : str
        The name of the check, and the requirement in one sentence.
    problem : str or None
        What was wrong and in which case; None where the check passed.
    trace : str
        Traceback of what the plug-in raised; empty where it raised nothing.
    """

    name: str
    what: str
    problem: str | None = None
    trace: str = ""

    @property
    def passed(self) -> bool:
        """Whether the requirement is met."""
        return self.problem is None


def run_check(
    check: Check,
    plugin: Plugin,
    dimensions: tuple[int, ...],
    time_limit: float | None = TIME_LIMIT,
    note: FileIO | None = None,
) -> CheckResult:
    """Run one check; whatever the plug-in does, the result says so.

    Parameters
    ----------
    check : Check
        What to check.
    plugin : Plugin
        On what.
    dimensions : tuple of int
        Numbers of options to try.
    time_limit : float or None
        Seconds for each case, None for no limit. Code that never comes back from a library written in C, or that
        swallows the exception, is not ended by it.
    note : file, optional
        For the case under way, in a process that may be ended for it; see `whatworked.plugins.limits.Watch`.

    Returns
    -------
    CheckResult

    Raises
    ------
    InvalidOptionError
        For anything that is no plug-in, no number of options or no limit.
    """
    plugin, dimensions = plugin_of(plugin), dimensions_of(dimensions)
    token = _WATCH.set(Watch(limit_of(time_limit), note))
    try:
        with _preserved(), guarded(plugin.kind) as outcome:
            check.run(plugin, dimensions)
    finally:
        _WATCH.reset(token)
    if outcome.failure is None:
        return CheckResult(check.name, check.what)
    cause = outcome.failure.cause.removeprefix("Violation: ")
    return CheckResult(check.name, check.what, cause, outcome.failure.trace)


def raise_failures(plugin: Plugin, results: Sequence[CheckResult]) -> None:
    """Raise `ConformanceError` if any check failed."""
    failed = [result for result in results if not result.passed]
    if failed:
        lines = "\n".join(f"  {result.name}: {result.problem}" for result in failed)
        raise ConformanceError(
            f"{plugin.kind} {plugin.spec or plugin.label!r} fails {len(failed)} of {len(results)} checks:\n{lines}"
        )


@contextmanager
def during(what: str) -> Iterator[None]:
    """Say in which case an exception came, and hold the case to the time limit."""
    try:
        with (_WATCH.get() or Watch()).step(what):
            yield
    except Violation as violation:
        raise Violation(f"{violation} ({what})") from None
    except (Exception, TimeLimitError) as error:
        raise Violation(f"{describe(error)} ({what})") from error


@contextmanager
def global_state(seed: int) -> Iterator[None]:
    """Seed the global random generators, see that nothing touches them, and put them back.

    Raises
    ------
    Violation
        If the block drew from a global generator or seeded one.
    """
    with _preserved():
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        before = _fingerprint()
        yield
        if _fingerprint() != before:
            raise Violation(
                "it draws from the global random generators; use a generator made from random_state, "
                "or give `random_state` to what it calls"
            )


@contextmanager
def unchanged_process(spec: str | None) -> Iterator[None]:
    """See that the block, and the import of a plug-in text, leave the state of the process as it was.

    Raises
    ------
    Violation
        Naming what was changed.
    """
    with noticing() as changed, preserved():
        yield
    changed |= CHANGED_AT_IMPORT.get(spec or "", set())
    if changed:
        raise Violation(
            f"it changes state of the whole process: {', '.join(sorted(changed))}; leave it, or put it back"
        )


@contextmanager
def _preserved() -> Iterator[None]:
    """Put the global random generators back, whatever the block does."""
    legacy, python = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(legacy)  # noqa: NPY002
        random.setstate(python)


def _fingerprint() -> tuple[Any, ...]:
    state: Any = np.random.get_state()  # noqa: NPY002
    return (state[1].tobytes(), *state[2:], random.getstate())
