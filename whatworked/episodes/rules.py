"""What a call comes to, by an environment's rules and the engine's own: pure, so that a journal can be folded again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from whatworked.environments.protocol import Call, Effect, Environment, Event, Json, Opening, Refusal, Step, Tool
from whatworked.episodes.admission import Admission
from whatworked.episodes.budgets import SECONDS, Budgets
from whatworked.errors import nearest
from whatworked.storage.canonical import canonical_json

Perform = Callable[[Effect], Mapping[str, Json]]
"""Does the work of an effect; its outcome is plain JSON without seconds."""


@dataclass(frozen=True)
class Setup:
    """What stays the same through an episode.

    Attributes
    ----------
    environment : Environment
        The rules.
    instance : Instance
        What is played.
    options : mapping
        All options.
    opening : Opening
        The beginning.
    """

    environment: Environment[Any, Any]
    instance: Any
    options: Mapping[str, Json]
    opening: Opening[Any]

    @property
    def seconds(self) -> int | None:
        """The budget of seconds; None without a deadline."""
        return self.opening.budgets.get(SECONDS)

    def beginning(self) -> Position:
        """Where an episode stands before the first call.

        Returns
        -------
        Position
        """
        return Position(state=self.opening.state, budgets=Budgets.of(self.opening.budgets))

    def remaining(self, elapsed: float) -> float | None:
        """Seconds until the deadline, 0 after it.

        Parameters
        ----------
        elapsed : float
            Seconds since the opening.

        Returns
        -------
        float or None
            None without a deadline.
        """
        return None if self.seconds is None else round(max(0.0, self.seconds - elapsed), 3)


@dataclass(frozen=True)
class Position:
    """Where an episode stands.

    Attributes
    ----------
    state : object
        The environment's.
    budgets : Budgets
        Counters.
    number : int
        Of the last event.
    """

    state: Any
    budgets: Budgets
    number: int = 0


@dataclass(frozen=True)
class Verdict:
    """What a call came to.

    Attributes
    ----------
    event : Event
        For the journal.
    position : Position
        After it.
    failure : Exception or None
        What the rules raised where they must not; for the host, and never for the player.
    """

    event: Event
    position: Position
    failure: Exception | None = None


def judged(setup: Setup, position: Position, admission: Admission, elapsed: float, perform: Perform) -> Verdict:
    """Carry out or refuse a call.

    Parameters
    ----------
    setup : Setup
        What is played.
    position : Position
        Before the call.
    admission : Admission
        What was taken in of it.
    elapsed : float
        Seconds since the opening.
    perform : callable
        Does the work of an effect.

    Returns
    -------
    Verdict
    """
    call = admission.call
    if admission.refusal is not None:
        return _refused(position, call, admission.refusal, unjudged=True)
    try:
        if refusal := _engine_refusal(setup, position, call, elapsed):
            return _refused(position, call, refusal)
        return _by_rules(setup, position, call, elapsed, perform)
    except Exception as error:
        # A fault of the rules must neither end the host nor tell the player what stands in the host's files.
        message = "the host could not carry this out; nothing was charged or changed. Its people can see why"
        verdict = _refused(position, call, Refusal(code="internal", message=message), unjudged=True)
        return replace(verdict, failure=error)


def unjudged(position: Position, call: Call, refusal: Refusal) -> Verdict:
    """A call that is refused before the rules see it."""
    return _refused(position, call, refusal, unjudged=True)


def _engine_refusal(setup: Setup, position: Position, call: Call, elapsed: float) -> Refusal | None:
    if setup.environment.closed(position.state):
        return Refusal(code="closed", message="the episode is closed; nothing more can be called")
    tools = {tool.name: tool for tool in setup.environment.tools(position.state)}
    if call.tool not in tools:
        return Refusal(code="unknown_tool", message=_unknown(call.tool, tools))
    if not isinstance(call.arguments, dict):
        kind = type(call.arguments).__name__
        message = f"arguments are an object of names and values; this is of type {kind}. Send for instance {{}}"
        return Refusal(code="bad_argument", message=message)
    if setup.remaining(elapsed) == 0 and not tools[call.tool].after_deadline:
        late = [name for name, tool in tools.items() if tool.after_deadline]
        can = f"{' and '.join(late)} can still be called" if late else "nothing more can be called"
        return Refusal(code="deadline", message=f"the {setup.seconds} seconds are over; {can}")
    return None


def _unknown(name: str, tools: Mapping[str, Tool]) -> str:
    near = nearest(name, tools)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return f"there is no tool of the name {name[:60]!r}; {hint}tools are {', '.join(tools)}"


def _by_rules(setup: Setup, position: Position, call: Call, elapsed: float, perform: Perform) -> Verdict:
    outcome: dict[str, Json] | None = None
    step = setup.environment.apply(setup.instance, position.state, call, elapsed)
    if step.effect is not None and step.refusal is None:
        if overdraft := position.budgets.overdraft(step.charges):
            return _refused(position, call, overdraft)
        outcome = _plain(perform(step.effect))
        step = setup.environment.finish(setup.instance, step.state, call, outcome, elapsed)
    if overdraft := position.budgets.overdraft(step.charges):
        return _refused(position, call, overdraft)
    return Verdict(
        Event(
            number=position.number + 1,
            call=call,
            result=_plain(step.result),
            charges={name: units for name, units in step.charges.items() if units},
            refusal=step.refusal,
            events=step.events,
            outcome=outcome,
        ),
        _after(position, step),
    )


def _after(position: Position, step: Step[Any]) -> Position:
    return Position(step.state, position.budgets.charged(step.charges), position.number + 1)


def _refused(position: Position, call: Call, refusal: Refusal, unjudged: bool = False) -> Verdict:
    event = Event(number=position.number + 1, call=call, refusal=refusal, unjudged=unjudged)
    return Verdict(event, replace(position, number=position.number + 1))


def _plain(value: Mapping[str, Json]) -> dict[str, Json]:
    """A value as it comes back from a journal, so that a reply is the same before and after."""
    plain: dict[str, Json] = json.loads(canonical_json(value))
    return plain
