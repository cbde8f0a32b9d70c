"""A page about one episode of ``effects``: what was bought when, believed, handed in, and how that compares."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any

import numpy as np

from whatworked import __version__
from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.scoring import Play, play_of
from whatworked.environments.protocol import Event, Score
from whatworked.episodes.records import Record
from whatworked.episodes.rules import Setup
from whatworked.episodes.shared_inference import DEFAULT, InferenceRow, infer
from whatworked.errors import InvalidOptionError
from whatworked.report.episode_figures import Moment, effect_scatter, purchase_map, timeline
from whatworked.report.parts import asset, cut, plain_table, short, two_widths
from whatworked.report.shell import whole_page
from whatworked.report.svg import SERIES, element, marker, text_of
from whatworked.surfaces.edges import edges
from whatworked.surfaces.masks import FloatArray
from whatworked.wording import counted, fixed, printable

_SCATTER = {"for-wide": 620.0, "for-narrow": 390.0}
_LANES = {
    "observe_many": "measured",
    "calculate_python": "calculated",
    "note": "noted",
    "report_rules": "noted",
    "draft": "handed in",
    "submit_diagnosis": "handed in",
}


@dataclass(frozen=True)
class Contents:
    """What the page is made of."""

    record: Record
    instance: SurfaceInstance
    options: Mapping[str, Any]
    play: Play
    score: Score
    inferred: tuple[InferenceRow, ...]
    player: str

    @property
    def calls(self) -> list[tuple[Event, float]]:
        """Events with their seconds."""
        return [(entry.event, float(entry.times["elapsed"])) for entry in self.record.entries]

    @property
    def table(self) -> FloatArray | None:
        """What was handed in, with measured values in place, in the order of the workflow."""
        predictions = self.score.details["predictions"]
        return None if predictions is None else np.array(predictions)


def episode_page(
    record: Record, setup: Setup, player: str = "", title: str | None = None, estimators: Sequence[str] = DEFAULT
) -> str:
    """One self-contained HTML page about an episode.

    Parameters
    ----------
    record : Record
        What was played.
    setup : Setup
        Its rules and instance.
    player : str
        Who played.
    title : str, optional
        Heading; default: condition and budget.
    estimators : sequence of str
        What is fitted to the same measurements for comparison.

    Returns
    -------
    str

    Raises
    ------
    InvalidOptionError
        If it is an episode of another environment.
    """
    instance = setup.instance
    if not isinstance(instance, SurfaceInstance):
        raise InvalidOptionError(f"this page is about episodes of effects; this one is of {record.terms.environment}")
    contents = Contents(
        record=record,
        instance=instance,
        options=setup.options,
        play=play_of(record.events, instance),
        score=setup.environment.score(record.events, instance, setup.options),
        inferred=infer(record.events, instance, estimators),
        player=player,
    )
    heading = title or f"Episode on {instance.condition}, {counted(int(setup.options['budget']), 'credit')}"
    body = Template(asset("episode.html")).substitute(
        title=text_of(heading),
        version=text_of(__version__),
        about=text_of(_about(contents)),
        summary=_summary(contents),
        timeline=_timeline(contents),
        map=purchase_map(contents.play.bought, contents.play.measured(instance.d).tolist(), instance.d),
        batches=_batches(contents),
        beliefs=_beliefs(contents),
        effects=_effects(contents),
        options=_options(contents),
        inference=_inference(contents),
        programs=_programs(contents),
        calls=_calls(contents),
    )
    return whole_page(heading, asset("report.css") + asset("episode.css"), body)


def _about(contents: Contents) -> str:
    options, instance = contents.options, contents.instance
    arms = ", ".join(f"{name} {options[name]}" for name in ("view", "receipts", "delivery", "helpers"))
    parts = [contents.player and f"played by {contents.player}", instance.family, arms]
    if instance.seal:
        shown = ", ".join(instance.surface.options[place] for place in instance.order)
        parts.append(f"options shown to the player in the order {shown}; this page has them in the workflow's own")
    return printable("; ".join(part for part in parts if part))


def _summary(contents: Contents) -> str:
    values, details = contents.score.values, contents.score.details
    form = details["form"] or "nothing"
    tiles = {
        "effect recovery": _number(values["effect_recovery"]),
        "best choice": "exact" if values["exact"] else f"regret {_number(values['regret'])}",
        "handed in": f"{form}{' (draft)' if values['draft_used'] else ''}",
        "credits": f"{values['credits_used']} of {values['budget']}",
        "batches": str(values["batches"]),
        "calculations": f"{values['calculations']}, {values['calculations_failed']} failed",
        "refused calls": str(values["refusals"]),
        "seconds": f"{contents.record.elapsed:.0f}",
    }
    if contents.options["view"] == "full+rules":
        tiles["rules reported"] = f"{values['rules_correct']} of {values['rules_total']}"
        tiles["redundant purchases"] = str(values["redundant_purchases"])
        tiles["equivalence error / range"] = _number(values["equivalence_error"])
        tiles["recovery after projection"] = _number(values["projected_effect_recovery"])
    return "".join(
        element("div", element("dt", text_of(name)) + element("dd", text_of(value))) for name, value in tiles.items()
    )


def _number(value: Any) -> str:
    return "–" if value is None else fixed(float(value), 3)


def _timeline(contents: Contents) -> str:
    moments = [
        Moment(
            "refused" if event.refusal is not None else _LANES[event.call.tool],
            seconds,
            printable(_headline(event))[:160],
        )
        for event, seconds in contents.calls
        if event.refusal is not None or event.call.tool in _LANES
    ]
    return two_widths(lambda width: timeline(moments, float(contents.options["deadline"]), width))


def _headline(event: Event) -> str:
    """One line on a call."""
    if event.refusal is not None:
        return f"{event.call.tool or 'no call'} refused ({event.refusal.code})"
    if event.call.tool == "observe_many":
        return f"{counted(len(event.result['new']), 'new mask')}: {', '.join(event.result['new'])}"
    if event.call.tool == "calculate_python":
        return f"calculation {event.result['calculation']}, exit {event.result['exit']}"
    if event.call.tool in ("submit_diagnosis", "draft"):
        return f"{event.call.tool}: {event.result.get('form')}"
    return event.call.tool


def _batches(contents: Contents) -> str:
    rows, place = [], 0
    for event, seconds in contents.calls:
        if event.call.tool != "observe_many" or event.refusal is not None:
            continue
        values = {entry["mask"]: entry["utility"] for entry in event.result["observations"]}
        new = event.result["new"]
        shown = ", ".join(f"{mask} {values[mask]:.4f}" for mask in new) or "nothing new"
        first, place = place + 1, place + len(new)
        rows.append((f"{first}–{place}" if len(new) > 1 else str(first) if new else "–", f"{seconds:.1f}", shown))
    return plain_table("Batches in order, with the utilities that came back", ("credits", "seconds", "masks"), rows)


def _beliefs(contents: Contents) -> str:
    notes = [
        element(
            "li",
            element("time", f"{seconds:.1f} s") + element("blockquote", text_of(cut(event.call.arguments["text"]))),
        )
        for event, seconds in contents.calls
        if event.call.tool == "note" and event.refusal is None
    ]
    rules = contents.score.details.get("rules")
    said = ""
    if rules is not None:
        reported = "nothing" if rules["reported"] is None else "; ".join(rules["reported"]) or "that there are none"
        said = element("p", text_of(f"Rules reported: {reported}. True: {'; '.join(rules['true']) or 'none'}."))
    if not notes:
        return said + element("p", "The player wrote no note.", class_="note")
    return said + element("ol", "".join(notes), class_="notes")


def _effects(contents: Contents) -> str:
    table = contents.table
    if table is None:
        return element("p", "Nothing was handed in, so there is nothing to compare.", class_="note")
    truth, known = contents.instance.surface.utilities, contents.play.measured(contents.instance.d).tolist()
    letters = contents.instance.surface.options
    drawings = "".join(
        element("div", effect_scatter(truth, table, known, letters, size), class_=kind)
        for kind, size in _SCATTER.items()
    )
    key = "".join(
        element(
            "span",
            element("svg", marker(0, 7, 7, letter), viewBox="0 0 14 14", width=14, height=14, aria_hidden="true")
            + text_of(letter),
            class_=f"series s{place % SERIES}",
        )
        for place, letter in enumerate(letters)
    )
    return element("p", key, class_="key letters") + element("figure", drawings, class_="large scatter")


def _options(contents: Contents) -> str:
    """Each option's effects, true and in the table."""
    table, surface = contents.table, contents.instance.surface
    names = {option.letter: option.name for option in contents.instance.options}
    starts, ends = edges(surface.d)
    true = (surface.utilities[ends] - surface.utilities[starts]).reshape(surface.d, -1)
    said = None if table is None else (table[ends] - table[starts]).reshape(surface.d, -1)
    rows = []
    for place, letter in enumerate(surface.options):
        row = [f"{letter} {names.get(letter, '')}".strip(), f"{true[place].mean():+.4f}"]
        if said is not None:
            wrong = (np.sign(said[place]) != np.sign(true[place])) & (np.abs(true[place]) > 1e-12)
            error = np.abs(said[place] - true[place]).mean()
            row += [f"{said[place].mean():+.4f}", f"{np.abs(true[place]).mean():.4f}", f"{error:.4f}"]
            row += [f"{int(wrong.sum())} of {wrong.size}"]
        rows.append(row)
    head = ["option", "mean effect"]
    if said is not None:
        head += ["in the table", "mean size", "mean error", "wrong sign"]
    return plain_table("Effects of each option, over all settings of the others", head, rows)


def _inference(contents: Contents) -> str:
    rows = [
        (
            row.label if row.form is None else f"{row.label} ({row.form})",
            _number(row.grade.effect_recovery),
            "yes" if row.grade.exact else "no",
            _number(row.grade.regret),
            _number(row.grade.effect_mae),
            "yes" if row.grade.strict else "no",
        )
        for row in contents.inferred
    ]
    head = ("answer", "recovery", "exact", "regret", "mean effect error", "strict")
    return plain_table("The answer beside others on the same measurements", head, rows)


def _programs(contents: Contents) -> str:
    blocks = []
    for event, seconds in contents.calls:
        if event.call.tool != "calculate_python" or event.refusal is not None:
            continue
        result = event.result
        ending = f", ended by the limit of {result['limit']}" if result.get("limit") else ""
        head = f"{result['calculation']} at {seconds:.1f} s: exit {result['exit']}{ending}"
        parts = [("program", event.call.arguments["code"]), ("output", result["stdout"]), ("errors", result["stderr"])]
        body = "".join(
            element("h4", name) + element("pre", text_of(cut(text)), tabindex="0") for name, text in parts if text
        )
        blocks.append(element("details", element("summary", text_of(head)) + body))
    return "".join(blocks) or element("p", "No program was run.", class_="note")


def _calls(contents: Contents) -> str:
    rows = []
    for event, seconds in contents.calls:
        sent = json.dumps(event.call.arguments, ensure_ascii=False)
        answer = event.refusal.message if event.refusal is not None else _headline(event)
        rows.append((str(event.number), f"{seconds:.1f}", event.call.tool or "–", short(sent), short(answer, 600)))
    return plain_table(
        "All calls, refused ones included", ("call", "seconds", "tool", "sent", "answered"), rows, "calls"
    )
