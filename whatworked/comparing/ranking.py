"""Whole methods ranked under one budget on one track, and what ranking many of them does to the verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from whatworked.comparing.collection import RunCollection
from whatworked.comparing.comparison import Bootstrap, MethodResult, PairedResult, compare_pair
from whatworked.comparing.summary import grouped
from whatworked.runs.frames import frame
from whatworked.statistics.bootstrap import reversed_interval
from whatworked.statistics.multiplicity import holm

if TYPE_CHECKING:
    import pandas as pd

Place = tuple[str, int]
"""A track and a budget."""


@dataclass(frozen=True)
class RankedMethod:
    """A method in its place in a ranking.

    Attributes
    ----------
    rank : int
        From 1; equal values have equal ranks.
    result : MethodResult
        Its figures.
    against : PairedResult or None
        It against the reference of the ranking; None for the reference itself, and where they share no source.
    stands : bool
        Whether a verdict of ahead or behind stands when all methods of the ranking are compared with the reference.
    """

    rank: int
    result: MethodResult
    against: PairedResult | None
    stands: bool

    @property
    def method(self) -> str:
        """Its label."""
        return self.result.standing.method

    @property
    def verdict(self) -> str:
        """The verdict; with a star where it holds for this pair alone, and not when all of them are compared."""
        if self.against is None:
            return "-"
        return self.against.statement.verdict + ("" if self.stands else "*")

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values by column.

        Returns
        -------
        dict of str to object
            None where there is no comparison.
        """
        standing, against = self.result.standing, self.against
        return {
            "track": standing.track,
            "budget": standing.budget,
            "rank": self.rank,
            "method": standing.method,
            standing.score.label: standing.value,
            "low": self.result.interval.low,
            "high": self.result.interval.high,
            "unfloored": self.result.unfloored,
            "strict": standing.strict,
            "exact": standing.exact,
            "sources": standing.sources,
            "missing": standing.missing,
            "spent": standing.spent,
            "against": against and against.baseline,
            "difference": against and against.interval.estimate,
            "difference_low": against and against.interval.low,
            "difference_high": against and against.interval.high,
            "better": against and against.paired.better,
            "equal": against and against.paired.equal,
            "worse": against and against.paired.worse,
            "p": against and against.interval.p,
            "detectable": against and against.detectable,
            "verdict": against and against.statement.verdict,
            "stands": self.stands if against else None,
        }


@dataclass(frozen=True)
class Ranking:
    """All methods under one budget on one track, the best first.

    Attributes
    ----------
    place : (str, int)
        Track and budget.
    reference : str
        The method that the others are compared with.
    methods : tuple of RankedMethod
        By rank.
    untold : tuple of str
        Methods that are not shown to be behind the first, when it is compared with all of them.
    compared : int
        Number of methods that the first one was compared with.
    partial : mapping of str to int
        Methods without a value on some of the sources that others have one on, with the number of those they have.
        Their means, and so their ranks, are over other sources than those of the others; paired differences are not.
    """

    place: Place
    reference: str
    methods: tuple[RankedMethod, ...]
    untold: tuple[str, ...]
    compared: int
    partial: Mapping[str, int] = field(default_factory=dict)

    @property
    def best(self) -> RankedMethod:
        """The first method."""
        return self.methods[0]

    def of(self, method: str) -> RankedMethod | None:
        """The row of a method.

        Parameters
        ----------
        method : str
            Its label.

        Returns
        -------
        RankedMethod or None
            None if it has no result here.
        """
        return next((row for row in self.methods if row.method == method), None)


def rank_methods(
    runs: RunCollection,
    results: Sequence[MethodResult],
    reference: str,
    seed: int = 0,
    pairs: Pairs | None = None,
) -> tuple[Ranking, ...]:
    """Rankings by track and budget, as far as the reference has results.

    Parameters
    ----------
    runs : RunCollection
        The results.
    results : sequence of MethodResult
        Their comparison.
    reference : str
        The method that the others are compared with.
    seed : int
        Seed of the resampling.
    pairs : Pairs, optional
        Of the same runs and results, so that several rankings share their comparisons.

    Returns
    -------
    tuple of Ranking
        One for each track and budget in which the reference was run with another method.
    """
    if not results:
        return ()
    shared = pairs or Pairs(runs, results, seed)
    return tuple(
        _ranking(place, members, reference, shared)
        for place, members in _by_place(results).items()
        if len(members) > 1 and any(result.standing.method == reference for result in members)
    )


def _by_place(results: Sequence[MethodResult]) -> dict[Place, list[MethodResult]]:
    places: dict[Place, list[MethodResult]] = {}
    for result in results:
        places.setdefault((result.standing.track, result.standing.budget), []).append(result)
    return places


class Pairs:
    """Paired comparisons by place and pair of methods; what the results hold is not made again.

    Parameters
    ----------
    runs : RunCollection
        The results.
    results : sequence of MethodResult
        Their comparison.
    seed : int
        Seed of the resampling.
    """

    def __init__(self, runs: RunCollection, results: Sequence[MethodResult], seed: int = 0) -> None:
        self._score, interval = results[0].standing.score, results[0].interval
        self._bootstrap = Bootstrap(interval.confidence, interval.resamples, seed)
        self._groups = grouped(runs.measured_by(self._score).rows)
        self._made: dict[tuple[Place, str, str], PairedResult | None] = {
            ((result.standing.track, result.standing.budget), result.standing.method, result.against.baseline): (
                result.against
            )
            for result in results
            if result.against is not None
        }

    def of(self, place: Place, method: str, other: str) -> PairedResult | None:
        """The comparison of a method with another one in a place; None if they share no source there."""
        key = place, method, other
        if key not in self._made:
            rows = [self._groups[(*place, name)] for name in (method, other)]
            turned = self._made.get((place, other, method))
            interval = None if turned is None else reversed_interval(turned.interval)
            self._made[key] = compare_pair(rows[0], rows[1], self._score, self._bootstrap, interval)
        return self._made[key]

    def partial(self, place: Place, methods: Sequence[str]) -> dict[str, int]:
        """Methods that lack sources in a place which others of them have, with the number of sources they have."""
        held = {name: {row.source for row in self._groups[(*place, name)]} for name in methods}
        whole = set().union(*held.values())
        return {name: len(sources) for name, sources in held.items() if sources != whole}


def _ranking(place: Place, members: Sequence[MethodResult], reference: str, pairs: Pairs) -> Ranking:
    ordered = sorted(members, key=lambda result: -_gain(result))
    names = [result.standing.method for result in ordered]
    against = {name: pairs.of(place, name, reference) for name in names if name != reference}
    stands = _standing_verdicts(against, 1.0 - ordered[0].interval.confidence)
    rows = [
        RankedMethod(
            1 + sum(_gain(other) > _gain(result) for other in ordered),
            result,
            against.get(result.standing.method),
            stands.get(result.standing.method, True),
        )
        for result in ordered
    ]
    with_best = {name: pairs.of(place, name, names[0]) for name in names[1:]}
    told = _standing_verdicts(with_best, 1.0 - ordered[0].interval.confidence)
    untold = [
        name
        for name, pair in with_best.items()
        if pair is None or not told[name] or not pair.statement.verdict.startswith("behind")
    ]
    return Ranking(place, reference, tuple(rows), tuple(untold), len(with_best), pairs.partial(place, names))


def _standing_verdicts(pairs: Mapping[str, PairedResult | None], level: float) -> dict[str, bool]:
    """Whether a verdict of ahead or behind stands when all pairs are made, by Holm's procedure."""
    p_values = {name: pair.interval.p for name, pair in pairs.items() if pair is not None}
    known = {name: p for name, p in p_values.items() if p is not None}
    corrected = dict(zip(known, holm(list(known.values())), strict=True))
    return {
        name: pair is None
        or not pair.statement.verdict.startswith(("ahead", "behind"))
        or corrected.get(name, 0.0) <= level
        for name, pair in pairs.items()
    }


def ranking_frame(rankings: Sequence[Ranking]) -> pd.DataFrame:
    """Rankings as a data frame: one row a method, track and budget, with its difference to the reference.

    Parameters
    ----------
    rankings : sequence of Ranking
        From `rank_methods`, or of an `Answer`.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    MissingExtraError
        If pandas is not installed.
    """
    return frame([row.to_dict() for ranking in rankings for row in ranking.methods])


def all_pairs(
    runs: RunCollection, results: Sequence[MethodResult], seed: int = 0
) -> tuple[tuple[Place, str, PairedResult], ...]:
    """Every pair of methods at every track and budget: place, method, and its comparison with another one.

    Parameters
    ----------
    runs : RunCollection
        The results.
    results : sequence of MethodResult
        Their comparison.
    seed : int
        Seed of the resampling.

    Returns
    -------
    tuple of ((str, int), str, PairedResult)
        Each pair once, the better method first.
    """
    if not results:
        return ()
    pairs = Pairs(runs, results, seed)
    found: list[tuple[Place, str, PairedResult]] = []
    for place, members in _by_place(results).items():
        names = [result.standing.method for result in sorted(members, key=lambda result: -_gain(result))]
        made = ((better, pairs.of(place, better, other)) for n, better in enumerate(names) for other in names[n + 1 :])
        found += [(place, better, pair) for better, pair in made if pair is not None]
    return tuple(found)


def _gain(result: MethodResult) -> float:
    """The score as it ranks: larger is better, what differs within rounding is equal."""
    return round(result.standing.score.gain(result.standing.value), 9)
