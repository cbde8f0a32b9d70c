"""What a player is told, in words: data files of one version, filled with figures.

Nothing here depends on a hidden label but through what an instrument shows.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from string import Template
from typing import Any

from whatworked.environments.drift.events import Event, Posting
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import BODIES, MAST, SITE_OF, SITES
from whatworked.environments.drift.order import COUNTER_AFTER, INTAKE_AFTER
from whatworked.environments.drift.prologue import share_table
from whatworked.environments.drift.readings import due_ticks
from whatworked.environments.drift.rules import WINDOW, Options
from whatworked.wording import counted

TEXTS = "v1"
"""Version of the texts; each has a folder of its own."""
NOTE_CHARACTERS = 12_000
"""Characters of the workspace: 3,000 tokens at four characters each."""
RECALL_CHARACTERS = 16_000
"""Characters that a recall brings back at most."""


@cache
def text_file(name: str) -> str:
    """A text of the current version."""
    folder = resources.files("whatworked.environments.drift.data").joinpath("texts", TEXTS)
    return folder.joinpath(name).read_text("utf-8").strip()


@cache
def table_file(name: str) -> dict[str, Any]:
    """A table of texts of the current version."""
    return tomllib.loads(text_file(name))


def rules_text(options: Options) -> str:
    """The fixed opening: mission and contract."""
    words = {
        "budget": options.budget,
        "window": WINDOW,
        "note_characters": f"{NOTE_CHARACTERS:,}",
        "recall_characters": f"{RECALL_CHARACTERS:,}",
    }
    return "\n\n".join([text_file("mission.md"), Template(text_file("contract.md")).substitute(words)])


def document_text(options: Options) -> str | None:
    """The document on the representation, where it is disclosed."""
    return text_file("document.md") if options.disclosed else None


def scene_texts(instance: Instance) -> list[str]:
    """What opens the record of events at no cost: the scene, the doctrine, the reel with its figures."""
    reel = Template(text_file("prologue.md")).substitute(share_table(instance))
    return [text_file("scene.md"), text_file("doctrine.md"), reel]


def preflight_questions() -> list[str]:
    """The five questions on the prologue."""
    return [item["question"] for item in table_file("preflight.toml")["items"]]


def preflight_answers(instance: Instance) -> list[str]:
    """Their answers, as text."""
    table = share_table(instance)
    items = table_file("preflight.toml")["items"]
    return [str(table[item["figure"]]) if "figure" in item else str(item["answer"]) for item in items]


def order_facts(instance: Instance) -> dict[str, Any]:
    """What the standing order says, for programs; the beacon is named by its relation alone."""
    order = instance.order
    consignment = BODIES[order.consignment]
    facts: dict[str, Any] = {
        "tick": order.tick,
        "site": "ladder-mast" if order.beacon in MAST else "drum",
        "verb": order.verb,
        "fen": BODIES[order.fen],
        "consignment": consignment,
        "berth": SITE_OF[order.consignment],
        "due": due_ticks(instance).get(order.consignment),
        "intake_tick": order.tick + INTAKE_AFTER,
        "counter_tick": order.tick + COUNTER_AFTER,
    }
    return facts


def order_text(instance: Instance) -> str:
    """The standing order in words."""
    facts = order_facts(instance)
    sites = table_file("sites.toml")
    due = "" if facts["due"] is None else f", due at tick {facts['due']}"
    titles = {"site_title": sites[facts["site"]]["title"], "berth_title": sites[facts["berth"]]["title"]}
    return Template(text_file("order.md")).substitute(facts | titles | {"due": due})


def heading(event: Event) -> str:
    """When and what an event was, in one line."""
    what = " ".join(str(part) for part in (event.verb, event.target, event.n) if part is not None)
    return f"[pass {event.pass_number}, tick {event.tick}] {what}"


def event_text(event: Event) -> str:
    """An event in full, as a player reads it."""
    return f"{heading(event)}\n{_body(event)}"


def _body(event: Event) -> str:
    sentences = table_file("sentences.toml")
    if event.outcome == "arrived":
        return "\n".join([site_text(str(event.target)), *_posting_texts(event)])
    if event.outcome == "read":
        return _reading_text(str(event.target), event.reading)
    if event.outcome == "waited":
        return f"You wait; {counted(event.ticks or 0, 'tick')} pass."
    if event.outcome == "committed":
        return "Your prediction was taken and sealed."
    if event.outcome == "yielded":
        return f"You step back; the clock runs on for {counted(event.charged or 0, 'tick')}."
    if event.outcome == "acknowledged":
        return str(sentences["acknowledged"])
    return str(sentences[event.outcome][event.sentence])


def site_text(site: str) -> str:
    """What is seen on arrival at a site."""
    told = table_file("sites.toml")[site]
    place = SITES[site]
    instruments = ", ".join(place.instruments) or "none"
    bodies = ", ".join(place.bodies)
    return f"{told['title']}, on {place.hulk}. {told['text']}\nHere: {bodies}. Instruments: {instruments}."


def _posting_texts(event: Event) -> list[str]:
    if event.posted is None:
        return []
    words = table_file("postings.toml")
    return [_posting_text(posting) for posting in event.posted] or [str(words["empty"])]


def _posting_text(posting: Posting) -> str:
    title = Template(table_file("postings.toml")[posting.stream]).substitute({"pass": posting.pass_number})
    return "\n".join([title, *(_row_text(row) for row in posting.rows)])


def _row_text(row: Mapping[str, Any]) -> str:
    if "tally" in row:
        tally = ", ".join(f"{name} {figure}" for name, figure in row["tally"].items())
        return f"  tick {row['tick']}: {tally}; marks: {', '.join(row['marks']) or 'none'}"
    if "verb" in row:
        return f"  tick {row['tick']}: {row['verb']} {row['target']}; counter {row['before']}, then {row['after']}"
    return f"  tick {row['tick']}: {row['counter']}"


def _reading_text(instrument: str, shown: Any) -> str:
    told = table_file("instruments.toml")[instrument]
    return "\n".join([told["header"], *(f"  {line}" for line in _figures(instrument, shown)), told["texture"]])


def _figures(instrument: str, shown: Any) -> list[str]:
    if instrument == "job-strip":
        return [f"tick {tick}: {', '.join(printers) or 'none'}" for tick, printers in shown]
    if instrument == "answer-board":
        return [f"{name}: {'answers' if name in shown else 'silent'}" for name in _BEACON_NAMES]
    if instrument == "manifest-slate":
        return [f"{part}: {', '.join(shown[part]) or 'none'}" for part in ("waiting", "released", "moved")]
    if instrument == "berth-scale":
        return [f"{name}: {'never' if due is None else due}, {moved}" for name, (due, moved) in shown.items()]
    if instrument == "audit-counter":
        return [str(shown)]
    if instrument == "pass-ledger":
        return [f"tick {tick}: {count}" for tick, count in enumerate(shown)] or ["the page is empty"]
    return [f"{name}: {figure}" for name, figure in shown.items()]


_BEACON_NAMES = tuple(name for name in BODIES if name.startswith("beacon"))
