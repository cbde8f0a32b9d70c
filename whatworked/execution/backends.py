"""Workers of any backend that joblib knows, for instance a Dask cluster."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator, Sequence
from typing import Any

from whatworked.errors import InvalidOptionError, MissingExtraError, unknown_name
from whatworked.execution.plan import SourcePlan
from whatworked.execution.pool import DEFAULT_BACKEND, Batch, agreed
from whatworked.execution.schedule import Queue, Schedule
from whatworked.execution.worker import Ran, run_programs
from whatworked.workers.profile import NumericProfile
from whatworked.workers.software import Maker, observe

CHUNK = 16
"""Programs per task: here the backend, not we, chooses the worker, and stages are shared within a task."""

UNSUITABLE = {
    "threading": "threads would mix up each other's warnings",
    "multiprocessing": "it hands back results only at the end, so that an interrupted run would lose all",
}


@contextlib.contextmanager
def open_backend(backend: str, jobs: int, profile: NumericProfile) -> Iterator[BackendPool]:
    """Workers of a joblib backend; see `whatworked.execution.pool.open_pool`."""
    _check_backend(backend)
    with _environment(profile), _cluster(backend, jobs, profile):
        yield BackendPool(backend, jobs, profile)


class BackendPool:
    """Tasks of several programs that joblib spreads over whatever workers its backend has."""

    def __init__(self, backend: str, jobs: int, profile: NumericProfile) -> None:
        self._backend = backend
        self._jobs = jobs
        self._profile = profile

    def observe(self) -> Maker:
        """See `Pool.observe`."""
        from joblib import delayed

        return agreed(list(self._parallel(delayed(observe)(self._profile) for _ in range(self._jobs))))

    def run(self, plans: Sequence[SourcePlan]) -> Iterator[Batch]:
        """See `Pool.run`."""
        from joblib import delayed

        tasks = list(_tasks(plans))
        calls = (
            delayed(_numbered)(number, self._profile, queue.token, programs, queue.work)
            for number, (queue, programs) in enumerate(tasks)
        )
        for number, results in self._parallel(calls):
            yield tasks[number][0].plan, results

    def _parallel(self, calls: Any) -> Iterator[Any]:
        from joblib import Parallel, parallel_config

        with parallel_config(backend=self._backend, n_jobs=self._jobs):
            yield from Parallel(batch_size=1, return_as="generator_unordered", pre_dispatch="2*n_jobs")(calls)


def _tasks(plans: Sequence[SourcePlan]) -> Iterator[tuple[Queue, tuple[int, ...]]]:
    for queue in Schedule(plans).queues:
        while queue.waiting:
            yield queue, queue.take(CHUNK, from_end=False)


def _numbered(number: int, *call: Any) -> tuple[int, list[Ran]]:
    return number, run_programs(*call) or []


def _check_backend(backend: str) -> None:
    from joblib.parallel import BACKENDS, EXTERNAL_BACKENDS

    known = sorted({*BACKENDS, *EXTERNAL_BACKENDS, DEFAULT_BACKEND} - set(UNSUITABLE))
    # "sequential" works only in a process that was pinned before it started; --jobs 1 needs no such care.
    advised = [name for name in known if name != "sequential"]
    if backend in UNSUITABLE:
        raise InvalidOptionError(
            f"backend {backend} does not suit: {UNSUITABLE[backend]}; use one of {', '.join(advised)}"
        )
    if backend not in known:
        raise unknown_name("backend", backend, known)


@contextlib.contextmanager
def _environment(profile: NumericProfile) -> Iterator[None]:
    """Let processes that start inside the block inherit the profile."""
    before = {name: os.environ.get(name) for name in profile.environment}
    os.environ.update(profile.environment)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _cluster(backend: str, jobs: int, profile: NumericProfile) -> Iterator[None]:
    """The Dask cluster of the configuration, or one of our own, as long as the block lasts."""
    if backend != "dask":
        yield
        return
    try:
        dask: Any = importlib.import_module("dask")
        distributed: Any = importlib.import_module("dask.distributed")
    except ImportError as error:
        raise MissingExtraError("--backend dask needs Dask; install it with: pip install 'whatworked[dask]'") from error
    if address := dask.config.get("scheduler-address", None):
        with distributed.Client(address):
            yield
        return
    # Dask's nanny sets variables of its own before a worker starts, over what the worker would inherit.
    with (
        dask.config.set({"distributed.nanny.pre-spawn-environ": dict(profile.environment)}),
        distributed.LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None) as local,
        distributed.Client(local),
    ):
        yield
