"""Hiding the condition from the judge: regions of note aids, and words that tell what a player was shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

import msgspec

from whatworked.episodes.speaking.texts import aid_texts
from whatworked.process.drift.criteria import DATA


class Blinding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is hidden, and what stands in its place.

    Attributes
    ----------
    version : int
        Raised with every change.
    begin, end : str
        Lines around a region that a note aid wrote.
    title, plain : str
        What that region is called, and the plain word for it.
    words : mapping of str to str
        Words that tell the condition, with neutral ones.
    """

    version: int
    begin: str
    end: str
    title: str
    plain: str
    words: Mapping[str, str]

    def hide(self, text: str) -> str:
        """The text as the judge may see it.

        Parameters
        ----------
        text : str
            A note, or a part of a criterion.

        Returns
        -------
        str
            Without regions of a note aid and lone delimiters of one, its title and all words of a condition replaced.
        """
        begin, end = re.escape(self.begin), re.escape(self.end)
        inside = rf"(?:(?!{begin}).)*?"
        # Innermost first: what lies between two beginnings is the player's own.
        text = re.sub(rf"{begin}{inside}{end}[ \t]*\n?", "", text, flags=re.DOTALL)
        text = re.sub(rf"^[ \t]*(?:{begin}|{end})[ \t]*(?:\n|\Z)", "", text, flags=re.MULTILINE)
        neutral = {self.title.lower(): self.plain} | {word.lower(): plain for word, plain in self.words.items()}
        longest = sorted(neutral, key=len, reverse=True)
        either = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest)
        return re.sub(
            rf"(?<!\w)(?:{either})(?!\w)",
            lambda found: neutral[" ".join(found[0].lower().split())],
            text,
            flags=re.IGNORECASE,
        )


@cache
def blinding() -> Blinding:
    """What the package hides.

    Returns
    -------
    Blinding
    """
    texts = aid_texts()
    marks = {"begin": texts.begin, "end": texts.end, "title": texts.title}
    return msgspec.convert(msgspec.toml.decode((DATA / "blinding.toml").read_bytes()) | marks, Blinding)
