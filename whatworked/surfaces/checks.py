"""What a response surface must be: every problem of its parts, before it is made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from whatworked.arguments import is_several, shown
from whatworked.surfaces.cost_map import LARGEST_COST, CostMap
from whatworked.surfaces.masks import MAX_OPTIONS, FloatArray, IntArray, in_canonical_order, mask_string, real_numbers
from whatworked.wording import counted, first_few

ROUNDING = 1e-12
"""Values outside [0, 1] by no more than this are rounding of a metric at its bound, and are kept as they are."""

AGREEMENT = 1e-9
"""Largest difference between a utility and what the utility map makes of its native value."""


def option_names(options: Sequence[str], problems: list[str]) -> tuple[str, ...]:
    """Names of the options; what is wrong with them is added to `problems`."""
    if not isinstance(options, str) and not is_several(options):
        problems.append(f"options are {shown(options)}; give a sequence with the name of each")
        return ()
    names = tuple(options)
    if not 1 <= len(names) <= MAX_OPTIONS:
        problems.append(f"{len(names)} options; allowed are 1 to {MAX_OPTIONS}")
    if not all(isinstance(name, str) and name for name in names):
        problems.append(f"option names {names} are not all non-empty strings")
    elif len(set(names)) < len(names):
        problems.append(f"option names {names} are not distinct")
    # Subclasses of str, as numpy's, are shown and encoded otherwise.
    return tuple(str(name) if isinstance(name, str) else name for name in names)


def cell_values(values: npt.ArrayLike, what: str, d: int, problems: list[str]) -> FloatArray | None:
    """One finite value for each mask, read-only, shape (2**d,); or None, and why is added to `problems`."""
    try:
        column = real_numbers(in_canonical_order(values, d or None))
    except ValueError as error:
        problems.append(f"{what} are {error}")
        return None
    if not d:  # the missing options are a problem already
        return None
    if column.shape != (1 << d,):
        problems.append(f"{what} have shape {column.shape}; {d} options need ({1 << d},)")
        return None
    offenders = np.flatnonzero(~np.isfinite(column))
    if offenders.size:
        problems.append(f"{what}: {_named(column, offenders, d)} not finite")
        return None
    column.flags.writeable = False
    return column


def check_range(utilities: FloatArray, costs: CostMap | None, problems: list[str]) -> None:
    """Add utilities outside [0, 1] to `problems`; where there are costs, also those whose cost counts as infinite."""
    d = utilities.size.bit_length() - 1
    offenders = np.flatnonzero((utilities < -ROUNDING) | (utilities > 1 + ROUNDING))
    if offenders.size:
        problems.append(f"utilities: {_named(utilities, offenders, d)} outside [0, 1]")
    if costs is None:
        return
    worthless = np.flatnonzero((utilities <= 0) | (costs.to_native(utilities) > LARGEST_COST))
    if worthless.size:
        problems.append(
            f"utilities: {_named(utilities, worthless, d)} without a finite native cost (up to {LARGEST_COST:g})"
        )


def check_native(utilities: FloatArray, native: FloatArray, costs: CostMap, problems: list[str]) -> None:
    """Add native costs to `problems` that the map turns into other utilities, both of shape (2**d,)."""
    with np.errstate(divide="ignore"):
        expected = costs.to_utility(native)
    offenders = np.flatnonzero(~(np.abs(expected - utilities) <= AGREEMENT))
    if offenders.size:
        named = _named(native, offenders, utilities.size.bit_length() - 1)
        problems.append(f"native values: {named} that the utility map turns into another utility")


def _named(column: FloatArray, offenders: IntArray, d: int) -> str:
    shown = first_few([f"{mask_string(int(rank), d)} = {column[rank]:g}" for rank in offenders])
    return f"{counted(offenders.size, 'value')} ({shown})"
