"""The one quote rule of the project: a quote is a literal span of the text, but for Unicode form and white space.

Text and quote are brought to Unicode normal form C, and each run of white space becomes one space. Nothing else is
changed: signs, decimal points, operators, case and every script keep their meaning, so a quote of ``loss = 0.5`` is not
found in ``loss = -0.5``. White space is shortened and never removed, so what stands in two words is not found in one.

How long a quote must be is a matter of the question that is asked, and no part of this rule.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import msgspec

_SPACE = re.compile(r"\s+")


class Span(msgspec.Struct, frozen=True, order=True):
    """Where a quote stands in a text.

    Attributes
    ----------
    start, end : int
        Positions in characters of the text as it was given: ``text[start:end]`` is what was quoted.
    """

    start: int
    end: int


def normal_text(text: str) -> str:
    r"""A text as quotes are compared: Unicode normal form C, each run of white space one space.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        Neither stripped nor changed in case. Bringing it into this form twice changes nothing.

    Examples
    --------
    >>> normal_text("loss\n\t =  -0.5")
    'loss = -0.5'
    >>> normal_text("cafe\u0301") == "caf\u00e9"
    True
    """
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text))


def find_quote(quote: str, text: str) -> Span | None:
    r"""Where `quote` first stands in `text`, or None.

    Parameters
    ----------
    quote : str
        What is said to stand there. White space at its ends is left out of the comparison.
    text : str
        Where it should stand.

    Returns
    -------
    Span or None
        The first place, as positions in `text` as it was given. A character of `text` that normal form C joins with its
        neighbours belongs to the span with all of them. None if the quote stands nowhere, and for a quote of nothing
        but white space.

    Examples
    --------
    >>> find_quote("accuracy = 0.5", "the accuracy =\n 0.5, again")
    Span(start=4, end=19)
    >>> print(find_quote("a change of 0.5", "a change of -0.5"))
    None
    """
    wanted = normal_text(quote).strip(" ")
    if not wanted:
        return None
    composed = unicodedata.normalize("NFC", text)
    found = _SPACE.sub(" ", composed).find(wanted)
    if found < 0:
        return None
    start, last = _before_spaces(composed, found, found + len(wanted) - 1)
    if composed == text:
        return Span(start, last + 1)
    return _before_composing(text, start, last)


def _before_spaces(text: str, first: int, last: int) -> tuple[int, int]:
    """Positions in `text` of the characters `first` and `last` of it with white space shortened."""
    removed = 0
    places = []
    runs = ((match.start(), match.end() - match.start() - 1) for match in _SPACE.finditer(text))
    run = next(runs, None)
    for position in (first, last):
        while run is not None and run[0] - removed < position:
            removed += run[1]
            run = next(runs, None)
        places.append(position + removed)
    return places[0], places[1]


def _before_composing(text: str, first: int, last: int) -> Span:
    """The span of `text` that holds all of what became the characters `first` to `last` in normal form C."""
    start, end, length = 0, len(text), 0
    for begin, stop, composed in _clusters(text):
        if length <= first:
            start = begin
        length += composed
        if length > last:
            end = stop
            break
    return Span(start, end)


def _clusters(text: str) -> Iterator[tuple[int, int, int]]:
    """Start and end of each smallest part of `text` that composes by itself, with its length in normal form C."""
    begin, part = 0, ""
    for position, character in enumerate(text):
        joined = unicodedata.normalize("NFC", part + character)
        alone = unicodedata.normalize("NFC", part)
        # A starter that changes nothing before it also keeps what follows from reaching back across it.
        if part and not unicodedata.combining(character):
            single = unicodedata.normalize("NFC", character)
            if joined == alone + single and not unicodedata.combining(single[0]):
                yield begin, position, len(alone)
                begin, part = position, ""
        part += character
    if part:
        yield begin, len(text), len(unicodedata.normalize("NFC", part))
