"""What runs inside a worker process."""

from __future__ import annotations

import traceback
from collections import defaultdict
from dataclasses import dataclass

from whatworked.declaration.outcome import Outcome
from whatworked.declaration.prepared import PreparedInput
from whatworked.declaration.stage import StageKey, StageResult
from whatworked.declaration.workflow import Workflow
from whatworked.errors import InvalidOutcomeError
from whatworked.workers.profile import NumericProfile, require_pinned


@dataclass(frozen=True)
class Work:
    """A source as a worker needs it: what to run on what, and the masks of all its programs.

    `token` tells it from any other piece of work, of this run or an earlier one in the same process.
    """

    token: str
    prepared: PreparedInput
    workflow: Workflow
    masks: tuple[str, ...]
    cold: bool


@dataclass(frozen=True)
class Ran:
    """The end of one run, by the number of its program: its outcome, or the traceback of what went wrong."""

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


# A worker holds one source at a time: its own copy of what the masks of that source share.
_held: tuple[Work, SharedStages] | None = None


def run_programs(profile: NumericProfile, token: str, programs: tuple[int, ...], work: Work | None) -> list[Ran] | None:
    """Run some programs of one source.

    Parameters
    ----------
    profile : NumericProfile
        What the process must run under.
    token : str
        `Work.token` of the source.
    programs : tuple of int
        Positions in `Work.masks`.
    work : Work or None
        The source; None if this process got it with an earlier call.

    Returns
    -------
    list of Ran, or None
        One per program; None if `work` is missing and the process does not hold the source.

    Raises
    ------
    ExecutionError
        If the process is not pinned.
    """
    require_pinned(profile)
    current = _hold(token, work)
    if current is None:
        return None
    held, shared = current
    return [_run(held, program, None if held.cold else shared) for program in programs]


def _hold(token: str, work: Work | None) -> tuple[Work, SharedStages] | None:
    global _held
    if _held is None or _held[0].token != token:
        if work is None:
            return None
        _held = None  # frees the source before, ahead of what the next one needs
        _held = (work, SharedStages(work))
    return _held


def _run(work: Work, program: int, shared: SharedStages | None) -> Ran:
    mask = work.masks[program]
    try:
        outcome = work.workflow.run(work.prepared, mask, shared)
        if problems := list(outcome.problems()):
            name, source = work.workflow.metric.name, work.prepared.source
            raise InvalidOutcomeError(f"{name} on {source}: {'; '.join(problems)}")
        return Ran(program, outcome)
    except (Exception, SystemExit):  # a workflow may raise anything; one mask must not end the others
        # A message may hold what has no UTF-8, a file's name for instance; the log is written in it.
        return Ran(program, failure=traceback.format_exc().encode("utf-8", "backslashreplace").decode("utf-8"))
    finally:
        if shared is not None:
            shared.drop_prediction(work.workflow.stage_keys(mask)[-1])
