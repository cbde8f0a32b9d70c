"""Rules that say when an option has no effect, read off the code-equivalence classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from whatworked.arguments import instance
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import edge_starts, option_letters

_Cube = tuple[int, int]
"""Ranks that agree on some bits: which bits (as an integer), and their values."""


@dataclass(frozen=True)
class InactiveRule:
    """Wherever all options in `when` have the given bits, switching `option` leaves the program the same.

    Attributes
    ----------
    option : str
        Letter of the option.
    when : mapping of str to int
        Bit, 0 or 1, by letter; empty for an option that never has an effect.
    """

    option: str
    when: Mapping[str, int]

    def __str__(self) -> str:
        condition = " and ".join(f"{letter} = {bit}" for letter, bit in self.when.items())
        return f"{self.option} has no effect" + (f" where {condition}" if condition else "")


def inactive_rules(equivalence: Equivalence) -> tuple[InactiveRule, ...]:
    """The most general rules under which an option has no effect.

    Together they cover every pair of equivalent masks that differ in one option. They are the prime implicants (Quine
    1952, McCluskey 1956) of "both ends of this edge are in one class".

    Parameters
    ----------
    equivalence : Equivalence
        The classes, for instance `Workflow.equivalence`.

    Returns
    -------
    tuple of InactiveRule
        By option, then by number of conditions.

    Examples
    --------
    >>> rules = inactive_rules(Equivalence.from_keys(["off", "off", "plain", "wide"]))
    >>> print(rules[0])
    B has no effect where A = 0
    """
    d = instance(equivalence, Equivalence, "equivalence", "a workflow has one, and Equivalence.from_keys makes one").d
    letters = option_letters(d)
    rules = []
    for option in range(d):
        starts = edge_starts(d, option)
        bit = 1 << (d - 1 - option)
        same = starts[equivalence.representative[starts] == equivalence.representative[starts + bit]]
        others = (1 << d) - 1 - bit
        for fixed, values in _prime_cubes({(others, int(rank)) for rank in same}):
            when = {letter: (values >> (d - 1 - k)) & 1 for k, letter in enumerate(letters) if fixed >> (d - 1 - k) & 1}
            rules.append(InactiveRule(letters[option], when))
    return tuple(rules)


def _prime_cubes(cubes: set[_Cube]) -> list[_Cube]:
    """Merge cubes that differ in one fixed bit for as long as there are any; keep those that merge no further."""
    prime: set[_Cube] = set()
    while cubes:
        merged: set[_Cube] = set()
        used: set[_Cube] = set()
        for fixed, values in cubes:
            for bit in (1 << k for k in range(fixed.bit_length()) if fixed >> k & 1):
                # Two cubes that differ in one fixed bit are both of its values: together they leave it free. A cube
                # that has merged is kept for its other partners: it may be part of several larger ones.
                partner = (fixed, values ^ bit)
                if partner in cubes:
                    used |= {(fixed, values), partner}
                    merged.add((fixed & ~bit, values & ~bit))
        prime |= cubes - used
        cubes = merged
    # Fewest conditions first; of equally many, those on earlier options, which are the higher bits.
    return sorted(prime, key=lambda cube: (np.bitwise_count(cube[0]), -cube[0], cube[1]))
