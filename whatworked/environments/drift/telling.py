"""The record and the view as a player gets them: digest, recall, what can be done where one stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from whatworked.environments.drift.events import Event
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import INTERVENTIONS, NUMBER, PASS_TICKS, SITES
from whatworked.environments.drift.rules import LONGEST_WAIT, Options, State, sealed_bodies, window_open
from whatworked.environments.drift.texts import event_text

DIGEST_CHARACTERS = 96_000
"""Characters of the digest, about 24,000 tokens; beyond them its oldest entries are shortened."""


class Experience(NamedTuple):
    """An event as the player came to know it.

    Attributes
    ----------
    site : str or None
        Where the player stood.
    event : Event
        What happened.
    """

    site: str | None
    event: Event


def digest_lines(history: Sequence[Experience], most: int) -> list[str]:
    """Every event in its order; where all of them in full would be too long, the oldest are shortened.

    Parameters
    ----------
    history : sequence of Experience
        From the first on.
    most : int
        Characters that there is room for.

    Returns
    -------
    list of str
    """
    lines = [f"{place + 1} {event_text(told.event)}" for place, told in enumerate(history)]
    room = most - sum(map(len, lines))
    for place, told in enumerate(history):
        if room >= 0:
            break
        short = f"{place + 1} tick {told.event.tick} {told.event.verb}"
        room += len(lines[place]) - len(short)
        lines[place] = short
    return lines


def recall(history: Sequence[Experience], query: Mapping[str, Any], most: int) -> tuple[list[str], int, bool]:
    """Events that a query names, in full and in the order of the record.

    Parameters
    ----------
    history : sequence of Experience
        From the first on.
    query : mapping
        `first_pass`, `last_pass`, `first_tick`, `last_tick`, `site`, `instrument`, `kind`; all that it names must hold.
    most : int
        Characters that there is room for.

    Returns
    -------
    texts : list of str
        As many as fit.
    found : int
        How many there are.
    cut : bool
        Whether some did not fit.
    """
    found = [f"{place + 1} {event_text(told.event)}" for place, told in enumerate(history) if _is_meant(told, query)]
    texts: list[str] = []
    for text in found:
        most -= len(text)
        if most < 0:
            break
        texts.append(text)
    return texts, len(found), len(texts) < len(found)


def _is_meant(told: Experience, query: Mapping[str, Any]) -> bool:
    event = told.event
    return bool(
        query.get("first_pass", 0) <= event.pass_number <= query.get("last_pass", event.pass_number)
        and query.get("first_tick", 0) <= event.tick <= query.get("last_tick", PASS_TICKS)
        and query.get("site", told.site) == told.site
        and query.get("instrument", event.target) == event.target
        and query.get("kind", event.verb) == event.verb
    )


def view_of(instance: Instance, options: Options, state: State, order: str | None) -> dict[str, Any]:
    """Where the player stands and what can be done there.

    Parameters
    ----------
    instance : Instance
        Only what the order names publicly is used of it.
    options : Options
        How the episode is played.
    state : State
        Where it stands.
    order : str or None
        The standing order's text, once it is posted.

    Returns
    -------
    dict
        `available_actions`, `blocked_actions`, `budgets`, `commit_window`, `loop`, `view`.
    """
    opened = window_open(state, options)
    sealed = sealed_bodies(instance) if opened else frozenset()
    here = None if state.place is None else SITES[state.place]
    bodies = () if here is None else here.bodies
    offices = [{"verb": verb, "target": body} for body in bodies for verb in INTERVENTIONS]
    free = [action for action in offices if NUMBER[action["target"]] not in sealed]
    blocked: list[dict[str, Any]] = [
        {**action, "why": "under seal"} for action in offices if NUMBER[action["target"]] in sealed
    ]
    commit = {"verb": "commit"}
    if not opened:
        blocked.append({**commit, "why": "the commit window is not open"})
    elif state.commitment is not None:
        blocked.append({**commit, "why": "a prediction was committed"})
    available: list[dict[str, Any]] = [
        *({"verb": "goto", "target": site} for site in SITES),
        *({"verb": "read", "target": name} for name in (() if here is None else here.instruments)),
        {"verb": "wait", "n": f"1 to {LONGEST_WAIT}"},
        *free,
        *([commit] if opened and state.commitment is None else []),
        *([] if opened else [{"verb": "yield"}]),
    ]
    return {
        "available_actions": available,
        "blocked_actions": blocked,
        "budgets": {"paid_left": options.budget - state.paid},
        "commit_window": {"open": opened, "committed": state.commitment is not None},
        "loop": {"pass": state.pass_number, "tick": state.world.tick},
        "view": {
            "site": state.place,
            "bodies": list(bodies),
            "instruments": list(() if here is None else here.instruments),
            "order": order,
        },
    }
