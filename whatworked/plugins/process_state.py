"""State of the process that belongs to nobody: put back after code of a plug-in, by a list of named parts."""

from __future__ import annotations

import contextlib
import decimal
import gc
import locale
import logging
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

_LIBRARY_VARIABLES = ("KMP_", "WHATWORKED_PLUGIN_FILES")
"""Variables that scikit-learn sets when it is imported, for a library that reads them later; and our own."""

_DRAWING_MODULES = ("rich.style",)
"""Modules of libraries that draw from Python's global generator as they are imported, for which no plug-in is to blame.

Scikit-learn imports rich, where it is installed.
"""

_NOTICED: ContextVar[set[str] | None] = ContextVar("noticed", default=None)


@dataclass(frozen=True)
class Part:
    """A part of the state.

    Attributes
    ----------
    name : str
        What people call it.
    read : callable
        Returns a value that compares with ``==``.
    write : callable
        Takes such a value and puts it back.
    """

    name: str
    read: Callable[[], Any]
    write: Callable[[Any], object]


@contextlib.contextmanager
def preserved() -> Iterator[None]:
    """Put all parts back after the block; blocks of `noticing` are told which had changed."""
    before = [(part, _read(part)) for part in PARTS]
    loaded = _drawing_modules()
    with warnings.catch_warnings():
        try:
            yield
        finally:
            _put_back(before, blameless=_python_generator if _drawing_modules() != loaded else None)


@contextlib.contextmanager
def noticing() -> Iterator[set[str]]:
    """The names of the parts that blocks of `preserved` inside the block put back."""
    changed: set[str] = set()
    token = _NOTICED.set(changed)
    try:
        yield changed
    finally:
        _NOTICED.reset(token)


def _drawing_modules() -> set[str]:
    return {name for name in _DRAWING_MODULES if name in sys.modules}


def _put_back(before: list[tuple[Part, Any]], blameless: Callable[[], Any] | None) -> None:
    noticed = _NOTICED.get()
    for part, value in before:
        if _read(part) != value and not (value is None and part.read is _scikit_learn):
            # Files of plug-ins have their folder added to the search path.
            if noticed is not None and part.read is not _search_path and part.read is not blameless:
                noticed.add(part.name)
            # What cannot be put back (a hard limit, a folder that is gone) is left: processes are replaced, too.
            with contextlib.suppress(Exception):
                part.write(value)


def _read(part: Part) -> Any:
    try:
        return part.read()
    except Exception:  # a folder that was deleted, a system without the part
        return None


def _float_errors() -> Any:
    return np.geterr(), np.geterrcall(), np.getbufsize()


def _set_float_errors(value: Any) -> None:
    errors, call, size = value
    np.seterr(**errors)
    np.seterrcall(call)
    np.setbufsize(size)


def _python_generator() -> Any:
    return random.getstate()


def _numpy_generator() -> Any:
    state: Any = np.random.get_state()  # noqa: NPY002 - it is what is kept
    name, keys, *rest = state
    return name, keys.tobytes(), *rest


def _set_numpy_generator(value: Any) -> None:
    name, keys, *rest = value
    np.random.set_state((name, np.frombuffer(keys, dtype=np.uint32), *rest))  # noqa: NPY002


def _variables() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(_LIBRARY_VARIABLES)}


def _set_variables(value: dict[str, str]) -> None:
    now = _variables()
    for name in now.keys() - value.keys():
        del os.environ[name]
    for name, text in value.items():
        if now.get(name) != text:
            os.environ[name] = text
    if now.get("TZ") != value.get("TZ"):
        time.tzset()


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _signals() -> Any:
    handlers = tuple((number, signal.getsignal(number)) for number in signal.valid_signals())
    return handlers, frozenset(signal.pthread_sigmask(signal.SIG_BLOCK, ()))


def _set_signals(value: Any) -> None:
    handlers, blocked = value
    if threading.current_thread() is threading.main_thread():
        for number, handler in handlers:
            if handler is not None and signal.getsignal(number) != handler:
                signal.signal(number, handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _timers() -> tuple[bool, ...]:
    # Time goes on: what is compared is whether they run.
    kinds = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
    return tuple(signal.getitimer(kind)[0] > 0 for kind in kinds)


def _set_timers(value: tuple[bool, ...]) -> None:
    kinds = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
    for kind, running in zip(kinds, value, strict=True):
        if not running:
            signal.setitimer(kind, 0.0)


def _search_path() -> Any:
    return sys.path, tuple(sys.path)


def _set_search_path(value: Any) -> None:
    # What was added stays, behind all else: code may import more later on.
    kept, entries = value
    added = [entry for entry in sys.path if entry not in entries]
    kept[:] = [*entries, *added]
    sys.path = kept


def _streams() -> Any:
    return sys.stdin, sys.stdout, sys.stderr


def _set_streams(value: Any) -> None:
    sys.stdin, sys.stdout, sys.stderr = value


def _hooks() -> Any:
    return sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook


def _set_hooks(value: Any) -> None:
    sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook = value


def _interpreter() -> Any:
    return sys.getrecursionlimit(), sys.getswitchinterval(), sys.get_int_max_str_digits()


def _set_interpreter(value: Any) -> None:
    sys.setrecursionlimit(value[0])
    sys.setswitchinterval(value[1])
    sys.set_int_max_str_digits(value[2])


def _decimal() -> Any:
    context = decimal.getcontext()
    names = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")
    flags = (dict(context.flags), dict(context.traps))
    return {name: getattr(context, name) for name in names}, *flags


def _set_decimal(value: Any) -> None:
    fields, flags, traps = value
    decimal.setcontext(
        decimal.Context(
            **fields,
            flags=[flag for flag, raised in flags.items() if raised],
            traps=[trap for trap, held in traps.items() if held],
        )
    )


def _collector() -> Any:
    return gc.isenabled(), gc.get_threshold()


def _set_collector(value: Any) -> None:
    (gc.enable if value[0] else gc.disable)()
    gc.set_threshold(*value[1])


def _logging() -> Any:
    root = logging.getLogger()
    return root.level, tuple(root.handlers), root.manager.disable, logging.raiseExceptions


def _set_logging(value: Any) -> None:
    root = logging.getLogger()
    root.level, root.handlers[:] = value[0], value[1]
    root.manager.disable, logging.raiseExceptions = value[2], value[3]


def _limits() -> Any:
    import resource

    kinds = {getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")}
    return tuple((kind, *resource.getrlimit(kind)) for kind in sorted(kinds))


def _set_limits(value: Any) -> None:
    import resource

    for kind, soft, hard in value:
        now = resource.getrlimit(kind)
        if now != (soft, hard):
            most = now[1]
            within = most == resource.RLIM_INFINITY or (soft != resource.RLIM_INFINITY and soft <= most)
            resource.setrlimit(kind, (soft if within else most, most))


def _socket_timeout() -> Any:
    module = sys.modules.get("socket")
    return module.getdefaulttimeout() if module else None


def _set_socket_timeout(value: Any) -> None:
    sys.modules["socket"].setdefaulttimeout(value)


def _scikit_learn() -> Any:
    module = sys.modules.get("sklearn")
    settings: dict[str, Any] = getattr(module, "get_config", dict)()
    return settings or None


def _set_scikit_learn(value: Any) -> None:
    if value is not None:
        sys.modules["sklearn"].set_config(**value)


PARTS = (
    Part("standard streams", _streams, _set_streams),
    Part("numpy's handling of floating-point errors", _float_errors, _set_float_errors),
    Part(
        "numpy's print options",
        lambda: {**np.get_printoptions()},
        lambda value: np.set_printoptions(**value),
    ),
    Part("numpy's global random generator", _numpy_generator, _set_numpy_generator),
    Part("Python's global random generator", _python_generator, random.setstate),
    Part("environment variables", _variables, _set_variables),
    Part("the working directory", os.getcwd, os.chdir),
    Part("the umask", _umask, os.umask),
    Part(
        "the locale",
        lambda: locale.setlocale(locale.LC_ALL),
        lambda value: locale.setlocale(locale.LC_ALL, value),
    ),
    Part("timers", _timers, _set_timers),
    Part("signal handlers", _signals, _set_signals),
    Part("the module search path", _search_path, _set_search_path),
    Part("command-line arguments", lambda: [*sys.argv], lambda value: setattr(sys, "argv", value)),
    Part("hooks for errors", _hooks, _set_hooks),
    Part("limits of the interpreter", _interpreter, _set_interpreter),
    Part("the decimal context", _decimal, _set_decimal),
    Part("the garbage collector", _collector, _set_collector),
    Part("logging", _logging, _set_logging),
    Part("resource limits", _limits, _set_limits),
    Part("the socket timeout", _socket_timeout, _set_socket_timeout),
    Part("scikit-learn's settings", _scikit_learn, _set_scikit_learn),
    Part("processors to run on", lambda: os.sched_getaffinity(0), lambda value: os.sched_setaffinity(0, value)),
)
"""Everything that `preserved` puts back, besides the filters of warnings."""
