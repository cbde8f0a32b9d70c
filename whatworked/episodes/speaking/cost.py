"""What an episode played with words will cost, before anything is sent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from whatworked.environments.drift.playing import turn_limits
from whatworked.environments.drift.rules import WINDOW, Options
from whatworked.environments.drift.telling import DIGEST_CHARACTERS
from whatworked.environments.drift.texts import NOTE_CHARACTERS, RECALL_CHARACTERS
from whatworked.environments.drift.turns import prompt_segments
from whatworked.episodes.speaking.aid_calls import CHARACTERS
from whatworked.episodes.speaking.aids import call_limit
from whatworked.episodes.speaking.loop import REPLY_TOKENS
from whatworked.episodes.speaking.regions import REGION_CHARACTERS
from whatworked.judging import Estimate, Interval, tokens_of

_VIEW = 4_000
"""Characters of a view."""
_EVENT = (60, 160, 900)
"""Characters of an event: a wait, the mean of a full episode of readings and offices, a posted transcript."""
_AID_TOKENS = 1024
_AID_PROMPT = 3_000
"""Characters of an aid's prompt without notes and events."""
_A_TURN: Mapping[str, float] = MappingProxyType({"self-critique": 0.1, "falsification": 2.2, "evolution": 2.0})
"""Calls of an aid a turn, as its schedule has them."""


def estimate_speaking(facts: Mapping[str, Any], scaffold: str | None = None) -> tuple[Estimate, Estimate]:
    """What an episode will cost.

    Parameters
    ----------
    facts : mapping
        The opening's.
    scaffold : str, optional
        The note aid.

    Returns
    -------
    tuple of (Estimate, Estimate)
        Of the player, and of its aid. Least: what can be yielded is yielded at once; expected: every paid action is
        taken, with half-full notes; most: every turn is taken with the longest prompt.
    """
    budget = facts["budget"]
    limits = turn_limits(Options(budget=budget))
    turns = Interval(min(budget, WINDOW + 1) + 1, budget + 1, limits["turns"] + 1)
    fixed = sum(len(text) for text in prompt_segments(facts, [], "", [], {}).values()) + _VIEW
    events = [min(DIGEST_CHARACTERS, each * budget) for each in _EVENT]
    region = REGION_CHARACTERS if scaffold else 0
    characters = Interval(
        fixed,
        fixed + events[1] / 2 + NOTE_CHARACTERS / 2 + region / 2,
        fixed + events[2] + NOTE_CHARACTERS + RECALL_CHARACTERS + 2 * region,
    )
    player = _product(turns, characters, REPLY_TOKENS)
    if scaffold is None:
        return player, Estimate()
    rate = _A_TURN[scaffold]
    calls = Interval(math.floor(rate * turns.low), math.ceil(rate * budget), call_limit(scaffold, budget))
    asked = Interval(
        _AID_PROMPT, _AID_PROMPT + CHARACTERS + NOTE_CHARACTERS / 2, _AID_PROMPT + 2 * CHARACTERS + NOTE_CHARACTERS
    )
    return player, _product(calls, asked, _AID_TOKENS)


def _product(calls: Interval, characters: Interval, max_tokens: int) -> Estimate:
    """Calls of a length that lies within an interval."""
    ends = [(getattr(calls, end), getattr(characters, end)) for end in ("low", "expected", "high")]
    read = [
        getattr(tokens_of(math.ceil(each)), end)
        for (_, each), end in zip(ends, ("low", "expected", "high"), strict=True)
    ]
    return Estimate(
        calls=calls,
        characters=Interval(*(number * each for number, each in ends)),
        input_tokens=calls.scaled(*read),
        output_tokens=calls.scaled(0, math.ceil(max_tokens / 4), max_tokens),
    )
