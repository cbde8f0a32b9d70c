"""Which records the control study consists of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from whatworked.catalog.catalog import conditions
from whatworked.catalog.tracks import ADDED, FOUR, PAIRED
from whatworked.controls.methods import METHODS
from whatworked.errors import InvalidOptionError

BUDGETS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {FOUR: (0, 4, 8, 14), PAIRED: (0, 4, 8, 14, 20, 32, 62), ADDED: (0, 8, 20, 32, 62)}
)
"""Budgets by track of the catalog."""


@dataclass(frozen=True, order=True)
class StudyCell:
    """What is run on one condition: a method by label, a seed, a budget."""

    method: str
    seed: int
    budget: int


def planned(track: str) -> tuple[StudyCell, ...]:
    """Cells of one condition of a track: by method, then seed, then budget.

    Class-aware methods run on the paired six-option conditions only.

    Raises
    ------
    InvalidOptionError
        For the track of a family of its own size, for which the study has no budgets.
    """
    if track not in BUDGETS:
        raise InvalidOptionError(
            f"the control study has no budgets for track {track}, only for {', '.join(BUDGETS)}; "
            "`whatworked bench --method D1` runs its methods on any condition"
        )
    return tuple(
        StudyCell(control.label, seed, budget)
        for control in METHODS.values()
        if not control.class_aware or track == PAIRED
        for seed in range(control.seeds)
        for budget in BUDGETS[track]
    )


def total() -> int:
    """Number of records of the whole study."""
    return sum(len(planned(condition.track)) for condition in conditions() if condition.track in BUDGETS)
