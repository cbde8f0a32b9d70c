"""The region that a note aid writes on top of a workspace: delimited, titled, and never more than a third of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from whatworked.environments.drift.texts import NOTE_CHARACTERS
from whatworked.episodes.speaking.texts import aid_texts

REGION_CHARACTERS = NOTE_CHARACTERS // 3
"""Characters of a region at most, its delimiters included."""


def region(sections: Sequence[tuple[str, Sequence[str]]]) -> str:
    """A region of some sections; what does not fit is left out from its end.

    Parameters
    ----------
    sections : sequence of (str, sequence of str)
        Name of a title in the data file, and its items; an empty one shows a placeholder.

    Returns
    -------
    str
    """
    texts = aid_texts()
    lines = [texts.head]
    for name, items in sections:
        lines.append(f"{texts.sections[name]}:")
        lines += [f"- {plain(item)}" for item in items] or [texts.sections["none"]]
    room = REGION_CHARACTERS - len(texts.begin) - len(texts.end) - 2
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return enclosed("\n".join(kept))


def enclosed(text: str) -> str:
    """A text between the lines that mark what a note aid writes."""
    texts = aid_texts()
    return f"{texts.begin}\n{text}\n{texts.end}"


def plain(text: str) -> str:
    """What a model wrote, in one line and without the marks of a region, which it could close too early."""
    texts = aid_texts()
    text = " ".join(text.split())
    while texts.begin in text or texts.end in text:
        text = text.replace(texts.begin, "").replace(texts.end, "")
    return " ".join(text.split())


def filled(sentence: str, words: Mapping[str, str]) -> str:
    """A sentence of the data file with each ``@name@`` in it filled; what a model wrote is not looked through again."""
    return re.sub(r"@(\w+)@", lambda place: words[place[1]], sentence)
