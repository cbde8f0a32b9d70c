"""Starting and ending worker processes under a numeric profile: the one place where it is done."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
from collections.abc import Callable, Collection, Iterator
from multiprocessing import resource_tracker
from typing import Any

from whatworked.errors import ExecutionError, InvalidOptionError
from whatworked.workers.child import prepare_process
from whatworked.workers.profile import NumericProfile
from whatworked.workers.settings import check_settings

DEFAULT_BACKEND = "loky"
"""The backend whose processes are our own."""

FEW = 4
"""Workers allowed beyond two for each core, so that small machines can be asked for several."""

LOOK_SECONDS = 0.2
"""Seconds after which a thread that waits for a worker looks up."""

PATIENCE = 10.0
"""Seconds to wait for a thread that hands out calls; only a process that a call left behind can keep it that long."""

_SAFE_PATH = {"PYTHONSAFEPATH": "1"}
"""Keeps a new process from importing what it starts with from the current folder, should that have files of such names.

A worker is told later where modules are looked for, and that is as in this process.
"""


def worker_count(jobs: int, tasks: int) -> int:
    """How many workers to start when `jobs` are asked for and there are `tasks` pieces of work.

    Never more than there is work for, nor than a few for each core: the work is bound by the processor, and every
    worker takes memory of its own.

    Raises
    ------
    InvalidOptionError
        If `jobs` is less than 1, or a variable of the environment that joblib reads is wrong.
    """
    check_settings()
    from joblib import cpu_count

    if jobs < 1:
        raise InvalidOptionError(f"--jobs is {jobs}; at least one worker is needed")
    return max(1, min(jobs, tasks, FEW + 2 * int(cpu_count())))


def start_processes(profile: NumericProfile, workers: int = 1) -> Any:
    """An executor whose processes have the environment of `profile` from their first instruction.

    The caller ends it with `end_processes`. Where no semaphore can be made, one process is spoken to through pipes.

    Raises
    ------
    ExecutionError
        If no process can be started, or several workers are wanted of one executor where no semaphore can be made.
    """
    try:
        return _start_loky(profile, workers)
    except OSError as error:
        if workers > 1:
            raise ExecutionError(semaphore_problem(error)) from error
    from whatworked.workers.pipes import PipeExecutor

    try:
        with _interrupts_held():
            return PipeExecutor(profile.environment)
    except OSError as error:
        raise ExecutionError(
            f"cannot start a worker process: {error.strerror or error}; end other processes or raise the limit on "
            "them, then run the same command again"
        ) from error


def semaphore_problem(error: OSError) -> str:
    """Why several workers of one executor cannot be started, and what to do about it."""
    return (
        f"worker processes cannot be synchronised: {error.strerror or error}. They need semaphores, for which Linux "
        "needs a writable /dev/shm: mount a tmpfs there (docker run --tmpfs /dev/shm), then run the same command again"
    )


def _start_loky(profile: NumericProfile, workers: int) -> Any:
    from joblib.externals.loky.process_executor import ProcessPoolExecutor

    # The first call starts the processes. Ctrl-C reaches all processes of a terminal: one that is still importing would
    # print a traceback, so they inherit a mask without it and are ended by this process.
    with _safe_path(), _interrupts_held():
        executor = ProcessPoolExecutor(
            max_workers=workers,
            env={**profile.environment, **_SAFE_PATH},
            initializer=prepare_process,
            initargs=(os.getpid(),),
        )
        executor.submit(int)
    return executor


def first_finished(futures: Collection[Any], on_wait: Callable[[], object] | None = None) -> set[Any]:
    """Wait until some of the futures are done, and return those.

    The wait is cut into short ones: a signal that comes just before a thread begins to wait, or that the system gives
    to another thread, does not wake it, and Ctrl-C would go unnoticed for as long as nothing finishes.

    Parameters
    ----------
    futures : collection of Future
        At least one.
    on_wait : callable, optional
        Called whenever a short wait has ended with nothing done.
    """
    from concurrent.futures import FIRST_COMPLETED, wait

    while not (finished := wait(futures, LOOK_SECONDS, FIRST_COMPLETED).done):
        if on_wait is not None:
            on_wait()
    return set(finished)


def end_processes(executor: Any) -> None:
    """End the processes of `executor` at once, whatever they are doing and whatever was just asked of them."""
    from whatworked.workers.pipes import PipeExecutor

    if isinstance(executor, PipeExecutor):
        executor.close()
        return
    # Loky's own thread drops all calls and then looks up those that were still to be handed out: a KeyError, whose
    # traceback it would print. So none is left to be handed out; nobody submits any more.
    with contextlib.suppress(queue.Empty):
        while True:
            executor._work_ids.get_nowait()
    calls = executor._call_queue  # shutdown forgets it
    executor.shutdown(wait=True, kill_workers=True)
    _end_feeder(calls)


def _end_feeder(calls: Any) -> None:
    """Wait for the thread that wrote `calls` to the processes of an executor that was shut down.

    Loky does not wait for it. As long as it runs, it holds semaphores of the queue, so that it is the one to unregister
    them; and as a daemon it may be stopped in the middle of that, where this process exits. The resource tracker would
    then report a leaked semaphore.
    """
    if calls is None or calls._thread is None:
        return
    # Nobody reads any more: a call that does not fit into the pipe ends with an error, which the thread expects.
    calls._reader.close()
    calls._thread.join(PATIENCE)


@contextlib.contextmanager
def _safe_path() -> Iterator[None]:
    # The processes that keep track of shared resources have the environment of this one.
    before = {name: os.environ.get(name) for name in _SAFE_PATH}
    os.environ.update(_SAFE_PATH)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    # Started here, because up to Python 3.12 it unblocks the signal when it starts.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
