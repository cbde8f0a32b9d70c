"""The numbers behind the page, each figure's as rows of a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatworked.comparing.comparison import Figure
from whatworked.comparing.pool import Pool
from whatworked.comparing.summary import Row, grouped, measurements
from whatworked.statistics.bootstrap import macro_interval
from whatworked.surfaces.masks import mask_strings

MACRO = "all families"
"""Name of the panel over all families."""
MOST_PREDICTIONS = 400_000
"""Predicted cells that the page carries at most; beyond, the scatter leaves out budgets, the smallest first."""


@dataclass(frozen=True)
class Point:
    """One point of a recovery curve."""

    track: str
    family: str
    method: str
    budget: int
    recovery: float
    low: float | None
    high: float | None
    sources: int


@dataclass(frozen=True)
class Bought:
    """How often a policy bought each mask on the conditions of one d under one budget.

    Attributes
    ----------
    track, policy : str
    d, budget : int
    runs : int
        Conditions and seeds together.
    counts : tuple of int, length 2**d
        In how many of them each mask was bought.
    """

    track: str
    policy: str
    d: int
    budget: int
    runs: int
    counts: tuple[int, ...]


def curve_points(pool: Pool, figures: Sequence[Figure], resamples: int) -> tuple[Point, ...]:
    """Points of all curves: over all families, and for each family."""
    confidence = figures[0].interval.confidence if figures else 0.95
    points = [
        Point(
            one.standing.track,
            MACRO,
            one.standing.method,
            one.standing.budget,
            one.interval.estimate,
            one.interval.low,
            one.interval.high,
            one.standing.sources,
        )
        for one in figures
    ]
    for (track, budget, method), rows in grouped(pool.rows).items():
        for family, members in _by_family(rows).items():
            interval = macro_interval(measurements(members), confidence, resamples)
            points.append(
                Point(track, family, method, budget, interval.estimate, interval.low, interval.high, interval.sources)
            )
    return tuple(points)


def purchases(pool: Pool) -> tuple[Bought, ...]:
    """What each policy bought, by track, d and budget; estimators that share a policy share its purchases."""
    random = {label for run in pool.runs for label, facts in run.description["policies"].items() if facts["stochastic"]}
    seen: dict[tuple[str, str, int, int], dict[tuple[str, int], tuple[str, ...]]] = defaultdict(dict)
    for row in pool.rows:
        key = (row["track"], _policy_name(pool, row), row["dimensions"], row["budget"])
        # A policy without randomness bought once, however many seeds an estimator was run under.
        place = (row["condition"], row["seed"] if row["policy"] in random else 0)
        bought = tuple(row["purchases"].split())
        # A crash may cut purchases short; the longest list is what the policy did.
        if len(bought) >= len(seen[key].get(place, ())):
            seen[key][place] = bought
    return tuple(
        Bought(track, policy, d, budget, len(places), _counts(places.values(), d))
        for (track, policy, d, budget), places in seen.items()
        if budget
    )


def source_rows(pool: Pool) -> list[dict[str, Any]]:
    """One row per condition, method and budget: seeds averaged."""
    groups: dict[tuple[str, int, str, str], list[Row]] = defaultdict(list)
    for row in pool.rows:
        groups[row["track"], row["budget"], row["condition"], row["method"]].append(row)
    return [
        {
            "track": track,
            "budget": budget,
            "condition": condition,
            "family": rows[0]["family"],
            "method": method,
            "effect_recovery": _mean(rows, "effect_recovery"),
            "strict": _mean(rows, "strict"),
            "exact": _mean(rows, "exact"),
            "spent": _mean(rows, "spent"),
            "seeds": len(rows),
            "missing": sum(not row["delivered"] for row in rows),
        }
        for (track, budget, condition, method), rows in groups.items()
    ]


def predictions(pool: Pool) -> dict[str, Any]:
    """Truths, and predictions of the lowest seed by track, budget, method and condition, to six decimals.

    Returns
    -------
    dict
        ``truth`` by condition, ``tables`` by track, budget, method and condition, ``bought`` likewise the ranks of the
        masks that were bought, ``left_out`` budgets.
    """
    truth = {condition: values for run in pool.runs for condition, values in run.surfaces.items()}
    delivered = _first_deliveries(pool, truth)
    left_out: set[int] = set()
    while (
        sum(len(one.values) for (_, budget, _, _), one in delivered.items() if budget not in left_out)
        > MOST_PREDICTIONS
    ):
        left_out.add(min(budget for _, budget, _, _ in delivered if budget not in left_out))
    tables: dict[str, Any] = {}
    bought: dict[str, Any] = {}
    for (track, budget, method, condition), one in delivered.items():
        if budget not in left_out:
            for nested, held in ((tables, [round(value, 6) for value in one.values]), (bought, list(one.bought))):
                nested.setdefault(track, {}).setdefault(str(budget), {}).setdefault(method, {})[condition] = held
    used = {condition for _, _, _, condition in delivered}
    return {
        "truth": {name: [round(value, 6) for value in values] for name, values in truth.items() if name in used},
        "tables": tables,
        "bought": bought,
        "left_out": sorted(left_out),
    }


@dataclass(frozen=True)
class _Delivery:
    """Predictions of one seed, and the ranks of the masks bought for them."""

    seed: int
    values: tuple[float, ...]
    bought: tuple[int, ...]


def _first_deliveries(pool: Pool, truth: Mapping[str, Sequence[float]]) -> dict[tuple[str, int, str, str], _Delivery]:
    """Of each track, budget, method and condition the delivery of the lowest seed."""
    names = _record_names(pool)
    found: dict[tuple[str, int, str, str], _Delivery] = {}
    for run in pool.runs:
        for row, record in zip(run.rows(), run.records, strict=True):
            if record.predictions is None or record.condition not in truth:
                continue
            key = (row["track"], record.budget, names[id(run), record.method], record.condition)
            if key not in found or record.seed < found[key].seed:
                bought = tuple(int(mask, 2) for mask in record.purchases)
                found[key] = _Delivery(record.seed, record.predictions, bought)
    return found


def _record_names(pool: Pool) -> dict[tuple[int, str], str]:
    return {
        (id(run), original): pooled
        for run, names in zip(pool.runs, pool.names, strict=True)
        for original, pooled in names.items()
    }


def _policy_name(pool: Pool, row: Row) -> str:
    """The policy's label, with the run where a method's label needed it, too."""
    _, at, run = str(row["method"]).rpartition("@")
    return f"{row['policy']}@{run}" if at and f"@{run}" in row["method"] and len(pool.runs) > 1 else str(row["policy"])


def _counts(lists: Any, d: int) -> tuple[int, ...]:
    counts = dict.fromkeys(mask_strings(d), 0)
    for bought in lists:
        for mask in bought:
            counts[mask] += 1
    return tuple(counts.values())


def _by_family(rows: Sequence[Row]) -> dict[str, list[Row]]:
    families: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        families[row["family"]].append(row)
    return families


def _mean(rows: Sequence[Row], quantity: str) -> float:
    return sum(float(row[quantity]) for row in rows) / len(rows)
