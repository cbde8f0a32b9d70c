from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from whatworked.errors import InvalidOptionError
from whatworked.statistics import Measurement, difference_interval, macro_interval

ROWS = [
    Measurement(f"f{family}", f"s{family}{source}", family + source / 4 + seed / 16, seed)
    for family in range(3)
    for source in range(2)
    for seed in range(4)
]


def shifted(rows, by):
    return [Measurement(row.family, row.source, row.value + by, row.repetition) for row in rows]


def test_equal_arguments_give_equal_intervals():
    first, second, other = (macro_interval(ROWS, seed=seed) for seed in (1, 1, 2))
    assert first == second
    assert (first.low, first.high) != (other.low, other.high)
    assert first.estimate == other.estimate == pytest.approx(np.mean([row.value for row in ROWS]))
    assert first.low < first.estimate < first.high
    assert (first.families, first.sources, first.resamples, first.confidence) == (3, 6, 9_999, 0.95)


def test_higher_confidence_is_wider():
    narrow, wide = macro_interval(ROWS, confidence=0.5), macro_interval(ROWS, confidence=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high


def test_two_families_of_one_value_have_a_known_distribution():
    # The figure is 0, 1/2, 1 with chances 1/4, 1/2, 1/4.
    rows = [Measurement("f", "s", 0.0), Measurement("g", "t", 1.0)]
    assert [macro_interval(rows, confidence=c).low for c in (0.6, 0.4)] == [0.0, 0.5]
    assert [macro_interval(rows, confidence=c).high for c in (0.6, 0.4)] == [1.0, 0.5]


def test_quantiles_equal_those_of_all_possible_resamples():
    # One family, two sources: one with two repetitions, one with one. All draws can be enumerated.
    rows = [Measurement("f", "s", 0.0, 0), Measurement("f", "s", 0.6, 1), Measurement("f", "t", 1.0)]
    outcomes = {"s": [(0.0, 0.25), (0.3, 0.5), (0.6, 0.25)], "t": [(1.0, 1.0)]}
    chances: dict[float, float] = {}
    for first, second in itertools.product("st", repeat=2):
        for (x, p), (y, q) in itertools.product(outcomes[first], outcomes[second]):
            chances[round((x + y) / 2, 9)] = chances.get(round((x + y) / 2, 9), 0.0) + p * q / 4
    assert math.fsum(chances.values()) == pytest.approx(1.0)
    cumulated = list(zip(sorted(chances), itertools.accumulate(chances[x] for x in sorted(chances)), strict=True))
    for confidence in (0.3, 0.7, 0.95):
        tails = (1 - confidence) / 2, (1 + confidence) / 2
        expected = [next(x for x, total in cumulated if total > tail) for tail in tails]
        result = macro_interval(rows, confidence=confidence, resamples=20_000)
        assert [result.low, result.high] == pytest.approx(expected, abs=1e-9)


def test_a_single_value_has_no_interval_and_several_seeds_of_one_source_have():
    one = [Measurement("f", "s", 0.25)]
    for result, estimate in ((macro_interval(one), 0.25), (difference_interval(shifted(one, 0.125), one), 0.125)):
        assert (result.low, result.estimate, result.high) == (None, estimate, None)
        assert (result.families, result.sources) == (1, 1)
    several = macro_interval([*one, Measurement("f", "s", 0.75, 1)])
    assert (several.low, several.estimate, several.high) == (0.25, 0.5, 0.75)


def test_covers_the_truth_about_as_often_as_it_says():
    random = np.random.default_rng(0)
    hits = 0
    for _ in range(200):
        effects = random.normal(size=12)
        rows = [
            Measurement(f"f{f}", f"s{f}{s}", effect + random.normal(), 0)
            for f, effect in enumerate(effects)
            for s in range(3)
        ]
        result = macro_interval(rows, resamples=400)
        hits += result.low <= 0.0 <= result.high
    assert 0.88 <= hits / 200 <= 0.99


def test_a_constant_difference_has_no_width():
    result = difference_interval(shifted(ROWS, 0.125), ROWS)
    assert (result.low, result.estimate, result.high) == pytest.approx((0.125,) * 3)


def test_a_method_without_randomness_is_paired_with_every_repetition():
    single = [row for row in ROWS if row.repetition == 0]
    forth, back = difference_interval(ROWS, single), difference_interval(single, ROWS)
    assert forth.estimate == pytest.approx(1.5 / 16)
    assert back.estimate == -forth.estimate
    assert 0 <= forth.low < forth.high <= 3 / 16


def test_unmatched_repetitions_compare_source_means():
    fewer = [row for row in ROWS if row.repetition in (1, 2)]
    result = difference_interval(ROWS, fewer)
    assert (result.low, result.estimate, result.high) == pytest.approx((0.0,) * 3)


def test_what_is_refused():
    with pytest.raises(InvalidOptionError, match=r"confidence is 1\.5"):
        macro_interval(ROWS, confidence=1.5)
    with pytest.raises(InvalidOptionError, match="resamples is 0"):
        macro_interval(ROWS, resamples=0)
    with pytest.raises(InvalidOptionError, match="no rows"):
        macro_interval([])
    with pytest.raises(InvalidOptionError, match="not measured on the same sources"):
        difference_interval(ROWS, ROWS[:4])
