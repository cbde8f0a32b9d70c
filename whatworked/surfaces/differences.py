"""Comparing tables with a reference table edge by edge and pair by pair: the inner loop of grading."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from whatworked.surfaces.edges import DIRECT_LIMIT, edges, effect_blocks, pair_signs
from whatworked.surfaces.effects import mean_absolute_effect, pair_interactions
from whatworked.surfaces.masks import FloatArray, dimensions_of


class EffectReference:
    """A finite table over the cube with its effects kept ready, so that many tables can be compared with it.

    Parameters
    ----------
    values : ndarray of float64, shape (2**d,)
        The reference table in canonical order; not copied.
    """

    def __init__(self, values: FloatArray) -> None:
        self.values = values
        self.d = dimensions_of(values.size)
        self.edge_count = self.d << (self.d - 1)

    @cached_property
    def mean_absolute_effect(self) -> float:
        """Mean of |effect| over all edges."""
        return mean_absolute_effect(self.values)

    @cached_property
    def _edge_effects(self) -> FloatArray:
        return next(effect_blocks(self.values, self.d))

    @cached_property
    def _interactions(self) -> FloatArray:
        return pair_interactions(self.values)

    def effect_errors(self, rows: FloatArray) -> tuple[list[float], list[float]]:
        """Sum and maximum over all edges of the absolute effect error of each table.

        Parameters
        ----------
        rows : ndarray of float64, shape (n, 2**d)
            Tables to compare, finite.

        Returns
        -------
        totals, maxima : list of float, length n
            The sums are exactly rounded.
        """
        if self.d > DIRECT_LIMIT:
            totals_and_maxima = [self._long_effect_errors(row) for row in rows]
            return [total for total, _ in totals_and_maxima], [largest for _, largest in totals_and_maxima]
        starts, ends = edges(self.d)
        # One buffer, changed in place: the errors of all edges are the largest array of a grade, d / 2 times the table.
        errors = rows.take(ends, axis=1)
        errors -= rows.take(starts, axis=1)
        errors -= self._edge_effects
        np.abs(errors, out=errors)
        # fsum rounds once. numpy adds in blocks whose size depends on the processor, so that the last digit of a
        # recovery would differ between machines.
        return [math.fsum(row) for row in errors.tolist()], errors.max(axis=1).tolist()

    def _long_effect_errors(self, row: FloatArray) -> tuple[float, float]:
        maxima: list[float] = []

        def sizes() -> Iterator[list[float]]:
            for true, predicted in zip(effect_blocks(self.values, self.d), effect_blocks(row, self.d), strict=True):
                error = np.abs(predicted - true)
                maxima.append(float(error.max()))
                yield error.tolist()

        total = math.fsum(itertools.chain.from_iterable(sizes()))
        return total, max(maxima)

    def interaction_errors(self, rows: FloatArray) -> list[float | None]:
        """Mean absolute error of the mean pair interactions of each table; None where d = 1 leaves no pair."""
        if self.d == 1:
            return [None] * len(rows)
        if self.d > DIRECT_LIMIT:
            interactions = np.array([pair_interactions(row) for row in rows])
        else:
            # Signs of ±1 and, below, a power of two leave every digit as it is, so that only the sum rounds.
            signed = rows[:, np.newaxis, :] * pair_signs(self.d)
            sums = [[math.fsum(pair) for pair in table] for table in signed.tolist()]
            interactions = np.array(sums) / (0.25 * self.values.size)
        errors = np.abs(interactions - self._interactions)
        return [math.fsum(row) / len(row) for row in errors.tolist()]
