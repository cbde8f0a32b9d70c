"""Effects that words state: which option, in which direction, by how much, and where the others stand.

What is read is plain: an option by its letter or its name, a verb, perhaps a size, and settings of other options.
"B raises the utility by 0.12 where A is on and C off", "switching D off costs 0.05 at 01-010", "the effect of B is
-0.2", "with A off, C has no effect". Anything else states nothing here, and is counted as that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

UP = (
    "raise|raises|raised|increase|increases|increased|improve|improves|improved|add|adds|added|help|helps|helped|lift|"
    "lifts|lifted|boost|boosts|boosted|gain|gains|gained"
)
DOWN = (
    "lower|lowers|lowered|decrease|decreases|decreased|reduce|reduces|reduced|hurt|hurts|cost|costs|drop|drops|dropped|"
    "cut|cuts|worsen|worsens|worsened|lose|loses|lost|harm|harms|harmed"
)
NONE = (
    r"(?:has|have|had|shows?|with) no (?:effect|influence|impact)|do(?:es)? nothing|changes? nothing|"
    r"(?:does|do|did) not (?:matter|change)|doesn't (?:matter|change)|never matters?|makes? no difference|"
    r"(?:is|are|appears?|seems?) (?:inert|inactive|irrelevant|negligible)"
)
_ADVERBS = (
    r"(?:\s*\b(?:always|also|still|clearly|strongly|slightly|probably|likely|would|will|may|might|can|could|should|does|"
    r"both|each|then|to|seems? to|appears? to|tends? to)\b)*"
)
_NUMBER = r"[+\-−]?(?:\d+\.\d+|\.\d+|\d+)(?:[eE]-?\d+)?(?![\d.]*\s*(?:%|percent|points?\b))"
_ABOUT = r"(?:about|around|roughly|approximately|nearly|some|~|≈)?\s*"
_OBJECT = r"(?:\s+(?:the|its|our)?\s*(?:utility|score|metric|result|performance|value|it)\b)?"
_OTHER_OBJECT = re.compile(
    r"\s+(?:the|its|our)?\s*(?:error|loss|costs?|noise|time|number|budget|risk)\b", re.IGNORECASE
)
_SIZE = re.compile(
    rf"{_OBJECT}\s*(?:(?:from\s+{_ABOUT}(?P<start>{_NUMBER})\s+to\s+{_ABOUT}(?P<end>{_NUMBER}))|"
    rf"(?:by|of)?\s*{_ABOUT}(?P<size>{_NUMBER}))",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|[;\n]")
_CONDITION_WORD = re.compile(
    r"\b(?:with|when|where|while|if|given|once|as long as|at)\s+(?:option\s+)?$", re.IGNORECASE
)
_JOINT = re.compile(r"\b(?:together|jointly|combined|in combination)\b", re.IGNORECASE)
_NEGATED = re.compile(r"(?:\bnot|\bnever|n't|\bno longer|\bcannot)\s*$", re.IGNORECASE)
_EXCEPTED = re.compile(r"\b(?:unless|except|but not|on top of)\b", re.IGNORECASE)
_CARRIED = re.compile(r"(?:\b(?:but|and|or)|,)\s*(?:it\s+)?$", re.IGNORECASE)
_EVERYWHERE = re.compile(
    r"\b(?:always|everywhere|whatever|regardless|no matter|in (?:every|all|each|any) (?:background|setting|case)s?)\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:all|every|the)\s+(?:the\s+|of the\s+)?(?:others?|other options|options|remaining options|rest|else)\s*"
    r"(?:is|are|being|switched|turned|set to|at|=)*\s*(?P<state>on|off|0|1)\b|"
    r"\beverything else\s*(?:is|being|at|=)*\s*(?P<else>on|off|0|1)\b|"
    r"\b(?:from|at|with|in)\s+all\s+(?P<all>on|off)\b|\b(?:from|at)\s+the\s+(?P<default>default|baseline)s?\b",
    re.IGNORECASE,
)
_ON = {"on": 1, "1": 1, "off": 0, "0": 0, "default": 0, "baseline": 0}


@dataclass(frozen=True)
class StatedEffect:
    """What a text says that switching an option on does.

    Attributes
    ----------
    option : int
        Place of the option, from 0.
    direction : int
        1 for more utility, -1 for less, 0 for none.
    size : float or None
        Utility after minus before; None where no number is stated.
    rounding : float
        Half a unit of the last digit of the number.
    background : tuple of (int, int)
        Place and bit of every other option that the text fixes, by place.
    everywhere : bool
        Whether it is stated of every setting of the others, and not on average over them.
    """

    option: int
    direction: int
    size: float | None = None
    rounding: float = 0.0
    background: tuple[tuple[int, int], ...] = ()
    everywhere: bool = False


def stated_effects(text: str, names: Sequence[Sequence[str]]) -> tuple[StatedEffect, ...]:
    """Every effect that a text states in a way that can be read.

    Parameters
    ----------
    text : str
        What was said.
    names : sequence of sequence of str
        For each option what it is called: its letter, and further names.

    Returns
    -------
    tuple of StatedEffect
        In the order of the text, each once.

    Examples
    --------
    >>> stated_effects("With A on, B raises the utility by 0.12.", ["A", "B", "C"])
    (StatedEffect(option=1, direction=1, size=0.12, rounding=0.005, background=((0, 1),), everywhere=False),)
    >>> [effect.direction for effect in stated_effects("C has no effect, but A hurts.", ["A", "B", "C"])]
    [0, -1]
    """
    reader = _reader(tuple(tuple(called) for called in names))
    found = (effect for sentence in _SENTENCE.split(text) for effect in reader.effects(sentence))
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class _Core:
    """An effect without its background, and where in the sentence it stands."""

    options: tuple[int, ...]
    direction: int
    size: float | None
    rounding: float
    start: int
    end: int


class _Reader:
    """Reads sentences about options of these names."""

    def __init__(self, names: tuple[tuple[str, ...], ...]) -> None:
        self.d = len(names)
        self._places = {name.casefold(): place for place, called in enumerate(names) for name in called}
        # One letter is an option only as it is written: "a" is an article.
        words = sorted({name for called in names for name in called}, key=len, reverse=True)
        either = "|".join(re.escape(word) if len(word) == 1 else f"(?i:{re.escape(word)})" for word in words)
        option = rf"(?i:options?\s+)?[\"'`(]?(?<!\w)(?:{either})(?!\w)[\"'`)]?"
        several = rf"{option}(?:(?:\s*,\s*and\s+|\s*,\s*|\s+and\s+|\s*&\s*){option})*"
        turning = r"(?i:switch(?:ing)?|turn(?:ing)?|flip(?:ping)?|set(?:ting)?)"
        self._option = re.compile(rf"(?<!\w)(?:{either})(?!\w)")
        self._several = re.compile(several)
        self._subject = re.compile(
            rf"(?:{turning}\s+(?P<first>(?i:on|off))\s+|(?P<adding>(?i:enabling|adding))\s+|"
            rf"(?P<taking>(?i:disabling|removing))\s+|(?:{turning}\s+)?)"
            rf"(?P<named>{several})(?:\s+(?i:to\s+)?(?P<last>(?i:on|off|0|1)))?(?i:{_ADVERBS})\s*$"
        )
        self._verb = re.compile(rf"\b(?:(?P<up>{UP})|(?P<down>{DOWN}))\b|\b(?P<none>{NONE})\b", re.IGNORECASE)
        self._effect_of = re.compile(
            rf"(?:(?i:effect\s+of\s+(?:switching\s+on\s+|turning\s+on\s+)?)(?P<named>{option})|"
            rf"(?P<owner>{option})'s\s+(?i:(?:main\s+|average\s+)?effect)\b)"
            rf"(?:\s*(?:\([^)]*\)\s*)?[:=]|[^.;]*?\b(?i:is|was|of|equals)\b)\s*(?i:{_ABOUT})(?:(?P<size>{_NUMBER})|(?P<sign>(?i:positive|negative|zero|none|negligible|near\s+zero|close\s+to\s+zero)))"
        )
        self._signed = re.compile(
            rf"(?i:(?:changes?|shifts?|moves?){_OBJECT}\s+by|yields?|gives?|brings?){_OBJECT}\s+(?i:{_ABOUT})"
            r"(?P<size>[+\-−](?:\d+\.\d+|\.\d+)(?![\d.]*\s*%))"
        )
        self._listed = re.compile(rf"(?P<named>{option})\s*(?::|=)?\s*(?P<size>[+\-−]\d*\.\d+(?![\d.]*\s*%))")
        self._set = re.compile(
            rf"(?P<without>(?i:without)\s+)?(?P<named>{several})"
            rf"(?:\s*(?:=|(?i:\b(?:is|are|was|were|both|all|being|at|set\s+to|switched|turned)\b))*\s*"
            rf"(?P<state>(?i:on|off)\b|[01](?!\d|\.\d)))?"
        )
        self._mask = re.compile(rf"(?<![\w.\-*?])[01\-*x_?]{{{self.d}}}(?![\w*?]|\.\d)")
        self._move = re.compile(
            rf"(?<!\w)(?P<start>[01]{{{self.d}}})\s*(?:to|→|->)\s*(?P<end>[01]{{{self.d}}})(?!\w)[\s,]*(?i:{_ADVERBS})\s*$"
        )

    def effects(self, sentence: str) -> Iterator[StatedEffect]:
        """What a sentence states."""
        cores = sorted({*self._by_verb(sentence), *self._by_number(sentence)}, key=lambda core: core.start)
        for place, core in enumerate(cores):
            before = sentence[: core.start] if place == 0 else ""
            after = sentence[core.end : cores[place + 1].start if place + 1 < len(cores) else len(sentence)]
            around = f"{before}{sentence[core.start : core.end]}{after}"
            background = None if _EXCEPTED.search(around) else self._background(core.options, around)
            if background is None:
                continue
            everywhere = bool(_EVERYWHERE.search(around))
            for option in core.options:
                yield StatedEffect(option, core.direction, core.size, core.rounding, background, everywhere)

    def _by_verb(self, sentence: str) -> Iterator[_Core]:
        carried: tuple[tuple[int, ...], int] | None = None
        behind = 0
        for verb in self._verb.finditer(sentence):
            before = sentence[behind : verb.start()]
            subject = self._subject_of(before)
            if subject is None and carried is not None and _CARRIED.search(before):
                subject = (*carried, verb.start() - behind)
            if subject is None or _NEGATED.search(before) or _OTHER_OBJECT.match(sentence, verb.end()):
                continue
            options, turn, start = subject
            carried = options, turn
            direction = turn * (1 if verb["up"] else -1 if verb["down"] else 0)
            size, rounding, end = _size(sentence, verb.end()) if direction else (None, 0.0, verb.end())
            yield _Core(options, direction, None if size is None else direction * size, rounding, behind + start, end)
            behind = end

    def _subject_of(self, before: str) -> tuple[tuple[int, ...], int, int] | None:
        """Options that stand before a verb, 1 or -1 where they are switched on or off, and where they begin."""
        moved = self._move.search(before)
        if moved is not None:
            return self._moved(moved)
        found = self._subject.search(before)
        if found is None or _JOINT.search(before):
            return None
        if _CONDITION_WORD.search(before[: found.start("named")]):
            # "B with A on raises": the subject stands before the condition.
            earlier = _CONDITION_WORD.sub("", before[: found.start("named")])
            return self._subject_of(earlier.rstrip(" ,"))
        switched = (found["first"] or found["last"] or "").lower()
        turn = -1 if switched in ("off", "0") or found["taking"] else 1
        return self._named(found["named"]), turn, found.start()

    def _moved(self, found: re.Match[str]) -> tuple[tuple[int, ...], int, int] | None:
        """The one option in which two masks differ."""
        differing = [place for place in range(self.d) if found["start"][place] != found["end"][place]]
        if len(differing) != 1:
            return None
        return (differing[0],), 1 if found["end"][differing[0]] == "1" else -1, found.start()

    def _by_number(self, sentence: str) -> Iterator[_Core]:
        taken = set()
        for found in self._effect_of.finditer(sentence):
            name = "owner" if found["named"] is None else "named"
            taken.add(found.start(name))
            sign = None if found["sign"] is None else {"positive": 1, "negative": -1}.get(found["sign"].lower(), 0)
            yield _numbered(self._named(found[name]), found["size"], sign, found.start(name), found.end())
        for found in self._listed.finditer(sentence):
            if found.start() not in taken:
                yield _numbered(self._named(found["named"]), found["size"], None, found.start(), found.end())
        for found in self._signed.finditer(sentence):
            subject = self._subject_of(sentence[: found.start()])
            if subject is not None and not _NEGATED.search(sentence[: found.start()]):
                options, turn, start = subject
                yield _numbered(options, found["size"], None, start, found.end(), turn)

    def _named(self, text: str) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self._places[found.group().casefold()] for found in self._option.finditer(text)))

    def _background(self, options: Sequence[int], text: str) -> tuple[tuple[int, int], ...] | None:
        """Settings of all options but these; None where they contradict each other."""
        fixed: dict[int, set[int]] = {}
        for place, bit in self._settings(text):
            fixed.setdefault(place, set()).add(bit)
        for found in _OTHERS.finditer(text):
            bit = _ON[next(group for group in found.groups() if group).lower()]
            for place in set(range(self.d)) - fixed.keys():
                fixed[place] = {bit}
        for option in options:
            fixed.pop(option, None)
        if any(len(bits) > 1 for bits in fixed.values()):
            return None
        return tuple(sorted((place, bit) for place, (bit,) in fixed.items()))

    def _settings(self, text: str) -> Iterator[tuple[int, int]]:
        """Each setting of an option that is named or stands in a mask."""
        for mask in self._mask.finditer(text):
            yield from ((place, int(bit)) for place, bit in enumerate(mask.group()) if bit in "01")
        for found in self._set.finditer(text):
            if found["state"] is not None or found["without"]:
                bit = 0 if found["without"] else _ON[found["state"].lower()]
                yield from ((place, bit) for place in self._named(found["named"]))


@lru_cache(maxsize=64)
def _reader(names: tuple[tuple[str, ...], ...]) -> _Reader:
    return _Reader(names)


def _numbered(
    options: tuple[int, ...], number: str | None, sign: int | None, start: int, end: int, turn: int = 1
) -> _Core:
    """An effect whose direction is the sign of its number, or is told; `turn` is -1 where options are switched off."""
    if number is None:
        return _Core(options, turn * (sign or 0), None, 0.0, start, end)
    size = turn * _number(number)
    return _Core(options, _sign(size), size, _rounding(number), start, end)


def _size(sentence: str, start: int) -> tuple[float | None, float, int]:
    """Size that stands behind a verb, half a unit of its last digit, and where it ends."""
    found = _SIZE.match(sentence, start)
    if found is None:
        return None, 0.0, start
    if found["size"] is not None:
        return abs(_number(found["size"])), _rounding(found["size"]), found.end()
    size = abs(_number(found["end"]) - _number(found["start"]))
    return size, _rounding(found["end"]) + _rounding(found["start"]), found.end()


def _number(text: str) -> float:
    return float(text.replace("−", "-"))


def _rounding(text: str) -> float:
    digits, _, power = text.lower().partition("e")
    decimals = len(digits.partition(".")[2])
    return round(0.5 * 10.0 ** (int(power or 0) - decimals), 12)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
