"""From repetitions to one figure: repetitions are averaged within a source, sources within a family, families equally.

A `Measurement` is one value of one method (a recovery, an error, a 0/1 outcome) with the place it belongs to. Undefined
values are not averaged away: a row whose value is None or not finite is refused, so that leaving it out is a decision of
the caller, who can then say how many were left out.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from whatworked.errors import InvalidOptionError

EQUAL = 1e-12
"""Differences up to this size count as equal."""


@dataclass(frozen=True)
class Measurement:
    """One value of one method.

    Attributes
    ----------
    family, source : str
        Where it was measured. A source belongs to one family.
    value : float
        Any real quantity; booleans count as 0 and 1.
    repetition : hashable
        What tells the repetitions on one source apart, usually the seed.
    """

    family: str
    source: str
    value: float
    repetition: Hashable = 0


@dataclass(frozen=True)
class Mean:
    """A mean, the sample standard deviation of what was averaged (None for fewer than two), and how many there were."""

    mean: float
    sd: float | None
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """Mean of at least one value: the exactly rounded sum over the count, whatever the order."""
        return cls(mean(values), sample_sd(values), len(values))


@dataclass(frozen=True)
class Summary:
    """Means at every level.

    Attributes
    ----------
    macro : Mean
        Over families: the family-macro figure.
    families : mapping of str to Mean
        Over the source means of each family, families by name.
    sources : mapping of str to Mean
        Over the repetitions of each source, sources by family and name.
    """

    macro: Mean
    families: Mapping[str, Mean]
    sources: Mapping[str, Mean]


def mean(values: Sequence[float]) -> float:
    """Exactly rounded sum divided by the count; at least one value is needed."""
    return math.fsum(values) / len(values)


def sample_sd(values: Sequence[float]) -> float | None:
    """Standard deviation with denominator n - 1; None for fewer than two values."""
    return statistics.stdev(values) if len(values) > 1 else None


def nested(rows: Iterable[Measurement]) -> dict[str, dict[str, dict[Hashable, float]]]:
    """Values by family, source and repetition; families and sources in order of name, repetitions as they came.

    Raises
    ------
    InvalidOptionError
        Without rows, for a value that is None or not finite, a source in two families, or one repetition of a source
        given twice.
    """
    tree: dict[str, dict[str, dict[Hashable, float]]] = {}
    homes: dict[str, str] = {}
    for row in rows:
        if row.value is None or not math.isfinite(row.value):
            raise InvalidOptionError(
                f"{row.source}, repetition {row.repetition}: the value is {row.value}; leave out undefined values, and say so"
            )
        if homes.setdefault(row.source, row.family) != row.family:
            raise InvalidOptionError(
                f"source {row.source} is given in the families {homes[row.source]} and {row.family}; it belongs to one"
            )
        repetitions = tree.setdefault(row.family, {}).setdefault(row.source, {})
        if row.repetition in repetitions:
            raise InvalidOptionError(
                f"{row.source}: repetition {row.repetition} is given twice; pass the rows of one method, condition set and budget"
            )
        repetitions[row.repetition] = float(row.value)
    if not tree:
        raise InvalidOptionError("nothing to average: no rows; check what selected them")
    return {family: {source: tree[family][source] for source in sorted(tree[family])} for family in sorted(tree)}


def summarize(rows: Iterable[Measurement]) -> Summary:
    """Average repetitions within source, sources within family, families equally.

    Raises
    ------
    InvalidOptionError
        As `nested`.

    Examples
    --------
    >>> rows = [Measurement("retrieval", "scifact", 1.0), Measurement("clustering", "wine", 0.0),
    ...         Measurement("clustering", "seeds", 0.5, 0), Measurement("clustering", "seeds", 1.5, 1)]
    >>> summarize(rows).macro.mean
    0.75
    """
    tree = nested(rows)
    sources = {
        source: Mean.of(list(repetitions.values()))
        for members in tree.values()
        for source, repetitions in members.items()
    }
    families = {family: Mean.of([sources[source].mean for source in members]) for family, members in tree.items()}
    return Summary(Mean.of([entry.mean for entry in families.values()]), families, sources)


def macro_mean(rows: Iterable[Measurement]) -> float:
    """The family-macro figure alone."""
    return summarize(rows).macro.mean


@dataclass(frozen=True)
class Omission:
    """Smallest and largest figure when each source in turn is left out, and the source whose omission gives it.

    None where there is only one source.
    """

    low: float
    low_source: str
    high: float
    high_source: str


def _omission(means: Mapping[str, float]) -> Omission | None:
    """Range of a figure by omitted source."""
    if not means:
        return None
    low, high = min(means, key=lambda name: (means[name], name)), max(means, key=lambda name: (means[name], name))
    return Omission(means[low], low, means[high], high)


def source_omission(rows: Iterable[Measurement]) -> Omission | None:
    """Range of the family-macro figure when each source in turn is left out.

    A family whose only source is left out drops out of the macro average.
    """
    tree = nested(rows)
    means = {
        family: {source: mean(list(values.values())) for source, values in members.items()}
        for family, members in tree.items()
    }
    return _omission(_without_each(means))


def _without_each(means: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    results = {}
    for members in means.values():
        for omitted in members:
            rest = [[value for name, value in others.items() if name != omitted] for others in means.values()]
            if kept := [mean(values) for values in rest if values]:
                results[omitted] = mean(kept)
    return results


@dataclass(frozen=True)
class Comparison:
    """Paired differences between two methods, left minus right, one per source (difference of source means).

    Attributes
    ----------
    macro : Mean
        Family-macro difference, with the standard deviation between family means.
    sources : Mean
        Plain mean over sources, each counting once, with their standard deviation.
    median : float
        Median over sources.
    better, equal, worse : int
        Number of sources with a difference above 1e-12, within it, and below -1e-12.
    omission, macro_omission : Omission or None
        Range of the plain mean over sources, and of the family-macro difference, when each source is left out.
    differences : mapping of str to float
        By source.
    """

    macro: Mean
    sources: Mean
    median: float
    better: int
    equal: int
    worse: int
    omission: Omission | None
    macro_omission: Omission | None
    differences: Mapping[str, float]


def compare(left: Iterable[Measurement], right: Iterable[Measurement]) -> Comparison:
    """Paired differences between two methods on the same sources.

    Raises
    ------
    InvalidOptionError
        If the two were not measured on the same sources; the message names those without a partner.
    """
    pairs = paired(left, right)
    family_of = {source: family for family, members in pairs.items() for source in members}
    by_source = {
        source: mean(list(a.values())) - mean(list(b.values()))
        for members in pairs.values()
        for source, (a, b) in members.items()
    }
    rows = [Measurement(family_of[source], source, value) for source, value in by_source.items()]
    values = list(by_source.values())
    without = {
        omitted: mean([value for source, value in by_source.items() if source != omitted])
        for omitted in by_source
        if len(by_source) > 1
    }
    return Comparison(
        macro=summarize(rows).macro,
        sources=Mean.of(values),
        median=statistics.median(values),
        better=sum(value > EQUAL for value in values),
        equal=sum(abs(value) <= EQUAL for value in values),
        worse=sum(value < -EQUAL for value in values),
        omission=_omission(without),
        macro_omission=source_omission(rows),
        differences=by_source,
    )


Repetitions = dict[Hashable, float]


def paired(
    left: Iterable[Measurement], right: Iterable[Measurement]
) -> dict[str, dict[str, tuple[Repetitions, Repetitions]]]:
    """Values of two methods by family and source, for the same sources.

    Raises
    ------
    InvalidOptionError
        If the two were not measured on the same sources of the same families.
    """
    first, second = nested(left), nested(right)
    places = [{(family, source) for family in tree for source in tree[family]} for tree in (first, second)]
    if places[0] != places[1]:
        only = [", ".join(sorted(source for _, source in mine - other)) for mine, other in (places, places[::-1])]
        raise InvalidOptionError(
            f"the methods were not measured on the same sources: only the first on {only[0] or 'none'}, only the second on "
            f"{only[1] or 'none'}; compare them on sources that both have"
        )
    return {
        family: {source: (values, second[family][source]) for source, values in members.items()}
        for family, members in first.items()
    }
