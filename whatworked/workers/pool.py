"""One pool of workers for every long command: processes of our own, or any suitable backend that joblib knows."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from whatworked.storage.posix import require_posix
from whatworked.workers.call import Answer, Call, Subject
from whatworked.workers.call import Supply as Supply
from whatworked.workers.processes import DEFAULT_BACKEND as DEFAULT_BACKEND
from whatworked.workers.processes import worker_count
from whatworked.workers.profile import NumericProfile
from whatworked.workers.software import Maker


class Pool(Protocol):
    """Workers that all run under one numeric profile.

    Work is handed out lane by lane. Where the pool keeps lanes, each lane is one process, so that what was sent to it
    is still there at the next call. Elsewhere there is lane 0 only, and the backend chooses the worker.
    """

    @property
    def workers(self) -> int:
        """Number of workers."""
        ...

    @property
    def keeps_lanes(self) -> bool:
        """Whether each lane is one process of ours: it keeps its state, and is replaced when it dies."""
        ...

    def maker(self) -> Maker:
        """What the workers compute with.

        Raises
        ------
        ExecutionError
            If a worker is not pinned, if workers differ, or if one dies as soon as it starts.
        """
        ...

    def run(self, supply: Supply[Subject], on_wait: Callable[[], object] | None = None) -> Iterator[Answer[Subject]]:
        """Ask for work until there is none, and hand back answers as they come, in any order.

        Parameters
        ----------
        supply : callable
            Asked for the next call of a lane. After each answer it is asked again for every lane without work, so that
            the caller may add calls while it takes answers.
        on_wait : callable, optional
            Called now and then while nothing finishes, where the pool keeps lanes.

        Raises
        ------
        TransferError
            If a call cannot be sent to a worker, or its result cannot be sent back.
        ExecutionError
            If a worker is not pinned, or workers die as soon as they start; where the pool keeps no lanes also if one
            dies later. Elsewhere that is an answer that says so.
        Exception
            Whatever the function of a call raises.
        """
        ...


@contextlib.contextmanager
def open_pool(backend: str, jobs: int, profile: NumericProfile, tasks: int) -> Iterator[Pool]:
    """Start `jobs` workers under `profile`, and end them on leaving.

    Parameters
    ----------
    backend : str
        ``"loky"`` (processes made here), or another backend registered with joblib; ``"dask"`` uses the cluster that
        Dask's configuration names, else one on this machine, ``"dask:tcp://host:8786"`` that of a scheduler.
    jobs : int
        Number of workers, at least 1; see `whatworked.workers.processes.worker_count`.
    profile : NumericProfile
        What every worker must run under.
    tasks : int
        How many pieces of work there can be.

    Raises
    ------
    UnknownNameError, InvalidOptionError, MissingExtraError
        For a backend that does not exist or does not suit, fewer than one job, a backend whose package is missing.
    UnsupportedSystemError
        On a system where processes cannot be held to limits.
    """
    require_posix()
    jobs = worker_count(jobs, tasks)
    if backend == DEFAULT_BACKEND:
        from whatworked.workers.local import open_local

        with open_local(jobs, profile) as local:
            yield local
    else:
        from whatworked.workers.backends import open_backend

        with open_backend(backend, jobs, profile) as other:
            yield other


def map_calls(pool: Pool, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Results of a function for each tuple of arguments, as they finish.

    Raises
    ------
    ExecutionError
        If a worker died.
    """
    waiting = iter(calls)

    def supply(lane: int) -> Call[None] | None:
        del lane
        return next((Call(None, function, arguments) for arguments in waiting), None)

    for answer in pool.run(supply):
        yield answer.result()
