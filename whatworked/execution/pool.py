"""Worker processes: one lane each by default, or any suitable backend that joblib knows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Protocol

from whatworked.errors import ExecutionError
from whatworked.execution.plan import SourcePlan
from whatworked.execution.worker import Ran
from whatworked.workers.processes import worker_count
from whatworked.workers.profile import NumericProfile
from whatworked.workers.software import Maker

Batch = tuple[SourcePlan, list[Ran]]

DEFAULT_BACKEND = "loky"


class Pool(Protocol):
    """Workers of one run, all under one profile."""

    def observe(self) -> Maker:
        """What the workers compute with; raises `ExecutionError` if they differ."""
        ...

    def run(self, plans: Sequence[SourcePlan]) -> Iterator[Batch]:
        """Run all programs; yields results as they come, in any order."""
        ...


@contextlib.contextmanager
def open_pool(backend: str, jobs: int, profile: NumericProfile, tasks: int) -> Iterator[Pool]:
    """Start `jobs` workers under `profile`, and end them on leaving.

    Parameters
    ----------
    backend : str
        ``"loky"`` (processes made here), or another backend registered with joblib; ``"dask"`` uses the cluster that
        Dask's configuration names, else one on this machine.
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
    """
    jobs = worker_count(jobs, tasks)
    with worker_deaths():
        if backend == DEFAULT_BACKEND:
            from whatworked.execution.lanes import open_lanes

            with open_lanes(jobs, profile) as lanes:
                yield lanes
        else:
            from whatworked.execution.backends import open_backend

            with open_backend(backend, jobs, profile) as other:
                yield other


@contextlib.contextmanager
def worker_deaths() -> Iterator[None]:
    """Turn the death of a worker process inside the block into an `ExecutionError` with advice."""
    from concurrent.futures.process import BrokenProcessPool

    try:
        yield
    except BrokenProcessPool as error:
        raise ExecutionError(
            "a worker process died, most likely because memory ran out; what had finished is kept. "
            "Run the same command again to go on, with fewer --jobs"
        ) from error


def agreed(makers: Sequence[Maker]) -> Maker:
    """The one maker of all workers.

    Raises
    ------
    ExecutionError
        If workers compute with different software, so that one table would mix results.
    """
    different = {maker.digest: maker for maker in makers}
    if len(different) > 1:
        raise ExecutionError(
            "workers differ in Python, packages or numeric profile, so that one table would mix results: "
            + "; ".join(repr(maker) for maker in different.values())
        )
    return makers[0]
