"""Quantities of a grade that methods are compared by."""

from __future__ import annotations

import numpy as np
import pytest

from whatworked import ResponseSurface, grade
from whatworked.errors import UnknownNameError
from whatworked.grading import SCORES, Grade, grade_missing, score_named

NOT_COMPARED = {"delivered", "observed", "selected", "near_optimal_vacuous", "mean_absolute_effect", "utility_range"}
"""Fields of a grade that say nothing of how good a prediction is."""


def test_every_field_of_a_grade_that_says_how_good_it_is_is_a_score():
    fields = set(Grade.__struct_fields__) - NOT_COMPARED
    fields -= {"strict_profile", "native_mean_absolute_effect", "native_unbounded", "uncertainty"}
    assert fields <= set(SCORES)
    assert {name for name in SCORES if name.startswith("strict_")} == {
        f"strict_{key}" for key in ("0.025", "0.05", "0.1", "0.2", "0.4")
    }


def test_scores_of_a_grade_and_of_a_missing_delivery():
    truth = ResponseSurface(("A", "B"), [0.0, 0.2, 0.4, 0.9])
    result = grade(truth, [0.0, 1.0, 0.0, 0.9], ["00", "11"])
    effects = [0.2, 0.5, 0.4, 0.7]  # by hand: B alone, A after B; A alone, B after A
    errors = [0.8, 0.4, 0.8, 0.4]
    values = {name: score.of(result) for name, score in SCORES.items()}
    assert values["effect_mae"] == pytest.approx(np.mean(errors))
    assert values["unfloored_recovery"] == pytest.approx(1 - np.mean(errors) / np.mean(effects))
    assert values["effect_recovery"] == 0.0 > values["unfloored_recovery"]
    assert values["native_effect_recovery"] is None
    missing = grade_missing(truth)
    assert {name for name, score in SCORES.items() if score.of(missing) is not None} == {
        "effect_recovery", "unfloored_recovery", "exact", "near_optimal", "strict",
        *(name for name in SCORES if name.startswith("strict_")),
    }  # fmt: skip


def test_names_of_scores():
    assert score_named("Effect-MAE") == SCORES["effect_mae"]
    assert score_named("strict 0.2") == SCORES["strict_0.2"]
    with pytest.raises(UnknownNameError, match="unknown metric 'recovry'; did you mean effect_recovery"):
        score_named("recovry")
