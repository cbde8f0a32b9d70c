"""Worker processes: a lane per process by default, or any backend that joblib knows."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from whatworked.errors import ExecutionError, InvalidOptionError, MissingExtraError, unknown_name
from whatworked.execution.plan import SourcePlan
from whatworked.execution.profile import NumericProfile
from whatworked.execution.schedule import Queue, Schedule
from whatworked.execution.worker import Ran, Work, observe, prepare_process, run_programs
from whatworked.references.index import Maker

Batch = tuple[SourcePlan, list[Ran]]

DEFAULT_BACKEND = "loky"
SHARED_CHUNK = 16
"""Programs per task where the backend, not we, chooses the worker: more stages are shared within a task."""


class Pool(Protocol):
    """Workers of one run, all under one profile."""

    def observe(self) -> Maker:
        """What the workers compute with."""
        ...

    def run(self, plans: Sequence[SourcePlan]) -> Iterator[Batch]:
        """Run all programs; yields results as they come, in any order."""
        ...


@contextlib.contextmanager
def open_pool(backend: str, jobs: int, profile: NumericProfile) -> Iterator[Pool]:
    """Start `jobs` workers under `profile`, and end them on leaving.

    Parameters
    ----------
    backend : str
        ``"loky"`` (processes made here), or another backend registered with joblib; ``"dask"`` uses the cluster that
        Dask's configuration names, else one on this machine.
    jobs : int
        Number of workers, at least 1.
    profile : NumericProfile
        What every worker must run under.

    Raises
    ------
    UnknownNameError, InvalidOptionError, MissingExtraError
        For a backend that does not exist, fewer than one job, a backend whose package is not installed.
    """
    if jobs < 1:
        raise InvalidOptionError(f"--jobs is {jobs}; at least one worker is needed")
    if backend == DEFAULT_BACKEND:
        with _lanes(jobs, profile) as lanes:
            yield lanes
        return
    _check_backend(backend)
    with _environment(profile), _cluster(backend, jobs):
        yield _JoblibPool(backend, jobs, profile)


class _LanePool:
    """One single-process executor per lane, so that a source stays with the process that holds its stages."""

    def __init__(self, executors: Sequence[Any], profile: NumericProfile) -> None:
        self._executors = executors
        self._profile = profile
        self._held: list[Queue | None] = [None] * len(executors)

    def observe(self) -> Maker:
        with _worker_deaths():
            return _agreed(
                [future.result() for future in [lane.submit(observe, self._profile) for lane in self._executors]]
            )

    def run(self, plans: Sequence[SourcePlan]) -> Iterator[Batch]:
        from concurrent.futures import FIRST_COMPLETED, wait

        schedule = Schedule(plans)
        running: dict[Any, tuple[int, Queue, tuple[int, ...]]] = {}

        def start(lane: int) -> None:
            if (chosen := schedule.next(lane)) is not None:
                running[self._submit(lane, *chosen)] = lane, *chosen

        for lane in range(len(self._executors)):
            start(lane)
        while running:
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                lane, queue, programs = running.pop(future)
                with _worker_deaths():
                    results = future.result()
                if results is None:
                    # The process was replaced by another, which does not hold the source.
                    self._held[lane] = None
                    running[self._submit(lane, queue, programs)] = lane, queue, programs
                    continue
                start(lane)
                yield queue.plan, results

    def _submit(self, lane: int, queue: Queue, programs: tuple[int, ...]) -> Any:
        work: Work | None = None
        if self._held[lane] is not queue:
            self._held[lane], work = queue, queue.work
        return self._executors[lane].submit(run_programs, self._profile, queue.token, programs, work)


class _JoblibPool:
    """Tasks of several programs that joblib spreads over whatever workers its backend has."""

    def __init__(self, backend: str, jobs: int, profile: NumericProfile) -> None:
        self._backend = backend
        self._jobs = jobs
        self._profile = profile

    def observe(self) -> Maker:
        from joblib import delayed

        return _agreed(list(self._parallel(delayed(observe)(self._profile) for _ in range(self._jobs))))

    def run(self, plans: Sequence[SourcePlan]) -> Iterator[Batch]:
        from joblib import delayed

        tasks = list(self._tasks(plans))
        by_number = {number: queue.plan for number, queue, _ in tasks}
        calls = (
            delayed(_numbered)(number, self._profile, queue.token, programs, queue.work)
            for number, queue, programs in tasks
        )
        for number, results in self._parallel(calls):
            yield by_number[number], results

    def _parallel(self, calls: Any) -> Any:
        from joblib import Parallel

        workers = Parallel(
            n_jobs=self._jobs,
            backend=self._backend,
            batch_size=1,
            return_as="generator_unordered",
            pre_dispatch="2*n_jobs",
        )
        with _worker_deaths():
            yield from workers(calls)

    @staticmethod
    def _tasks(plans: Sequence[SourcePlan]) -> Iterator[tuple[int, Queue, tuple[int, ...]]]:
        number = 0
        for queue in Schedule(plans).queues:
            while queue.waiting:
                yield number, queue, queue.take(SHARED_CHUNK, from_end=False)
                number += 1


def _numbered(number: int, *call: Any) -> tuple[int, list[Ran]]:
    return number, run_programs(*call) or []


@contextlib.contextmanager
def _lanes(jobs: int, profile: NumericProfile) -> Iterator[_LanePool]:
    from joblib.externals.loky.process_executor import ProcessPoolExecutor

    executors = [
        ProcessPoolExecutor(
            max_workers=1, env=profile.environment, initializer=prepare_process, initargs=(os.getpid(),)
        )
        for _ in range(jobs)
    ]
    try:
        yield _LanePool(executors, profile)
    finally:
        for executor in executors:
            executor.shutdown(wait=True, kill_workers=True)


def _check_backend(backend: str) -> None:
    from joblib.parallel import BACKENDS, EXTERNAL_BACKENDS

    known = sorted({*BACKENDS, *EXTERNAL_BACKENDS, DEFAULT_BACKEND})
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
def _cluster(backend: str, jobs: int) -> Iterator[None]:
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
    local = distributed.LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None)
    with local, distributed.Client(local):
        yield


@contextlib.contextmanager
def _worker_deaths() -> Iterator[None]:
    from joblib.externals.loky.process_executor import BrokenProcessPool

    try:
        yield
    except BrokenProcessPool as error:
        raise ExecutionError(
            "a worker process died, most likely because memory ran out; what had finished is kept. "
            "Run the same command again to go on, with fewer --jobs"
        ) from error


def _agreed(makers: Sequence[Maker]) -> Maker:
    """The one maker of all workers; they must not compute with different software."""
    different = {maker.digest: maker for maker in makers}
    if len(different) > 1:
        raise ExecutionError(
            "workers differ in Python, packages or numeric profile, so one table would mix results: "
            + "; ".join(repr(maker) for maker in different.values())
        )
    return makers[0]
