"""What a player is told at the beginning."""

from __future__ import annotations

from typing import Any

from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import INTERVENTIONS, PASS_TICKS, SITES
from whatworked.environments.drift.prologue import share_table
from whatworked.environments.drift.rules import LONGEST_WAIT, WINDOW, Options
from whatworked.environments.drift.texts import (
    NOTE_CHARACTERS,
    RECALL_CHARACTERS,
    TEXTS,
    document_text,
    preflight_questions,
    rules_text,
    scene_texts,
    text_file,
)


def opening_text(instance: Instance, options: Options) -> str:
    """The scene, the doctrine, the reel, the mission and its rules, and the five questions.

    Parameters
    ----------
    instance : Instance
        Only the figures of the share table are used of it.
    options : Options
        How the episode is played.

    Returns
    -------
    str
    """
    questions = "\n".join(f"{number}. {text}" for number, text in enumerate(preflight_questions(), 1))
    asked = f"{text_file('preflight.md')}\n\n{questions}"
    document = document_text(options)
    rules = [rules_text(options), *([] if document is None else [document])]
    return "\n\n".join([*scene_texts(instance), *rules, asked]) + "\n"


def opening_facts(instance: Instance, options: Options) -> dict[str, Any]:
    """The same for programs.

    Parameters
    ----------
    instance : Instance
        As in `opening_text`.
    options : Options
        How the episode is played.

    Returns
    -------
    dict
    """
    return {
        "budget": options.budget,
        "window": WINDOW,
        "pass_ticks": PASS_TICKS,
        "longest_wait": LONGEST_WAIT,
        "interventions": list(INTERVENTIONS),
        "sites": {
            site.name: {"hulk": site.hulk, "bodies": list(site.bodies), "instruments": list(site.instruments)}
            for site in SITES.values()
        },
        "share_table": share_table(instance),
        "preflight": preflight_questions(),
        "note_characters": NOTE_CHARACTERS,
        "recall_characters": RECALL_CHARACTERS,
        "scene": scene_texts(instance),
        "rules": rules_text(options),
        "document": document_text(options),
        "texts": TEXTS,
    }
