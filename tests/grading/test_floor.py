"""Grades against noisy tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from whatworked.errors import InvalidOptionError, InvalidSurfaceError
from whatworked.grading import grade, grade_above_floor
from whatworked.surfaces import ResponseSurface, conditional_effects

tables = arrays(np.float64, 8, elements=st.floats(0, 1))


def surface(values):
    return ResponseSurface(("A", "B", "C"), values)


@given(tables, tables)
def test_without_noise_it_is_the_grade(truth, prediction) -> None:
    plain, above = grade(surface(truth), prediction, []), grade_above_floor(surface(truth), prediction, 0.0)
    assert above.regret == pytest.approx(plain.regret, abs=1e-12)
    if above.effects:
        assert above.effect_recovery == pytest.approx(plain.effect_recovery, abs=1e-9)


@given(tables, tables, st.floats(0.001, 0.3))
def test_what_is_within_the_noise_is_neither_punished_nor_rewarded(truth, wiggle, sd) -> None:
    floor = grade_above_floor(surface(truth), truth, sd).floor
    near = grade_above_floor(surface(truth), truth + 0.499 * floor * (2 * wiggle - 1), sd)
    assert near.regret == 0.0
    assert near.effect_recovery in (1.0, None)
    constant = grade_above_floor(surface(truth), np.full(8, 0.5), sd)
    assert constant.effect_recovery in (0.0, None)
    assert (near.effect_recovery is None) == bool(np.abs(conditional_effects(truth)).max() <= floor + 1e-12)


def test_bad_input_is_named() -> None:
    with pytest.raises(InvalidOptionError, match="0 or more"):
        grade_above_floor(surface(np.zeros(8)), np.zeros(8), -1)
    for wrong in (np.zeros(4), np.full(8, np.nan), ["a"] * 8):
        with pytest.raises(InvalidSurfaceError, match="predict"):
            grade_above_floor(surface(np.zeros(8)), wrong, 0.1)
