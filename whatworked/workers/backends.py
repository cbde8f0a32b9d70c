"""Workers of any backend that joblib knows, for instance a Dask cluster."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any

from whatworked.errors import ExecutionError, InvalidOptionError, unknown_name
from whatworked.workers.call import DEATH, Answer, Call, Subject, Supply, perform
from whatworked.workers.cluster import DASK, dask_client, is_dask
from whatworked.workers.processes import DEFAULT_BACKEND
from whatworked.workers.profile import NumericProfile
from whatworked.workers.software import Maker, common_maker, observe

SEQUENTIAL = "sequential"
"""The backend that does the work in this process."""

LEAST = 2
"""Workers of any other backend: joblib would do the work of a single one in this process, which is not pinned."""

UNSUITABLE = {
    "threading": "its threads would mix up each other's warnings",
    "multiprocessing": "it hands back results only at the end, so that an interrupted run would lose all",
}


@contextlib.contextmanager
def open_backend(backend: str, jobs: int, profile: NumericProfile) -> Iterator[BackendPool]:
    """Workers of a joblib backend; see `whatworked.workers.pool.open_pool`."""
    _check_backend(DASK if is_dask(backend) else backend)
    jobs = jobs if backend == SEQUENTIAL else max(LEAST, jobs)
    with _environment(profile), _cluster(backend, jobs, profile):
        yield BackendPool(backend, jobs, profile, _dask_backend() if is_dask(backend) else backend)


class BackendPool:
    """Calls that joblib spreads over whatever workers its backend has; see `whatworked.workers.pool.Pool`.

    Each call brings its state with it, since the backend chooses the worker. One that holds the state already goes on
    with its own copy.
    """

    keeps_lanes = False

    def __init__(self, backend: str, jobs: int, profile: NumericProfile, implementation: Any) -> None:
        self._backend = backend
        self._implementation = implementation
        self._jobs = jobs
        self._profile = profile

    @property
    def workers(self) -> int:
        """See `Pool.workers`."""
        return self._jobs

    def maker(self) -> Maker:
        """See `Pool.maker`."""
        from joblib import delayed

        return common_maker(list(self._parallel(delayed(observe)(self._profile) for _ in range(self._jobs))))

    def run(self, supply: Supply[Subject], on_wait: Callable[[], object] | None = None) -> Iterator[Answer[Subject]]:
        """See `Pool.run`."""
        from joblib import delayed

        del on_wait
        asked: list[Call[Subject]] = []

        def calls() -> Iterator[Any]:
            while (call := supply(0)) is not None:
                asked.append(call)
                token = "" if call.state is None else call.state.token
                arguments = (self._profile, call.function, call.arguments, token, call.state)
                yield delayed(_numbered)(len(asked) - 1, *arguments)

        # What the caller added while it took the last answers is another round.
        finished = -1
        while finished < len(asked):
            finished = len(asked)
            for number, value in self._parallel(calls()):
                yield Answer(asked[number], 0, value)

    def _parallel(self, calls: Any) -> Iterator[Any]:
        from joblib import Parallel, effective_n_jobs, parallel_config

        with parallel_config(backend=self._implementation, n_jobs=self._jobs), _deaths(self._backend):
            if self._backend != SEQUENTIAL and (workers := effective_n_jobs(self._jobs)) < LEAST:
                raise ExecutionError(
                    f"backend {self._backend} has {workers} worker, whose work joblib would do in this process; "
                    f"give it {LEAST} or more, or leave out --backend"
                )
            yield from Parallel(batch_size=1, return_as="generator_unordered", pre_dispatch="2*n_jobs")(calls)


def _numbered(number: int, *call: Any) -> tuple[int, Any]:
    return number, perform(*call)


@contextlib.contextmanager
def _deaths(backend: str) -> Iterator[None]:
    """Turn the death of a worker inside the block into an `ExecutionError` with advice."""
    from concurrent.futures.process import BrokenProcessPool

    try:
        yield
    except BrokenProcessPool as error:
        raise ExecutionError(DEATH) from error
    except Exception as error:
        name = DASK if is_dask(backend) else backend
        if type(error).__module__.partition(".")[0] not in {name, "distributed"}:
            raise
        raise ExecutionError(
            f"backend {name} failed ({type(error).__name__}: {str(error).rstrip('.')}); what had finished is kept. "
            "Run the same command again to go on, or without --backend"
        ) from error


def _check_backend(backend: str) -> None:
    from joblib.parallel import BACKENDS, EXTERNAL_BACKENDS

    known = sorted({*BACKENDS, *EXTERNAL_BACKENDS, DEFAULT_BACKEND} - set(UNSUITABLE))
    # "sequential" works only in a process that was pinned before it started; --jobs 1 needs no such care.
    advised = [name for name in known if name != SEQUENTIAL]
    if backend in UNSUITABLE:
        raise InvalidOptionError(
            f"backend {backend} cannot be used: {UNSUITABLE[backend]}; use one of {', '.join(advised)}"
        )
    if backend not in known:
        raise unknown_name("backend", backend, known)


def _dask_backend() -> Any:
    """Joblib's backend for Dask, made to say that a worker died; joblib's own waits for its answer for ever."""
    from concurrent.futures import Future

    from joblib._dask import DaskDistributedBackend

    class DaskBackend(DaskDistributedBackend):  # type: ignore[misc]
        def submit(self, func: Any, callback: Any = None) -> Any:
            future = super().submit(func, callback)
            # What a call raises is a result like others. Only where there is none, nobody would be called.
            future.add_done_callback(lambda done: callback(done) if done.exception() else None)
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            return out.result() if isinstance(out, Future) else super().retrieve_result_callback(out)

    return DaskBackend()


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


def _cluster(backend: str, jobs: int, profile: NumericProfile) -> contextlib.AbstractContextManager[Any]:
    """The Dask cluster of a backend, as long as the block lasts; nothing for another backend."""
    return dask_client(backend, jobs, profile.environment) if is_dask(backend) else contextlib.nullcontext()
