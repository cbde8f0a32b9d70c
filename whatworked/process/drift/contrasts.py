"""What posting, disclosing and note aids change: differences within player and instance, with paired bootstrap.

A cell is one player on one instance under one variant; its value is the mean over its episodes. A contrast weighs the
cells of a player and an instance, so that what is peculiar to either falls out. Instances are averaged within players,
and players with equal weight: a share of episodes is the mean of the players' shares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from types import MappingProxyType
from typing import NamedTuple

from whatworked.environments.drift.settings import VARIANTS
from whatworked.episodes.speaking.aids import MARK
from whatworked.errors import InvalidOptionError
from whatworked.statistics import Interval, Measurement, difference_interval
from whatworked.statistics.bootstrap import RESAMPLES

OPEN, POSTED, DISCLOSED, BOTH = VARIANTS
CONTRASTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "posted, open": {POSTED: 1, OPEN: -1},
        "posted, disclosed": {BOTH: 1, DISCLOSED: -1},
        "posted": {POSTED: 0.5, BOTH: 0.5, OPEN: -0.5, DISCLOSED: -0.5},
        "disclosed, distributed": {DISCLOSED: 1, OPEN: -1},
        "disclosed, aligned": {BOTH: 1, POSTED: -1},
        "disclosed": {DISCLOSED: 0.5, BOTH: 0.5, OPEN: -0.5, POSTED: -0.5},
        "interaction": {BOTH: 1, OPEN: 1, POSTED: -1, DISCLOSED: -1},
    }
)
"""Weights of the variants in each contrast; the interaction is (disclosed-aligned - open-aligned) -
(disclosed-distributed - open-distributed)."""


class Outcome(NamedTuple):
    """What one episode came to.

    Attributes
    ----------
    player : str
        Who played, with its note aid.
    instance : str
        What tells the instance from others.
    variant : str
        One of the four.
    values : mapping of str to float or None
        Measures by name; None where one is undefined.
    """

    player: str
    instance: str
    variant: str
    values: Mapping[str, float | None]


class Contrast(NamedTuple):
    """A contrast of a measure.

    Attributes
    ----------
    measure, contrast : str
        Names.
    pairs : int
        Pairs of player and instance that have all of its cells.
    players : int
        Players that they are of.
    interval : Interval
        The difference, with its interval over resampled players and instances.
    """

    measure: str
    contrast: str
    pairs: int
    players: int
    interval: Interval


def contrasts(
    outcomes: Iterable[Outcome], measures: Sequence[str], resamples: int = RESAMPLES, seed: int = 0
) -> list[Contrast]:
    """Every contrast of some measures that the episodes have cells for.

    Parameters
    ----------
    outcomes : iterable of Outcome
        Of episodes with one budget.
    measures : sequence of str
        Which of their values.
    resamples : int
        Of the bootstrap.
    seed : int
        Of the resampling; equal arguments give equal intervals.

    Returns
    -------
    list of Contrast
        By measure, then those of `CONTRASTS`, then one for each note aid against the same model without it, averaged
        over the variants that both have. A contrast without a pair is left out.

    Raises
    ------
    InvalidOptionError
        If there is no pair for any contrast, or for a number of resamples or a seed that is not allowed.
    """
    known = list(outcomes)
    found = []
    for measure in measures:
        cells = _cells(known, measure)
        for name, sides in {**_of_variants(cells), **_of_aids(cells)}.items():
            if sides:
                found.append(_contrast(measure, name, sides, resamples, seed))
    if not found:
        raise InvalidOptionError(
            "no player has an instance under two variants, or with and without a note aid, so there is nothing to "
            "contrast; add episodes of the same player on the same instance"
        )
    return found


Cells = dict[tuple[str, str], dict[str, float]]
"""Means by player and instance, then by variant."""
Sides = dict[tuple[str, str], tuple[float, float]]
"""What is subtracted from what, by player and instance."""


def _cells(outcomes: Sequence[Outcome], measure: str) -> Cells:
    values: dict[tuple[str, str], dict[str, list[float]]] = {}
    for outcome in outcomes:
        value = outcome.values.get(measure)
        if value is not None:
            cell = values.setdefault((outcome.player, outcome.instance), {})
            cell.setdefault(outcome.variant, []).append(float(value))
    return {key: {variant: fmean(several) for variant, several in cell.items()} for key, cell in values.items()}


def _of_variants(cells: Cells) -> dict[str, Sides]:
    return {
        name: {
            key: (_weighed(cell, weights, 1), _weighed(cell, weights, -1))
            for key, cell in cells.items()
            if cell.keys() >= weights.keys()
        }
        for name, weights in CONTRASTS.items()
    }


def _weighed(cell: Mapping[str, float], weights: Mapping[str, float], sign: int) -> float:
    return sum(abs(weight) * cell[variant] for variant, weight in weights.items() if weight * sign > 0)


def _of_aids(cells: Cells) -> dict[str, Sides]:
    found: dict[str, Sides] = {}
    for (player, instance), cell in sorted(cells.items()):
        model, mark, aid = player.partition(MARK)
        bare = cells.get((model, instance), {}) if mark else {}
        variants = [variant for variant in cell if variant in bare]
        if variants:
            sides = (fmean(cell[variant] for variant in variants), fmean(bare[variant] for variant in variants))
            found.setdefault(aid, {})[model, instance] = sides
    return found


def _contrast(measure: str, name: str, sides: Sides, resamples: int, seed: int) -> Contrast:
    left, right = (
        [Measurement(player, f"{player}: {instance}", pair[side]) for (player, instance), pair in sorted(sides.items())]
        for side in (0, 1)
    )
    interval = difference_interval(left, right, resamples=resamples, seed=seed)
    return Contrast(measure, name, len(sides), len({player for player, _ in sides}), interval)
