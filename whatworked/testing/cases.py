"""What plug-ins are tried on: made-up surfaces of every size, and measured masks in every amount and order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import FloatArray, IntArray, all_bits, anchors, bits_of

DIMENSIONS = (1, 2, 3, 4, 5, 6, 7, 8)
_MANY = 40
"""Most masks measured at once: a full cube up to d = 5."""


@dataclass(frozen=True)
class Case:
    """Measured masks of a made-up surface.

    Attributes
    ----------
    truth : ndarray of float64, shape (2**d,)
        The surface.
    ranks : ndarray of int64, shape (n,)
        Ranks of the measured masks, the two anchors first.
    what : str
        Description for messages.
    """

    truth: FloatArray
    ranks: IntArray
    what: str

    @property
    def d(self) -> int:
        """Number of options."""
        return self.truth.size.bit_length() - 1

    @property
    def masks(self) -> FloatArray:
        """Fresh rows of bits, shape (n, d)."""
        return bits_of(self.ranks, self.d).astype(np.float64)

    @property
    def utilities(self) -> FloatArray:
        """Fresh values, shape (n,)."""
        return self.truth[self.ranks].copy()


def surface(d: int, seed: int = 0) -> FloatArray:
    """A made-up surface in [0, 1]: main effects, pair interactions and some roughness, shape (2**d,)."""
    random = np.random.default_rng([d, seed])
    signs = 2.0 * all_bits(d) - 1.0
    main = signs @ random.normal(size=d)
    pairs = ((signs @ random.normal(size=(d, d))) * signs).sum(axis=1)
    rough = random.normal(size=1 << d)
    raw = main + 0.3 * pairs + 0.2 * rough
    return np.asarray(1.0 / (1.0 + np.exp(-raw)), dtype=np.float64)


def orders(d: int, n: int, seed: int = 0) -> IntArray:
    """`n` ranks, anchors first, then others in random order."""
    others = np.random.default_rng([d, n, seed]).permutation(np.arange(1, (1 << d) - 1))
    return np.array([*anchors(d), *others[: n - 2]], dtype=np.int64)


def sizes(d: int) -> tuple[int, ...]:
    """Numbers of measured masks to try: the anchors alone, a few, half the cube, as much of it as is tried."""
    most = min(1 << d, _MANY)
    return tuple(sorted({2, min(3, most), min(2 + d, most), max(2, most // 2), most}))


def cases(dimensions: tuple[int, ...] = DIMENSIONS) -> Iterator[Case]:
    """Cases of every size."""
    for d in dimensions:
        for n in sizes(d):
            yield Case(surface(d), orders(d, n), f"d = {d}, {n} measured masks")


def flat_cases(d: int = 4) -> Iterator[Case]:
    """Cases in which all utilities are equal or nearly so, or at the ends of [0, 1]."""
    ranks = orders(d, 7)
    for value in (0.0, 0.5, 1.0):
        yield Case(np.full(1 << d, value), ranks, f"all utilities {value:g}")
    yield Case(np.full(1 << d, 0.5) + 1e-15 * np.arange(1 << d), ranks, "utilities equal but for rounding")
    yield Case((np.arange(1 << d) % 2).astype(np.float64), ranks, "utilities 0 and 1")


def classes(d: int) -> Equivalence:
    """Classes as a gated option makes them: the last option has no effect while the first is off."""
    ranks = np.arange(1 << d)
    gated = (ranks >> (d - 1)) & 1 == 0
    return Equivalence(np.where(gated, ranks & ~1, ranks) if d > 1 else ranks)
