"""A page about one episode of ``drift``: every pass tick by tick, the evidence, the notes, the prediction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from string import Template
from typing import Any

from whatworked import __version__
from whatworked.environments.drift.detectors import DETECTORS
from whatworked.environments.drift.events import Event
from whatworked.environments.drift.finding import SealedWorld
from whatworked.environments.drift.metrics import Times
from whatworked.environments.drift.scoring import Revision, events_of, revisions_of
from whatworked.environments.drift.showing import order_line
from whatworked.environments.drift.spectating import Pass, ordered_pass, passes_of, ticks_of
from whatworked.environments.drift.structure import BLOCKS, CHANGES, EDGES, HYPEREDGES
from whatworked.environments.drift.texts import NOTE_CHARACTERS, heading
from whatworked.environments.protocol import Score
from whatworked.episodes.records import Record, replay, score_of
from whatworked.episodes.rules import Setup
from whatworked.errors import EpisodeError, InvalidOptionError
from whatworked.report.drift.graph import NOT_JUDGED, Verdicts, hypergraph, told
from whatworked.report.drift.lanes import LETTERS, lanes
from whatworked.report.parts import asset, cut, plain_table, short, two_widths
from whatworked.report.shell import whole_page
from whatworked.report.svg import element, text_of
from whatworked.wording import counted, fixed, printable

_IDLE = ("waited", "yielded")
"""Outcomes of actions that disturb nothing and show nothing."""


@dataclass(frozen=True)
class _Contents:
    """What the page is made of."""

    record: Record
    instance: SealedWorld
    options: Mapping[str, Any]
    score: Score
    events: Sequence[Event]
    notes: Sequence[Revision]
    verdicts: Verdicts | None
    player: str

    @property
    def held(self) -> Times:
        """First truth of each detector, in paid actions."""
        times: Times = self.score.details["detectors"]
        return times

    def event_at(self, paid: int) -> Event | None:
        """The action with which so many were paid for."""
        return next((event for event in self.events if event.paid >= paid), None) if paid else None


def drift_page(
    record: Record, setup: Setup, player: str = "", title: str | None = None, verdicts: Verdicts | None = None
) -> str:
    """One self-contained HTML page about an episode of the drift.

    Parameters
    ----------
    record : Record
        What was played.
    setup : Setup
        Its rules and instance.
    player : str
        Who played.
    title : str, optional
        Heading; default: the instance and its budget.
    verdicts : Verdicts, optional
        What a judge said of the notes; without it statements and grounding are shown as not judged.

    Returns
    -------
    str

    Raises
    ------
    InvalidOptionError
        If it is an episode of another environment.
    EpisodeError
        If its journal is not what the rules make of its calls.
    """
    instance = setup.instance
    if not isinstance(instance, SealedWorld):
        raise InvalidOptionError(f"this page is about episodes of drift; this one is of {record.terms.environment}")
    if replay(record, setup).difference is not None:
        raise EpisodeError(
            f"the journal in {record.folder.path} is not what the rules make of its calls; see `whatworked episode "
            "replay`"
        )
    contents = _Contents(
        record=record,
        instance=instance,
        options=setup.options,
        score=score_of(record, setup),
        events=events_of(record.events),
        notes=tuple(revisions_of(record.events)),
        verdicts=verdicts,
        player=player,
    )
    heading = printable(title or f"Episode in {instance.name}, {counted(setup.options['budget'], 'action')}")
    body = Template(_own_asset("episode.html")).substitute(
        title=text_of(heading),
        version=text_of(__version__),
        about=text_of(_about(contents)),
        summary=_summary(contents),
        letters=text_of(", ".join(f"{letter} {verb}" for verb, letter in LETTERS.items())),
        passes=_passes(contents),
        graph=two_widths(lambda width: hypergraph(contents.held, verdicts, _prediction(contents), width)),
        judged=""
        if verdicts is not None
        else element(
            "p",
            f"No judge has read the notes: statements and grounding are {NOT_JUDGED}, and no block counts as grounded.",
            class_="note",
        ),
        detectors=_detectors(contents),
        notes=_notes(contents),
        result=_result(contents),
        order=_order(contents),
        calls=_calls(contents),
    )
    return whole_page(heading, asset("report.css") + asset("episode.css") + _own_asset("drift.css"), body)


def _own_asset(name: str) -> str:
    return (files("whatworked.report.drift") / "assets" / name).read_text(encoding="utf-8")


def _about(contents: _Contents) -> str:
    parts = [contents.player and f"played by {contents.player}", f"variant {contents.options['variant']}"]
    return printable("; ".join(part for part in parts if part))


def _prediction(contents: _Contents) -> str:
    if not contents.score.delivered:
        return "none committed"
    return "exact" if contents.score.values["exact"] else "not exact"


def _summary(contents: _Contents) -> str:
    values = contents.score.values
    right = values["preflight_right"]
    verdicts = contents.verdicts
    tiles = {
        "prediction": _prediction(contents),
        "detectors true": f"{values['evidence']} of {len(BLOCKS)}",
        "blocks grounded": NOT_JUDGED if verdicts is None else f"{len(verdicts.grounded)} of {len(BLOCKS)}",
        "area under the evidence": fixed(float(values["evidence_auc"] or 0.0), 3),
        "reach": f"{values['reach']} of 3",
        "interventions": str(values["interventions"]),
        "paid actions": f"{values['paid']} of {contents.options['budget']}",
        "turns": f"{values['turns']}, {values['aux_turns']} of them no action",
        "notes": str(values["notes"]),
        "questions on the reel": "not answered" if right is None else f"{right} of 5 right",
    }
    return "".join(
        element("div", element("dt", text_of(name)) + element("dd", text_of(value))) for name, value in tiles.items()
    )


def _passes(contents: _Contents) -> str:
    played = passes_of(contents.instance.world, contents.events)
    if not played:
        return element("p", "No action was taken.", class_="note")
    notes = list(_note_places(contents))
    parts = []
    for _, together in groupby(enumerate(played), lambda item: _idle_since(contents, notes, *item)):
        passes = [pass_ for _, pass_ in together]
        first, last = passes[0].number, passes[-1].number
        name = f"Pass {first}" if first == last else f"Passes {first} to {last}"
        parts.append(element("h3", name) + _pass(contents, passes[0], _written(notes, first)))
    return "".join(parts)


def _written(notes: Sequence[tuple[int, int, int]], number: int) -> dict[int, list[int]]:
    """Revisions of the notes in a pass, by tick."""
    found: dict[int, list[int]] = {}
    for at, tick, revision in notes:
        if at == number:
            found.setdefault(tick, []).append(revision)
    return found


def _is_idle(contents: _Contents, played: Pass, notes: Mapping[int, Sequence[int]]) -> bool:
    """Whether nothing was read, done or written in a pass."""
    return all(event.outcome in _IDLE for event in played.events) and not notes and not _truths(contents, played)


def _idle_since(contents: _Contents, notes: Sequence[tuple[int, int, int]], place: int, played: Pass) -> int:
    """What passes that are told in one line have in common; each other pass is on its own."""
    return -1 if _is_idle(contents, played, _written(notes, played.number)) else place


def _pass(contents: _Contents, played: Pass, notes: Mapping[int, Sequence[int]]) -> str:
    if _is_idle(contents, played, notes):
        return element("p", "The clock ran on; nothing was read or done.", class_="note")
    marks = _truths(contents, played)
    return two_widths(lambda width: lanes(played, marks, notes, width))


def _truths(contents: _Contents, played: Pass) -> dict[int, list[str]]:
    """Detectors that became true in a pass, by the tick of the action."""
    found: dict[int, list[str]] = {}
    for block, paid in contents.held.items():
        event = None if paid is None else contents.event_at(paid)
        if event is not None and event.pass_number == played.number:
            found.setdefault(event.tick, []).append(block)
    return found


def _note_places(contents: _Contents) -> Iterable[tuple[int, int, int]]:
    """Pass, tick and number of each revision: it stands at the end of the action before it."""
    for note in contents.notes:
        event = contents.event_at(note.paid)
        if event is None:
            yield 1, 0, note.number
        else:
            yield event.pass_number, min(24, event.tick + ticks_of(event)), note.number


def _detectors(contents: _Contents) -> str:
    verdicts = contents.verdicts
    stated = None if verdicts is None else verdicts.stated
    grounded = None if verdicts is None else verdicts.grounded
    rows = []
    for detector in DETECTORS:
        block = detector.block
        paid = contents.held.get(block)
        event = None if paid is None else contents.event_at(paid)
        rests = ", ".join(
            f"{edge.on}{'' if edge.kind == 'joint' else f' ({edge.kind})'}" for edge in EDGES if edge.block == block
        )
        rows.append(
            (
                block,
                told(contents.held, block),
                "–" if event is None else heading(event),
                told(stated, block),
                told(grounded, block),
                rests or "–",
                ", ".join(name for name, blocks in HYPEREDGES.items() if block in blocks) or "–",
                detector.holds.__doc__ or "–",
            )
        )
    grounding = None if verdicts is None else verdicts.grounding
    for change in CHANGES:
        edge = f"H{change[-1]}"
        said = (told(stated, change), told(grounding, change))
        rows.append((change, "–", "–", *said, ", ".join(HYPEREDGES[edge]), edge, "a change of representation"))
    head = (
        "block",
        "held from paid action",
        "by",
        "stated",
        "grounded",
        "rests on",
        "hyperedges",
        "what the log must hold",
    )
    return plain_table("First truth of each detector, and what a judge says of the notes", head, rows)


def _notes(contents: _Contents) -> str:
    if not contents.notes:
        return element("p", "The player wrote no note.", class_="note")
    return element("ol", "".join(_note(contents, note) for note in contents.notes), class_="notes")


def _note(contents: _Contents, note: Revision) -> str:
    event = contents.event_at(note.paid)
    when = (
        "before the first action" if event is None else f"after {counted(note.paid, 'paid action')}, {heading(event)}"
    )
    how = "replaces all before" if note.replaces else "appended"
    kept = how if note.kept else "turned away: it did not fit"
    head = element("time", text_of(printable(f"Revision {note.number}, {when}; {kept}")))
    quote = element("blockquote", text_of(cut(note.text, NOTE_CHARACTERS)))
    judged = _judged_then(contents.verdicts, note.paid)
    said = element("p", text_of(judged), class_="note") if judged else ""
    return element("li", head + quote + said, class_=None if note.kept else "turned-away")


def _judged_then(verdicts: Verdicts | None, paid: int) -> str:
    """What a judge found stated, and grounded, from that many paid actions on."""
    if verdicts is None:
        return ""
    named = (("stated", verdicts.stated), ("grounds of", verdicts.grounding))
    found = {name: [block for block, time in times.items() if time == paid] for name, times in named}
    return "; ".join(f"{name} {', '.join(blocks)}" for name, blocks in found.items() if blocks)


def _result(contents: _Contents) -> str:
    given = contents.score.details["committed"] or (None, None, None)
    values = contents.score.values
    rows = [
        (
            name,
            str(true),
            "–" if said is None else short(str(said)),
            "yes" if values[f"{name}_right"] else "no",
        )
        for name, true, said in zip(
            ("intake", "answer", "counter"), contents.score.details["answer"], given, strict=True
        )
    ]
    return plain_table("The three figures", ("figure", "true", "committed", "right"), rows)


def _order(contents: _Contents) -> str:
    world = contents.instance.world
    shown = ordered_pass(world)
    return element("p", text_of(order_line(world))) + two_widths(lambda width: lanes(shown, {}, {}, width))


def _calls(contents: _Contents) -> str:
    rows = []
    for entry in contents.record.entries:
        event = entry.event
        sent = json.dumps(event.call.arguments, ensure_ascii=False)
        answer = event.refusal.message if event.refusal is not None else _answer(event.result)
        seconds = f"{float(entry.times['elapsed']):.1f}"
        rows.append((str(event.number), seconds, short(event.call.tool or "–", 60), short(sent), short(answer, 600)))
    head = ("call", "seconds", "tool", "sent", "answered")
    return plain_table("All calls, refused ones included", head, rows, "calls")


def _answer(result: Mapping[str, Any]) -> str:
    """What came back, in a line."""
    if "event" not in result:
        return ", ".join(result)
    event = result["event"]
    shown = f" {json.dumps(event['reading'])}" if "reading" in event else ""
    return f"{event['outcome']}{shown}"
