"""Paired differences between two methods, and how far a figure depends on single sources."""

from __future__ import annotations

import statistics
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from whatworked.errors import InvalidOptionError
from whatworked.statistics.averages import Mean, Measurement, mean, nested, summarize

EQUAL = 1e-12
"""Differences up to this size count as equal."""
Repetitions = dict[Hashable, float]


@dataclass(frozen=True)
class Omission:
    """Smallest and largest figure when each source in turn is left out.

    Attributes
    ----------
    low : float
        The smallest figure.
    low_source : str
        The source whose omission gives it; of several the first by name.
    high : float
        The largest figure.
    high_source : str
        The source whose omission gives it; of several the last by name.
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
            # A family whose only source is left out has no mean; without any family there is no figure.
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

    Parameters
    ----------
    left, right : iterable of Measurement
        Values of the two methods under one budget, on the same sources of the same families; see
        `whatworked.statistics.summarize` for what is refused.

    Returns
    -------
    Comparison
        Left minus right.

    Raises
    ------
    InvalidOptionError
        If the two were not measured on the same sources, naming those without a partner, or rows are refused.

    Examples
    --------
    >>> mine = [Measurement("clustering", "wine", 0.75), Measurement("clustering", "seeds", 0.5)]
    >>> theirs = [Measurement("clustering", "wine", 0.25), Measurement("clustering", "seeds", 0.5)]
    >>> found = compare(mine, theirs)
    >>> found.macro.mean, found.better, found.equal, found.worse
    (0.25, 1, 1, 0)
    """
    pairs = paired(left, right)
    family_of = {source: family for family, members in pairs.items() for source in members}
    # Repetitions are averaged before the difference is taken: the two methods may have different numbers of them.
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
            f"the methods were not measured on the same sources: only the first on {only[0] or 'none'}, only the "
            f"second on {only[1] or 'none'}; compare them on sources that both have"
        )
    return {
        family: {source: (values, second[family][source]) for source, values in members.items()}
        for family, members in first.items()
    }
