"""What a judge sends back, told apart by class: only an answer votes, and nothing else is taken for one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import msgspec

from whatworked.storage.canonical import canonical_json, encodable
from whatworked.storage.json_text import parse_json

Kind: TypeAlias = Literal["answer", "refusal", "truncated", "filtered", "unparseable", "unreachable"]
"""Classes of replies. `answer` is JSON that fits; `refusal` is the model's own; `truncated` was cut at the most tokens;
`filtered` was held back by the provider; `unparseable` is no JSON or does not fit; `unreachable` means that no reply
came."""

KINDS: tuple[Kind, ...] = ("answer", "refusal", "truncated", "filtered", "unparseable", "unreachable")

MOST_CHARACTERS = 1_000_000
"""Longest reply that is read."""
_STARTS = 50
"""Places at which an object is looked for in a reply that is more than one."""


class Reply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What came back for one request.

    Attributes
    ----------
    kind : str
        Its class, as far as the provider tells it: whether a text is an answer, the question's schema decides.
    text : str
        What the model wrote.
    model : str or None
        Which model answered, in the provider's words.
    input_tokens, output_tokens : int or None
        As the provider counts them.
    detail : str
        What a person should know: the provider's error, the reason of a refusal.
    retry_after : float or None
        Seconds after which the provider wants to be asked again.
    lasting : bool
        Whether asking again would be no use, as for a request that the provider calls wrong.
    """

    kind: Kind
    text: str = ""
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    detail: str = ""
    retry_after: float | None = None
    lasting: bool = False


def writable(reply: Reply) -> Reply:
    """A reply whose texts can be written to a file; half characters become marks."""
    model = None if reply.model is None else encodable(reply.model)
    return msgspec.structs.replace(reply, text=encodable(reply.text), model=model, detail=encodable(reply.detail))


def read_answer(text: str) -> Any:
    r"""The JSON object of a reply, alone or the only one between other words.

    Parameters
    ----------
    text : str
        What a model wrote.

    Returns
    -------
    object
        The whole text as JSON, or else the only object that stands in it.

    Raises
    ------
    ValueError
        If there is none, or more than one, so that which is meant would be a guess; or a key twice, NaN, or more
        values than are read.

    Examples
    --------
    >>> read_answer('Here it is:\n```json\n{"choice": "yes"}\n```')
    {'choice': 'yes'}
    >>> read_answer('{"choice": "yes"} or rather {"choice": "no"}')
    Traceback (most recent call last):
    ...
    ValueError: it holds more than one JSON object
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it has {len(text)} characters, more than the {MOST_CHARACTERS} that are read")
    stripped = text.strip()
    if stripped.startswith(("{", "[")) and _is_whole(stripped):
        return _parsed(stripped)
    spans = list(_objects(text))
    if not spans:
        raise ValueError("it holds no JSON object")
    if len(spans) > 1:
        raise ValueError("it holds more than one JSON object")
    return _parsed(text[slice(*spans[0])])


def _parsed(text: str) -> Any:
    value = parse_json(encodable(text).encode())
    try:
        canonical_json(value)
    except UnicodeEncodeError:
        raise ValueError("it holds half of a surrogate pair, which no file can hold") from None
    return value


def _is_whole(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _objects(text: str) -> Iterator[tuple[int, int]]:
    """Where outermost JSON objects stand in a text."""
    decoder = json.JSONDecoder()
    position = 0
    for _ in range(_STARTS):
        position = text.find("{", position)
        if position < 0:
            return
        try:
            _, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            position += 1
            continue
        yield position, end
        position = end
    raise ValueError("it holds too many braces to say which JSON object is meant")
