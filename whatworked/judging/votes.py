"""Counting votes: a pure function from ballots to what they decide."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec

Choice: TypeAlias = str | int | bool | None
"""What is chosen for an item."""
Ballot: TypeAlias = Mapping[str, Choice]
"""What one answer chooses for each item that it decides."""

WHOLE = ""
"""The item of a question that decides one thing."""


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """How votes decide.

    Attributes
    ----------
    votes : int
        How many are asked for.
    majority : int
        How many equal ones decide an item; more than half of `votes`, lost ones included.
    floor : int
        How many votes an item needs to be decided at all.
    """

    votes: int
    majority: int
    floor: int


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """What some ballots decide.

    Attributes
    ----------
    choices : mapping of str to str, int, bool or None
        The choice for each item that is decided.
    counts : mapping of str to tuple of (choice, int)
        For every item that any ballot holds, how many votes each choice has, the most first.
    undecided : mapping of str to str
        For each other item, why: ``"split"``, or ``"too few votes"``.
    """

    choices: Mapping[str, Choice]
    counts: Mapping[str, tuple[tuple[Choice, int], ...]]
    undecided: Mapping[str, str]


def tally(ballots: Sequence[Ballot | None], rule: Rule) -> Tally:
    """Count ballots.

    Parameters
    ----------
    ballots : sequence of mapping or None
        One for each vote, in order; None for one that is lost. An item that a ballot lacks has no vote there.
    rule : Rule
        What decides.

    Returns
    -------
    Tally
        An item is decided if it has at least `rule.floor` votes and one choice has at least `rule.majority` of them.
        The order of the ballots does not matter.

    Examples
    --------
    >>> rule = Rule(votes=3, majority=2, floor=2)
    >>> tally([{"k1": "yes", "k2": "no"}, {"k1": "yes"}, None], rule).choices
    {'k1': 'yes'}
    """
    given = [ballot for ballot in ballots if ballot is not None]
    choices: dict[str, Choice] = {}
    counts: dict[str, tuple[tuple[Choice, int], ...]] = {}
    undecided: dict[str, str] = {}
    for item in sorted({item for ballot in given for item in ballot}):
        counts[item] = _count([ballot[item] for ballot in given if item in ballot])
        choice, most = counts[item][0]
        if sum(number for _, number in counts[item]) < rule.floor:
            undecided[item] = "too few votes"
        elif most < rule.majority:
            undecided[item] = "split"
        else:
            choices[item] = choice
    return Tally(choices=choices, counts=counts, undecided=undecided)


def settled(ballots: Sequence[Ballot | None], rule: Rule) -> bool:
    """Whether no further votes, lost ones included, can change which items are decided and how.

    Parameters
    ----------
    ballots : sequence of mapping or None
        One for each vote that was asked for so far.
    rule : Rule
        What decides.

    Returns
    -------
    bool
    """
    left = rule.votes - len(ballots)
    if left >= rule.majority:
        return False  # they could decide an item that no ballot holds yet
    found = tally(ballots, rule)
    for item, numbers in found.counts.items():
        if item not in found.choices and numbers[0][1] + left >= rule.majority:
            return False
    return bool(found.counts) or left == 0


def _count(choices: Sequence[Choice]) -> tuple[tuple[Choice, int], ...]:
    """Choices with how often they stand there, the most first, equal ones by their JSON; true is not 1."""
    numbers = Counter(json.dumps(choice, ensure_ascii=False) for choice in choices)
    return tuple(
        (json.loads(name), number)
        for name, number in sorted(numbers.items(), key=lambda choice: (-choice[1], choice[0]))
    )
