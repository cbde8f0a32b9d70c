"""What runs inside a worker process."""

from __future__ import annotations

import traceback
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from whatworked.declaration.outcome import Outcome
from whatworked.declaration.prepared import PreparedInput
from whatworked.declaration.stage import StageKey, StageResult
from whatworked.declaration.workflow import Workflow
from whatworked.errors import InvalidOutcomeError


@dataclass(frozen=True, eq=False)
class Work:
    """A source as a worker needs it: what to run on what, and the masks of all its programs."""

    prepared: PreparedInput
    workflow: Workflow
    masks: tuple[str, ...]
    cold: bool

    @cached_property
    def shared(self) -> SharedStages:
        """What the masks share; each worker has its own, for as long as it holds the source."""
        return SharedStages(self)


@dataclass(frozen=True)
class ProgramResult:
    """What one program gave, by its number: the outcome, or the traceback of what went wrong."""

    program: int
    outcome: Outcome | None = None
    failure: str = ""


class SharedStages(dict[StageKey, StageResult]):
    """Stage results of one source, each kept only until every stage that takes it has run.

    Parameters
    ----------
    work : Work
        All programs of the source. What another worker runs of them is never seen here; results that only those
        programs need stay until the source is done.
    """

    def __init__(self, work: Work) -> None:
        super().__init__()
        self._takers: dict[StageKey, set[StageKey]] = defaultdict(set)
        self._inputs: dict[StageKey, tuple[StageKey, ...]] = {}
        for mask in work.masks:
            keys = work.workflow.stage_keys(mask)
            for key, positions in zip(keys, work.workflow.inputs, strict=True):
                self._inputs[key] = tuple(keys[position] for position in positions)
                for taken in self._inputs[key]:
                    self._takers[taken].add(key)

    def __setitem__(self, key: StageKey, result: StageResult) -> None:
        super().__setitem__(key, result)
        for taken in self._inputs.get(key, ()):
            self._takers[taken].discard(key)
            if not self._takers[taken]:
                self.pop(taken, None)

    def drop_prediction(self, key: StageKey) -> None:
        """Forget the result of a last stage, which nothing takes."""
        if not self._takers[key]:
            self.pop(key, None)


def run_programs(work: Work, programs: tuple[int, ...]) -> list[ProgramResult]:
    """Run some programs of a source.

    Parameters
    ----------
    work : Work
        The source.
    programs : tuple of int
        Positions in `Work.masks`.

    Returns
    -------
    list of ProgramResult
        One per program.
    """
    return [_run(work, program, None if work.cold else work.shared) for program in programs]


def _run(work: Work, program: int, shared: SharedStages | None) -> ProgramResult:
    mask = work.masks[program]
    try:
        outcome = work.workflow.run(work.prepared, mask, shared)
        if problems := list(outcome.problems()):
            name, source = work.workflow.metric.name, work.prepared.source
            raise InvalidOutcomeError(f"{name} on {source}: {'; '.join(problems)}")
        return ProgramResult(program, outcome)
    except (Exception, SystemExit):  # a workflow may raise anything; one mask must not end the others
        # A message may hold what has no UTF-8, a file's name for instance; the log is written in it.
        return ProgramResult(
            program, failure=traceback.format_exc().encode("utf-8", "backslashreplace").decode("utf-8")
        )
    finally:
        if shared is not None:
            shared.drop_prediction(work.workflow.stage_keys(mask)[-1])
