"""Handing units to workers: a unit that kills its process is known, and nothing else is lost."""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from whatworked.errors import PluginError, TransferError
from whatworked.plugins.guard import Failure, describe
from whatworked.plugins.limits import Watch, opened, overrun
from whatworked.runs.acquisition import Acquisition
from whatworked.runs.fitting import Fit
from whatworked.runs.owners import mixes, narrowed, owner_of
from whatworked.runs.plan import Plan, Unit
from whatworked.runs.unit import UnitResult, fit_estimator, grade_unit, missing_result, purchase, run_unit, task_of
from whatworked.workers.call import Answer, Call, State
from whatworked.workers.pool import Pool

_OURS = f"{PluginError.__module__}.{PluginError.__qualname__}: "
"""How a traceback names an error that is told on its own."""


_WINDOW = 96
"""Units taken apart that are under way at most: what an interruption can lose, against restarts of processes."""

Stage = Literal["whole", "buy", "fit", "grade"]


@dataclass(frozen=True)
class UnitCall:
    """What a worker is asked to run: a unit, one of its estimators, or a stage of a unit with code from outside.

    The steps that were ended before are left out. `owner` is whose code it runs.
    """

    unit: Unit
    estimator: str | None = None
    ended: frozenset[str] = frozenset()
    stage: Stage = "whole"
    owner: str | None = None

    def without(self, step: str) -> UnitCall:
        """The same, with one more step that was ended."""
        return replace(self, ended=self.ended | {step})


@dataclass
class _Apart:
    """What the stages of a unit with code from outside have given so far."""

    purchases: Mapping[int, Acquisition] = field(default_factory=dict)
    fits: dict[str, Sequence[Fit] | None] = field(default_factory=dict)


@dataclass(frozen=True)
class LaneFiles:
    """Where the process of a lane says how far it is, for us to read when it is dead or busy."""

    step: Path
    records: Path

    def count(self) -> int:
        """How many records the processes of the lane have made so far."""
        try:
            return self.records.stat().st_size
        except OSError:
            return 0


def run_units(
    plan: Plan, units: Sequence[Unit], pool: Pool, under_way: Callable[[int], None] | None = None
) -> Iterator[tuple[Unit, UnitResult]]:
    """Results of units as they come.

    A unit whose process was ended by the time limit is run again without the step that took too long. One whose process
    dies otherwise is run again estimator by estimator, to tell which it is.

    Parameters
    ----------
    plan : Plan
        Sent once to every process.
    units : sequence of Unit
        What to run.
    pool : Pool
        The workers. Where it keeps no lanes, the death of a process ends the run.
    under_way : callable, optional
        Told now and then, while nothing finishes, how many records the unfinished units have.

    Raises
    ------
    PluginError
        If a plug-in or condition cannot be sent to a worker process.
    ExecutionError
        If a worker is not pinned, or workers die as soon as they start.
    """
    with tempfile.TemporaryDirectory(prefix="whatworked-") as folder:
        dispatch = _Dispatch(plan, units, Path(folder) if pool.keeps_lanes else None)
        on_wait = None if under_way is None else lambda: under_way(dispatch.records_under_way())
        try:
            for answer in pool.run(dispatch.supply, on_wait):
                yield from dispatch.accept(answer)
        except TransferError as error:
            raise _plugin_error(error) from error


class _Dispatch:
    """What is still to run, and what the parts of a unit that was taken apart have given."""

    def __init__(self, plan: Plan, units: Sequence[Unit], folder: Path | None) -> None:
        self._plan = plan
        self._states: dict[str | None, State] = {}
        self._folder = folder
        self._units = list(reversed(units))
        self._waiting: list[UnitCall] = []
        self._owners: dict[int, str | None] = {}
        self._apart: dict[Unit, _Apart] = {}
        self._parts: dict[Unit, dict[str, UnitResult]] = {}
        self._running: dict[int, tuple[UnitCall, int]] = {}

    def supply(self, lane: int) -> Call[UnitCall] | None:
        """See `whatworked.workers.pool.Supply`."""
        call = self._next(self._owners.get(lane))
        if call is None:
            return None
        self._owners[lane] = call.owner
        files = self._files(lane)
        if files is not None:
            self._running[lane] = call, files.count()
        return Call(call, _run_call, (call, files, self._apart.get(call.unit)), self._state(call.owner), call.owner)

    def accept(self, answer: Answer[UnitCall]) -> Iterator[tuple[Unit, UnitResult]]:
        """The unit that an answer completes, if any; after a death, what is to be tried instead is put in line."""
        call = answer.call.subject
        if self._running.get(answer.lane, (None,))[0] is call:  # else the lane is at its next call already
            del self._running[answer.lane]
        if not answer.died:
            yield from self._proceed(call, answer.value)
        elif (step := self._overrun(answer.lane)) is not None:
            self._waiting.append(call.without(step))
        elif call.stage == "fit":
            yield from self._proceed(call, None)
        elif call.stage != "whole":
            del self._apart[call.unit]
            yield call.unit, missing_result(self._plan, call.unit, self._estimators(call.unit))
        elif call.estimator is None:
            self._waiting += [replace(call, estimator=label) for label in reversed(self._estimators(call.unit))]
        else:
            yield from self._finish(call, missing_result(self._plan, call.unit, (call.estimator,)))

    def _next(self, owner: str | None) -> UnitCall | None:
        """A call of the owner whose process is there, if possible: another one needs a new process."""
        while True:
            for position in reversed(range(len(self._waiting))):
                if self._waiting[position].owner == owner:
                    return self._waiting.pop(position)
            if not self._units or len(self._apart) >= _WINDOW or len(self._waiting) >= _WINDOW:
                break
            self._waiting.append(self._opened(self._units.pop()))
        if not self._waiting:
            return None
        # The owner with the most calls, so that its process is used for long.
        counts = Counter(call.owner for call in self._waiting)
        most = counts.most_common(1)[0][0]
        position = max(index for index, call in enumerate(self._waiting) if call.owner == most)
        return self._waiting.pop(position)

    def _opened(self, unit: Unit) -> UnitCall:
        """The first call of a unit."""
        # Where the backend chooses the process, taking units apart would keep nobody from anybody.
        if self._folder is None or not mixes(self._plan, unit):
            return UnitCall(unit)
        self._apart[unit] = _Apart()
        return UnitCall(unit, stage="buy", owner=owner_of(self._plan.policies[unit.policy]))

    def _state(self, owner: str | None) -> State:
        if owner not in self._states:
            plan = self._plan if self._folder is None else narrowed(self._plan, owner)
            self._states[owner] = State(plan)
        return self._states[owner]

    def _proceed(self, call: UnitCall, value: Any) -> Iterator[tuple[Unit, UnitResult]]:
        """Keep what a stage gave, and put the next one in line."""
        if call.stage == "whole":
            yield from self._finish(call, value)
        elif call.stage == "grade":
            del self._apart[call.unit]
            yield call.unit, value
        elif call.stage == "buy":
            self._apart[call.unit].purchases = value
            policy = self._plan.policies[call.unit.policy]
            owners = {method.estimator.label: owner_of(method.estimator) for method in self._plan.methods_of(policy)}
            self._waiting += [
                UnitCall(call.unit, label, stage="fit", owner=owner) for label, owner in reversed(owners.items())
            ]
        elif call.estimator is not None:
            apart = self._apart[call.unit]
            apart.fits[call.estimator] = value
            if len(apart.fits) == len(self._estimators(call.unit)):
                self._waiting.append(UnitCall(call.unit, stage="grade"))

    def records_under_way(self) -> int:
        """How many records the unfinished units have: of what is running, and of stages and parts that are done."""
        counts = {lane: files.count() for lane in self._running if (files := self._files(lane)) is not None}
        running = sum(count - self._running[lane][1] for lane, count in counts.items())
        fitted = sum(len(fits) for apart in self._apart.values() for fits in apart.fits.values() if fits is not None)
        return running + fitted + sum(len(part.records) for parts in self._parts.values() for part in parts.values())

    def _finish(self, call: UnitCall, result: UnitResult) -> Iterator[tuple[Unit, UnitResult]]:
        if call.estimator is None:
            yield call.unit, result
            return
        parts = self._parts.setdefault(call.unit, {})
        parts[call.estimator] = result
        labels = self._estimators(call.unit)
        if len(parts) == len(labels):
            del self._parts[call.unit]
            yield call.unit, _joined([parts[label] for label in labels])

    def _estimators(self, unit: Unit) -> list[str]:
        methods = self._plan.methods_of(self._plan.policies[unit.policy])
        return list(dict.fromkeys(method.estimator.label for method in methods))

    def _files(self, lane: int) -> LaneFiles | None:
        if self._folder is None:
            return None
        return LaneFiles(self._folder / f"step-{lane}", self._folder / f"records-{lane}")

    def _overrun(self, lane: int) -> str | None:
        """The step for which the time limit ended the process of a lane; None if it died otherwise."""
        files = self._files(lane)
        found = None if files is None else overrun(files.step)
        return None if found is None else found[0]


def _joined(parts: Sequence[UnitResult]) -> UnitResult:
    return UnitResult(
        tuple(record for part in parts for record in part.records),
        tuple(cost for part in parts for cost in part.costs),
        tuple(dict.fromkeys(line for part in parts for line in part.log)),
    )


def _plugin_error(error: TransferError) -> PluginError:
    if error.cause.startswith(_OURS):
        return PluginError(f"{error.cause.removeprefix(_OURS)}; what had finished is kept")
    return PluginError(
        f"a plug-in or condition cannot be sent to a worker process: {error.cause}; "
        "give plug-ins as texts (module:Name, ./file.py:Name)"
    )


def _run_call(plan: Plan, call: UnitCall, files: LaneFiles | None, apart: _Apart | None) -> Any:
    """Run in the worker."""
    watch = Watch(plan.time_limit) if files is None else Watch(plan.time_limit, opened(files.step), call.ended)
    tick = None if files is None else partial(_tick, files.records)
    if apart is None:
        return run_unit(plan, call.unit, None if call.estimator is None else (call.estimator,), watch, tick)
    if call.stage == "buy":
        task = task_of(plan, call.unit)
        policy = plan.policies[call.unit.policy]
        budgets = plan.budgets_of(task)
        try:
            return purchase(task, policy, plan.seed_of(call.unit.seed), budgets, plan.batch, watch)
        except Exception as error:  # our own code fails where the plug-in has replaced what it calls
            failure = Failure("policy", describe(error))
            return dict.fromkeys(budgets, Acquisition((), (), (), failure, False))
    if call.estimator is not None:
        return fit_estimator(plan, call.unit, call.estimator, apart.purchases, watch, tick)
    return grade_unit(plan, call.unit, apart.purchases, apart.fits)


def _tick(count: Path) -> None:
    """One byte for one record; how much the file has grown says how many there are."""
    if (file := opened(count)) is not None:
        with contextlib.suppress(OSError):  # a full disk; only the progress bar is the poorer
            file.write(b".")
