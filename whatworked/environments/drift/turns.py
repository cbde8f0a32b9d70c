"""A turn of a model: the prompt in five segments, and the one JSON object that it answers with.

Built from what the tools show and nothing else, so that it can be used on the player's side of any front end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from whatworked.environments.drift.texts import text_file
from whatworked.storage.json_text import parse_json

LONGEST_REPLY = 100_000
"""Characters of a reply that are read."""
ECHOED = 2_000
"""Characters of a reply that a retry shows again."""


class Turn(NamedTuple):
    """What a reply asks for.

    Attributes
    ----------
    calls : tuple of (str, dict)
        Tools and arguments: the note first, then the action, then the recall.
    problem : str or None
        Why the reply cannot be read; there are no calls then.
    """

    calls: tuple[tuple[str, dict[str, Any]], ...]
    problem: str | None = None


def prompt_segments(
    facts: Mapping[str, Any],
    digest: Sequence[str],
    workspace: str,
    recalled: Sequence[str],
    view: Mapping[str, Any],
) -> dict[str, str]:
    """The five segments of a prompt, each in front of what changes more often than it does.

    Parameters
    ----------
    facts : mapping
        The opening's.
    digest : sequence of str
        Lines of the tool ``digest``.
    workspace : str
        The notes as they stand.
    recalled : sequence of str
        What the last recall brought back.
    view : mapping
        What the tool ``look`` shows.

    Returns
    -------
    dict of str to str
        A: mission, contract, form of the reply, and the document where it is disclosed. B: scene, doctrine, reel, and
        everything that happened. C: the workspace. D: the recall. E: the view, as JSON.
    """
    document = facts["document"]
    fixed = [facts["rules"], text_file("reply.md"), *([] if document is None else [document])]
    shown = {name: value for name, value in view.items() if name != "workspace"}
    return {
        "A": "\n\n".join(fixed),
        "B": "\n\n".join([*facts["scene"], *digest]),
        "C": workspace or "(the workspace is empty)",
        "D": "\n\n".join(recalled) or "(nothing was recalled)",
        "E": json.dumps(shown, ensure_ascii=False, sort_keys=True),
    }


def read_reply(text: str) -> Turn:
    """What a reply asks for, or what is wrong with it.

    Parameters
    ----------
    text : str
        One JSON object, with or without a fence around it.

    Returns
    -------
    Turn

    Examples
    --------
    >>> read_reply('{"action": {"verb": "wait", "n": 3}, "note": {"append": "quiet"}}').calls
    (('note', {'text': 'quiet', 'mode': 'append'}), ('act', {'verb': 'wait', 'n': 3}))
    >>> read_reply('I wait.').problem
    'the reply is not one JSON object'
    """
    try:
        content = parse_json(_unfenced(text).encode("utf-8", "replace"), containers=1000, values=1000)
    except ValueError as error:
        return Turn((), "the reply is not one JSON object" if "{" not in text else f"the reply is no JSON: {error}")
    if not isinstance(content, dict) or not isinstance(content.get("action"), dict):
        return Turn((), "the reply has no `action` that is an object")
    unknown = [name for name in content if name not in ("action", "note", "recall")]
    if unknown:
        return Turn((), f"the reply has {unknown[0]!r:.40}; there are action, note and recall")
    note = content.get("note")
    if note is not None and not _is_note(note):
        return Turn((), '`note` is {"append": text} or {"replace": text}')
    if not isinstance(content.get("recall", {}), dict):
        return Turn((), "`recall` is an object of what to recall by")
    return Turn((*_note_calls(note), _action_call(content["action"]), *_recall_calls(content)))


def retry_text(problem: str, reply: str) -> str:
    """What a model is told after a reply that could not be read.

    Parameters
    ----------
    problem : str
        What was wrong.
    reply : str
        What it said.

    Returns
    -------
    str
    """
    cut = reply if len(reply) <= ECHOED else f"{reply[:ECHOED]}…"
    return f"Your reply could not be taken: {problem}. It was:\n\n{cut}\n\n{text_file('reply.md')}"


def _unfenced(text: str) -> str:
    stripped = text[:LONGEST_REPLY].strip()
    if stripped.startswith("```") and stripped.endswith("```"):
        return stripped.removesuffix("```").partition("\n")[2]
    return stripped


def _is_note(note: Any) -> bool:
    return isinstance(note, dict) and len(note) == 1 and isinstance(note.get("append", note.get("replace")), str)


def _note_calls(note: Mapping[str, str] | None) -> list[tuple[str, dict[str, Any]]]:
    if not note:
        return []
    ((mode, text),) = note.items()
    return [("note", {"text": text, "mode": mode})]


def _action_call(action: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    verb = action.get("verb")
    if verb == "yield":
        return "yield_remaining_budget", {}
    if verb == "commit":
        return "commit", {name: action.get(name) for name in ("intake", "answer", "counter")}
    return "act", {name: action[name] for name in ("verb", "target", "n") if name in action}


def _recall_calls(content: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [("recall", dict(content["recall"]))] if content.get("recall") else []
