"""What a worker process of our own does first."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time


def prepare_process(parent: int) -> None:
    """Set up a worker process of our own.

    Ctrl-C is left to `parent`, the process that hands out the work, so that it can end in order; when it is gone,
    killed or not, this one ends too. loky ends a worker whose memory grows by 300 MB, taking that for a leak; here it
    is the stages a source shares, which are dropped when done.
    """
    from joblib.externals.loky import process_executor

    # Standard output belongs to the command that asked; a worker answers by other ways.
    with contextlib.suppress(OSError):
        os.dup2(2, 1)
    # loky's start method is unknown to processes that a plug-in starts here: they would die as they start, for ever.
    multiprocessing.set_start_method(None, force=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    process_executor._MAX_MEMORY_LEAK_SIZE = sys.maxsize
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process once `parent` is no longer its parent."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
