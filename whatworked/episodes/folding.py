"""From a journal's lines to where an episode stands: every event is judged again and must come out as written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from whatworked.environments.protocol import Call, Effect, Event, Json, Refusal
from whatworked.episodes.admission import Admission
from whatworked.episodes.rules import Position, Setup, Verdict, judged, unjudged
from whatworked.errors import JournalError
from whatworked.storage.canonical import canonical_json
from whatworked.storage.timed_journal import TimedLine


@dataclass(frozen=True)
class Entry:
    """An event with its times.

    Attributes
    ----------
    event : Event
        What happened.
    times : mapping
        When: ``at`` (wall clock), ``elapsed``, ``remaining``, and of an effect its own.
    body : bytes
        The event as it stands in the journal.
    """

    event: Event
    times: Mapping[str, Any]
    body: bytes


def entry_of(line: TimedLine, number: int, where: str) -> Entry:
    """The event and times of a line.

    Raises
    ------
    JournalError
        If it holds something else.
    """
    try:
        event = msgspec.json.decode(line.body, type=Event)
        times = msgspec.json.decode(line.times, type=dict[str, Any])
        if event.number != number or not isinstance(times.get("elapsed"), int | float):
            raise ValueError
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise JournalError(
            f"{where} is damaged or was altered: its event {number} is not one of this version. Nothing was changed; "
            "put the file back from a copy"
        ) from None
    return Entry(event, times, line.body)


def body_of(event: Event) -> bytes:
    """An event as it stands in a journal."""
    return canonical_json(msgspec.to_builtins(event))


def refolded(
    setup: Setup,
    position: Position,
    entry: Entry,
    compare: Callable[[Effect, Mapping[str, Json]], None] | None = None,
) -> Verdict:
    """Judge a written event again, with the outcome that was written.

    Parameters
    ----------
    setup : Setup
        What is played.
    position : Position
        Before the event.
    entry : Entry
        As written.
    compare : callable, optional
        Shown each effect and the outcome that was written, for who checks it.

    Returns
    -------
    Verdict
        Equal to what is written unless rules or instance are others, or the journal was made up.
    """
    event = entry.event
    if event.unjudged:
        refusal = event.refusal or Refusal(code="", message="")
        return unjudged(position, event.call, refusal)

    def outcome(effect: Effect) -> Mapping[str, Json]:
        written = {} if event.outcome is None else event.outcome
        if compare is not None and event.outcome is not None:
            compare(effect, written)
        return written

    return judged(setup, position, Admission(event.call), entry.times["elapsed"], outcome)


def same_content(left: Call, right: Call) -> bool:
    """Whether two calls ask for the same, whatever their ids."""
    return left.tool == right.tool and canonical_json(left.arguments) == canonical_json(right.arguments)
