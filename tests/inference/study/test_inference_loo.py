"""Leaving a family out: the choice never sees what it is scored on."""

from __future__ import annotations

import numpy as np
import pytest

from whatworked import workflows
from whatworked.environments.effects import Task
from whatworked.inference import RelevanceEstimator, RelevancePolicy
from whatworked.inference.study.games import BUDGETS, SECTIONS, play, relabelled
from whatworked.inference.study.loo import (
    VARIANTS,
    GameRow,
    leave_one_family_out,
    macro,
    quality,
    run,
    section,
    strict_count,
)
from whatworked.surfaces import ResponseSurface, all_bits

FAMILIES = ("a", "b", "c")


def surface(d, seed=0, name="toy"):
    generator = np.random.default_rng(seed)
    bits = all_bits(d).astype(float)
    values = 0.5 + 0.1 * bits @ generator.normal(size=d) / np.sqrt(d) + 0.05 * bits[:, 0] * bits[:, 1]
    return ResponseSurface(tuple("ABCDEF"[:d]), values, name=name)


def rows(recovery):
    return [
        GameRow(variant, f"{family}1", family, track, budget, recovery(variant, family), False, False)
        for variant in ("plain", "tuned")
        for family in FAMILIES
        for track, budget in SECTIONS
    ]


def test_a_variant_that_shines_on_one_family_only_is_not_chosen_for_it():
    shine = {("tuned", "a"): 1.0, ("tuned", "b"): 0.4, ("tuned", "c"): 0.4}
    kept, choices = leave_one_family_out(rows(lambda variant, family: shine.get((variant, family), 0.5)))
    assert choices["a"] == "plain"
    assert [row.recovery for row in kept if row.family == "a"] == [0.5] * len(SECTIONS)
    # Where "a" counts, it decides.
    assert choices["b"] == choices["c"] == "tuned"
    assert {row.recovery for row in kept if row.family == "b"} == {0.4}


def test_left_out_rows_do_not_sway_their_own_choice():
    results = [leave_one_family_out(rows(lambda v, f, x=x: x if f == "a" else 0.5))[1]["a"] for x in (0.0, 0.5, 1.0)]
    assert len(set(results)) == 1


def test_ties_go_to_the_first_variant():
    assert set(leave_one_family_out(rows(lambda v, f: 0.5))[1].values()) == {"plain"}


def test_averages():
    made = [
        GameRow("x", "s1", "a", "four", 8, 0.2, True, True),
        GameRow("x", "s2", "a", "four", 8, 0.4, False, True),
        GameRow("x", "s3", "b", "four", 8, 0.9, True, True),
        GameRow("x", "s3", "b", "added", 20, 0.1, True, True),
    ]
    four = section(made, "four", 8)
    assert macro(four) == pytest.approx(0.6)
    assert strict_count(four) == 2
    assert quality(made) == pytest.approx((0.6 + 0.1) / 2)


def test_episodes_stop_at_their_budgets():
    task = Task("toy", "toy", "a", "four", surface(4))
    stops = list(play(task, RelevancePolicy(), RelevanceEstimator(), (3, 6)))
    assert [stop.budget for stop in stops] == [3, 6]
    assert [len(stop.known) for stop in stops] == [5, 8]
    assert set(stops[0].known) < set(stops[1].known)


def test_full_budget_is_full_recovery():
    task = Task("toy", "toy", "a", "four", surface(4))
    (stop,) = play(task, RelevancePolicy(score="variance"), RelevanceEstimator(), (14,))
    assert stop.grade.effect_recovery == 1.0


def test_classes_can_end_an_episode_early():
    classes = workflows.get("regression").equivalence(6)
    values = surface(6).utilities[classes.representative]
    task = Task("toy", "toy", "regression", "rules", ResponseSurface(tuple("ABCDEF"), values), equivalence=classes)
    stops = list(play(task, RelevancePolicy(score="variance", class_aware=True), RelevanceEstimator(), (20, 62)))
    assert [stop.budget for stop in stops] == [20, 62]
    assert stops[1].grade.effect_recovery == 1.0
    assert len(stops[1].known) == 64


@pytest.mark.parametrize("family", ["regression", "retrieval"])
def test_relabelling_moves_classes_along(family):
    """A surface that is constant on classes stays so."""
    classes = workflows.get(family).equivalence(6)
    values = surface(6, 3).utilities[classes.representative]
    task = Task("toy", "toy", family, "rules", ResponseSurface(tuple("ABCDEF"), values), equivalence=classes)
    for number in (1, 2, 5):
        moved = relabelled(task, number)
        assert moved.equivalence is not None
        assert len(moved.equivalence) == len(classes)
        found = moved.surface.utilities
        assert np.array_equal(found, found[moved.equivalence.representative])
        assert not np.array_equal(found, values)
        assert sorted(found) == sorted(values)
    assert relabelled(task, 0) is task


def test_run_makes_a_row_for_each_budget():
    found = run("x", VARIANTS["variance"].build, [Task("toy", "toy", "a", "four", surface(4))])
    assert [(row.variant, row.track, row.budget) for row in found] == [("x", "four", BUDGETS["four"][0])]


def test_variants_differ_from_the_default():
    default = VARIANTS["default"]
    others = [one for name, one in VARIANTS.items() if name != "default"]
    assert all((one.prior, one.score) != (default.prior, default.score) for one in others)
    assert default.build()[0] == RelevanceEstimator()
