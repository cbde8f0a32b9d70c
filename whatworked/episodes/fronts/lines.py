"""JSON lines: one object in, one object out.

The host speaks first: one line with the opening, the tools and the budgets. Then each line from the player is answered
by one line. A line is ``{"tool": name, "arguments": {...}, "call_id": text}`` (the last two may be missing), or
``{"ask": "tools"}`` or ``{"ask": "standing"}``, which are free and not written down. Empty lines are passed over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from whatworked.environments.protocol import Call
from whatworked.episodes.admission import Excerpt, beginning_of
from whatworked.episodes.fronts.host import EpisodeHost, opening_content, tool_content
from whatworked.storage.json_text import parse_json

LONGEST_LINE = 1 << 23
"""Bytes of a line that is read as a call: those of the largest call, however they are escaped."""
_MOST_VALUES = 1 << 20
_MOST_CONTAINERS = 1 << 17
_STEP = 1 << 16
_KEYS = {"tool", "arguments", "call_id"}


class Line(NamedTuple):
    """A line as it was read.

    Attributes
    ----------
    text : bytes
        Without its end; only the beginning of one that is too long.
    ended : bool
        Whether it had an end, and not only the stream.
    excerpt : Excerpt or None
        Of a line that is too long.
    """

    text: bytes
    ended: bool
    excerpt: Excerpt | None = None


def read_lines(source: IO[bytes], longest: int = LONGEST_LINE) -> Iterator[Line]:
    """The lines of a stream, in bounded memory.

    Parameters
    ----------
    source : binary file
        Until its end.
    longest : int
        Bytes of a line that are kept; of a longer one its size, digest and beginning.

    Yields
    ------
    Line
    """
    while text := source.readline(longest + 1):
        if text.endswith(b"\n"):
            yield Line(text[:-1], ended=True)
        elif len(text) <= longest:
            yield Line(text, ended=False)
        else:
            yield _long(source, text)


def _long(source: IO[bytes], text: bytes) -> Line:
    digest, size, ended = hashlib.sha256(text), len(text), False
    while not ended and (part := source.readline(_STEP)):
        ended = part.endswith(b"\n")
        part = part[:-1] if ended else part
        digest.update(part)
        size += len(part)
    excerpt = Excerpt(bytes=size, sha256=digest.hexdigest(), beginning=beginning_of(text))
    return Line(text[:_STEP], ended, excerpt)


def serve_lines(host: EpisodeHost, source: IO[bytes], sink: IO[bytes]) -> None:
    """Answer the lines of a stream until it ends, or until nobody reads the answers any more.

    Parameters
    ----------
    host : EpisodeHost
        Who answers.
    source, sink : binary file
        Where calls come from, and answers go.

    Raises
    ------
    EpisodeError, JournalError, StorageError
        If the episode itself cannot be gone on with.
    """
    try:
        _write(sink, {"opening": opening_content(host)})
        for line in read_lines(source):
            if line.text.strip() and (line.ended or _is_whole(line)):
                _write(sink, _answer(host, line))
    except BrokenPipeError:  # the player has gone; the episode stays and can be gone on with
        return


def _is_whole(line: Line) -> bool:
    """Whether a last line without an end is a call all the same: one that was cut is no JSON."""
    try:
        parse_json(line.text, _MOST_CONTAINERS, _MOST_VALUES)
    except ValueError:
        return False
    return line.excerpt is None


def _answer(host: EpisodeHost, line: Line) -> dict[str, Any]:
    if line.excerpt is not None:
        reason = f"the line has {line.excerpt.bytes} bytes; at most {LONGEST_LINE} are read"
        return host.refuse(line.excerpt, reason).content()
    try:
        content = _parsed(line.text)
    except ValueError as error:
        return host.refuse(Excerpt.of(line.text), str(error)).content()
    if content == {"ask": "tools"}:
        return {"tools": [tool_content(tool) for tool in host.tools()]}
    if content == {"ask": "standing"}:
        return host.standing().content()
    if offence := _offence(content):
        return host.refuse(Excerpt.of(line.text), offence).content()
    call = Call(tool=content["tool"], arguments=content.get("arguments", {}), call_id=content.get("call_id"))
    return host.call(call).content()


def _parsed(text: bytes) -> Any:
    """The value of a line; NaN and infinities come through, since the engine names them like every other argument."""
    return parse_json(text, _MOST_CONTAINERS, _MOST_VALUES, constants=True)


def _offence(content: Any) -> str | None:
    if not isinstance(content, dict):
        return f"it is of type {type(content).__name__} and no object"
    if "tool" not in content:
        return "it has no tool"
    unknown = sorted(set(content) - _KEYS)
    return f"it has the key {unknown[0][:40]!r}; keys are tool, arguments and call_id" if unknown else None


def _write(sink: IO[bytes], content: dict[str, Any]) -> None:
    sink.write(json.dumps(content, ensure_ascii=True, separators=(",", ":")).encode() + b"\n")
    sink.flush()
