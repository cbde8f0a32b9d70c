"""Which kind of statement a sentence is, by its words, and which option it is about.

The words are those of all banks but the held-out one: each sentence goes to the kind whose wordings make its words the
most likely (naive Bayes over words and pairs of them, with one added to each count).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from whatworked.episodes.players.wordings import BANKS, HELD_OUT, SAYS, Says, bank
from whatworked.process.truth.phrases import DOWN, NONE, UP

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
_OPTION = re.compile(r"(?<![\w'])[A-HJ-Z](?![\w'])")
_WHERE = re.compile(r"(?<![\w.-])(?=[01]*-[01]*(?![\w-]))[01-]{3,26}(?![\w-]|\.\d)")
_MASK = re.compile(r"(?<![\w.-])[01]{3,26}(?![\w-]|\.\d)")
_NUMBER = re.compile(r"(?<![\w.])[+-]?\d*\.\d+")
_UP = re.compile(rf"\b(?:{UP})\b", re.IGNORECASE)
_DOWN = re.compile(rf"\b(?:{DOWN})\b", re.IGNORECASE)
_FLAT = re.compile(rf"\b(?:{NONE})\b", re.IGNORECASE)
_WORD = re.compile(r"[\w']+|[:?]")
_PLACES = {"o": "A", "w": "at -000", "m": "1000", "b": "0000", "x": "0.123", "y": "0.234", "s": "0.111"}


@dataclass(frozen=True)
class Sentence:
    """A sentence as it is read.

    Attributes
    ----------
    text : str
        As it stands.
    says : str
        Its kind, one of `SAYS`.
    option : str or None
        Letter of the option that it is about.
    direction : int or None
        -1, 0 or 1 where it says what the option does.
    where : str or None
        The others, with ``-`` in the place of the option.
    """

    text: str
    says: Says
    option: str | None
    direction: int | None
    where: str | None

    @property
    def idea(self) -> str | None:
        """Name of the idea that it states; None where it states no direction."""
        if self.option is None or self.direction is None:
            return None
        way = ("no effect", "up", "down")[self.direction]
        if self.where is not None:
            return f"{self.option} {way} at {self.where}"
        return f"{self.option} {way} everywhere" if self.says == "overclaim" else None


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text.

    Parameters
    ----------
    text : str
        What was written.

    Yields
    ------
    Sentence
        In order.

    Examples
    --------
    >>> [said.idea for said in sentences("I expect that B will raise the utility at 0-00. I go on.")]
    ['B up at 0-00', None]
    """
    for part in _SENTENCE.split(text):
        stripped = part.strip()
        if stripped:
            yield _read(stripped)


def _read(text: str) -> Sentence:
    option, where = _OPTION.search(text), _WHERE.search(text)
    way = 0 if _FLAT.search(text) else 1 if _UP.search(text) else -1 if _DOWN.search(text) else None
    return Sentence(text, _kind(text), option and option.group(), way, where and where.group())


def _kind(text: str) -> Says:
    model = _model()
    tokens = list(_tokens(text))
    return max(SAYS, key=lambda says: sum(model[says].get(token, model[says][""]) for token in tokens))


@cache
def _model() -> Mapping[Says, Mapping[str, float]]:
    """For each kind the logarithm of each token's share; that of a token no wording has stands at the empty one."""
    counts: dict[Says, Counter[str]] = {says: Counter() for says in SAYS}
    for name in BANKS:
        if name == HELD_OUT:
            continue
        words = bank(name)
        for says in SAYS:
            for number in range(len(words.says[says])):
                counts[says].update(_tokens(words.sentence(says, number, 1, _PLACES)))
    known = len({token for found in counts.values() for token in found}) + 1
    return {
        says: {"": -math.log(found.total() + known)}
        | {token: math.log((count + 1) / (found.total() + known)) for token, count in found.items()}
        for says, found in counts.items()
    }


def _tokens(text: str) -> Iterator[str]:
    """Words and pairs of them, with one word for each option, setting, number and verb."""
    plain = text
    for pattern, word in ((_WHERE, " xwhere "), (_MASK, " xmask "), (_NUMBER, " xnumber "), (_OPTION, " xoption ")):
        plain = pattern.sub(word, plain)
    for pattern, word in ((_FLAT, " xflat "), (_UP, " xverb "), (_DOWN, " xverb ")):
        plain = pattern.sub(word, plain)
    words = ["xstart", *(found.lower() for found in _WORD.findall(plain))]
    yield from words[1:]
    yield from (f"{first} {second}" for first, second in pairwise(words))
