"""The numbers behind the page, each figure's as rows of a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from whatworked.comparing.collection import RunCollection
from whatworked.comparing.comparison import MethodResult
from whatworked.comparing.summary import grouped, measurements
from whatworked.grading.score import PRIMARY, Score
from whatworked.runs.tidy import TidyRow
from whatworked.statistics.bootstrap import macro_interval
from whatworked.surfaces.masks import mask_strings

MACRO = "all families"
"""Name of the panel over all families."""
LARGEST_WHOLE = 8
"""Options up to which a surface is shown mask by mask; of a larger one the page carries samples and sums."""
SAMPLED_EFFECTS = 1_500
"""Effects of a larger surface that the page carries, spread evenly over all of them."""
MOST_PREDICTIONS = 400_000
"""Predicted cells that the page carries at most. If there are more, budgets are left out, the smallest first."""


@dataclass(frozen=True)
class Point:
    """One point of a curve: a method under one budget on one track, over one family or all."""

    track: str
    family: str
    method: str
    budget: int
    value: float
    low: float | None
    high: float | None
    sources: int

    def to_dict(self, score: Score = PRIMARY) -> dict[str, Any]:
        """The point as plain JSON values; the value goes by the label of the score."""
        content = asdict(self)
        return {score.label if name == "value" else name: content[name] for name in content}


@dataclass(frozen=True)
class SourceResult:
    """One method on one condition under one budget, seeds averaged.

    Attributes
    ----------
    track, condition, family, method : str
    budget : int
    value : float
        Mean score.
    strict, exact, spent : float
        Share of seeds with a strict diagnosis, with an exact choice; mean credits spent.
    seeds, missing : int
        Number of seeds, and of those without a delivery.
    """

    track: str
    budget: int
    condition: str
    family: str
    method: str
    value: float
    strict: float
    exact: float
    spent: float
    seeds: int
    missing: int

    def to_dict(self, score: Score = PRIMARY) -> dict[str, Any]:
        """The result as plain JSON values; the value goes by the name of the graded quantity."""
        content = asdict(self)
        return {score.quantity if name == "value" else name: content[name] for name in content}


@dataclass(frozen=True)
class PurchaseCounts:
    """How often a policy bought each mask on the conditions of one d under one budget.

    Attributes
    ----------
    track, policy : str
    d, budget : int
    runs : int
        Conditions and seeds together.
    counts : tuple of int, length 2**d
        In how many of them each mask was bought; empty for more than `LARGEST_WHOLE` options.
    options, sizes : tuple of float
        Share of the masks bought that have each option on, and that have 0, 1, …, d options on.
    """

    track: str
    policy: str
    d: int
    budget: int
    runs: int
    counts: tuple[int, ...]
    options: tuple[float, ...] = ()
    sizes: tuple[float, ...] = ()


def curve_points(runs: RunCollection, results: Sequence[MethodResult], resamples: int) -> tuple[Point, ...]:
    """Points of all curves: over all families, and for each family."""
    confidence = results[0].interval.confidence if results else 0.95
    score = results[0].standing.score if results else PRIMARY
    points = [
        Point(
            result.standing.track,
            MACRO,
            result.standing.method,
            result.standing.budget,
            result.interval.estimate,
            result.interval.low,
            result.interval.high,
            result.standing.sources,
        )
        for result in results
    ]
    for (track, budget, method), rows in grouped(runs.measured_by(score).rows).items():
        for family, members in _by_family(rows).items():
            interval = macro_interval(measurements(members, score.of), confidence, resamples)
            points.append(
                Point(track, family, method, budget, interval.estimate, interval.low, interval.high, interval.sources)
            )
    return tuple(points)


def purchases(runs: RunCollection) -> tuple[PurchaseCounts, ...]:
    """What each policy bought, by track, d and budget; estimators that share a policy share its purchases."""
    random = {label for run in runs.runs for label, plugin in run.description.policies.items() if plugin.stochastic}
    reordered = any(run.description.orders > 1 for run in runs.runs)
    seen: dict[tuple[str, str, int, int], dict[tuple[str, int], tuple[str, ...]]] = defaultdict(dict)
    for row in runs.rows:
        key = (row.track, _policy_name(runs, row), row.dimensions, row.budget)
        # A policy without randomness bought once, however many seeds an estimator was run under.
        place = (row.condition, row.seed if reordered or row.policy in random else 0)
        # A crash may cut purchases short; the longest list is what the policy did.
        if len(row.purchases) >= len(seen[key].get(place, ())):
            seen[key][place] = row.purchases
    return tuple(
        PurchaseCounts(
            track,
            policy,
            d,
            budget,
            len(places),
            _counts(places.values(), d) if d <= LARGEST_WHOLE else (),
            *_shares(places.values(), d),
        )
        for (track, policy, d, budget), places in seen.items()
        if budget
    )


def source_results(runs: RunCollection, score: Score = PRIMARY) -> tuple[SourceResult, ...]:
    """One result per condition, method and budget."""
    groups: dict[tuple[str, int, str, str], list[TidyRow]] = defaultdict(list)
    for row in runs.measured_by(score).rows:
        groups[row.track, row.budget, row.condition, row.method].append(row)
    return tuple(
        SourceResult(
            track=track,
            budget=budget,
            condition=condition,
            family=rows[0].family,
            method=method,
            value=_mean([value for row in rows if (value := score.of(row.grade)) is not None]),
            strict=_mean([float(row.grade.strict) for row in rows]),
            exact=_mean([float(row.grade.exact) for row in rows]),
            spent=_mean([float(row.spent) for row in rows]),
            seeds=len(rows),
            missing=sum(not row.delivered for row in rows),
        )
        for (track, budget, condition, method), rows in groups.items()
    )


def predictions(runs: RunCollection) -> dict[str, Any]:
    """Truths, and predictions of the lowest seed by track, budget, method and condition, to six decimals.

    Returns
    -------
    dict
        ``truth`` by condition, ``tables`` by track, budget, method and condition, ``bought`` likewise the ranks of the
        masks that were bought, ``dimensions`` by condition, ``left_out`` budgets. Of a surface of more than
        `LARGEST_WHOLE` options ``tables`` has `SAMPLED_EFFECTS` effects instead, each as option, rank, true and
        predicted effect, and whether both ends are measured.
    """
    truth = {condition: values for run in runs.runs for condition, values in run.surfaces.items()}
    delivered = _first_deliveries(runs, truth)
    left_out: set[int] = set()
    while (
        sum(
            min(len(delivery.values), SAMPLED_EFFECTS)
            for (_, budget, _, _), delivery in delivered.items()
            if budget not in left_out
        )
        > MOST_PREDICTIONS
    ):
        left_out.add(min(budget for _, budget, _, _ in delivered if budget not in left_out))
    tables: dict[str, Any] = {}
    bought: dict[str, Any] = {}
    for (track, budget, method, condition), delivery in delivered.items():
        if budget not in left_out:
            whole = len(delivery.values) <= 1 << LARGEST_WHOLE
            shown = [round(value, 6) for value in delivery.values] if whole else _sample(truth[condition], delivery)
            for nested, held in ((tables, shown), (bought, list(delivery.bought) if whole else [])):
                nested.setdefault(track, {}).setdefault(str(budget), {}).setdefault(method, {})[condition] = held
    used = {condition for _, _, _, condition in delivered}
    return {
        "truth": {
            name: [round(value, 6) for value in values]
            for name, values in truth.items()
            if name in used and len(values) <= 1 << LARGEST_WHOLE
        },
        "dimensions": {name: (len(truth[name]) - 1).bit_length() for name in sorted(used)},
        "tables": tables,
        "bought": bought,
        "left_out": sorted(left_out),
    }


def _sample(truth: Sequence[float], delivery: _Delivery) -> list[list[float]]:
    """Effects of a large surface, the same ones for every method."""
    d = (len(truth) - 1).bit_length()
    measured = {0, len(truth) - 1, *delivery.bought}
    edges = d << (d - 1)
    found = []
    for number in range(SAMPLED_EFFECTS):
        option, place = divmod(number * edges // SAMPLED_EFFECTS, 1 << (d - 1))
        # The place is a mask without the bit of the option, scrambled so that an even spread meets every background.
        place = (place * 2_654_435_761) % (1 << (d - 1))
        low = d - 1 - option
        rank = ((place >> low) << (low + 1)) | (place & ((1 << low) - 1))
        on = rank | 1 << low
        both = int(rank in measured and on in measured)
        effects = truth[on] - truth[rank], delivery.values[on] - delivery.values[rank]
        found.append([option, rank, *(round(value, 6) for value in effects), both])
    return found


@dataclass(frozen=True)
class _Delivery:
    """Predictions of one seed, and the ranks of the masks bought for them."""

    seed: int
    values: tuple[float, ...]
    bought: tuple[int, ...]


def _first_deliveries(
    runs: RunCollection, truth: Mapping[str, Sequence[float]]
) -> dict[tuple[str, int, str, str], _Delivery]:
    """Of each track, budget, method and condition the delivery of the lowest seed."""
    names = _record_names(runs)
    found: dict[tuple[str, int, str, str], _Delivery] = {}
    for run in runs.runs:
        for row, record in zip(run.rows(), run.records, strict=True):
            if record.predictions is None or record.condition not in truth:
                continue
            key = (row.track, record.budget, names[id(run), record.method], record.condition)
            if key not in found or record.seed < found[key].seed:
                bought = tuple(int(mask, 2) for mask in record.purchases)
                found[key] = _Delivery(record.seed, record.predictions, bought)
    return found


def _record_names(runs: RunCollection) -> dict[tuple[int, str], str]:
    return {
        (id(run), original): shown
        for run, names in zip(runs.runs, runs.names, strict=True)
        for original, shown in names.items()
    }


def _policy_name(runs: RunCollection, row: TidyRow) -> str:
    """The policy's label, with the run where a method's label needed it, too."""
    _, at, run = row.method.rpartition("@")
    return f"{row.policy}@{run}" if at and len(runs.runs) > 1 else row.policy


def _counts(lists: Any, d: int) -> tuple[int, ...]:
    counts = dict.fromkeys(mask_strings(d), 0)
    for bought in lists:
        for mask in bought:
            counts[mask] += 1
    return tuple(counts.values())


def _shares(lists: Iterable[Sequence[str]], d: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    masks = [mask for bought in lists for mask in bought]
    total = len(masks) or 1
    options = tuple(sum(mask[option] == "1" for mask in masks) / total for option in range(d))
    sizes = tuple(sum(mask.count("1") == size for mask in masks) / total for size in range(d + 1))
    return options, sizes


def _by_family(rows: Sequence[TidyRow]) -> dict[str, list[TidyRow]]:
    families: dict[str, list[TidyRow]] = defaultdict(list)
    for row in rows:
        families[row.family].append(row)
    return families


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
