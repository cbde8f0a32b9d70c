"""From repetitions to one figure: repetitions are averaged within a source, sources within a family, families equally.

A `Measurement` is one value of one method (a recovery, an error, a 0/1 outcome) with the place it belongs to.
Undefined values are not averaged away: a row whose value is None or not finite is refused, so that leaving it out is a
decision of the caller, who can then say how many were left out.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from whatworked.arguments import instances, real_number, shown
from whatworked.errors import InvalidOptionError


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
    """A mean and what it was taken over.

    Attributes
    ----------
    mean : float
        The exactly rounded sum over the count.
    sd : float or None
        Sample standard deviation, denominator count - 1; None for fewer than two values.
    count : int
        Number of values, at least 1.
    """

    mean: float
    sd: float | None
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """Mean of some values, whatever their order.

        Parameters
        ----------
        values : sequence of float
            At least one, finite.

        Returns
        -------
        Mean

        Examples
        --------
        >>> Mean.of([0.25, 0.75]).mean
        0.5
        """
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
    # The sum does not depend on the order of the values, so neither does a figure on the order in which runs finished.
    return math.fsum(values) / len(values)


def sample_sd(values: Sequence[float]) -> float | None:
    """Standard deviation with denominator n - 1; None for fewer than two values."""
    # The standard library adds squares as fractions: exact, as the mean is.
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
    for row in instances(rows, Measurement, "a measurement", "one holds a family, a source and a value"):
        if row.value is None or not math.isfinite(real_number(row.value, f"the value of {shown(row.source)}")):
            raise InvalidOptionError(
                f"{row.source}, repetition {row.repetition}: the value is {row.value}; leave out undefined values, and "
                "say how many"
            )
        if homes.setdefault(row.source, row.family) != row.family:
            raise InvalidOptionError(
                f"source {row.source} is given in the families {homes[row.source]} and {row.family}; it belongs to one"
            )
        repetitions = tree.setdefault(row.family, {}).setdefault(row.source, {})
        if row.repetition in repetitions:
            raise InvalidOptionError(
                f"{row.source}: repetition {row.repetition} is given twice; pass the rows of one method under one "
                "budget"
            )
        repetitions[row.repetition] = float(row.value)
    if not tree:
        raise InvalidOptionError("nothing to average: no rows; check what selected them")
    # By name, because the bootstrap draws families and sources by their place: the order of the rows must not matter.
    return {family: {source: tree[family][source] for source in sorted(tree[family])} for family in sorted(tree)}


def summarize(rows: Iterable[Measurement]) -> Summary:
    """Average repetitions within source, sources within family, families equally.

    Parameters
    ----------
    rows : iterable of Measurement
        Values of one method under one budget: finite, each repetition of a source once, each source in one family.

    Returns
    -------
    Summary

    Raises
    ------
    InvalidOptionError
        Without rows, for a value that is None or not finite, a source in two families, or one repetition of a source
        given twice.

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
    # A mean of means, not of all rows: a source with twenty seeds counts as much as one with a single run, and a family
    # of two sources as much as one of six.
    families = {family: Mean.of([sources[source].mean for source in members]) for family, members in tree.items()}
    return Summary(Mean.of([entry.mean for entry in families.values()]), families, sources)


def macro_mean(rows: Iterable[Measurement]) -> float:
    """The family-macro figure alone."""
    return summarize(rows).macro.mean
