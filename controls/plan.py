"""Which records the control study consists of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from whatworked.catalog.catalog import Condition, conditions
from whatworked.controls.methods import METHODS

BUDGETS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"four": (0, 4, 8, 14), "paired": (0, 4, 8, 14, 20, 32, 62), "added": (0, 8, 20, 32, 62)}
)
"""Budgets by track of the catalog."""
_CLASS_AWARE_TRACK = "paired"


@dataclass(frozen=True, order=True)
class Cell:
    """What is run on one condition: a method by label, a seed, a budget."""

    method: str
    seed: int
    budget: int


def planned(condition: Condition) -> tuple[Cell, ...]:
    """Cells of one condition: by method, then seed, then budget.

    Class-aware methods run on the paired six-option conditions only.
    """
    return tuple(
        Cell(one.label, seed, budget)
        for one in METHODS.values()
        if not one.class_aware or condition.track == _CLASS_AWARE_TRACK
        for seed in range(one.seeds)
        for budget in BUDGETS[condition.track]
    )


def total() -> int:
    """Number of records of the whole study."""
    return sum(len(planned(condition)) for condition in conditions())
