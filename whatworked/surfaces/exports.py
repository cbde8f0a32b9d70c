"""Flat tables of effects, interactions, signs and conditions, each with a data dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from whatworked.surfaces.masks import mask_rank, mask_string
from whatworked.surfaces.reversals import FLOORS, floor_of, option_signs, reversing_options
from whatworked.surfaces.surface import ResponseSurface, check_surface
from whatworked.wording import csv_lines

Value = str | int | float | bool | None


@dataclass(frozen=True)
class LabelledSurface:
    """A response surface with its place in the catalog.

    Attributes
    ----------
    surface : ResponseSurface
        Its name is the id of the condition.
    family, source, track : str
        Names of the catalog; track is empty for a condition outside it.
    option_names : tuple of str
        What each option is, in the order of the options.
    """

    surface: ResponseSurface
    family: str
    source: str
    track: str
    option_names: tuple[str, ...]

    @property
    def names(self) -> dict[str, str]:
        """What each option is, by option."""
        return dict(zip(self.surface.options, self.option_names, strict=True))

    @property
    def place(self) -> tuple[Value, ...]:
        """The leading columns of every table."""
        return (self.surface.name, self.family, self.source, self.track, self.surface.d)


def labelled(surface: LabelledSurface | ResponseSurface) -> LabelledSurface:
    """A surface with labels; one without gets its own name as source, and its options' names as what they are.

    Raises
    ------
    InvalidSurfaceError
        If it is no response surface.
    """
    if isinstance(surface, LabelledSurface):
        return surface
    plain = check_surface(surface, "the surface")
    return LabelledSurface(plain, "", plain.name, "", plain.options)


def _all_labelled(surfaces: Surfaces) -> tuple[LabelledSurface, ...]:
    """Surfaces as several: one may stand alone."""
    single = isinstance(surfaces, LabelledSurface | ResponseSurface | str | bytes) or not isinstance(surfaces, Iterable)
    several: Any = (surfaces,) if single else surfaces
    return tuple(labelled(surface) for surface in several)


Surfaces = LabelledSurface | ResponseSurface | Iterable[LabelledSurface | ResponseSurface]
"""One surface or several, with labels or without."""


@dataclass(frozen=True)
class Column:
    """One column of a table: its name, type, unit and meaning."""

    name: str
    type: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class FlatTable:
    """A named table; every row has one cell for each column."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]

    def to_csv(self) -> bytes:
        """UTF-8 comma-separated text with a header line; equal tables give equal bytes.

        Floats have all their digits, booleans are 0 and 1, an undefined cell is empty. A text that a spreadsheet would
        take for a formula begins with an apostrophe; see `whatworked.wording.csv_text`.
        """
        return _csv([column.name for column in self.columns], self.rows)

    def dictionary(self) -> bytes:
        """The data dictionary: one line for each column."""
        rows = [(column.name, column.type, column.unit, column.meaning) for column in self.columns]
        return _csv(["column", "type", "unit", "meaning"], rows)


def _csv(header: Sequence[str], rows: Sequence[Sequence[Value]]) -> bytes:
    return csv_lines([header, *rows]).encode()


_PLACE = (
    Column("condition", "string", "", "id of the condition: the source, with __d6 for six options"),
    Column("family", "string", "", "workflow family"),
    Column("source", "string", "", "data set or record"),
    Column("track", "string", "", "four, paired or added: which part of the catalog the condition belongs to"),
    Column("dimensions", "integer", "options", "number of options d"),
)

_OPTION = (
    Column("option", "string", "", "option that is switched on"),
    Column("option_name", "string", "", "what the option changes"),
)
_FLOOR = Column("floor", "string", "", "effects up to the floor count as none: 1e-12, or a share of the utility range")


def conditional_effects(surfaces: Surfaces) -> FlatTable:
    """One row per edge of each cube: d * 2**(d-1) conditional effects per condition."""
    columns = (
        *_PLACE,
        *_OPTION,
        Column(
            "mask_off", "string", "", "mask before, with the option 0: the background of the effect; option A leftmost"
        ),
        Column("mask_on", "string", "", "mask after, with the option 1"),
        Column("utility_off", "number", "utility", "utility of mask_off"),
        Column("utility_on", "number", "utility", "utility of mask_on"),
        Column("effect", "number", "utility", "utility_on - utility_off"),
        Column(
            "native_effect", "number", "native", "change of the metric in its own unit; empty where it is the utility"
        ),
        Column("native_unit", "string", "", "unit of the native metric; empty where it is the utility"),
    )
    rows = tuple(row for surface in _all_labelled(surfaces) for row in _edges(surface))
    return FlatTable("conditional_effects", columns, rows)


def _edges(entry: LabelledSurface) -> Iterator[tuple[Value, ...]]:
    surface, names = entry.surface, entry.names
    costs = None if surface.utility_map is None else surface.native
    for option, mask, effect in surface.effect_table():
        place = surface.options.index(option)
        on = f"{mask[:place]}1{mask[place + 1 :]}"
        native = None if costs is None else float(costs[mask_rank(on)] - costs[mask_rank(mask)])
        unit = "" if costs is None else surface.native_unit
        yield (*entry.place, option, names[option], mask, on, surface[mask], surface[on], effect, native, unit)


def pair_interactions(surfaces: Surfaces) -> FlatTable:
    """One row per pair of options of each condition: d (d-1) / 2 mean interactions."""
    columns = (
        *_PLACE,
        Column("option_1", "string", "", "first option of the pair"),
        Column("option_2", "string", "", "second option of the pair"),
        Column("option_1_name", "string", "", "what the first option changes"),
        Column("option_2_name", "string", "", "what the second option changes"),
        Column(
            "interaction",
            "number",
            "utility",
            "mean over the settings of the other options of u(11) - u(10) - u(01) + u(00)",
        ),
    )
    rows = []
    for entry in _all_labelled(surfaces):
        names = entry.names
        for (left, right), value in zip(entry.surface.pairs, entry.surface.interactions().tolist(), strict=True):
            rows.append((*entry.place, left, right, names[left], names[right], value))
    return FlatTable("pair_interactions", columns, tuple(rows))


def conditional_interactions(surfaces: Surfaces) -> FlatTable:
    """One row per pair of options and background: the four utilities of the pair, and their interaction."""
    columns = (
        *_PLACE,
        Column("option_1", "string", "", "first option of the pair"),
        Column("option_2", "string", "", "second option of the pair"),
        Column("mask_off", "string", "", "mask with both options 0: the background of the interaction"),
        Column("utility_00", "number", "utility", "utility with both off"),
        Column("utility_01", "number", "utility", "utility with the second alone"),
        Column("utility_10", "number", "utility", "utility with the first alone"),
        Column("utility_11", "number", "utility", "utility with both on"),
        Column("interaction", "number", "utility", "utility_11 - utility_10 - utility_01 + utility_00"),
    )
    rows = tuple(row for surface in _all_labelled(surfaces) for row in _squares(surface))
    return FlatTable("conditional_interactions", columns, rows)


def _squares(entry: LabelledSurface) -> Iterator[tuple[Value, ...]]:
    surface = entry.surface
    utilities, options = surface.utilities, surface.options
    for left, right in surface.pairs:
        bits = [1 << (surface.d - 1 - options.index(option)) for option in (left, right)]
        for rank in range(1 << surface.d):
            if rank & (bits[0] | bits[1]):
                continue
            cells = [float(utilities[rank + added]) for added in (0, bits[1], bits[0], sum(bits))]
            interaction = cells[3] - cells[2] - cells[1] + cells[0]
            yield (*entry.place, left, right, mask_string(rank, surface.d), *cells, interaction)


def option_sign_table(surfaces: Surfaces) -> FlatTable:
    """One row per option and floor of each condition: in how many backgrounds it helps and hurts."""
    columns = (
        *_PLACE,
        *_OPTION,
        _FLOOR,
        Column("floor_size", "number", "utility", "the floor in utility"),
        Column("helps", "integer", "backgrounds", "backgrounds with an effect above the floor"),
        Column("hurts", "integer", "backgrounds", "backgrounds with an effect below minus the floor"),
        Column("neutral", "integer", "backgrounds", "the remaining backgrounds; the three add up to 2**(d-1)"),
        Column("reverses", "boolean", "", "1 if the option helps somewhere and hurts somewhere else"),
        Column("mean_effect", "number", "utility", "mean conditional effect"),
        Column("largest_effect", "number", "utility", "most positive conditional effect"),
        Column("largest_at", "string", "", "mask, with the option 0, of the most positive effect"),
        Column("smallest_effect", "number", "utility", "most negative conditional effect"),
        Column("smallest_at", "string", "", "mask, with the option 0, of the most negative effect"),
    )
    rows = tuple(row for surface in _all_labelled(surfaces) for row in _signs(surface))
    return FlatTable("option_signs", columns, rows)


def _signs(entry: LabelledSurface) -> Iterator[tuple[Value, ...]]:
    for floor in FLOORS:
        for signs, name in zip(
            option_signs(entry.surface, floor_of(entry.surface, floor)), entry.option_names, strict=True
        ):
            counts = (signs.helps, signs.hurts, signs.neutral, signs.reverses, signs.mean)
            extremes = (signs.largest.effect, signs.largest.mask, signs.smallest.effect, signs.smallest.mask)
            yield (*entry.place, signs.option, name, floor, signs.floor, *counts, *extremes)


def reversal_summary(surfaces: Surfaces) -> FlatTable:
    """How many options reverse, at each floor, by component (an option of a family), condition, source and over all."""
    columns = (
        Column("level", "string", "", "component (one option of one family), condition, source or catalog"),
        Column("name", "string", "", "which one; a component is family:option"),
        _FLOOR,
        Column("reversing", "integer", "cases", "pairs of condition and option, of those counted here, that reverse"),
        Column("cases", "integer", "cases", "pairs of condition and option counted here"),
        Column("conditions_reversing", "integer", "conditions", "conditions counted here with a reversing option"),
        Column("conditions", "integer", "conditions", "conditions counted here"),
        Column("sources_reversing", "integer", "sources", "sources counted here with a reversing option"),
        Column("sources", "integer", "sources", "sources counted here"),
    )
    groups: dict[tuple[str, str, str], list[tuple[str, str, bool]]] = {}
    several = _all_labelled(surfaces)
    for floor in FLOORS:
        for entry in several:
            reversing = reversing_options(entry.surface, floor_of(entry.surface, floor))
            for option in entry.surface.options:
                case = (entry.surface.name, entry.source, option in reversing)
                component = f"{entry.family}:{option}"
                names = {
                    "component": component,
                    "condition": entry.surface.name,
                    "source": entry.source,
                    "catalog": "all",
                }
                for level, name in names.items():
                    groups.setdefault((level, name, floor), []).append(case)
    levels = ("component", "condition", "source", "catalog")
    ordered = sorted(groups, key=lambda key: levels.index(key[0]))
    return FlatTable("reversals", columns, tuple((*key, *_counts(groups[key])) for key in ordered))


def _counts(cases: Sequence[tuple[str, str, bool]]) -> tuple[int, ...]:
    reversing = [(condition, source) for condition, source, reverses in cases if reverses]
    conditions = {condition for condition, _ in reversing}, {condition for condition, _, _ in cases}
    sources = {source for _, source in reversing}, {source for _, source, _ in cases}
    return len(reversing), len(cases), *(len(names) for names in (*conditions, *sources))


def catalog_summary(surfaces: Surfaces) -> FlatTable:
    """One row per condition: range, A, reversals at each floor, and how much of the variance is of high order."""
    columns = (
        *_PLACE,
        Column("masks", "integer", "masks", "number of configurations, 2**d"),
        Column("utility_min", "number", "utility", "smallest utility"),
        Column("utility_max", "number", "utility", "largest utility"),
        Column("utility_range", "number", "utility", "largest minus smallest utility"),
        Column(
            "best_mask", "string", "", "mask of the largest utility; ties: fewer options on, then lexically smaller"
        ),
        Column("mean_absolute_effect", "number", "utility", "A: mean absolute conditional effect over all edges"),
        *(
            Column(f"reversing_options_{_slug(name)}", "integer", "options", f"options that reverse, floor {name}")
            for name in FLOORS
        ),
        Column("share_order_1", "number", "share", "share of the cube's variance carried by single options"),
        Column("share_order_2", "number", "share", "share of the cube's variance carried by pairs of options"),
        Column("share_order_3_up", "number", "share", "share of the cube's variance carried by three or more options"),
        Column("utility_all_off", "number", "utility", "utility of the anchor with every option off"),
        Column("utility_all_on", "number", "utility", "utility of the anchor with every option on"),
    )
    return FlatTable("catalog_summary", columns, tuple(map(_summary, _all_labelled(surfaces))))


def _summary(entry: LabelledSurface) -> tuple[Value, ...]:
    surface = entry.surface
    shares = [*surface.order_shares().tolist(), 0.0, 0.0]
    low, high = float(surface.utilities.min()), float(surface.utilities.max())
    reversing = [len(reversing_options(surface, floor_of(surface, name))) for name in FLOORS]
    ranges = (1 << surface.d, low, high, surface.range, surface.best, surface.mean_absolute_effect)
    anchors = float(surface.utilities[0]), float(surface.utilities[-1])
    return (*entry.place, *ranges, *reversing, shares[1], shares[2], sum(shares[3:]), *anchors)


def family_ranges(surfaces: Surfaces) -> FlatTable:
    """One row per family: the smallest and largest range of utility and mean absolute effect of its conditions."""
    columns = (
        Column("family", "string", "", "name of the family"),
        Column("conditions", "integer", "conditions", "conditions counted here"),
        Column("utility_range_min", "number", "utility", "smallest range of utility"),
        Column("utility_range_max", "number", "utility", "largest range of utility"),
        Column("mean_absolute_effect_min", "number", "utility", "smallest mean absolute conditional effect"),
        Column("mean_absolute_effect_max", "number", "utility", "largest mean absolute conditional effect"),
    )
    groups: dict[str, list[ResponseSurface]] = {}
    for entry in _all_labelled(surfaces):
        groups.setdefault(entry.family, []).append(entry.surface)
    rows = []
    for family, members in groups.items():
        ranges = [surface.range for surface in members]
        effects = [surface.mean_absolute_effect for surface in members]
        rows.append((family, len(members), min(ranges), max(ranges), min(effects), max(effects)))
    return FlatTable("family_ranges", columns, tuple(rows))


def _slug(floor: str) -> str:
    return {"1e-12": "rounding"}.get(floor, floor.replace("%", "_percent"))


def all_tables(surfaces: Surfaces) -> tuple[FlatTable, ...]:
    """Every table of the export."""
    surfaces = _all_labelled(surfaces)
    makers = (
        conditional_effects,
        pair_interactions,
        conditional_interactions,
        option_sign_table,
        reversal_summary,
        catalog_summary,
        family_ranges,
    )
    return tuple(make(surfaces) for make in makers)
