"""Experience: what was measured of other sources of the same family, for a player who may read it.

The surfaces need not have the same options as the one that is explored. They are matched by name: an option that only
the known surface has is averaged out, and one that it lacks is one that it says nothing about.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from whatworked.errors import InvalidSurfaceError
from whatworked.surfaces.checks import option_names
from whatworked.surfaces.masks import FloatArray
from whatworked.surfaces.surface import ResponseSurface


@dataclass(frozen=True, eq=False)
class KnownSurface:
    """What was measured of one other source.

    Parameters
    ----------
    source : str
        Which source; two surfaces of one source are two views of the same thing.
    options : sequence of str
        Distinct names of its d options, in the order of the mask's characters.
    utilities : array-like of float, shape (2**d,)
        Utility of every mask in canonical order, larger is better; NaN where it was not measured.
    noise : float, default 0
        Variance of a measurement; 0 where measurements are exact.

    Raises
    ------
    InvalidSurfaceError
        With every problem found.
    """

    source: str
    options: tuple[str, ...]
    utilities: FloatArray = field(repr=False)
    noise: float = 0.0

    def __post_init__(self) -> None:
        problems: list[str] = []
        if not isinstance(self.source, str) or not self.source:
            problems.append(f"source is {self.source!r}; give its name")
        options = option_names(self.options, problems)
        try:
            column = np.array(self.utilities, dtype=np.float64)
        except (TypeError, ValueError):
            problems.append("utilities are no numbers")
            column = np.empty(0)
        if options and column.shape != (1 << len(options),):
            problems.append(
                f"utilities have shape {column.shape}; {len(options)} options need ({1 << len(options)},), NaN where "
                "nothing was measured"
            )
        elif np.isinf(column).any():
            problems.append("utilities are infinite in places; give NaN where nothing was measured")
        elif np.isfinite(column).sum() < 2:
            problems.append("fewer than two masks were measured; leave this surface out")
        if isinstance(self.noise, bool) or not isinstance(self.noise, int | float) or not 0 <= self.noise < np.inf:
            problems.append(f"noise is {self.noise!r}; give the variance of a measurement, 0 or more")
        if problems:
            raise InvalidSurfaceError(f"known surface of {self.source!r}: " + "; ".join(problems))
        column.flags.writeable = False
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "utilities", column)
        object.__setattr__(self, "noise", float(self.noise))

    @classmethod
    def of(cls, surface: ResponseSurface, source: str) -> KnownSurface:
        """All of a response surface.

        Parameters
        ----------
        surface : ResponseSurface
            Completely measured.
        source : str
            Which source it is of.

        Returns
        -------
        KnownSurface
        """
        return cls(source, surface.options, surface.utilities)

    @property
    def d(self) -> int:
        """Number of options."""
        return len(self.options)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of source, options, utilities and noise, in hexadecimal."""
        digest = hashlib.sha256()
        for text in (self.source, *self.options):
            digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
        digest.update(np.float64(self.noise).tobytes())
        # One NaN for all of them, whatever bits they had.
        digest.update(np.where(np.isnan(self.utilities), np.nan, self.utilities).tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, KnownSurface) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    def matched(self, options: Sequence[str]) -> tuple[tuple[int, ...], FloatArray]:
        """The part of the surface that is about given options.

        Parameters
        ----------
        options : sequence of str
            Those of the surface that is explored.

        Returns
        -------
        places : tuple of int
            Of those among `options` that this surface has, ascending.
        utilities : ndarray of float64, shape (2**len(places),)
            By mask of these options, averaged over what was measured of the other ones; NaN where nothing was.
        """
        places = tuple(place for place, name in enumerate(options) if name in self.options)
        axes = [self.options.index(options[place]) for place in places]
        others = [axis for axis in range(self.d) if axis not in axes]
        cube = self.utilities.reshape((2,) * self.d).transpose(axes + others)
        rows = cube.reshape(1 << len(places), -1)
        measured = np.isfinite(rows)
        counts = measured.sum(axis=1)
        sums = np.where(measured, rows, 0.0).sum(axis=1)
        with np.errstate(invalid="ignore"):
            return places, np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


@dataclass(frozen=True)
class Experience:
    """What a player knows of other sources of the family of the surface that it explores.

    Parameters
    ----------
    options : sequence of str
        Names of the options of the surface that is explored, in the order of its mask.
    surfaces : iterable of KnownSurface
        In any order: they are put into that of their digests.

    Raises
    ------
    InvalidSurfaceError
        If options are not distinct names, or the same surface is given twice.

    Examples
    --------
    >>> known = KnownSurface("tides", ("trend", "season"), [0.1, 0.4, 0.2, float("nan")])
    >>> Experience(("season", "lags"), [known]).surfaces[0].source
    'tides'
    """

    options: tuple[str, ...]
    surfaces: tuple[KnownSurface, ...] = field(default=(), compare=False)
    digests: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        problems: list[str] = []
        options = option_names(self.options, problems)
        surfaces = tuple(self.surfaces)
        strangers = [surface for surface in surfaces if not isinstance(surface, KnownSurface)]
        if strangers:
            problems.append(f"{strangers[0]!r:.60} is no KnownSurface")
        else:
            surfaces = tuple(sorted(surfaces, key=lambda surface: surface.digest))
            digests = tuple(surface.digest for surface in surfaces)
            twice = [a.source for a, b in pairwise(surfaces) if a.digest == b.digest]
            if twice:
                problems.append(f"the surface of {twice[0]!r} is given twice; give it once")
        if problems:
            raise InvalidSurfaceError("experience: " + "; ".join(problems))
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "surfaces", surfaces)
        object.__setattr__(self, "digests", digests)

    @property
    def d(self) -> int:
        """Number of options of the surface that is explored."""
        return len(self.options)

    def __len__(self) -> int:
        return len(self.surfaces)

    def __iter__(self) -> Iterator[KnownSurface]:
        return iter(self.surfaces)

    def reordered(self, options: Iterable[str]) -> Experience:
        """The same experience for the same options in another order.

        Parameters
        ----------
        options : iterable of str
            The names in the order of the mask.

        Returns
        -------
        Experience
        """
        return Experience(tuple(options), self.surfaces)
