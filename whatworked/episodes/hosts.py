"""What the machine of a host can do, and how a host keeps to itself what it knows."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys

from whatworked.episodes.performers import Performer

_SANDBOX = "whatworked.sandbox.performing"
_PR_SET_DUMPABLE = 4


def host_performers() -> dict[str, Performer]:
    """Who does the work of each kind of effect on this machine; a kind that nobody does is refused when it is wanted.

    Returns
    -------
    dict of str to Performer
    """
    if importlib.util.find_spec("whatworked.sandbox") is None or importlib.util.find_spec(_SANDBOX) is None:
        return {}
    found: dict[str, Performer] = {"python": importlib.import_module(_SANDBOX).SandboxPerformer()}
    return found


def own_program(module: str, *arguments: str) -> list[str]:
    """The command line of a module in a process of its own.

    What lies in the working folder, which may be a player's, is not imported in place of a library (``-P``).

    Parameters
    ----------
    module : str
        To run.
    *arguments : str
        For it; nothing that a player must not know.

    Returns
    -------
    list of str
    """
    return [sys.executable, "-P", "-m", module, *arguments]


def keep_private() -> None:
    """Keep other processes of the same user from reading this one's memory, environment and open files.

    Where the system cannot do that, nothing happens; the administrator can read everything all the same.
    """
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def take_output() -> int:
    """A descriptor of its own for what stands on descriptor 1; whatever is printed from now on goes to standard error.

    Returns
    -------
    int
        Not inherited by processes that are started.
    """
    sys.stdout.flush()
    taken = os.dup(1)
    os.dup2(2, 1)
    return taken
