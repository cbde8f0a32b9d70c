"""What a pool of workers is asked to do, what comes of it, and how a worker process does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from uuid import uuid4

from whatworked.errors import ExecutionError
from whatworked.workers.profile import NumericProfile, require_pinned

Subject = TypeVar("Subject")

DEATH = (
    "a worker process died, most likely because memory ran out; what had finished is kept. "
    "Run the same command again to go on, with fewer --jobs"
)


@dataclass(frozen=True, eq=False)
class State:
    """Something large that many calls need, sent to each worker once.

    A worker holds one state at a time. It frees the one before as soon as a call needs another.

    Attributes
    ----------
    content : object
        Handed to the function of each call as its first argument.
    token : str
        Tells it from any other state, of this run or an earlier one in the same process.
    """

    content: Any
    token: str = field(default_factory=lambda: uuid4().hex)


@dataclass(frozen=True, eq=False)
class Call(Generic[Subject]):
    """A function to be called in a worker.

    Attributes
    ----------
    subject : object
        What the call is about, for the caller to know its answer by. It is not sent.
    function : callable
        Importable by the worker.
    arguments : tuple
        Its arguments, after the content of the state if there is one.
    state : State or None
        What it shares with other calls.
    owner : str or None
        Whose code it runs, None for code of this package alone. A process of ours that has run code of an owner runs
        no other calls afterwards; it is replaced first.
    """

    subject: Subject
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    state: State | None = None
    owner: str | None = None


Supply = Callable[[int], Call[Subject] | None]
"""From the number of a lane to what it should do next; None if there is nothing for it now."""


@dataclass(frozen=True)
class WorkerDeath:
    """Stands for the result of a call whose process ended before it answered."""


@dataclass(frozen=True, eq=False)
class Answer(Generic[Subject]):
    """What came of a call.

    Attributes
    ----------
    call : Call
        The one that was asked.
    lane : int
        Which lane answered.
    value : object
        What the function returned, or a `WorkerDeath`.
    """

    call: Call[Subject]
    lane: int
    value: Any

    @property
    def died(self) -> bool:
        """Whether the worker died of the call."""
        return isinstance(self.value, WorkerDeath)

    def result(self) -> Any:
        """What the function returned.

        Raises
        ------
        ExecutionError
            If the worker died.
        """
        if self.died:
            raise ExecutionError(DEATH)
        return self.value


@dataclass(frozen=True)
class StateMissing:
    """What a worker returns that was not sent the state of a call and does not hold it."""


# A worker process holds one state at a time, with whatever its content has worked out for itself.
_held: State | None = None


def perform(
    profile: NumericProfile, function: Callable[..., Any], arguments: tuple[Any, ...], token: str, state: State | None
) -> Any:
    """Run a call in this process.

    Parameters
    ----------
    profile : NumericProfile
        What the process must run under.
    function, arguments : callable, tuple
        As in `Call`.
    token : str
        `State.token` of the call; empty if it has no state.
    state : State or None
        The state; None if this process got it with an earlier call.

    Returns
    -------
    object
        What the function returned, or a `StateMissing`.

    Raises
    ------
    ExecutionError
        If the process is not pinned.
    """
    require_pinned(profile)
    if not token:
        return function(*arguments)
    held = _hold(token, state)
    return StateMissing() if held is None else function(held.content, *arguments)


def _hold(token: str, state: State | None) -> State | None:
    global _held
    if _held is None or _held.token != token:
        if state is None:
            return None
        _held = None  # frees the state before, ahead of what the next one needs
        _held = state
    return _held
