"""What a player can call beyond the world's actions, and what it is told: notes, recall, digest, view, pre-flight.

Pure over a frozen state. `reply_to` is the whole interface: a name, arguments, and what comes back.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from whatworked.environments.drift.events import Action
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import INSTRUMENTS, INTERVENTIONS, SITES
from whatworked.environments.drift.rules import (
    Options,
    State,
    apply,
    is_over,
    obstacle,
    opening_state,
    window_open,
)
from whatworked.environments.drift.telling import DIGEST_CHARACTERS, Experience, digest_lines, recall, view_of
from whatworked.environments.drift.texts import (
    NOTE_CHARACTERS,
    RECALL_CHARACTERS,
    event_text,
    order_facts,
    order_text,
    preflight_answers,
    preflight_questions,
)

TURNS, AUX_TURNS, TURNS_FOR = 300, 100, 200
"""Turns, and those of them that may go to calls that are no action, for a budget of 200 paid actions."""
RIGHT_FOR_PASS = 4
"""Right answers of the five below which an episode is flagged."""
TOOLS = ("preflight", "look", "act", "note", "recall", "digest", "yield_remaining_budget", "commit")
"""What a player can call."""
VERBS = ("goto", "read", "wait", *INTERVENTIONS)
"""Verbs of the tool ``act``."""
Charges: TypeAlias = Mapping[str, int]
Preflight: TypeAlias = Literal["open", "declined"] | int
"""Number of right answers, once there are answers; declined by an action before them."""


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """An episode with what its player wrote.

    Attributes
    ----------
    options : Options
        How it is played.
    state : State
        The world's side.
    history : tuple of Experience
        Every event so far, with the site that it happened at.
    workspace : str
        The notes as they stand.
    revisions : int
        Notes written, those that were turned away included.
    preflight : "open", "declined" or int
        How the five questions were answered.
    turns, aux_turns : int
        Turns taken; those that were no action.
    """

    options: Options
    state: State
    history: tuple[Experience, ...] = ()
    workspace: str = ""
    revisions: int = 0
    preflight: Preflight = "open"
    turns: int = 0
    aux_turns: int = 0


class Reply(NamedTuple):
    """What a call came to.

    Attributes
    ----------
    play : Play
        After it.
    result : mapping
        Plain JSON for the player.
    charges : mapping of str to int
        Paid actions and turns.
    refusal : tuple of str, or None
        Code and message, if it was not carried out.
    events : tuple of str
        What the world did by itself: ``"crossing"``, ``"order"``.
    """

    play: Play
    result: Mapping[str, Any] = MappingProxyType({})
    charges: Charges = MappingProxyType({})
    refusal: tuple[str, str] | None = None
    events: tuple[str, ...] = ()


def new_play(instance: Instance, options: Options) -> Play:
    """An episode before its first call."""
    return Play(options=options, state=opening_state(instance))


def turn_limits(options: Options) -> dict[str, int]:
    """Turns of an episode; they scale with its budget."""
    return {
        "turns": -(-TURNS * options.budget // TURNS_FOR),
        "aux_turns": -(-AUX_TURNS * options.budget // TURNS_FOR),
    }


def is_closed(play: Play) -> bool:
    """Whether no paid action or no turn is left."""
    limits = turn_limits(play.options)
    return is_over(play.state, play.options) or play.turns >= limits["turns"] or play.aux_turns >= limits["aux_turns"]


def reply_to(instance: Instance, play: Play, tool: str, arguments: Mapping[str, Any]) -> Reply:
    """Carry out a call or refuse it; nothing that a player sends raises.

    Parameters
    ----------
    instance : Instance
        The sealed facts.
    play : Play
        Before the call.
    tool : str
        One of `TOOLS`.
    arguments : mapping
        As they came.

    Returns
    -------
    Reply
    """
    match tool:
        case "act":
            return _act(instance, play, arguments)
        case "commit":
            return _commit(instance, play, arguments)
        case "yield_remaining_budget":
            return _carry_out(instance, play, Action(verb="yield"))
        case "note":
            return _note(play, arguments)
        case "recall":
            return _recall(play, arguments)
        case "digest":
            return Reply(play, {"lines": digest_lines(play.history, DIGEST_CHARACTERS)})
        case "look":
            return _look(instance, play)
        case "preflight":
            return _preflight(instance, play, arguments)
    raise ValueError(f"no tool {tool!r}; there are {', '.join(TOOLS)}")


def _act(instance: Instance, play: Play, arguments: Mapping[str, Any]) -> Reply:
    verb, target, n = _in_one_word(*(arguments.get(name) for name in ("verb", "target", "n")))
    if verb not in VERBS:
        return _refuse(play, f"`verb` is {verb!r:.60}; it is one of {', '.join(VERBS)}")
    if verb == "wait":
        return _carry_out(instance, play, Action(verb=verb, n=n if type(n) is int else None))
    return _carry_out(instance, play, Action(verb=verb, target=target if isinstance(target, str) else None))


def _in_one_word(verb: Any, target: Any, n: Any) -> tuple[Any, Any, Any]:
    """What a person types as ``goto registry`` or ``wait 3``."""
    if not isinstance(verb, str) or target is not None or n is not None:
        return verb, target, n
    verb, _, rest = verb.strip().partition(" ")
    if verb == "wait":
        return verb, None, int(rest) if rest.isascii() and rest.isdigit() and len(rest) < 4 else None
    return verb, rest or None, None


def _commit(instance: Instance, play: Play, arguments: Mapping[str, Any]) -> Reply:
    figures = {name: _small(arguments.get(name)) for name in ("intake", "answer", "counter")}
    return _carry_out(instance, play, Action(verb="commit", **figures))


def _small(value: Any) -> Any:
    """A figure as it is kept; what is none is kept as its first characters."""
    return value if value is None or type(value) is int else str(value)[:100]


def _carry_out(instance: Instance, play: Play, action: Action) -> Reply:
    why = obstacle(play.state, play.options, action)
    if why is not None:
        return _refuse(play, why)
    was_open = window_open(play.state, play.options)
    state, event = apply(instance, play.options, play.state, action)
    opened = window_open(state, play.options) and not was_open
    crossings = state.pass_number - play.state.pass_number
    play = replace(
        play,
        state=state,
        history=(*play.history, Experience(state.place, event)),
        preflight="declined" if play.preflight == "open" else play.preflight,
        turns=play.turns + 1,
    )
    result = {
        "event": msgspec.to_builtins(event),
        "text": event_text(event),
        **standing_of(play),
        **({"order": order_facts(instance), "order_text": order_text(instance)} if opened else {}),
    }
    charges = {"paid": event.charged or 1, "turns": 1}
    return Reply(play, result, charges, events=("crossing",) * crossings + ("order",) * opened)


def standing_of(play: Play) -> dict[str, Any]:
    """Where an episode stands, for programs."""
    state = play.state
    return {
        "pass": state.pass_number,
        "tick": state.world.tick,
        "left": play.options.budget - state.paid,
        "window": window_open(state, play.options),
    }


def _refuse(play: Play, why: str) -> Reply:
    """A call that is no action: it costs a turn of both kinds, and neither an action nor a tick."""
    play = replace(play, turns=play.turns + 1, aux_turns=play.aux_turns + 1)
    return Reply(play, charges={"turns": 1, "aux_turns": 1}, refusal=("no_action", f"{why}. Nothing happened"))


def _note(play: Play, arguments: Mapping[str, Any]) -> Reply:
    text, mode = arguments.get("text"), arguments.get("mode", "append")
    if not isinstance(text, str) or mode not in ("append", "replace"):
        return Reply(play, refusal=("bad_argument", "a note is a `text`, and `mode` is append or replace"))
    play = replace(play, revisions=play.revisions + 1)
    joined = text if mode == "replace" or not play.workspace else f"{play.workspace}\n{text}"
    if len(joined) > NOTE_CHARACTERS:
        why = (
            f"the workspace would have {len(joined)} characters; it holds {NOTE_CHARACTERS}. Nothing of this note was "
            "kept; write less, or replace what stands there"
        )
        return Reply(play, {"revision": play.revisions, "kept": False}, refusal=("too_long", why))
    play = replace(play, workspace=joined)
    return Reply(play, {"revision": play.revisions, "kept": True, "characters": len(joined)})


def _recall(play: Play, arguments: Mapping[str, Any]) -> Reply:
    problem = _query_fault(arguments)
    if problem:
        return Reply(play, refusal=("bad_argument", problem))
    texts, found, cut = recall(play.history, arguments, RECALL_CHARACTERS)
    notice = {"notice": f"{len(texts)} of {found} events fit; ask for fewer"} if cut else {}
    return Reply(play, {"events": texts, "found": found, **notice})


def _query_fault(arguments: Mapping[str, Any]) -> str | None:
    numbers = ("first_pass", "last_pass", "first_tick", "last_tick")
    choices = {"site": tuple(SITES), "instrument": INSTRUMENTS, "kind": (*VERBS, "commit", "yield")}
    for name, value in arguments.items():
        if name in numbers:
            if type(value) is not int:
                return f"`{name}` is {value!r:.60}; it is a whole number"
        elif name in choices:
            if value not in choices[name]:
                return f"`{name}` is {value!r:.60}; it is one of {', '.join(choices[name])}"
        else:
            return f"there is no `{name!s:.60}` to recall by; there are {', '.join((*numbers, *choices))}"
    return None


def _look(instance: Instance, play: Play) -> Reply:
    order = order_text(instance) if window_open(play.state, play.options) else None
    limits = turn_limits(play.options)
    turns = {
        "turns_left": limits["turns"] - play.turns,
        "aux_turns_left": limits["aux_turns"] - play.aux_turns,
    }
    shown = view_of(instance, play.options, play.state, order)
    shown["budgets"] |= turns
    return Reply(play, {**shown, "workspace": play.workspace})


def _preflight(instance: Instance, play: Play, arguments: Mapping[str, Any]) -> Reply:
    answers = arguments.get("answers")
    if play.preflight != "open":
        why = "the questions were answered already" if isinstance(play.preflight, int) else "the first action is done"
        return Reply(play, refusal=("too_late", f"{why}; they are asked once, before it"))
    asked = preflight_questions()
    if not isinstance(answers, list) or len(answers) != len(asked):
        return Reply(play, refusal=("bad_argument", f"`answers` is a list of {len(asked)} answers, one a question"))
    right = sum(_plain(given) == true for given, true in zip(answers, preflight_answers(instance), strict=True))
    return Reply(replace(play, preflight=right), {"taken": True})


def _plain(answer: Any) -> str:
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    return str(answer).strip().strip(".").lower()[:40]
