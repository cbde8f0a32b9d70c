"""The recorded study as tables: recovery by family, tolerance profile, native units, coverage, paired differences.

Every table is a tuple of rows; a row is a mapping from column to value, the same columns in every row of a table.
Means are family-macro: repetitions within source, sources within family, families equally.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from whatworked.catalog.catalog import Condition, conditions, families, select
from whatworked.catalog.tracks import DIMENSIONS, TRACKS
from whatworked.controls.methods import METHODS
from whatworked.errors import InvalidOptionError
from whatworked.grading.grades import TOLERANCES
from whatworked.grading.record import Record
from whatworked.statistics.averages import Measurement, Summary, macro_mean, summarize
from whatworked.statistics.paired import compare

Row = dict[str, Any]

GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {**{track: (track,) for track in TRACKS}, "six": tuple(track for track in TRACKS if DIMENSIONS[track] == 6)}
)
"""What results are averaged over, by name: tracks of the catalog, and both six-option tracks together."""
PAIRS = (
    ("D2", "D1"),
    ("D2", "Random D2"),
    ("GP-G", "D2"),
    ("GP-E", "D2"),
    ("GP-E", "GP-G"),
    ("CD1", "D1"),
    ("CD2", "D2"),
    ("CGP-E", "GP-E"),
)
"""Methods that are compared by default, left minus right."""


@dataclass(frozen=True)
class Cohort:
    """Records of one method under one budget on one group of conditions.

    Attributes
    ----------
    group, method : str
        Key of `GROUPS`; label of the method.
    budget : int
        Credits given.
    members : tuple of (Condition, Record)
        In the order of the catalog, then by seed.
    """

    group: str
    method: str
    budget: int
    members: tuple[tuple[Condition, Record], ...]

    def measurements(self, value: Callable[[Record], float | None]) -> list[Measurement]:
        """One measurement per record for which `value` is defined."""
        return [
            Measurement(condition.family, condition.source, found, record.seed)
            for condition, record in self.members
            if (found := value(record)) is not None
        ]

    def summary(self, value: Callable[[Record], float | None]) -> Summary:
        """Means by family, source and over all."""
        return summarize(self.measurements(value))

    def macro(self, value: Callable[[Record], float | None]) -> float | None:
        """Family-macro mean; None where `value` is defined for no record."""
        rows = self.measurements(value)
        return macro_mean(rows) if rows else None

    @property
    def key(self) -> Row:
        """The columns that say which cohort this is."""
        return {
            "conditions": self.group,
            "budget": self.budget,
            "method": self.method,
            "sources": len({condition.source for condition, _ in self.members}),
            "records": len(self.members),
        }


def graded(name: str) -> Callable[[Record], float | None]:
    """A function from record to one quantity of its grade; None where that is undefined."""

    def value(record: Record) -> float | None:
        found = getattr(record.grade, name) if record.grade else None
        return None if found is None else float(found)

    return value


def cohorts(records: Iterable[Record], budget: int) -> Iterator[Cohort]:
    """Cohorts under one budget, by group, then method.

    A method counts for a group only if it ran on all of its conditions that the records are of.

    Raises
    ------
    InvalidOptionError
        If the study has no record under that budget.
    UnknownNameError
        If a record is of a condition that the catalog does not have.
    """
    everything = list(records)
    chosen = [record for record in everything if record.budget == budget]
    if not chosen:
        known = sorted({record.budget for record in everything})
        raise InvalidOptionError(f"the study has no budget {budget}; it has {', '.join(map(str, known))}")
    present = {record.condition for record in chosen}
    catalog = {condition.id: condition for condition in select(present)}
    order = {name: place for place, name in enumerate(catalog)}
    chosen.sort(key=lambda record: (order[record.condition], record.seed))
    for group, tracks in GROUPS.items():
        wanted = {condition.id for condition in catalog.values() if condition.track in tracks}
        for method in METHODS if wanted else ():
            members = [
                (catalog[record.condition], record)
                for record in chosen
                if record.method == method and record.condition in wanted
            ]
            if {condition.id for condition, _ in members} == wanted:
                yield Cohort(group, method, budget, tuple(members))


def recovery_table(records: Iterable[Record], budget: int) -> tuple[Row, ...]:
    """Recovery by family and family-macro, counts of exact choices and of strict successes, mean credits spent."""
    return tuple(_recovery_row(cohort) for cohort in cohorts(records, budget))


def _recovery_row(cohort: Cohort) -> Row:
    summary = cohort.summary(graded("effect_recovery"))
    grades = [record.grade for _, record in cohort.members if record.grade]
    by_family = {name: summary.families[name].mean if name in summary.families else None for name in families()}
    return {
        **cohort.key,
        "macro_recovery": summary.macro.mean,
        "exact": sum(grade.exact for grade in grades),
        "strict": sum(grade.strict for grade in grades),
        "credits": sum(len(record.purchases) for _, record in cohort.members) / len(cohort.members),
        **by_family,
    }


def tolerance_profile(records: Iterable[Record], budget: int) -> tuple[Row, ...]:
    """Family-macro share of records that meet the strict criterion at each tolerance, a share of the utility range."""
    return tuple(
        {**cohort.key, **{f"strict_{t:g}": cohort.macro(_strict_at(f"{t:g}")) for t in TOLERANCES}}
        for cohort in cohorts(records, budget)
    )


def _strict_at(tolerance: str) -> Callable[[Record], float | None]:
    return lambda record: float(record.grade is not None and record.grade.strict_profile[tolerance])


def native_table(records: Iterable[Record], budget: int) -> tuple[Row, ...]:
    """Effect errors in native units by condition, where a cost was mapped to utility.

    ``native_effect_mae`` and ``native_mean_absolute_effect`` are in the unit of the condition's metric. Where a
    prediction of utility 0 means an infinite cost its error is undefined; ``unbounded`` counts those records, and
    they are not averaged.
    """
    rows = []
    for cohort in cohorts(records, budget):
        if cohort.group == "six":
            continue
        for condition in dict.fromkeys(condition for condition, _ in cohort.members):
            part = Cohort(
                cohort.group, cohort.method, budget, tuple(pair for pair in cohort.members if pair[0] == condition)
            )
            if (scale := part.macro(graded("native_mean_absolute_effect"))) is None:
                continue
            rows.append(
                {
                    **part.key,
                    "condition": condition.id,
                    "native_mean_absolute_effect": scale,
                    "native_effect_mae": part.macro(graded("native_effect_mae")),
                    "native_effect_recovery": part.macro(graded("native_effect_recovery")),
                    "effect_recovery": part.macro(graded("effect_recovery")),
                    "unbounded": sum(
                        bool(record.grade and record.grade.native_unbounded) for _, record in part.members
                    ),
                }
            )
    return tuple(rows)


def omission_table(
    records: Iterable[Record], budget: int, pairs: Sequence[tuple[str, str]] = PAIRS, quantity: str = "effect_recovery"
) -> tuple[Row, ...]:
    """Paired differences between methods over sources, and how far they hang on single sources.

    Columns: mean, median and family-macro difference, sources with a larger, equal and smaller value, and the
    smallest and largest mean when one source is left out, with that source.
    """
    found = {(cohort.group, cohort.method): cohort for cohort in cohorts(records, budget)}
    rows = []
    for group in GROUPS:
        for left, right in pairs:
            if (group, left) not in found or (group, right) not in found:
                continue
            result = compare(*(found[group, method].measurements(graded(quantity)) for method in (left, right)))
            low_high = result.omission
            rows.append(
                {
                    "conditions": group,
                    "budget": budget,
                    "left": left,
                    "right": right,
                    "sources": result.sources.count,
                    "mean": result.sources.mean,
                    "median": result.median,
                    "macro": result.macro.mean,
                    "larger": result.better,
                    "equal": result.equal,
                    "smaller": result.worse,
                    "omitting_low": low_high.low if low_high else None,
                    "omitted_low": low_high.low_source if low_high else None,
                    "omitting_high": low_high.high if low_high else None,
                    "omitted_high": low_high.high_source if low_high else None,
                }
            )
    return tuple(rows)


def class_gain(records: Iterable[Record]) -> tuple[Row, ...]:
    """What knowing the code-equivalence classes gains: recovery of CD1, CD2, CGP-E minus that of D1, D2, GP-E.

    One row per paired six-option condition, pair of methods and budget, with the credits the class-aware one spent.
    """
    held = {(record.condition, record.method, record.budget): record for record in records if record.seed == 0}
    pairs = [pair for pair in PAIRS if METHODS[pair[0]].class_aware]
    rows = []
    for condition in conditions():
        for aware, plain in pairs:
            for budget in sorted({b for name, method, b in held if name == condition.id and method == aware}):
                left, right = held[condition.id, aware, budget], held[condition.id, plain, budget]
                values = [graded("effect_recovery")(record) or 0.0 for record in (left, right)]
                rows.append(
                    {
                        "condition": condition.id,
                        "method": aware,
                        "budget": budget,
                        "credits": len(left.purchases),
                        "aliases": len(left.aliases),
                        "recovery": values[0],
                        "plain_recovery": values[1],
                        "gain": values[0] - values[1],
                    }
                )
    return tuple(rows)
