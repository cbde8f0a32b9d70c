"""Our own workers: one executor of one process per lane, so that a source stays where its stages are."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from whatworked.execution.plan import SourcePlan
from whatworked.execution.pool import Batch, agreed
from whatworked.execution.schedule import Queue, Schedule
from whatworked.execution.worker import Work, run_programs
from whatworked.workers.processes import end_processes, first_finished, start_processes
from whatworked.workers.profile import NumericProfile
from whatworked.workers.software import Maker, observe


@contextlib.contextmanager
def open_lanes(jobs: int, profile: NumericProfile) -> Iterator[LanePool]:
    """Start `jobs` worker processes whose environment is that of `profile` from their first instruction."""
    executors = [start_processes(profile) for _ in range(jobs)]
    try:
        yield LanePool(executors, profile)
    finally:
        for executor in executors:
            end_processes(executor)


class LanePool:
    """Workers that are handed programs a few at a time, and keep their source as long as it lasts."""

    def __init__(self, executors: Sequence[Any], profile: NumericProfile) -> None:
        self._executors = executors
        self._profile = profile
        self._held: list[Queue | None] = [None] * len(executors)
        # Asked for at once, so that the processes start while the caller gets its inputs ready.
        self._makers = [executor.submit(observe, profile) for executor in executors]

    def observe(self) -> Maker:
        """See `Pool.observe`."""
        return agreed([future.result() for future in self._makers])

    def run(self, plans: Sequence[SourcePlan]) -> Iterator[Batch]:
        """See `Pool.run`."""
        schedule = Schedule(plans)
        running: dict[Any, tuple[int, Queue, tuple[int, ...]]] = {}

        def start(lane: int, chosen: tuple[Queue, tuple[int, ...]] | None) -> None:
            if chosen is not None:
                running[self._submit(lane, *chosen)] = lane, *chosen

        for lane in range(len(self._executors)):
            start(lane, schedule.next(lane))
        while running:
            for future in first_finished(running):
                lane, queue, programs = running.pop(future)
                results = future.result()
                if results is None:
                    # The process was replaced by another, which does not hold the source.
                    self._held[lane] = None
                    start(lane, (queue, programs))
                else:
                    start(lane, schedule.next(lane))
                    yield queue.plan, results

    def _submit(self, lane: int, queue: Queue, programs: tuple[int, ...]) -> Any:
        work: Work | None = None
        if self._held[lane] is not queue:
            self._held[lane], work = queue, queue.work
        return self._executors[lane].submit(run_programs, self._profile, queue.token, programs, work)
