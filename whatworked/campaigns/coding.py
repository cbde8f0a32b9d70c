"""Options of more than two levels, coded into binaries; combinations of these that mean no level never run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, Literal, cast, get_args

from whatworked.arguments import is_several, shown
from whatworked.campaigns.options import Option, named, read_options
from whatworked.errors import InvalidOptionError

Way = Literal["steps", "first"]
"""``steps``: each binary is one step along the levels. ``first``: each is one level against the first."""


@dataclass(frozen=True)
class Coding:
    """An option of k levels as k - 1 binaries.

    Attributes
    ----------
    name : str
        Of the option; its binaries are called ``name.1``, ``name.2``, ….
    levels : tuple of object
        At least 3, in the order of the steps.
    way : {"steps", "first"}
        ``steps`` (cumulative, or thermometer coding) for levels with an order: binary j is the step from level j - 1 to
        level j, and is on only where those before it are. ``first`` (dummy coding) for levels without one: binary j is
        level j against the first, and at most one is on.
    """

    name: str
    levels: tuple[Any, ...]
    way: Way = "steps"

    @property
    def options(self) -> tuple[Option, ...]:
        """The binaries, each with the levels between which it changes."""
        starts = self.levels[:-1] if self.way == "steps" else (self.levels[0],) * (len(self.levels) - 1)
        return tuple(
            Option(f"{self.name}.{number}", start, end)
            for number, (start, end) in enumerate(zip(starts, self.levels[1:], strict=True), 1)
        )

    @property
    def never(self) -> tuple[dict[str, int], ...]:
        """Combinations of bits that mean no level."""
        names = [option.name for option in self.options]
        if self.way == "steps":
            return tuple({before: 0, after: 1} for before, after in pairwise(names))
        return tuple({one: 1, other: 1} for one, other in combinations(names, 2))

    def bits(self, number: int) -> dict[str, int]:
        """Bit of every binary at the level of that number, from 0."""
        return {
            option.name: int(place <= number if self.way == "steps" else place == number)
            for place, option in enumerate(self.options, 1)
        }

    def number(self, bits: Mapping[str, int]) -> int | None:
        """Number of the level that bits mean; None for a combination that means none."""
        own = {option.name: bits[option.name] for option in self.options}
        return next((number for number in range(len(self.levels)) if self.bits(number) == own), None)

    def labels(self) -> list[str]:
        """The levels as texts."""
        return [Option(self.name, level).label(0) for level in self.levels]

    def number_of(self, level: object) -> int:
        """Number of a level, given as itself or as a text; raises `InvalidOptionError` for one that it has not."""
        labels = self.labels()
        for number, own in enumerate(self.levels):
            if (type(own) is type(level) and own == level) or str(level) == labels[number]:
                return number
        raise InvalidOptionError(f"option {self.name!r} has no level {shown(level)}; it has {', '.join(labels)}")

    def sentence(self) -> str:
        """What the binaries mean, for the report."""
        how = "each is a step along them" if self.way == "steps" else "each is one of them against the first"
        meant = ", ".join(f"{option.name} from {option.label(0)} to {option.label(1)}" for option in self.options)
        return f"{self.name} has {len(self.levels)} levels, coded into {len(self.options)} options; {how}: {meant}."


def read_coded(given: object, coding: object = None) -> tuple[tuple[Option, ...], tuple[Coding, ...]]:
    """Options with their levels, those of more than two coded into binaries.

    Parameters
    ----------
    given : sequence of str, or mapping of str to two or more levels
        As `read_options` takes them.
    coding : mapping of str to {"steps", "first"}, optional
        How options of more than two levels are coded. Default: steps.

    Returns
    -------
    options : tuple of Option
        1 to 20, an option of k levels counted as k - 1.
    codings : tuple of Coding
        One for each option of more than two levels.

    Raises
    ------
    InvalidOptionError
        For anything else.

    Examples
    --------
    >>> options, codings = read_coded({"lr": (0.1, 0.03, 0.01), "amp": (False, True)})
    >>> [option.name for option in options]
    ['lr.1', 'lr.2', 'amp']
    """
    ways = {} if coding is None else coding
    if not isinstance(ways, Mapping):
        raise InvalidOptionError(f"coding is {shown(coding)}; give a mapping, as in {{'lr': 'first'}}")
    codings: dict[str, Coding] = {}
    options: list[Option] = []
    if not isinstance(given, Mapping):
        options += read_options(given)
    else:
        for name, levels in given.items():
            if len(several := tuple(cast("Any", levels)) if is_several(levels) else ()) > 2:
                codings[name] = _read(name, several, ways.get(name, "steps"))
                options += codings[name].options
            else:
                options += read_options({name: levels})
    for name in ways:
        if name not in codings:
            raise InvalidOptionError(f"coding names {shown(name)}, which is no option of more than two levels")
    if taken := sorted({option.name for option in options} & codings.keys()):
        raise InvalidOptionError(f"option {taken[0]!r} is given twice; give each option once")
    return read_options(options), tuple(codings.values())


def _read(name: Any, levels: tuple[Any, ...], way: object) -> Coding:
    if way not in get_args(Way):
        raise InvalidOptionError(f"the coding of {name!r} is {shown(way)}; choose steps or first")
    read_options([name])  # what is no name is refused as for any option
    read = Coding(name, levels, cast("Way", way))
    labels = read.labels()
    if repeated := [label for label in labels if labels.count(label) > 1]:
        raise InvalidOptionError(f"option {name!r} has the level {repeated[0]} twice; give each level once")
    return read


def setting_of(
    options: Sequence[Option], codings: Iterable[Coding], mask: str, *, texts: bool = False
) -> dict[str, Any] | None:
    """Level of every option that a user named, in the order given; None where bits mean no level.

    Parameters
    ----------
    options : sequence of Option
        The binaries.
    codings : iterable of Coding
        Which of them code levels.
    mask : str
        A bit for each.
    texts : bool
        Whether levels are wanted as texts.

    Returns
    -------
    dict or None
    """
    bits = {option.name: int(bit) for option, bit in zip(options, mask, strict=True)}
    coded = {option.name: coding for coding in codings for option in coding.options}
    levels: dict[str, Any] = {}
    for option in options:
        coding = coded.get(option.name)
        if coding is None:
            levels[option.name] = option.label(bits[option.name]) if texts else option.level(bits[option.name])
        elif coding.name not in levels:
            if (number := coding.number(bits)) is None:
                return None
            levels[coding.name] = coding.labels()[number] if texts else coding.levels[number]
    return levels


def inputs_of(options: Sequence[Option], codings: Iterable[Coding]) -> tuple[Option | Coding, ...]:
    """What a user named, in the order given: each coding in the place of its binaries."""
    coded = {option.name: coding for coding in codings for option in coding.options}
    return tuple(dict.fromkeys(coded.get(option.name, option) for option in options))


def expanded(names: Iterable[str], codings: Iterable[Coding]) -> tuple[str, ...]:
    """Names of options, those of codings replaced by their binaries'."""
    coded = {coding.name: [option.name for option in coding.options] for coding in codings}
    return tuple(inner for name in names for inner in coded.get(name, [name]))


def bits_of_level(options: Sequence[Option], codings: Iterable[Coding], name: object, level: object) -> dict[str, int]:
    """The bits that an option has at a level, whether it is coded or not; `InvalidOptionError` for what is unknown."""
    for coding in codings:
        if name == coding.name:
            return coding.bits(coding.number_of(level))
    option = named(options, name)
    return {option.name: option.bit(level)}


def read_combinations(
    given: object, options: tuple[Option, ...], codings: tuple[Coding, ...] = ()
) -> tuple[dict[str, int], ...]:
    """Combinations that must not be run, as bits by option.

    Parameters
    ----------
    given : iterable of mappings, or None
        Each from names of options to levels (or their labels); a setting that has all of them is excluded.
    options : tuple of Option
        The options of the campaign.
    codings : tuple of Coding
        Those of more than two levels.

    Returns
    -------
    tuple of dict of str to int

    Raises
    ------
    InvalidOptionError
        For an unknown option or level.
    """
    if given is None:
        return ()
    several: Any = [given] if isinstance(given, Mapping) else given
    if not is_several(several) or not all(isinstance(combination, Mapping) and combination for combination in several):
        raise InvalidOptionError(f"exclude is {shown(given)}; give mappings, as in [{{'amp': True, 'cache': False}}]")
    return tuple(
        {
            binary: bit
            for name, level in combination.items()
            for binary, bit in bits_of_level(options, codings, name, level).items()
        }
        for combination in several
    )
