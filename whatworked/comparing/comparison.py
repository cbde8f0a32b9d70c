"""Comparing methods: figures with intervals, paired differences, counts, costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from whatworked.comparing.baseline import partners
from whatworked.comparing.pool import Pool, key_of
from whatworked.comparing.statements import Statement, statement
from whatworked.comparing.summary import Row, Standing, grouped, measurements, standings
from whatworked.grading.record import Key
from whatworked.statistics.averages import mean
from whatworked.statistics.bootstrap import RESAMPLES, Interval, difference_interval, macro_interval
from whatworked.statistics.paired import Comparison, Omission, compare, source_omission

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Cost:
    """What a method costs per record, in the mean; None where no costs were kept.

    Attributes
    ----------
    fits, asks : float
        Fits of the estimator and asks of the policy per record, those that failed included. What a policy fits of its
        own is in its asks.
    fit_seconds, policy_seconds : float
        Seconds per record in the two; volatile.
    """

    fits: float
    asks: float
    fit_seconds: float
    policy_seconds: float


@dataclass(frozen=True)
class Against:
    """A method against its baseline, on the sources that both have.

    Attributes
    ----------
    baseline : str
        The other method.
    interval : Interval
        Family-macro difference of recovery, method minus baseline.
    paired : Comparison
        Differences by source, wins, ties and losses, omission ranges.
    left_out : tuple of str
        Sources that only one of the two has.
    statement : Statement
        What the comparison supports, and what it does not.
    """

    baseline: str
    interval: Interval
    paired: Comparison
    left_out: tuple[str, ...]
    statement: Statement


@dataclass(frozen=True)
class Figure:
    """One method under one budget on one track.

    Attributes
    ----------
    standing : Standing
        Means and counts.
    interval : Interval
        Family-macro recovery with its bootstrap interval.
    omission : Omission or None
        Range of recovery when any one source is left out.
    cost : Cost or None
        None where no costs were kept.
    against : Against or None
        The comparison with the baseline, if there is one.
    role : {"compared", "baseline", "not compared"}
        Whether it is compared, is what others are compared with, or neither.
    """

    standing: Standing
    interval: Interval
    omission: Omission | None
    cost: Cost | None
    against: Against | None
    role: Literal["compared", "baseline", "not compared"] = "not compared"

    def to_dict(self) -> dict[str, Any]:
        """The figure as plain JSON values.

        Returns
        -------
        dict of str to object
            By name, nested as the attributes are.
        """
        return asdict(self)


def compare_methods(
    pool: Pool,
    baseline: str | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = 0,
    methods: Iterable[str] = (),
) -> tuple[Figure, ...]:
    """Figures of methods by track and budget.

    Parameters
    ----------
    pool : Pool
        The results.
    baseline : str, optional
        A method: every other one is compared with it. A policy: every method is compared with the method of its own
        estimator under that policy. An estimator: with the method of its own policy and that estimator. Default: the
        first of ``gp-effect``, ``GP-E`` and ``gp`` that pairs with anything, else the first method.
    confidence : float
        Nominal coverage of the bootstrap intervals, above 0 and below 1.
    resamples : int
        Number of resamples, at least 1.
    seed : int
        Seed of the resampling.
    methods : iterable of str
        Which methods, beside those that they are compared with; none means all.

    Returns
    -------
    tuple of Figure
        By track, ascending budget, and method in order of appearance.

    Raises
    ------
    UnknownNameError
        For a baseline or method that does not exist.
    InvalidOptionError
        For a baseline that pairs with none of several methods, or a confidence or number of resamples outside what is
        allowed.
    """
    partner = partners(pool.methods, baseline)
    baselines = set(partner.values())
    groups = grouped(pool.rows)
    wanted = set(methods)
    shown = pool.narrowed(methods=wanted | {partner[one] for one in wanted if one in partner})
    figures = []
    for standing in standings(shown.rows):
        rows = groups[standing.track, standing.budget, standing.method]
        other = groups.get((standing.track, standing.budget, partner.get(standing.method, "")))
        against = None if other is None else _against(rows, other, confidence, resamples, seed)
        values = measurements(rows)
        figures.append(
            Figure(
                standing=standing,
                interval=macro_interval(values, confidence, resamples, seed),
                omission=source_omission(values),
                cost=_cost(rows, pool.costs),
                against=against,
                role="compared" if against else "baseline" if standing.method in baselines else "not compared",
            )
        )
    return tuple(figures)


def _against(rows: Sequence[Row], other: Sequence[Row], confidence: float, resamples: int, seed: int) -> Against | None:
    mine, theirs = ({row["source"] for row in group} for group in (rows, other))
    common = mine & theirs
    if not common:
        return None
    left, right = (measurements(row for row in group if row["source"] in common) for group in (rows, other))
    interval = difference_interval(left, right, confidence, resamples, seed)
    paired = compare(left, right)
    names = (rows[0]["method"], other[0]["method"])
    delivered = [[row["delivered"] for row in group if row["source"] in common] for group in (rows, other)]
    missing = [len(group) - sum(group) for group in delivered]
    return Against(
        baseline=names[1],
        interval=interval,
        paired=paired,
        left_out=tuple(sorted(mine ^ theirs)),
        statement=statement(
            names,
            f"{rows[0]['track']} track, B = {rows[0]['budget']}",
            interval,
            paired,
            missing,
            nothing=not any(map(any, delivered)),
        ),
    )


def _cost(rows: Sequence[Row], costs: Mapping[Key, Mapping[str, Any]]) -> Cost | None:
    found = [costs[key] for key in map(key_of, rows) if key in costs]
    if len(found) < len(rows):
        return None
    # `found` is complete, so it is in the order of the rows.
    return Cost(
        fits=mean([_fits(row, cost) for row, cost in zip(rows, found, strict=True)]),
        asks=mean([float(cost["asks"]) for cost in found]),
        fit_seconds=mean([float(cost["fit_seconds"]) for cost in found]),
        policy_seconds=mean([float(cost["policy_seconds"]) for cost in found]),
    )


def _fits(row: Row, cost: Mapping[str, Any]) -> float:
    """Fits of one record; of runs that did not count them, one unless something other than the estimator failed."""
    if cost.get("fits") is not None:
        return float(cost["fits"])
    return float(row["delivered"] or str(row["failure"]).startswith("estimator"))
