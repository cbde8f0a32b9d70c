"""Our own workers: one executor of one process per lane, so that we know which call a process died of."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from whatworked.errors import ExecutionError, TransferError
from whatworked.workers.call import Answer, Call, StateMissing, Subject, Supply, WorkerDeath, perform
from whatworked.workers.processes import end_processes, first_finished, start_processes
from whatworked.workers.profile import NumericProfile
from whatworked.workers.software import Maker, common_maker, observe

EARLY_DEATH = (
    "worker processes die as soon as they start, most likely because memory is short; what had finished is kept, "
    "run the same command again to go on, with fewer --jobs"
)


@contextlib.contextmanager
def open_local(jobs: int, profile: NumericProfile) -> Iterator[LocalPool]:
    """Start `jobs` worker processes whose environment is that of `profile` from their first instruction."""
    with contextlib.ExitStack() as stack:
        lanes = []
        for number in range(jobs):
            lanes.append(_Lane(number, profile))
            stack.callback(lanes[-1].close)
        yield LocalPool(lanes)


class LocalPool:
    """See `whatworked.workers.pool.Pool`."""

    keeps_lanes = True

    def __init__(self, lanes: Sequence[_Lane]) -> None:
        self._lanes = lanes

    @property
    def workers(self) -> int:
        """See `Pool.workers`."""
        return len(self._lanes)

    def maker(self) -> Maker:
        """See `Pool.maker`."""
        return common_maker([lane.maker() for lane in self._lanes])

    def run(self, supply: Supply[Subject], on_wait: Callable[[], object] | None = None) -> Iterator[Answer[Subject]]:
        """See `Pool.run`."""
        running: dict[Any, tuple[_Lane, Call[Subject]]] = {}

        def start(lane: _Lane) -> None:
            if (call := supply(lane.number)) is not None:
                running[lane.submit(call)] = lane, call

        while True:
            busy = {lane.number for lane, _ in running.values()}
            for lane in self._lanes:
                if lane.number not in busy:
                    start(lane)
            if not running:
                return
            for future in first_finished(running, on_wait):
                lane, call = running.pop(future)
                value = lane.value(future)
                if isinstance(value, StateMissing):
                    # The executor replaced the process by another one, which does not hold the state.
                    running[lane.submit(call)] = lane, call
                    continue
                # The caller keeps the result first: whatever the next call does, what has finished is never lost.
                yield Answer(call, lane.number, value)
                if not lane.dead:
                    start(lane)


class _Lane:
    """One worker process, replaced when it has died and there is work for it."""

    def __init__(self, number: int, profile: NumericProfile) -> None:
        self.number = number
        self.dead = False
        self._profile = profile
        self._owner: str | None = None
        self._start()

    def maker(self) -> Maker:
        """What the process computes with."""
        from joblib.externals.loky.process_executor import BrokenProcessPool

        try:
            first_finished([self._maker])
            maker: Maker = self._maker.result()
        except BrokenProcessPool as error:
            raise ExecutionError(EARLY_DEATH) from error
        return maker

    def submit(self, call: Call[Any]) -> Any:
        """The future of a call, which is asked of a new process if the last one died."""
        from joblib.externals.loky.process_executor import BrokenProcessPool

        if self.dead or self._owner not in (None, call.owner):
            self._replace()
            self.maker()  # a call must not be blamed for a machine on which no process lives
        self._owner = call.owner
        try:
            return self._submit(call)
        except BrokenProcessPool:  # it died with nothing to do
            self._replace()
            self._owner = call.owner
            return self._submit(call)

    def value(self, future: Any) -> Any:
        """What a call gave that is done; a `WorkerDeath` if the process died of it."""
        from pickle import PicklingError

        from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

        try:
            value = future.result()
        except TerminatedWorkerError:
            self.dead = True
            return WorkerDeath()
        except (BrokenProcessPool, PicklingError) as error:
            raise TransferError(_cause(error)) from error
        if isinstance(value, StateMissing):
            self._token = ""
        return value

    def close(self) -> None:
        """End the process."""
        end_processes(self._executor)

    def _submit(self, call: Call[Any]) -> Any:
        state, held = call.state, self._token
        self._token = "" if state is None else state.token
        sent = None if self._token == held else state
        return self._executor.submit(perform, self._profile, call.function, call.arguments, self._token, sent)

    def _start(self) -> None:
        self._token = ""
        self._owner = None
        self._executor = start_processes(self._profile)
        # Asked for at once, so that the process loads its libraries while the caller gets ready.
        self._maker = self._executor.submit(observe, self._profile)
        self.dead = False

    def _replace(self) -> None:
        self.close()
        self._start()


def _cause(error: BaseException) -> str:
    """What a worker said when it could not read what it was sent: the last line of the traceback it sent back."""
    lines = [line.strip() for line in str(error.__cause__ or "").strip('"\n ').splitlines()]
    return lines[-1] if lines and lines[-1] else f"{type(error).__name__}: {error}"
