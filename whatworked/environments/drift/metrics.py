"""What an episode is worth: blocks, their area under the curve, reach, changes with evidence, the exact prediction.

Detectors come from the log; statements and grounding come from whoever judged the notes, as paid actions at which they
were first there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import msgspec

from whatworked.environments.drift.events import Event
from whatworked.environments.drift.inventory import INTERVENTIONS
from whatworked.environments.drift.order import Answer
from whatworked.environments.drift.structure import BLOCKS, BRIDGES, CHANGES, SOURCES, STATED_BY_DOCUMENT

Times = Mapping[str, int | None]
"""Paid actions at which something first held, by criterion; None or missing if it never did."""


class BlockScore(msgspec.Struct, frozen=True, kw_only=True):
    """What the notes and the log say together.

    Attributes
    ----------
    times : dict of str to int
        Paid actions at which each grounded block counts from.
    blocks : int
        Number of grounded blocks.
    auc : float
        Mean share of the eighteen blocks that were grounded, over the paid actions of the budget.
    rc : int
        Changes of representation that were stated.
    evidenced : tuple of str
        Those of them whose three sources have their evidence in the log.
    xc : int
        BlockScore bridges.
    """

    times: dict[str, int]
    blocks: int
    auc: float
    rc: int
    evidenced: tuple[str, ...]
    xc: int


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """How a committed prediction compares.

    Attributes
    ----------
    committed : bool
        Whether anything was committed.
    intake, answer, counter : bool
        Whether each figure is right.
    exact : bool
        Whether all three are.
    """

    committed: bool
    intake: bool
    answer: bool
    counter: bool
    exact: bool


def block_score(evidence: Times, stated: Times, grounding: Times, *, budget: int, disclosed: bool) -> BlockScore:
    """Blocks whose evidence is in the log and whose inference is in the notes, and what is counted from them.

    Parameters
    ----------
    evidence : mapping
        First truth of each detector.
    stated : mapping
        First statement of each block and change.
    grounding : mapping
        First grounding verdict of each; needed, where the document was disclosed, for the blocks that it states.
    budget : int
        Paid actions that the curve runs over.
    disclosed : bool
        Whether the document was shown.

    Returns
    -------
    BlockScore
    """
    times = {}
    for block in BLOCKS:
        legs = [evidence.get(block), stated.get(block)]
        if disclosed and block in STATED_BY_DOCUMENT:
            legs.append(grounding.get(block))
        found = [leg for leg in legs if leg is not None]
        if len(found) == len(legs):
            times[block] = max(found)
    changes = [change for change in CHANGES if stated.get(change) is not None]
    return BlockScore(
        times=times,
        blocks=len(times),
        auc=area(times.values(), budget),
        rc=len(changes),
        evidenced=tuple(c for c in changes if all(evidence.get(block) is not None for block in SOURCES[c])),
        xc=sum(bridge in times for bridge in BRIDGES),
    )


def area(times: Iterable[int], budget: int) -> float:
    """Mean over the paid actions 1 to `budget` of the share of the eighteen blocks that are held.

    Parameters
    ----------
    times : iterable of int
        When each block was first held; one that is held at t adds (budget - t + 1) / (18 budget).
    budget : int
        Length of the curve; it stays flat after a yield.

    Returns
    -------
    float

    Examples
    --------
    >>> area([1] * 18, 200), area([200], 200) == 1 / 3600
    (1.0, True)
    """
    return math.fsum(budget - max(time, 1) + 1 for time in times) / (len(BLOCKS) * budget)


def reach(evidence: Times) -> int:
    """The largest number of one change's sources whose evidence is held, 0 to 3."""
    return max(sum(evidence.get(block) is not None for block in sources) for sources in SOURCES.values())


def interventions(events: Iterable[Event]) -> int:
    """Requests of the five verbs, whatever became of them."""
    return sum(event.verb in INTERVENTIONS for event in events)


def prediction(events: Iterable[Event], answer: Answer) -> Prediction:
    """Compare what was committed with the answer; nothing committed, or something malformed, is wrong in all figures.

    Parameters
    ----------
    events : iterable of Event
        The episode.
    answer : Answer
        The true figures.

    Returns
    -------
    Prediction
    """
    commit = next((event for event in events if event.outcome == "committed"), None)
    given = (None, None, None) if commit is None else (commit.intake, commit.answer, commit.counter)
    whole = all(type(figure) is int for figure in given)
    right = [whole and figure == true for figure, true in zip(given, answer, strict=True)]
    return Prediction(
        committed=commit is not None, intake=right[0], answer=right[1], counter=right[2], exact=all(right)
    )
