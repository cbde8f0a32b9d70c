"""The same task with its options in another order, and what was found there in the order of before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from whatworked.environments.effects.task import Task
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import FloatArray, IntArray, all_bits, ranks_of


@dataclass(frozen=True)
class Relabelling:
    """An order of the options of a cube.

    A method has no reason to prefer an order, but ties and fixed designs break the symmetry, and on a few surfaces that
    is luck. Averaging over orders takes the luck out.

    Attributes
    ----------
    number : int
        Which order: 0 is that of before, the others are drawn by it.
    d : int
        Number of options.
    """

    number: int
    d: int

    @property
    def order(self) -> IntArray:
        """Place of each new option among those of before, shape (d,)."""
        if self.number == 0:
            return np.arange(self.d)
        return np.random.default_rng([self.number, self.d]).permutation(self.d)

    def before(self) -> IntArray:
        """Rank of before for every new rank, shape (2**d,)."""
        bits = np.empty((1 << self.d, self.d), dtype=np.int8)
        bits[:, self.order] = all_bits(self.d)
        return ranks_of(bits)

    def task(self, task: Task) -> Task:
        """The task with its options in this order.

        Parameters
        ----------
        task : Task
            In the order of before.

        Returns
        -------
        Task
            The same one for number 0; else with a digest of its own.
        """
        if self.number == 0:
            return task
        surface = task.surface.reordered([task.surface.options[place] for place in self.order])
        classes = task.equivalence
        if classes is not None:
            classes = Equivalence.from_keys(classes.representative[self.before()].tolist())
        experience = None if task.experience is None else task.experience.reordered(surface.options)
        return replace(task, surface=surface, equivalence=classes, experience=experience, digest="")

    def ranks_before(self, ranks: Iterable[int]) -> tuple[int, ...]:
        """Ranks of before of masks given by new rank, in the same order."""
        chosen = tuple(ranks)
        return chosen if self.number == 0 else tuple(self.before()[list(chosen)].tolist()) if chosen else ()

    def table_before(self, table: FloatArray) -> FloatArray:
        """A table of the cube, shape (2**d,), in the order of before."""
        if self.number == 0:
            return table
        found = np.empty_like(table)
        found[self.before()] = table
        return found
