"""Sign reversals: options that help in one background and hurt in another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from whatworked.arguments import real_number
from whatworked.errors import unknown_name
from whatworked.surfaces.masks import edge_starts, mask_string
from whatworked.surfaces.surface import EdgeEffect, ResponseSurface, check_surface

SMALLEST_FLOOR = 1e-12
"""Effects up to this size are rounding, in utility."""
FLOORS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "1e-12": (SMALLEST_FLOOR, 0.0),
        "1%": (SMALLEST_FLOOR, 0.01),
        "5%": (SMALLEST_FLOOR, 0.05),
        "10%": (SMALLEST_FLOOR, 0.10),
    }
)
"""Floors by name, as (absolute, share of the range of the surface); the larger of the two applies."""


@dataclass(frozen=True)
class OptionSigns:
    """Where one option helps and where it hurts.

    Attributes
    ----------
    option : str
        Name of the option.
    floor : float
        Effects of at most this size count as none, in utility.
    helps, hurts, neutral : int
        Number of backgrounds with an effect above the floor, below minus the floor, and in between; they add up to
        2**(d-1).
    mean : float
        Mean conditional effect.
    largest, smallest : EdgeEffect
        The most positive and the most negative effect; ties go to the first mask in canonical order.
    """

    option: str
    floor: float
    helps: int
    hurts: int
    neutral: int
    mean: float
    largest: EdgeEffect
    smallest: EdgeEffect

    @property
    def reverses(self) -> bool:
        """Whether the option helps somewhere and hurts somewhere else."""
        return self.helps > 0 and self.hurts > 0


def floor_of(surface: ResponseSurface, name: str = "1e-12") -> float:
    """Size in utility of a floor given by name.

    Parameters
    ----------
    surface : ResponseSurface
        The surface, whose range the relative floors refer to.
    name : {"1e-12", "1%", "5%", "10%"}
        An absolute size, or a share of the range.

    Returns
    -------
    float

    Raises
    ------
    UnknownNameError
        If there is no such floor.
    InvalidSurfaceError
        If the surface is none.
    """
    check_surface(surface, "the surface")
    if not isinstance(name, str) or name not in FLOORS:
        raise unknown_name("floor", name, FLOORS)
    # On a flat surface a share of the range is smaller than rounding, and every option would seem to reverse.
    absolute, share = FLOORS[name]
    return max(absolute, share * surface.range)


def option_signs(surface: ResponseSurface, floor: float = SMALLEST_FLOOR) -> tuple[OptionSigns, ...]:
    """Signs of every option's conditional effects, in the order of the options.

    Parameters
    ----------
    surface : ResponseSurface
        The surface.
    floor : float
        Effects of at most this size, in utility, count as none; see `floor_of`.

    Returns
    -------
    tuple of OptionSigns, length d

    Raises
    ------
    InvalidSurfaceError
        If the surface is none.

    Examples
    --------
    >>> first, second = option_signs(ResponseSurface(("A", "B"), [0.0, 0.0, 1.0, 0.0]))
    >>> first.reverses, second.reverses, second.smallest
    (False, False, EdgeEffect(option='B', mask='10', effect=-1.0))
    """
    check_surface(surface, "the surface")
    floor = real_number(floor, "floor")
    rows = zip(surface.options, surface.effects(), surface.mean_effects().tolist(), strict=True)
    results = []
    for index, (option, row, mean) in enumerate(rows):
        starts = edge_starts(surface.d, index)
        extremes = (
            EdgeEffect(option, mask_string(int(starts[place]), surface.d), float(row[place]))
            # argmax and argmin take the first of equals, and the starts ascend.
            for place in (int(row.argmax()), int(row.argmin()))
        )
        helps, hurts = int(np.count_nonzero(row > floor)), int(np.count_nonzero(row < -floor))
        results.append(OptionSigns(option, floor, helps, hurts, row.size - helps - hurts, mean, *extremes))
    return tuple(results)


def reversing_options(surface: ResponseSurface, floor: float = SMALLEST_FLOOR) -> tuple[str, ...]:
    """Names of the options whose effect changes sign between backgrounds, beyond the floor.

    Parameters
    ----------
    surface : ResponseSurface
        The surface.
    floor : float
        Effects of at most this size, in utility, count as none; see `floor_of`.

    Returns
    -------
    tuple of str
        In the order of the options.

    Raises
    ------
    InvalidSurfaceError
        If the surface is none.

    Examples
    --------
    >>> reversing_options(ResponseSurface(("A", "B"), [0.0, 0.5, 0.4, 0.3]))
    ('A', 'B')
    """
    return tuple(signs.option for signs in option_signs(surface, floor) if signs.reverses)


@dataclass(frozen=True)
class SignSplit:
    """The setting of one other option that tells best where an option hurts.

    Attributes
    ----------
    option, other : str
        The option whose sign changes, and the other option.
    hurts_off, hurts_on : int
        Number of backgrounds in which it hurts, with the other option off and on.
    helps_off, helps_on : int
        Number of backgrounds in which it helps, with the other option off and on.
    backgrounds : int
        Number of backgrounds on either side, 2**(d-2).
    """

    option: str
    other: str
    hurts_off: int
    hurts_on: int
    helps_off: int
    helps_on: int
    backgrounds: int


def sign_split(surface: ResponseSurface, option: str, floor: float = SMALLEST_FLOOR) -> SignSplit | None:
    """How one other option, chosen for the clearest split, divides where `option` helps and hurts.

    The clearest split maximises |(helps_on - hurts_on) - (helps_off - hurts_off)|; ties go to the first option. None if
    the surface has no other option.

    Raises
    ------
    UnknownNameError
        If there is no such option.
    InvalidSurfaceError
        If the surface is none.

    Examples
    --------
    >>> sign_split(ResponseSurface(("A", "B"), [0.0, 0.5, 0.4, 0.3]), "A")
    SignSplit(option='A', other='B', hurts_off=0, hurts_on=1, helps_off=1, helps_on=0, backgrounds=1)
    """
    check_surface(surface, "the surface")
    if not isinstance(option, str) or option not in surface.options:
        raise unknown_name("option", option, surface.options)
    splits = []
    for other in surface.options:
        if other != option:
            off, on = (_signs_of(surface.restricted({other: setting}), option, floor) for setting in (0, 1))
            counts = (off.hurts, on.hurts, off.helps, on.helps)
            splits.append(SignSplit(option, other, *counts, backgrounds=1 << (surface.d - 2)))
    return max(
        splits, key=lambda split: abs(split.helps_on - split.hurts_on - split.helps_off + split.hurts_off), default=None
    )


def _signs_of(surface: ResponseSurface, option: str, floor: float) -> OptionSigns:
    return option_signs(surface, floor)[surface.options.index(option)]
