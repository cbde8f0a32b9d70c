"""The score of an episode, from its journal and instance alone; what the notes state is for a judge to say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from whatworked.environments.drift.detectors import first_truths
from whatworked.environments.drift.events import Event
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.metrics import area, interventions, prediction, reach
from whatworked.environments.drift.order import answer_of
from whatworked.environments.drift.patterns import moving_ticks
from whatworked.environments.drift.playing import RIGHT_FOR_PASS, Preflight, new_play, reply_to
from whatworked.environments.drift.rules import Options
from whatworked.environments.protocol import Event as JournalEvent
from whatworked.environments.protocol import Score

_SHOWN = ("evidence_auc", "exact", "interventions", "paid", "notes")
PRIMARY = "evidence"
"""Blocks need a judge; what the log alone says is how many of them have their evidence in it."""


class Revision(NamedTuple):
    """A note as it was written.

    Attributes
    ----------
    number : int
        From 1; those that were turned away count.
    paid : int
        Actions paid for when it was written.
    text : str
        What it added, or put in place of all.
    replaces : bool
        Whether it replaced what stood there.
    kept : bool
        Whether it fitted.
    """

    number: int
    paid: int
    text: str
    replaces: bool
    kept: bool


def events_of(journal: Sequence[JournalEvent]) -> list[Event]:
    """The world's events in a journal.

    Parameters
    ----------
    journal : sequence of Event
        Of the engine.

    Returns
    -------
    list of Event
    """
    return [msgspec.convert(entry.result["event"], Event) for entry in journal if "event" in entry.result]


def revisions_of(journal: Sequence[JournalEvent]) -> Iterator[Revision]:
    """The notes in a journal, with the paid actions at which each was written.

    Parameters
    ----------
    journal : sequence of Event
        Of the engine.

    Yields
    ------
    Revision
    """
    paid = 0
    for entry in journal:
        if "event" in entry.result:
            paid = entry.result["event"]["paid"]
        elif "revision" in entry.result:
            given = entry.call.arguments
            replaces = given.get("mode", "append") == "replace"
            yield Revision(entry.result["revision"], paid, given["text"], replaces, entry.result["kept"])


def score_events(journal: Sequence[JournalEvent], instance: Instance, options: Options) -> Score:
    """The score of a journal.

    Parameters
    ----------
    journal : sequence of Event
        Of the engine, of an episode that is finished or not.
    instance : Instance
        What was played.
    options : Options
        How.

    Returns
    -------
    Score
    """
    events = events_of(journal)
    truths = first_truths(events, moving_ticks(instance))
    held = [paid for paid in truths.values() if paid is not None]
    committed = prediction(events, answer_of(instance))
    preflight = _preflight(journal, instance, options)
    values: dict[str, float | int | bool | None] = {
        "evidence": len(held),
        "evidence_auc": area(held, options.budget),
        "reach": reach(truths),
        "interventions": interventions(events),
        "exact": committed.exact,
        "intake_right": committed.intake,
        "answer_right": committed.answer,
        "counter_right": committed.counter,
        "paid": events[-1].paid if events else 0,
        "turns": sum(entry.charges.get("turns", 0) for entry in journal),
        "aux_turns": sum(entry.charges.get("aux_turns", 0) for entry in journal),
        "notes": sum(1 for _ in revisions_of(journal)),
        "preflight_right": preflight if isinstance(preflight, int) else None,
        "flagged": not isinstance(preflight, int) or preflight < RIGHT_FOR_PASS,
    }
    commit = next((event for event in events if event.outcome == "committed"), None)
    details: dict[str, Any] = {
        "detectors": truths,
        "answer": list(answer_of(instance)),
        "committed": None if commit is None else [commit.intake, commit.answer, commit.counter],
    }
    return Score(delivered=committed.committed, primary=PRIMARY, values=values, details=details, shown=_SHOWN)


def _preflight(journal: Sequence[JournalEvent], instance: Instance, options: Options) -> Preflight:
    """Right answers of the five, as the rules counted them."""
    for entry in journal:
        if entry.call.tool == "preflight" and entry.refusal is None:
            return reply_to(instance, new_play(instance, options), "preflight", entry.call.arguments).play.preflight
    return "declined"
