"""Which programs a worker runs next: whole sources first, longest first; then a share of what others have left."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from whatworked.execution.plan import SourcePlan
from whatworked.execution.worker import ProgramResult, Work, run_programs
from whatworked.storage.canonical import canonical_json
from whatworked.workers.call import Call, State
from whatworked.workers.pool import Pool

CHUNK = 4
"""Programs handed out at a time: few, so that a crash loses little and the last worker is not alone for long."""

LONE_CHUNK = 16
"""Programs handed out at a time where a worker keeps nothing between calls: stages are shared within a call only."""

LARGE = 4_000_000
"""Bytes of prepared input from which a source is large: its shared stages may fill memory, so that no second worker
joins in on it, and two large sources do not run at the same time while there is a small one to run instead."""


@dataclass
class Queue:
    """The programs of one source that nobody has taken yet."""

    plan: SourcePlan
    size: int = 0
    waiting: deque[int] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.size = input_bytes(self.plan)
        self.waiting = deque(range(len(self.plan.programs)))

    @property
    def large(self) -> bool:
        """Whether only one worker should hold the source."""
        return self.size >= LARGE and not self.plan.cold

    @cached_property
    def state(self) -> State:
        """The source as a worker needs it."""
        masks = tuple(program.mask for program in self.plan.programs)
        return State(Work(self.plan.prepared, self.plan.workflow, masks, self.plan.cold))

    def take(self, count: int, *, from_end: bool) -> tuple[int, ...]:
        """Remove up to `count` programs: from the end when helping, so that two workers share few stages."""
        pop = self.waiting.pop if from_end else self.waiting.popleft
        return tuple(pop() for _ in range(min(count, len(self.waiting))))


class Schedule:
    """Hands out programs to lanes (one lane per worker process); a lane stays with a source as long as it lasts.

    Parameters
    ----------
    plans : iterable of SourcePlan
        What is to run.
    chunk : int
        Programs handed out at a time.
    """

    def __init__(self, plans: Iterable[SourcePlan], chunk: int = CHUNK) -> None:
        self._chunk = chunk
        queues = [Queue(plan) for plan in plans if plan.programs]
        # A rough cost: what the source holds, times how often it is run.
        self.queues = sorted(queues, key=lambda queue: queue.size * len(queue.waiting), reverse=True)
        self._unstarted = list(self.queues)
        self._of_lane: dict[int, tuple[Queue, bool]] = {}

    def next(self, lane: int) -> tuple[Queue, tuple[int, ...]] | None:
        """What `lane` should run now; None when nothing is left that it may take."""
        held = self._of_lane.get(lane)
        if held is None or not held[0].waiting:
            held = self._fresh(lane) or self._shared(lane)
            if held is None:
                self._of_lane.pop(lane, None)
                return None
            self._of_lane[lane] = held
        queue, helping = held
        return queue, queue.take(self._chunk, from_end=helping)

    def supply(self, lane: int) -> Call[SourcePlan] | None:
        """The same as a call about the plan of its source."""
        if (chosen := self.next(lane)) is None:
            return None
        queue, programs = chosen
        return Call(queue.plan, run_programs, (programs,), queue.state)

    def _fresh(self, lane: int) -> tuple[Queue, bool] | None:
        others_large = any(queue.large for other, (queue, _) in self._of_lane.items() if other != lane)
        ranked = sorted(self._unstarted, key=lambda queue: queue.large and others_large)
        if not ranked:
            return None
        self._unstarted.remove(ranked[0])
        return ranked[0], False

    def _shared(self, lane: int) -> tuple[Queue, bool] | None:
        helpable = [queue for other, (queue, _) in self._of_lane.items() if other != lane and not queue.large]
        longest = max(helpable, key=lambda queue: queue.size * len(queue.waiting), default=None)
        return (longest, True) if longest is not None and len(longest.waiting) > self._chunk else None


def run_plans(pool: Pool, plans: Sequence[SourcePlan]) -> Iterator[tuple[SourcePlan, list[ProgramResult]]]:
    """Run all programs; yields results as they come, in any order.

    Raises
    ------
    ExecutionError
        If a worker is not pinned or died.
    """
    schedule = Schedule(plans, CHUNK if pool.keeps_lanes else LONE_CHUNK)
    for answer in pool.run(schedule.supply):
        yield answer.call.subject, answer.result()


def input_bytes(plan: SourcePlan) -> int:
    """Bytes of a prepared input: its arrays and its facts."""
    return sum(array.nbytes for array in plan.prepared.arrays.values()) + len(canonical_json(dict(plan.prepared.facts)))
