"""Ctrl-C that cannot get lost."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

PAUSE_SECONDS = 0.05


def keep_interrupts() -> None:
    """Interrupt again where an interrupt could not be raised.

    Python drops an exception in a finalizer or in a callback of a weak reference, and prints it. If Ctrl-C comes in the
    middle of one (importing is full of them), the command would go on and end as if nothing had happened.
    """
    before = sys.unraisablehook

    def hook(unraisable: UnraisableHookArgs) -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            _interrupt_soon()
        else:
            before(unraisable)

    sys.unraisablehook = hook


def _interrupt_soon() -> None:
    """Signal the main thread from another one, when it has left the place where nothing can be raised.

    A real signal where there are any, since it also ends the main thread's waiting.
    """
    import _thread
    import signal
    import threading

    def interrupt() -> None:
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            _thread.interrupt_main()

    timer = threading.Timer(PAUSE_SECONDS, interrupt)
    timer.daemon = True
    timer.start()
