from __future__ import annotations

import math
import random
import statistics

import pytest

from whatworked.errors import InvalidOptionError
from whatworked.statistics import Mean, Measurement, compare, macro_mean, source_omission, summarize
from whatworked.statistics.averages import sample_sd

# Two families: retrieval has one source, clustering two, one of them with repetitions.
ROWS = [
    Measurement("retrieval", "scifact", 1.0),
    Measurement("clustering", "wine", 0.0),
    Measurement("clustering", "seeds", 0.5, 0),
    Measurement("clustering", "seeds", 1.5, 1),
]


def rows(**values):
    homes = {"a1": "a", "a2": "a", "a3": "a", "b1": "b", "b2": "b", "c1": "c"}
    return [Measurement(homes[source], source, value) for source, value in values.items()]


def test_levels():
    summary = summarize(ROWS)
    assert summary.macro == Mean(0.75, statistics.stdev([1.0, 0.5]), 2)
    assert dict(summary.families) == {
        "clustering": Mean(0.5, statistics.stdev([0.0, 1.0]), 2),
        "retrieval": Mean(1.0, None, 1),
    }
    assert summary.sources["seeds"] == Mean(1.0, statistics.stdev([0.5, 1.5]), 2)
    assert summary.sources["wine"] == Mean(0.0, None, 1)
    assert list(summary.families) == ["clustering", "retrieval"]
    assert macro_mean(iter(ROWS)) == 0.75


def test_order_of_rows_does_not_matter():
    noise = random.Random(0)
    many = [Measurement(f"f{s % 3}", f"s{s}", noise.random(), r) for s in range(9) for r in range(20)]
    shuffled = noise.sample(many, len(many))
    assert macro_mean(many) == macro_mean(shuffled)
    assert summarize(many) == summarize(shuffled)


def test_sample_sd():
    assert sample_sd([1.0]) is None
    assert sample_sd([1.0, 3.0]) == math.sqrt(2.0)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([], "no rows"),
        ([Measurement("f", "s", None)], "s, repetition 0: the value is None; leave out undefined values"),
        ([Measurement("f", "s", math.nan)], "the value is nan"),
        ([Measurement("f", "s", 1.0), Measurement("g", "s", 1.0, 1)], "in the families f and g"),
        ([Measurement("f", "s", 1.0, 3), Measurement("f", "s", 2.0, 3)], "repetition 3 is given twice"),
    ],
)
def test_rows_that_cannot_be_averaged(bad, message):
    with pytest.raises(InvalidOptionError, match=message):
        summarize(bad)


def test_source_omission():
    result = source_omission(rows(a1=0.0, a2=1.0, b1=0.25))
    # Without a1: (1 + 0.25) / 2; without a2: (0 + 0.25) / 2; without b1 family a alone.
    assert (result.low, result.low_source, result.high, result.high_source) == (0.125, "a2", 0.625, "a1")
    assert source_omission(rows(a1=0.5)) is None


def test_paired_differences():
    left = rows(a1=0.9, a2=0.5, a3=0.3, b1=0.5, c1=0.25)
    right = rows(a1=0.4, a2=0.5, a3=0.4, b1=0.25, c1=0.25 + 1e-13)
    result = compare(left, right)
    differences = [0.5, 0.0, -0.1, 0.25, 0.0]
    assert result.differences == pytest.approx(
        dict(zip(("a1", "a2", "a3", "b1", "c1"), differences, strict=True)), abs=1e-12
    )
    assert (result.better, result.equal, result.worse) == (2, 2, 1)
    assert result.sources.mean == pytest.approx(0.13)
    assert result.sources.sd == pytest.approx(statistics.stdev(differences))
    assert result.median == pytest.approx(0.0, abs=1e-12)
    assert result.macro.mean == pytest.approx((0.4 / 3 + 0.25 + 0.0) / 3)
    assert result.omission.low == pytest.approx(0.15 / 4)
    assert result.omission.low_source == "a1"
    assert result.omission.high == pytest.approx(0.75 / 4)
    assert result.omission.high_source == "a3"
    assert result.macro_omission.low == pytest.approx((-0.05 + 0.25 + 0.0) / 3)


def test_rounding_is_no_difference():
    result = compare(rows(a1=0.5 + 1e-13, a2=0.5 - 1e-13, b1=0.5 + 2e-12), rows(a1=0.5, a2=0.5, b1=0.5))
    assert (result.better, result.equal, result.worse) == (1, 2, 0)


def test_swapping_the_methods_turns_the_signs():
    left, right = rows(a1=0.9, a2=0.5, b1=0.5), rows(a1=0.4, a2=0.7, b1=0.25)
    there, back = compare(left, right), compare(right, left)
    assert there.macro.mean == -back.macro.mean
    assert (there.better, there.worse) == (back.worse, back.better)
    assert (there.omission.low, there.omission.low_source) == (-back.omission.high, back.omission.high_source)


def test_repetitions_are_averaged_before_pairing():
    left = [Measurement("a", "a1", value, seed) for seed, value in enumerate((0.2, 0.4, 0.6))]
    result = compare(left, rows(a1=0.1))
    assert result.differences == pytest.approx({"a1": 0.3})
    assert result.omission is None


def test_unpaired_sources_are_named():
    with pytest.raises(InvalidOptionError, match="only the first on a2, only the second on none"):
        compare(rows(a1=1.0, a2=1.0), rows(a1=1.0))
    with pytest.raises(InvalidOptionError, match="only the first on a1, only the second on a2, b1"):
        compare(rows(a1=1.0), rows(a2=1.0, b1=1.0))
