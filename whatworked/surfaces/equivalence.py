"""Classes of masks that are the same program."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from whatworked.arguments import shown
from whatworked.errors import DeclarationError, InvalidMaskError
from whatworked.surfaces.masks import IntArray, any_mask_rank, check_dimensions, dimensions_of


@dataclass(frozen=True, eq=False)
class Equivalence:
    """A partition of a cube into classes of masks that run the same program.

    Attributes
    ----------
    representative : ndarray of int64, shape (2**d,)
        Rank of the class representative of every mask. Inactive options are 0 in a representative, which makes it the
        member with the fewest options switched on, and the lowest rank among those.

    Raises
    ------
    DeclarationError
        If a representative is not a mask of the cube or does not represent itself.
    InvalidMaskError
        If there are not 2**d of them, 1 <= d <= 20.

    Examples
    --------
    >>> classes = Equivalence.from_keys(["off", "off", "plain", "wide"])
    >>> len(classes), classes.representative.tolist()
    (3, [0, 0, 2, 3])
    """

    representative: IntArray

    def __post_init__(self) -> None:
        try:
            with np.errstate(invalid="ignore"):
                table = np.array(self.representative, dtype=np.int64)
            whole = np.array_equal(table, np.asarray(self.representative))
        except (TypeError, ValueError, OverflowError):
            whole = False
        if not whole or table.ndim != 1:
            raise DeclarationError(
                f"class representatives are {shown(self.representative)}; give the rank of one for each mask"
            )
        dimensions_of(table.size)
        # A map that, applied twice, is the map itself is all that a partition needs: the masks that represent
        # themselves are the classes.
        if ((table < 0) | (table >= table.size)).any() or not np.array_equal(table[table], table):
            raise DeclarationError("a class representative must be a mask of the cube that represents itself")
        table.flags.writeable = False
        object.__setattr__(self, "representative", table)

    @classmethod
    def from_keys(cls, keys: Sequence[Hashable]) -> Equivalence:
        """Partition by equal keys.

        Parameters
        ----------
        keys : sequence of hashable, length 2**d
            What decides the program of each mask, in canonical order.

        Returns
        -------
        Equivalence

        Raises
        ------
        InvalidMaskError
            If there are not 2**d hashable keys, 1 <= d <= 20.
        """
        keys = tuple(keys) if isinstance(keys, Iterable) else keys
        if not isinstance(keys, tuple) or not all(isinstance(key, Hashable) for key in keys):
            raise InvalidMaskError(f"keys are {shown(keys)}; give one hashable key for each mask, in canonical order")
        best: dict[Hashable, int] = {}
        for rank, key in enumerate(keys):
            held = best.get(key)
            # Strictly fewer, so that of several members with equally few options on the lowest rank stays.
            if held is None or rank.bit_count() < held.bit_count():
                best[key] = rank
        return cls(np.array([best[key] for key in keys], dtype=np.int64))

    @classmethod
    def trivial(cls, d: int) -> Equivalence:
        """Every mask alone.

        Parameters
        ----------
        d : int
            Number of options, 1 to 20.

        Returns
        -------
        Equivalence

        Raises
        ------
        InvalidMaskError
            For another number of options.
        """
        return cls(np.arange(1 << check_dimensions(d), dtype=np.int64))

    @property
    def d(self) -> int:
        """Number of options."""
        return dimensions_of(self.representative.size)

    @property
    def representatives(self) -> IntArray:
        """Ranks of the representatives, ascending, shape (number of classes,)."""
        return np.unique(self.representative)

    def members(self, rank: int) -> IntArray:
        """Ranks of all masks in one class.

        Parameters
        ----------
        rank : int
            Any mask of the class; its string or its bits will do as well.

        Returns
        -------
        ndarray of int64
            Ascending.

        Raises
        ------
        InvalidMaskError
            If it is no mask of the cube.
        """
        representative = self.representative[any_mask_rank(rank, self.d)]
        return np.flatnonzero(self.representative == representative).astype(np.int64)

    def __len__(self) -> int:
        return int(self.representatives.size)
