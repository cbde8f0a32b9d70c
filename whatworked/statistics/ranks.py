r"""Whether two figures rise together, by pairs of items, within strata, with intervals over clusters.

For items i < j with figures x and y let s_ij = sign(x_i - x_j) sign(y_i - y_j). Over the pairs that are compared,

    tau = sum s_ij / sqrt(#{x_i != x_j} #{y_i != y_j}),    concordant = #{s_ij = 1} / #{s_ij != 0}.

Over all pairs this is Kendall's tau-b (M. Kendall, "The treatment of ties in ranking problems", Biometrika 33, 1945,
239-251), and `scipy.stats.kendalltau` gives the same. Over the pairs within strata alone it is the association with
what the strata hold fixed taken away, whatever its form (D. Quade, "Nonparametric partial correlation", in H. M.
Blalock, "Measurement in the Social Sciences", Aldine 1974, 369-398, by matched pairs).

Items of one cluster resemble each other, so the interval is that of a bootstrap that draws clusters. With w_k the times
that cluster k is drawn, a sum over all pairs of a resample is the sum over k, l of w_k w_l M_kl, with M_kl half of the
sum over items of the one and the other: copies of a cluster are compared as two clusters are. A sum within strata, of
which each lies in one cluster, is the sum of w_k M_kk. Percentile intervals, as in `whatworked.statistics.bootstrap`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from whatworked.arguments import real_number, whole_number
from whatworked.errors import InvalidOptionError
from whatworked.statistics.bootstrap import MOST_RESAMPLES, RESAMPLES
from whatworked.surfaces.masks import FloatArray

MOST_ITEMS = 20_000
"""Items of one association: pairs are counted one by one."""


@dataclass(frozen=True)
class RankedItem:
    """Two figures of one item.

    Attributes
    ----------
    x, y : float
        The figures; finite.
    cluster : str
        Items of one cluster are drawn together.
    stratum : hashable
        Only items of one stratum are compared; a stratum lies in one cluster.
    """

    x: float
    y: float
    cluster: str
    stratum: Hashable = None


@dataclass(frozen=True)
class Association:
    """How two figures go together.

    Attributes
    ----------
    tau : float or None
        From -1 to 1; None where no pair differs in x, or none in y.
    concordant : float or None
        Share of pairs in which the item with the higher x has the higher y, of those that differ in both.
    low, high : float or None
        Ends of the percentile interval of tau; None with fewer than two clusters that tell something.
    pairs : int
        Pairs that differ in both.
    items, strata, clusters : int
        Of those in which two items or more were compared.
    undefined : int
        Resamples in which tau was not defined, which the interval leaves out.
    """

    tau: float | None
    concordant: float | None
    low: float | None
    high: float | None
    pairs: int
    items: int
    strata: int
    clusters: int
    undefined: int


def rank_association(
    items: Iterable[RankedItem],
    *,
    within_strata: bool = True,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Association:
    """Kendall's tau of two figures, within strata or over all pairs, with a bootstrap interval over clusters.

    Parameters
    ----------
    items : iterable of RankedItem
        In any order.
    within_strata : bool
        Whether only pairs within a stratum count.
    confidence : float
        Nominal coverage, above 0 and below 1.
    resamples, seed : int
        Of the bootstrap.

    Returns
    -------
    Association

    Raises
    ------
    InvalidOptionError
        For figures that are not finite, a stratum in two clusters, more than 20,000 items, or a confidence or a number
        of resamples outside what is allowed.
    """
    given = list(items)
    confidence, resamples = real_number(confidence, "confidence"), whole_number(resamples, "resamples")
    if not 0 < confidence < 1:
        raise InvalidOptionError(f"confidence is {confidence}; it must lie between 0 and 1, for instance 0.95")
    if not 1 <= resamples <= MOST_RESAMPLES:
        raise InvalidOptionError(f"resamples is {resamples}; it must be from 1 to {MOST_RESAMPLES}")
    _check(given, within_strata)
    groups = _strata(given) if within_strata else [given] if len(given) > 1 else []
    clusters = sorted({item.cluster for group in groups for item in group})
    sums = _sums(groups, clusters)
    tau = _tau(np.ones((1, len(clusters))), sums, within_strata)[0] if clusters else np.nan
    concordant, discordant = (float(sums[kind].sum()) for kind in (0, 1))
    low, high, undefined = _interval(sums, within_strata, confidence, resamples, whole_number(seed, "seed", 0))
    return Association(
        tau=None if np.isnan(tau) else float(tau),
        concordant=concordant / (concordant + discordant) if concordant + discordant else None,
        low=low,
        high=high,
        pairs=round(concordant + discordant),
        items=sum(map(len, groups)),
        strata=len(_strata(given)),
        clusters=len(clusters),
        undefined=undefined,
    )


def _check(items: Sequence[RankedItem], within_strata: bool) -> None:
    if len(items) > MOST_ITEMS:
        raise InvalidOptionError(f"{len(items):,} items are given; at most {MOST_ITEMS:,} are compared pair by pair")
    homes: dict[Hashable, str] = {}
    for item in items:
        if not np.isfinite([item.x, item.y]).all():
            raise InvalidOptionError(
                f"an item of {item.cluster} has {item.x} and {item.y}; leave out undefined figures"
            )
        if within_strata and homes.setdefault(item.stratum, item.cluster) != item.cluster:
            raise InvalidOptionError(
                f"stratum {item.stratum} is given in {homes[item.stratum]} and {item.cluster}; it belongs to one "
                "cluster"
            )


def _strata(items: Sequence[RankedItem]) -> list[list[RankedItem]]:
    """Items by stratum, those alone in theirs left out."""
    found: dict[Hashable, list[RankedItem]] = {}
    for item in items:
        found.setdefault(item.stratum, []).append(item)
    return [group for group in found.values() if len(group) > 1]


def _sums(groups: Sequence[Sequence[RankedItem]], clusters: Sequence[str]) -> FloatArray:
    """Concordant and discordant pairs, pairs that differ in x, and in y, by cluster of either item; (4, k, k)."""
    places = {cluster: place for place, cluster in enumerate(clusters)}
    sums = np.zeros((4, len(clusters), len(clusters)))
    for group in groups:
        x, y = np.array([item.x for item in group]), np.array([item.y for item in group])
        home = np.array([places[item.cluster] for item in group])
        for place, (x_here, y_here, own) in enumerate(zip(x, y, home, strict=True)):
            later = slice(place + 1, None)
            dx, dy = np.sign(x_here - x[later]), np.sign(y_here - y[later])
            for kind, counted in enumerate((dx * dy > 0, dx * dy < 0, dx != 0, dy != 0)):
                told = np.bincount(home[later][counted], minlength=len(clusters)) / 2
                sums[kind, own] += told
                sums[kind, :, own] += told
    return sums


def _tau(weights: FloatArray, sums: FloatArray, within_strata: bool) -> FloatArray:
    """Tau of each row of weights; NaN where it is not defined."""
    if within_strata:
        totals = np.array([weights @ np.diag(part) for part in sums])
    else:
        totals = np.array([np.einsum("rk,kl,rl->r", weights, part, weights, optimize=True) for part in sums])
    concordant, discordant, x, y = totals
    size = np.sqrt(x * y)
    tau: FloatArray = np.divide(concordant - discordant, size, out=np.full(len(size), np.nan), where=size > 0)
    return tau


def _interval(
    sums: FloatArray, within_strata: bool, confidence: float, resamples: int, seed: int
) -> tuple[float | None, float | None, int]:
    clusters = sums.shape[1]
    if clusters < 2:
        return None, None, 0
    draws = np.random.default_rng(seed).multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples)
    drawn = _tau(draws.astype(np.float64), sums, within_strata)
    kept = drawn[~np.isnan(drawn)]
    if not kept.size:
        return None, None, resamples
    low, high = np.quantile(kept, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    return low, high, resamples - kept.size
