"""Episodes of this project: a folder with the journal of one, of any environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from whatworked.environments.protocol import Event
from whatworked.episodes.about import read_about
from whatworked.episodes.folder import JOURNAL, KIND
from whatworked.episodes.folding import Entry
from whatworked.episodes.records import Record as Played
from whatworked.episodes.records import read_record, setup_of
from whatworked.errors import WhatWorkedError
from whatworked.process.records.draft import (
    BOOKKEEPING,
    EXPERIMENT,
    HARNESS,
    READ,
    SHELL,
    SUBMIT,
    Draft,
    ToolUse,
)
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import arguments, objects, written

NAME = "whatworked-episode"
"""Of this format."""
TOOLS: Mapping[str, ToolUse] = {
    "observe_many": EXPERIMENT,
    "calculate_python": SHELL,
    "current_evidence": READ,
    "report_rules": SUBMIT,
    "note": BOOKKEEPING,
    "draft": SUBMIT,
    "submit_diagnosis": SUBMIT,
    "preflight": BOOKKEEPING,
    "look": EXPERIMENT,
    "act": EXPERIMENT,
    "recall": READ,
    "digest": READ,
    "yield_remaining_budget": BOOKKEEPING,
    "commit": SUBMIT,
}
"""Tools of the environments `effects` and `drift`."""
_SUBMISSIONS = {"effects": "submit_diagnosis", "drift": "commit"}
_PLACE = "event "
_HEAD = 1000


def event_of(where: str) -> int | None:
    """Number of the event in the journal that a step of a record of this format was made from.

    Parameters
    ----------
    where : str
        The step's `where`.

    Returns
    -------
    int or None
        None for the opening.

    Examples
    --------
    >>> event_of("event 3"), event_of("opening")
    (3, None)
    """
    return int(where.removeprefix(_PLACE)) if where.startswith(_PLACE) else None


def recognises(source: Source) -> bool:
    """A folder with `episode.journal`, which begins as the journal of an episode does."""
    if source.shape != "folder" or not (source.path / JOURNAL).is_file():
        return False
    with (source.path / JOURNAL).open("rb") as stream:
        return f'"kind":"{KIND}"'.encode() in stream.readline(_HEAD)


def drafts(source: Source) -> Iterator[Draft]:
    """The one episode of a folder."""
    draft = Draft(NAME, source.name, TOOLS)
    journal = source.member(JOURNAL)
    # Pages, logs and tickets that stand beside the journal say nothing of the run.
    draft.made_of = () if journal is None else (journal,)
    played = read_record(source.path)
    draft.model = read_about(played.folder).player or None
    draft.submission = _SUBMISSIONS.get(played.terms.environment)
    draft.feedback_polarity = "higher is better" if played.terms.environment == "effects" else None
    draft.task_prompt = _told(played)
    if draft.task_prompt is None:
        draft.drop("text of the opening, for the rules or the instance are not at hand")
    draft.message(draft.task_prompt, where="opening", speaker=HARNESS, mandated=True)
    for entry in played.entries:
        _tell(draft, entry)
    yield draft


def _told(played: Played) -> str | None:
    """What the player was told; it follows from rules and instance, and a journal holds its digest alone."""
    try:
        return setup_of(played).opening.text
    except WhatWorkedError:
        return None


def _tell(draft: Draft, entry: Entry) -> None:
    event = entry.event
    elapsed = entry.times.get("elapsed")
    draft.call(
        event.call.tool,
        arguments(msgspec.to_builtins(event.call.arguments)),
        where=f"{_PLACE}{event.number}",
        observation=_shown(event),
        failed=event.refusal is not None,
        ended=None if elapsed is None else written(elapsed),
    )


def _shown(event: Event) -> str:
    """What the player got: measurements a line each, anything else by name."""
    if event.refusal is not None:
        return f"refused ({event.refusal.code}): {event.refusal.message}"
    result: dict[str, Any] = msgspec.to_builtins(event.result)
    measured = objects(result.get("observations"))
    if not measured or not all({"mask", "utility"} <= entry.keys() for entry in measured):
        return arguments(result)
    rest = {name: value for name, value in result.items() if name != "observations"}
    return "\n".join([*(f"{entry['mask']}: {written(entry['utility'])}" for entry in measured), arguments(rest)])


READER = LogReader(NAME, f"a folder with {JOURNAL}, the journal of an episode", recognises, drafts)
