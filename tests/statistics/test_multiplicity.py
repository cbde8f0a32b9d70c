"""Many comparisons, and how small a difference shows, against statsmodels."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import normal_power

from whatworked.errors import InvalidOptionError
from whatworked.statistics import Measurement, difference_interval, holm, smallest_detectable


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12))
def test_holm_corrects_as_statsmodels_does(p_values):
    # statsmodels collects garbage at every call, which takes half a second each in a process of many tests.
    with mock.patch("gc.collect"):
        theirs = multipletests(p_values, method="holm")[1]
    assert holm(p_values) == pytest.approx(theirs)


@given(st.floats(1e-3, 10.0), st.sampled_from([0.8, 0.9, 0.95, 0.99]), st.sampled_from([0.5, 0.8, 0.9]))
def test_a_difference_of_the_smallest_size_is_found_with_the_stated_power(error, confidence, power):
    difference = smallest_detectable(error, confidence, power)
    # statsmodels counts the tail on the wrong side, too, which is next to nothing here.
    assert normal_power(difference / error, 1, 1 - confidence) == pytest.approx(power, abs=0.011)


def test_the_interval_and_the_p_value_of_a_difference_agree():
    families = ["a", "a", "b", "c", "d"]
    for shift in (0.0, 0.05, 0.3):
        left = [Measurement(family, f"s{n}", shift + 0.1 * n * (-1) ** n) for n, family in enumerate(families)]
        right = [Measurement(family, f"s{n}", 0.0) for n, family in enumerate(families)]
        interval = difference_interval(left, right, resamples=1999)
        assert (interval.low > 0 or interval.high < 0) == (interval.p <= 0.05)
        assert 2 * interval.sd < interval.high - interval.low < 5 * interval.sd


def test_values_outside_what_is_allowed_are_named():
    with pytest.raises(InvalidOptionError, match=r"a p-value is 1\.5"):
        holm([0.1, 1.5])
    with pytest.raises(InvalidOptionError, match="standard error is nan"):
        smallest_detectable(float("nan"))
    with pytest.raises(InvalidOptionError, match=r"power is 1\.0"):
        smallest_detectable(1.0, power=1.0)
