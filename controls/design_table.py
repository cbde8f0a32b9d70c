"""Making the table of recorded designs, and telling where rounding decided.

The scores of a design are rational numbers, so exact arithmetic tells which candidates tie.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from whatworked.catalog.catalog import conditions
from whatworked.catalog.tracks import TRACKS
from whatworked.controls.designs import DECIMALS, INTERCEPT_PENALTY, PENALTY, design_rows, score_design
from whatworked.controls.recorded_designs import RecordedDesign, classes_digest
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import IntArray, anchors
from whatworked.workflows import get

_SCALE = round(1 / INTERCEPT_PENALTY)
_RELATIVE = round(PENALTY / INTERCEPT_PENALTY)


class ExactScores:
    """Design scores as ratios of integers, updated as masks are measured.

    With M the matrix of moments times 1e8, it keeps adj(M) and det(M); measuring φ adds 1e8 φφᵀ to M.

    Parameters
    ----------
    d, degree : int
        Number of options; 1 or 2.
    candidates : ndarray of int64, shape (m,)
        Ranks of all masks to keep scores of.
    """

    def __init__(self, d: int, degree: int, candidates: IntArray) -> None:
        # Python integers: the determinant outgrows 64 bits within a few steps.
        self._rows = design_rows(candidates, d, degree).astype(np.int64).astype(object)
        p = self._rows.shape[1]
        self._det = _RELATIVE ** (p - 1)
        self._adj = np.zeros((p, p), dtype=object)
        np.fill_diagonal(self._adj, [self._det] + [self._det // _RELATIVE] * (p - 1))
        self._products = (self._rows @ self._adj * self._rows).sum(axis=1)

    def measure(self, position: int) -> None:
        """Add the row of the candidate at `position` (matrix determinant lemma, Sherman-Morrison formula)."""
        moved = self._adj @ self._rows[position]
        along = self._rows @ moved
        det = self._det + _SCALE * int(self._rows[position] @ moved)
        # No remainder is dropped: the result is the adjugate of a matrix of integers, and so made of integers.
        self._adj = (self._adj * det - _SCALE * np.outer(moved, moved)) // self._det
        self._products = (self._products * det - _SCALE * along * along) // self._det
        self._det = det

    def rounded(self) -> list[int]:
        """Scores in units of 1e-10, rounded, shape (m,)."""
        unit = 10**DECIMALS * _SCALE
        return [(2 * int(product) * unit + self._det) // (2 * self._det) for product in self._products]


def make_design(d: int, degree: int, equivalence: Equivalence) -> RecordedDesign:
    """Compute a design to its end, in floating point as any policy would, checked against exact scores.

    The order depends on the BLAS kernel, so it is recorded under the pinned numeric profile only.
    """
    candidates = equivalence.representatives
    measured = list(dict.fromkeys(equivalence.representative[list(anchors(d))].tolist()))
    position = {int(rank): place for place, rank in enumerate(candidates)}
    exact = ExactScores(d, degree, candidates)
    for rank in measured:
        exact.measure(position[rank])
    order: list[int] = []
    rounding: set[int] = set()
    while len(measured) < len(candidates):
        known = np.array(measured, dtype=np.int64)
        chosen = score_design(d, known, np.setdiff1d(candidates, known), degree).best
        rounded, left = exact.rounded(), [int(rank) for rank in candidates if int(rank) not in measured]
        # Exactly best and, of several, lexically first; where floating point took another, only rounding can have done
        # it.
        if chosen != max(left, key=lambda rank: (rounded[position[rank]], -rank)):
            rounding.add(len(order))
        order.append(chosen)
        measured.append(chosen)
        exact.measure(position[chosen])
    return RecordedDesign(d, degree, classes_digest(candidates), tuple(order), frozenset(rounding))


def catalog_cubes() -> Iterator[tuple[int, Equivalence]]:
    """Each distinct partition of the catalog's cubes once, the one into single masks first."""
    seen: set[tuple[int, str]] = set()
    for condition in conditions():
        if condition.track not in TRACKS:
            continue
        declared = get(condition.family).equivalence(condition.dimensions)
        for classes in (Equivalence.trivial(condition.dimensions), declared):
            key = condition.dimensions, classes_digest(classes.representatives)
            if key not in seen:
                seen.add(key)
                yield condition.dimensions, classes


def make_designs(cubes: Iterable[tuple[int, Equivalence]]) -> tuple[RecordedDesign, ...]:
    """Designs of both degrees for each cube, sorted."""
    found = [make_design(d, degree, classes) for d, classes in cubes for degree in (1, 2)]
    return tuple(sorted(found, key=lambda design: (design.d, design.degree, design.classes)))
