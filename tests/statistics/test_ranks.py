"""Rank association within strata and over clusters, against scipy and against resamples that are drawn by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from whatworked.errors import InvalidOptionError
from whatworked.statistics.ranks import RankedItem, _sums, _tau, rank_association

FIGURES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from("abc")), min_size=2, max_size=12)


def _items(figures, stratum=None):
    return [RankedItem(float(x), float(y), cluster, stratum) for x, y, cluster in figures]


@given(FIGURES)
@settings(max_examples=60, deadline=None)
def test_over_all_pairs_it_is_kendalls_tau_b(figures) -> None:
    found = rank_association(_items(figures), within_strata=False, resamples=20)
    expected = kendalltau([x for x, _, _ in figures], [y for _, y, _ in figures]).statistic
    assert (found.tau is None) == np.isnan(expected)
    assert found.tau is None or found.tau == pytest.approx(expected, abs=1e-12)


@given(FIGURES, st.lists(st.integers(0, 2), min_size=3, max_size=3))
@settings(max_examples=40, deadline=None)
def test_a_resample_is_the_tau_of_its_drawn_clusters(figures, weights) -> None:
    items = _items(figures)
    clusters = sorted({item.cluster for item in items})
    drawn = weights[: len(clusters)]
    copies = [item for cluster, times in zip(clusters, drawn, strict=True) for _ in range(times) for item in items
              if item.cluster == cluster]  # fmt: skip
    (told,) = _tau(np.array([drawn], dtype=float), _sums([items], clusters), within_strata=False)
    expected = kendalltau([i.x for i in copies], [i.y for i in copies]).statistic if len(copies) > 1 else np.nan
    assert told == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_what_strata_hold_fixed_is_taken_away() -> None:
    # Within each stratum the two fall; over all items both rise with the stratum.
    items = [RankedItem(10 * k + j, 10 * k - j, f"source {k}", k) for k in range(4) for j in range(3)]
    within, over = rank_association(items, resamples=200), rank_association(items, within_strata=False, resamples=200)
    assert (within.tau, within.concordant, within.pairs, within.strata, within.clusters) == (-1.0, 0.0, 12, 4, 4)
    assert (within.low, within.high) == (-1.0, -1.0)
    assert over.tau == pytest.approx(kendalltau([i.x for i in items], [i.y for i in items]).statistic)
    assert over.tau > 0.6


def test_an_item_alone_in_its_stratum_tells_nothing() -> None:
    found = rank_association([RankedItem(1, 2, "a", 1), RankedItem(2, 1, "a", 2)])
    assert (found.tau, found.low, found.pairs, found.items, found.clusters) == (None, None, 0, 0, 0)


@pytest.mark.parametrize(
    ("items", "named"),
    [
        ([RankedItem(float("nan"), 0, "a"), RankedItem(0, 0, "a")], "leave out"),
        ([RankedItem(0, 0, "a", 1), RankedItem(0, 0, "b", 1)], "belongs to one cluster"),
    ],
)
def test_bad_items_are_named(items, named) -> None:
    with pytest.raises(InvalidOptionError, match=named):
        rank_association(items)
