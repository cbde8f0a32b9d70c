"""Worker processes with one unit at a time each: a unit that kills its process is known, and nothing else is lost."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from whatworked.errors import ExecutionError, PluginError
from whatworked.plugins.guard import describe
from whatworked.plugins.limits import Watch, opened, overrun
from whatworked.runs.plan import Plan, Unit
from whatworked.runs.unit import UnitResult, missing_result, run_unit
from whatworked.workers.processes import end_processes, first_finished, start_processes
from whatworked.workers.profile import NumericProfile, pinned_profile
from whatworked.workers.software import observe

_OURS = f"{PluginError.__module__}.{PluginError.__qualname__}: "
"""How a traceback names an error that is told on its own."""

_HELD: dict[str, Plan] = {}
"""The plan of this worker process, by digest."""


@dataclass(frozen=True)
class Asked:
    """What a process is asked to run: a unit, some of its estimators or all, without steps that were ended before."""

    unit: Unit
    estimators: tuple[str, ...] | None = None
    ended: frozenset[str] = frozenset()

    def without(self, step: str) -> Asked:
        """The same, with one more step that was ended."""
        return replace(self, ended=self.ended | {step})


class Lanes:
    """Single-process executors under the pinned numeric profile.

    Parameters
    ----------
    plan : Plan
        Sent once to every process.
    jobs : int
        Number of processes.
    """

    def __init__(self, plan: Plan, jobs: int) -> None:
        self._plan = plan
        self._folder = tempfile.TemporaryDirectory(prefix="whatworked-")
        folders = (Path(self._folder.name) / str(lane) for lane in range(jobs))
        self._lanes = [_Lane(plan, pinned_profile(), folder) for folder in folders]

    def software(self) -> dict[str, Any]:
        """Python, packages and numeric profile of the workers, as plain JSON."""
        return self._lanes[0].software()

    def run(
        self, units: Sequence[Unit], under_way: Callable[[int], None] | None = None
    ) -> Iterator[tuple[Unit, UnitResult]]:
        """Results as they come.

        A unit whose process was ended by the time limit is run again without the step that took too long. One whose
        process dies otherwise is run again estimator by estimator, to tell which it is. While nothing finishes,
        `under_way` is told now and then how many records the unfinished units have.
        """
        waiting = list(reversed(units))
        running: dict[Any, tuple[_Lane, Asked]] = {}

        def start(lane: _Lane) -> None:
            if waiting:
                ask(lane, Asked(waiting.pop()))

        def ask(lane: _Lane, asked: Asked) -> None:
            running[lane.submit(asked)] = lane, asked

        def tell() -> None:
            if under_way is not None:
                under_way(sum(lane.records() for lane, _ in running.values()))

        for lane in self._lanes:
            start(lane)
        while running:
            for future in first_finished(running, tell):
                lane, asked = running.pop(future)
                result = lane.result(future, asked)
                if result is None and (step := lane.overrun()) is not None:
                    ask(lane, asked.without(step))
                    continue
                # First the caller keeps the result, then the lane goes on: what has finished is never lost.
                yield asked.unit, result or self._piecewise(lane, asked)
                start(lane)

    def close(self) -> None:
        """End the processes."""
        for lane in self._lanes:
            lane.close()
        self._folder.cleanup()

    def _piecewise(self, lane: _Lane, asked: Asked) -> UnitResult:
        unit, parts = asked.unit, []
        for method in self._plan.methods_of(self._plan.policies[unit.policy]):
            label = method.estimator.label
            part = replace(asked, estimators=(label,))
            while (result := lane.result(lane.submit(part), part)) is None and (step := lane.overrun()) is not None:
                part = part.without(step)
            parts.append(result or missing_result(self._plan, unit, (label,)))
        return UnitResult(
            tuple(record for part in parts for record in part.records),
            tuple(cost for part in parts for cost in part.costs),
            tuple(dict.fromkeys(line for part in parts for line in part.log)),
        )


class _Lane:
    """One worker process, replaced when it dies."""

    def __init__(self, plan: Plan, profile: NumericProfile, folder: Path) -> None:
        folder.mkdir()
        self._plan = plan
        self._profile = profile
        self._note = folder / "step"
        self._count = folder / "records"
        self._before = 0
        self._sent = False
        self._start()

    def software(self) -> dict[str, Any]:
        maker = self._executor.submit(observe, self._profile).result()
        content: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(maker))
        return content

    def submit(self, asked: Asked) -> Any:
        self._before = self._made()
        shipped = None if self._sent else self._plan
        self._sent = True
        return self._executor.submit(_run_held, self._plan.digest, shipped, asked, self._note, self._count)

    def result(self, future: Any, asked: Asked) -> UnitResult | None:
        """The result; None if the process died of it."""
        from pickle import PicklingError

        from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

        try:
            result: UnitResult | None = future.result()
        except TerminatedWorkerError:
            self._replace()
            return None
        except (BrokenProcessPool, PicklingError) as error:
            said = _said(error)
            if said.startswith(_OURS):
                raise PluginError(f"{said.removeprefix(_OURS)}; what had finished is kept") from error
            raise PluginError(
                f"a plug-in or condition cannot be sent to a worker process: {said}; "
                "give plug-ins as texts (module:Name, ./file.py:Name)"
            ) from error
        if result is not None:
            return result
        # The executor replaced the process by another one, which does not hold the plan.
        self._sent = False
        return self.result(self.submit(asked), asked)

    def records(self) -> int:
        """How many records it has made of what it was asked last."""
        return self._made() - self._before

    def _made(self) -> int:
        try:
            return self._count.stat().st_size
        except OSError:
            return 0

    def overrun(self) -> str | None:
        """The step for which the time limit ended the process; None if it died otherwise."""
        found = overrun(self._note)
        return None if found is None else found[0]

    def close(self) -> None:
        end_processes(self._executor)

    def _start(self) -> None:
        self._executor = start_processes(self._profile)
        self._sent = False

    def _replace(self) -> None:
        from joblib.externals.loky.process_executor import BrokenProcessPool

        self.close()
        self._start()
        try:
            self.software()
        except BrokenProcessPool as error:
            raise ExecutionError(
                "worker processes die as soon as they start, most likely because memory is short; what had finished is "
                "kept, run the same command again to go on, with fewer --jobs"
            ) from error


@contextlib.contextmanager
def lanes(plan: Plan, jobs: int) -> Iterator[Lanes]:
    """`Lanes` that are closed on leaving."""
    opened = Lanes(plan, jobs)
    try:
        yield opened
    finally:
        opened.close()


def _said(error: BaseException) -> str:
    """What a worker said when it could not read what it was sent: the last line of the traceback it sent back."""
    lines = [line.strip() for line in str(error.__cause__ or "").strip('"\n ').splitlines()]
    return lines[-1] if lines and lines[-1] else describe(error)


def _run_held(digest: str, shipped: Plan | None, asked: Asked, note: Path, count: Path) -> UnitResult | None:
    """Run in the worker; None if it was not sent the plan and does not hold it."""
    if shipped is not None:
        _HELD.clear()
        _HELD[digest] = shipped
    if digest not in _HELD:
        return None
    watch = Watch(_HELD[digest].time_limit, opened(note), asked.ended)
    return run_unit(_HELD[digest], asked.unit, asked.estimators, watch, partial(_tick, count))


def _tick(count: Path) -> None:
    """One byte for one record; how much the file has grown says how many there are."""
    if (file := opened(count)) is not None:
        with contextlib.suppress(OSError):  # a full disk; only the progress bar is the poorer
            file.write(b".")
