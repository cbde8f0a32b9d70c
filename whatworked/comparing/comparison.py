"""Comparing methods: means with intervals, paired differences, counts, costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from whatworked.arguments import names
from whatworked.comparing.baseline import partners
from whatworked.comparing.collection import RunCollection, collection_of
from whatworked.comparing.statements import Statement, statement
from whatworked.comparing.summary import Standing, grouped, measurements, standings
from whatworked.grading.record import Key
from whatworked.grading.score import PRIMARY, UNFLOORED, Score, score_named
from whatworked.runs.description import RecordCost
from whatworked.runs.tidy import TidyRow
from whatworked.statistics.averages import macro_mean, mean
from whatworked.statistics.bootstrap import RESAMPLES, Interval, difference_interval, macro_interval
from whatworked.statistics.multiplicity import smallest_detectable
from whatworked.statistics.paired import EQUAL, Comparison, Omission, compare, source_omission

CONFIDENCE = 0.95


@dataclass(frozen=True)
class MeanCost:
    """What a method costs per record, in the mean.

    Attributes
    ----------
    fits, asks : float
        Fits of the estimator and asks of the policy per record, failed ones included. Models that a policy fits for
        itself are part of its asks.
    fit_seconds, policy_seconds : float
        Seconds per record in the two, on the machine that ran it.
    """

    fits: float
    asks: float
    fit_seconds: float
    policy_seconds: float


@dataclass(frozen=True)
class PairedResult:
    """A method against its baseline, on the sources that both have.

    Attributes
    ----------
    baseline : str
        The other method.
    interval : Interval
        Family-macro difference of the score, method minus baseline.
    paired : Comparison
        Differences by source, wins, ties and losses, omission ranges.
    left_out : tuple of str
        Sources that only one of the two has.
    statement : Statement
        What the comparison supports, and what it does not.
    families : mapping of str to float
        Mean difference by family.
    counts : mapping of str to (int, int)
        By family, the number of sources on which the method is better, and of all.
    detectable : float or None
        Smallest true difference that these sources and seeds would show, see
        `whatworked.statistics.smallest_detectable`; None without an interval.
    """

    baseline: str
    interval: Interval
    paired: Comparison
    left_out: tuple[str, ...]
    statement: Statement
    families: Mapping[str, float]
    counts: Mapping[str, tuple[int, int]]
    detectable: float | None


@dataclass(frozen=True)
class MethodResult:
    """One method under one budget on one track.

    Attributes
    ----------
    standing : Standing
        Means and counts.
    interval : Interval
        Family-macro score with its bootstrap interval.
    omission : Omission or None
        Range of the score when any one source is left out.
    cost : MeanCost or None
        None where no costs were kept.
    against : PairedResult or None
        The comparison with the baseline, if there is one.
    role : {"compared", "baseline", "not compared"}
        Whether it is compared, is what others are compared with, or neither.
    unfloored : float or None
        Family-macro recovery without its floor at 0, where recovery is the score; None for another score.
    """

    standing: Standing
    interval: Interval
    omission: Omission | None
    cost: MeanCost | None
    against: PairedResult | None
    role: Literal["compared", "baseline", "not compared"] = "not compared"
    unfloored: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON values.

        Returns
        -------
        dict of str to object
            By name, nested as the attributes are.
        """
        return {**asdict(self), "standing": self.standing.to_dict()}


def compare_methods(
    runs: RunCollection,
    baseline: str | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = 0,
    methods: Iterable[str] = (),
    score: Score | str = PRIMARY,
) -> tuple[MethodResult, ...]:
    """Results of methods by track and budget.

    Parameters
    ----------
    runs : RunCollection, or what `collect_runs` takes
        The results.
    baseline : str, optional
        A method: every other one is compared with it. A policy: every method is compared with the method of its own
        estimator under that policy. An estimator: with the method of its own policy and that estimator. Default: the
        method ``RGP``, else ``GP-E``, else the first method.
    confidence : float
        Nominal coverage of the bootstrap intervals, above 0 and below 1.
    resamples : int
        Number of resamples, at least 1.
    seed : int
        Seed of the resampling.
    methods : iterable of str
        Which methods, beside those that they are compared with; none means all.
    score : Score or str
        What is averaged and compared, or its name, see `whatworked.grading.score_named`; default: effect recovery.
        Records whose grade has no such quantity are left out.

    Returns
    -------
    tuple of MethodResult
        By track, ascending budget, and method in order of appearance.

    Raises
    ------
    UnknownNameError
        For a baseline, method or score that does not exist.
    InvalidOptionError
        For a baseline that pairs with none of several methods, or a confidence or number of resamples outside what is
        allowed.
    """
    score = score_named(score)
    runs = collection_of(runs).measured_by(score)
    partner = partners(runs.methods, baseline)
    baselines = set(partner.values())
    groups = grouped(runs.rows)
    wanted = set(names(methods, "methods"))
    shown = runs.narrowed(methods=wanted | {partner[method] for method in wanted if method in partner})
    bootstrap = Bootstrap(confidence, resamples, seed)
    results = []
    for standing in standings(shown.rows, score):
        rows = groups[standing.track, standing.budget, standing.method]
        other = groups.get((standing.track, standing.budget, partner.get(standing.method, "")))
        against = None if other is None else compare_pair(rows, other, score, bootstrap)
        values = measurements(rows, score.of)
        results.append(
            MethodResult(
                standing=standing,
                interval=macro_interval(values, confidence, resamples, seed),
                omission=source_omission(values),
                cost=_cost(rows, runs.costs),
                against=against,
                role="compared" if against else "baseline" if standing.method in baselines else "not compared",
                unfloored=macro_mean(measurements(rows, UNFLOORED.of)) if score == PRIMARY else None,
            )
        )
    return tuple(results)


@dataclass(frozen=True)
class Bootstrap:
    """How intervals are made.

    Attributes
    ----------
    confidence : float
        Nominal coverage, above 0 and below 1.
    resamples, seed : int
        Number of resamples, at least 1, and the seed of drawing them.
    """

    confidence: float = CONFIDENCE
    resamples: int = RESAMPLES
    seed: int = 0


def compare_pair(
    rows: Sequence[TidyRow],
    other: Sequence[TidyRow],
    score: Score,
    bootstrap: Bootstrap,
    interval: Interval | None = None,
) -> PairedResult | None:
    """One method against another, on the sources that both have.

    Parameters
    ----------
    rows, other : sequence of TidyRow
        Of the method and of its baseline, of one track and budget, all with the score.
    score : Score
        What is compared.
    bootstrap : Bootstrap
        How the interval is made.
    interval : Interval, optional
        That of these two, where it is known.

    Returns
    -------
    PairedResult or None
        None if they share no source.
    """
    mine, theirs = ({row.source for row in group} for group in (rows, other))
    common = mine & theirs
    if not common:
        return None
    left, right = (measurements((row for row in group if row.source in common), score.of) for group in (rows, other))
    if interval is None:
        interval = difference_interval(left, right, bootstrap.confidence, bootstrap.resamples, bootstrap.seed)
    paired = _oriented(compare(left, right), score)
    names = (rows[0].method, other[0].method)
    delivered = [[row.delivered for row in group if row.source in common] for group in (rows, other)]
    missing = [len(group) - sum(group) for group in delivered]
    families = _by_family(rows, paired)
    return PairedResult(
        baseline=names[1],
        interval=interval,
        paired=paired,
        left_out=tuple(sorted(mine ^ theirs)),
        statement=statement(
            names,
            f"{rows[0].track} track, B = {rows[0].budget}",
            interval,
            paired,
            missing,
            nothing=not any(map(any, delivered)),
            score=score,
        ),
        families={family: mean(values) for family, values in families.items()},
        counts={
            family: (sum(score.gain(value) > EQUAL for value in values), len(values))
            for family, values in families.items()
        },
        detectable=None if interval.sd is None else smallest_detectable(interval.sd, bootstrap.confidence),
    )


def _oriented(paired: Comparison, score: Score) -> Comparison:
    """The comparison with its counts the other way round for a score of which less is better."""
    return paired if score.larger_is_better else replace(paired, better=paired.worse, worse=paired.better)


def _by_family(rows: Sequence[TidyRow], paired: Comparison) -> dict[str, list[float]]:
    family_of = {row.source: row.family for row in rows}
    found: dict[str, list[float]] = {}
    for source, difference in paired.differences.items():
        found.setdefault(family_of[source], []).append(difference)
    return found


def _cost(rows: Sequence[TidyRow], costs: Mapping[Key, RecordCost]) -> MeanCost | None:
    if any(row.key not in costs for row in rows):
        return None
    found = [costs[row.key] for row in rows]
    return MeanCost(
        fits=mean([_fits(row, cost) for row, cost in zip(rows, found, strict=True)]),
        asks=mean([float(cost.asks) for cost in found]),
        fit_seconds=mean([cost.fit_seconds for cost in found]),
        policy_seconds=mean([cost.policy_seconds for cost in found]),
    )


def _fits(row: TidyRow, cost: RecordCost) -> float:
    """Fits of one record; where they were not counted, one, unless a failure came before the fit."""
    if cost.fits is not None:
        return float(cost.fits)
    return float(row.delivered or str(row.failure).startswith("estimator"))
