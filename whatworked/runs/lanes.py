"""Worker processes with one unit at a time each: a unit that kills its process is known, and nothing else is lost."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from whatworked.errors import ExecutionError, PluginError
from whatworked.execution.processes import end_processes, start_processes
from whatworked.execution.profile import NumericProfile, pinned_profile
from whatworked.execution.worker import observe
from whatworked.runs.guarded import describe
from whatworked.runs.limits import Watch, noted, overrun
from whatworked.runs.plan import Plan, Unit
from whatworked.runs.unit import UnitResult, missing_result, run_unit

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
        notes = (Path(self._folder.name) / f"step{lane}" for lane in range(jobs))
        self._lanes = [_Lane(plan, pinned_profile(), note) for note in notes]

    def software(self) -> dict[str, Any]:
        """Python, packages and numeric profile of the workers, as plain JSON."""
        return self._lanes[0].software()

    def run(self, units: Sequence[Unit]) -> Iterator[tuple[Unit, UnitResult]]:
        """Results as they come.

        A unit whose process was ended by the time limit is run again without the step that took too long. One whose
        process dies otherwise is run again estimator by estimator, to tell which it is.
        """
        from concurrent.futures import FIRST_COMPLETED, wait

        waiting = list(reversed(units))
        running: dict[Any, tuple[_Lane, Asked]] = {}

        def start(lane: _Lane) -> None:
            if waiting:
                ask(lane, Asked(waiting.pop()))

        def ask(lane: _Lane, asked: Asked) -> None:
            running[lane.submit(asked)] = lane, asked

        for lane in self._lanes:
            start(lane)
        while running:
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
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

    def __init__(self, plan: Plan, profile: NumericProfile, note: Path) -> None:
        self._plan = plan
        self._profile = profile
        self._note = note
        self._sent = False
        self._start()

    def software(self) -> dict[str, Any]:
        maker = self._executor.submit(observe, self._profile).result()
        content: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(maker))
        return content

    def submit(self, asked: Asked) -> Any:
        shipped = None if self._sent else self._plan
        self._sent = True
        return self._executor.submit(_run_held, self._plan.digest, shipped, asked, self._note)

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
            raise PluginError(
                f"a plug-in or condition cannot be sent to a worker process: {describe(error.__cause__ or error)}; "
                "give plug-ins as texts (module:Name, ./file.py:Name)"
            ) from error
        if result is not None:
            return result
        # The executor replaced the process by another one, which does not hold the plan.
        self._sent = False
        return self.result(self.submit(asked), asked)

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


def _run_held(digest: str, shipped: Plan | None, asked: Asked, note: Path) -> UnitResult | None:
    """Run in the worker; None if it was not sent the plan and does not hold it."""
    if shipped is not None:
        _HELD.clear()
        _HELD[digest] = shipped
    if digest not in _HELD:
        return None
    with noted(note) as stream:
        watch = Watch(_HELD[digest].time_limit, stream, asked.ended)
        return run_unit(_HELD[digest], asked.unit, asked.estimators, watch)
