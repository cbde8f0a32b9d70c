"""What of a POSIX system is needed to run other people's code, and the error of systems that lack it."""

from __future__ import annotations

import importlib
import os
import signal
import sys

from whatworked.errors import UnsupportedSystemError

_MODULES = ("fcntl", "resource")
_OF_SIGNAL = ("SIGKILL", "setitimer", "pthread_sigmask")
_OF_OS = ("fork",)


def require_posix() -> None:
    """See that worker processes can be started, held to limits and ended here, and folders locked.

    Raises
    ------
    UnsupportedSystemError
        Naming what is missing, what does not work for that, and what does.
    """
    if missing := _missing():
        raise UnsupportedSystemError(
            f"this system ({sys.platform}) lacks {', '.join(missing)}, so that no worker process can be started and "
            "held to its limits: bench, check, rebuild, verify, verify-run --rerun and controls run need Linux, macOS, "
            "or on Windows its Subsystem for Linux (WSL). list, show, effects, grade, compare, report, plot, export, "
            "submit, verify-run, leaderboard and process work here"
        )


def _missing() -> list[str]:
    return [
        *(name for name in _MODULES if not _is_there(name)),
        *(f"signal.{name}" for name in _OF_SIGNAL if not hasattr(signal, name)),
        *(f"os.{name}" for name in _OF_OS if not hasattr(os, name)),
    ]


def _is_there(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True
