"""What of a call is taken in: anything can arrive, and what is kept of it is bounded."""

from __future__ import annotations

import builtins
import json
from typing import Any, NamedTuple

import msgspec

from whatworked.environments.protocol import Call, Json, Refusal
from whatworked.errors import plain
from whatworked.storage.canonical import canonical_json, sha256

LARGEST_CALL = 1 << 20
"""Bytes that a call's arguments may have as canonical JSON."""
DEEPEST = 100
"""Levels of arrays and objects inside each other that arguments may have."""
LONGEST_NAME = 200
"""Characters of a tool's name and of a call's id."""
_BEGINNING = 400


class Admission(NamedTuple):
    """A call as it is written down.

    Attributes
    ----------
    call : Call
        With plain JSON arguments.
    refusal : Refusal or None
        Why it is not passed on to the rules; the arguments are an account of what arrived then.
    """

    call: Call
    refusal: Refusal | None = None


def admitted(call: Call, largest: int = LARGEST_CALL) -> Admission:
    """A call as it can be written down and read again: plain JSON within bounds, or an account of what arrived.

    Parameters
    ----------
    call : Call
        Of any content whatever.
    largest : int
        Bytes that its arguments may have as canonical JSON.

    Returns
    -------
    Admission

    Examples
    --------
    >>> admitted(Call(tool="look", arguments={"masks": ("00", "01")})).call.arguments
    {'masks': ['00', '01']}
    >>> admitted(Call(tool="look", arguments={"value": float("nan")})).refusal.code
    'bad_json'
    """
    # A player in the same process may hand over texts whose own class answers for them.
    call = Call(tool=_plain(call.tool), arguments=call.arguments, call_id=_plain(call.call_id))
    call_id, bad_id = _call_id(call.call_id)
    if not _is_name(call.tool):
        whole = {"tool": call.tool, "arguments": call.arguments}
        message = f"a tool's name is a text of 1 to {LONGEST_NAME} characters; this is {_seen(call.tool)}"
        return Admission(
            Call(tool="", arguments=_account(whole), call_id=call_id), Refusal(code="unknown_tool", message=message)
        )
    try:
        text = canonical_json(call.arguments)
        plain = json.loads(text) if len(text) <= largest else None
        if _is_deep(plain):
            raise RecursionError
    except Exception as error:  # writing down objects of others runs their code
        return _unread(call, call_id, "bad_json", f"the arguments are no plain JSON: {_reason(error)}. Send them again")
    if len(text) > largest:
        message = f"the arguments have {len(text)} bytes; at most {largest} are taken. Send less at once"
        return _unread(call, call_id, "too_large", message)
    return Admission(Call(tool=call.tool, arguments=plain, call_id=call_id), bad_id)


class Excerpt(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of something too large or too strange to keep.

    Attributes
    ----------
    bytes : int
        How many there were.
    sha256 : str
        Of all of them.
    beginning : str
        The first 400 characters.
    """

    bytes: int
    sha256: str
    beginning: str

    @classmethod
    def of(cls, text: builtins.bytes) -> Excerpt:
        """What is kept of a text.

        Parameters
        ----------
        text : bytes
            All of it.

        Returns
        -------
        Excerpt
        """
        return cls(bytes=len(text), sha256=sha256(text), beginning=beginning_of(text))

    def account(self) -> dict[str, Json]:
        """The same as JSON.

        Returns
        -------
        dict
        """
        account: dict[str, Json] = msgspec.structs.asdict(self)
        return account


def beginning_of(text: bytes) -> str:
    """The first characters of a text, whatever its bytes."""
    return text[: 4 * _BEGINNING].decode("utf-8", "replace")[:_BEGINNING]


def unreadable(excerpt: Excerpt, reason: str) -> Admission:
    """Something that arrived in place of a call.

    Parameters
    ----------
    excerpt : Excerpt
        Of what arrived.
    reason : str
        What is wrong with it.

    Returns
    -------
    Admission
    """
    return Admission(
        Call(tool="", arguments=excerpt.account()),
        Refusal(code="bad_json", message=f"this is no call: {reason}. Send one JSON object with tool and arguments"),
    )


def _unread(call: Call, call_id: str | None, code: str, message: str) -> Admission:
    kept = Call(tool=call.tool, arguments=_account(call.arguments), call_id=call_id)
    return Admission(kept, Refusal(code=code, message=message))


def _is_deep(value: Json) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, list | dict)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, list | dict)
        ]
        if not level:
            return False
    return True


def _call_id(given: Any) -> tuple[str | None, Refusal | None]:
    if given is None or _is_name(given):
        return given, None
    message = f"call_id is {_seen(given)}; allowed is a text of 1 to {LONGEST_NAME} characters, or none"
    return None, Refusal(code="bad_call_id", message=message)


def _is_name(given: Any) -> bool:
    if not isinstance(given, str) or not 0 < len(given) <= LONGEST_NAME:
        return False
    try:
        given.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _plain(given: Any) -> Any:
    return plain(given) if issubclass(type(given), str) else given


def _seen(given: Any) -> str:
    if isinstance(given, str):
        return f"one of {len(given)} characters"
    return f"of type {type(given).__name__}"


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "they are nested too deeply"
    if isinstance(error, UnicodeEncodeError):
        return "they hold half a surrogate pair"
    if isinstance(error, TypeError):
        return "a value or key is of a type that JSON has not"
    if not isinstance(error, ValueError):
        return f"writing a value down fails with {type(error).__name__}"
    said = str(error)
    if "Circular" in said:
        return "they contain themselves"
    return "a number has too many digits" if "digits" in said else "they hold NaN or an infinity, which is no number"


def _account(arguments: Json) -> dict[str, Json]:
    """Size, digest and beginning of arguments that are not kept."""
    try:
        text = json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False, skipkeys=True)
    except Exception:  # see `admitted`
        text = f"({type(arguments).__name__}, which cannot be written as text)"
    return Excerpt.of(text.encode("utf-8", "backslashreplace")).account()
