"""The options of a campaign: their two levels, and settings that must not be combined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from whatworked.arguments import is_several, shown
from whatworked.errors import InvalidOptionError, nearest
from whatworked.surfaces.masks import IntArray, all_bits

MOST = 20
"""Options of a campaign."""
WHOLE = 12
"""Options up to which every setting is predicted and every effect is reported."""
_NOT_IN_NAMES = set("=,{}|:\n\r")


@dataclass(frozen=True)
class Option:
    """One switch.

    Attributes
    ----------
    name : str
        What it is called.
    off, on : object
        Its two levels; False and True for a plain switch.
    """

    name: str
    off: Any = False
    on: Any = True

    def level(self, bit: int) -> Any:
        """The level for a bit of a mask."""
        return self.on if bit else self.off

    def label(self, bit: int) -> str:
        """The level as a text."""
        level = self.level(bit)
        return ("on" if level else "off") if isinstance(level, bool) else str(level)

    def bit(self, level: object) -> int:
        """The bit of a level, given as itself or as a text; raises `InvalidOptionError` for one that it has not."""
        for bit in (0, 1):
            own = self.level(bit)
            if (type(own) is type(level) and own == level) or str(level) == self.label(bit):
                return bit
        raise InvalidOptionError(
            f"option {self.name!r} has no level {shown(level)}; it has {self.label(0)} and {self.label(1)}"
        )


def read_options(given: object) -> tuple[Option, ...]:
    """Options from names, or from a mapping of names to two levels.

    Parameters
    ----------
    given : sequence of str, or mapping of str to a pair
        Names of switches, or ``{"lr": (0.1, 0.01)}`` with the level that stands for 0 first.

    Returns
    -------
    tuple of Option
        1 to 20.

    Raises
    ------
    InvalidOptionError
        For anything else.

    Examples
    --------
    >>> [option.label(1) for option in read_options({"lr": (0.1, 0.01), "amp": (False, True)})]
    ['0.01', 'on']
    """
    if isinstance(given, Mapping):
        options = tuple(_with_levels(name, levels) for name, levels in given.items())
    elif is_several(given):
        several: Any = given
        options = tuple(name if isinstance(name, Option) else Option(name) for name in several)
    else:
        raise InvalidOptionError(f"options are {shown(given)}; give their names, as in ['amp', 'cache']")
    names = [option.name for option in options]
    for name in names:
        if not isinstance(name, str) or not name.strip() or _NOT_IN_NAMES & set(name):
            raise InvalidOptionError(
                f"an option is called {shown(name)}; give a text without = , : | braces and line breaks"
            )
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise InvalidOptionError(f"option {repeated[0]!r} is given twice; give each option once")
    if not 1 <= len(options) <= MOST:
        raise InvalidOptionError(f"there are {len(options)} options; give 1 to {MOST}, and keep the others fixed")
    return options


def _with_levels(name: Any, levels: object) -> Option:
    several: Any = levels
    pair = tuple(several) if is_several(levels) else ()
    labels = [Option(str(name), *pair).label(bit) for bit in (0, 1)] if len(pair) == 2 else []
    if len(labels) != 2 or labels[0] == labels[1]:
        raise InvalidOptionError(f"option {name!r} has the levels {shown(levels)}; give two different ones")
    return Option(name, *pair)


class _Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=_Named)


def named(options: Iterable[N], name: object) -> N:
    """The option of that name; `InvalidOptionError` with the nearest if there is none."""
    known = {option.name: option for option in options}
    if not isinstance(name, str) or name not in known:
        near = nearest(str(name), known)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        raise InvalidOptionError(f"there is no option {shown(name)}; {hint}")
    return known[name]


def excluded_ranks(options: tuple[Option, ...], combinations: Iterable[Mapping[str, int]]) -> IntArray:
    """Ranks of the settings that hold one of the combinations, ascending."""
    bits = all_bits(len(options))
    place = {option.name: column for column, option in enumerate(options)}
    out = np.zeros(len(bits), dtype=bool)
    for combination in combinations:
        out |= np.all([bits[:, place[name]] == bit for name, bit in combination.items()], axis=0)
    return np.flatnonzero(out).astype(np.int64)
