"""Ridge designs and random orders: the specification's orders, recorded designs, class-aware ones."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
from controls_samples import representatives, rough_surface, state_of, strings, switched_classes

from whatworked.catalog import conditions
from whatworked.controls import DesignPolicy, RandomPolicy, random_order, ridge_design
from whatworked.controls.design_table import ExactScores, catalog_cubes, make_design, make_designs
from whatworked.controls.designs import score_design
from whatworked.controls.recorded_designs import FILE, parse, recorded_designs, render
from whatworked.errors import InvalidOptionError
from whatworked.surfaces import Equivalence, ranks_of
from whatworked.workers.pool import DEFAULT_BACKEND, map_calls, open_pool
from whatworked.workers.profile import pinned_profile
from whatworked.workflows import get

MAIN = "0011 0101 0110 1000 1001 1110 0010 0100 1011 1101 0001 1010 0111 1100"
PAIR = "0011 0101 0110 1000 1001 1010 1100 0001"


def test_four_options_are_bought_in_the_order_of_the_specification():
    assert strings(ridge_design(4, 1, 14)[0], 4) == MAIN.split()
    assert strings(ridge_design(4, 2, 8)[0], 4) == PAIR.split()


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("d", [2, 3, 4, 5, 6])
def test_designs_are_nested_and_buy_every_mask_once(d, degree):
    whole, flags = ridge_design(d, degree, (1 << d) - 2)
    assert sorted(whole) == list(range(1, (1 << d) - 1))
    assert len(flags) == len(whole)
    assert ridge_design(d, degree, 2)[0] == whole[:2]
    assert ridge_design(d, degree, 0) == ((), ())


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("d", [2, 3, 5])
def test_unrecorded_designs_are_those_of_the_plain_implementation(d, degree):
    assert strings(ridge_design(d, degree, 10)[0], d) == oracle.ridge_design(d, degree, 10)
    classes = switched_classes(d)
    aware = oracle.ridge_design(d, degree, 10, representatives(classes))
    assert strings(ridge_design(d, degree, 10, classes)[0], d) == aware


def test_recorded_designs_are_what_the_formula_gives_under_the_pinned_profile():
    with open_pool(DEFAULT_BACKEND, 1, pinned_profile(), 1) as pool:
        (made,) = map_calls(pool, make_designs, [(list(catalog_cubes()),)])
    assert render(made) == FILE.read_text(encoding="utf-8")


def test_the_catalog_has_a_recorded_design_for_every_condition():
    for one in conditions():
        classes = get(one.family).equivalence(one.dimensions)
        for degree in (1, 2):
            order = ridge_design(one.dimensions, degree, 1 << one.dimensions, classes)[0]
            assert order in {design.order for design in recorded_designs().values()}


def test_recorded_designs_read_back():
    designs = tuple(recorded_designs().values())
    assert parse(render(designs)) == designs


def test_exact_scores_agree_with_floating_point():
    candidates, measured = np.arange(16), np.array([0, 15, 3, 5])
    exact = ExactScores(4, 2, candidates)
    for rank in measured:
        exact.measure(int(rank))
    left = np.setdiff1d(candidates, measured)
    floating = score_design(4, measured, left, 2).values
    np.testing.assert_allclose(np.array(exact.rounded(), dtype=float)[left] * 1e-10, floating, rtol=1e-9)


def test_rounding_decided_nothing_with_four_options_and_little_with_six():
    for design in recorded_designs().values():
        assert len(design.rounding) <= (0 if design.d == 4 or design.degree == 1 else 3)


def test_a_step_that_rounding_decided_is_a_near_tie():
    order, flags = ridge_design(6, 2, 62)
    recorded = next(design for design in recorded_designs().values() if design.order == order)
    assert {step for step, flag in enumerate(flags) if flag} == recorded.rounding
    assert recorded.rounding


def test_making_a_design_follows_the_rule_where_scores_differ():
    design = make_design(3, 1, Equivalence.trivial(3))
    assert sorted(design.order) == [1, 2, 3, 4, 5, 6]


def test_random_orders_are_those_of_the_specification():
    order = random_order(4, 3)
    masks = np.arange(1, 15)
    assert np.array_equal(order, np.random.default_rng(20260907 + 3).permutation(masks))
    assert strings(order, 4) == oracle.random_order(4, 3)
    assert not np.array_equal(order, random_order(4, 4))


@pytest.mark.parametrize("seed", [-1, -30000000, True, 1.0, "1", None])
def test_seeds_of_random_orders_are_integers_from_0(seed):
    with pytest.raises(InvalidOptionError, match=r"^seed is .*; a seed is an integer of at least 0$"):
        random_order(4, seed)
    with pytest.raises(InvalidOptionError, match=r"^random_state is .*; a seed is an integer of at least 0$"):
        RandomPolicy(seed)


@pytest.mark.parametrize("policy", [DesignPolicy(1), DesignPolicy(2), RandomPolicy(5)])
def test_one_batch_is_the_same_as_many_single_asks(policy):
    surface = rough_surface(5, seed=0)
    batch = ranks_of(policy.ask(state_of(surface), 7)).tolist()
    single: list[int] = []
    for _ in range(7):
        single += ranks_of(policy.ask(state_of(surface, single), 1)).tolist()
    assert batch == single


def test_a_design_takes_other_measurements_into_account():
    surface = rough_surface(4, seed=0)
    answer = ranks_of(DesignPolicy(1).ask(state_of(surface, [8, 1]), 12)).tolist()
    assert sorted(answer) == [2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14]


@pytest.mark.parametrize("policy", [DesignPolicy(2, class_aware=True), RandomPolicy(1, class_aware=True)])
def test_class_aware_policies_buy_one_mask_per_class(policy):
    classes = switched_classes(4)
    surface = rough_surface(4, seed=0)
    bought = ranks_of(policy.ask(state_of(surface, equivalence=classes), 14))
    measured = classes.representative[[0, 15, *bought]]
    assert len(set(measured.tolist())) == len(measured) == len(classes)


def test_a_design_explains_its_choices():
    state = state_of(rough_surface(5, seed=0))
    policy = DesignPolicy(2)
    explained = policy.explain(state, 3)
    assert [scores.best for scores in explained] == ranks_of(policy.ask(state, 3)).tolist()
    assert len(explained[0].to_dict()["scores"]) == 30


@pytest.mark.parametrize("seed", [-1, 1.5, True, "a"])
def test_seeds_other_than_counts_are_refused(seed):
    with pytest.raises(InvalidOptionError, match="seed"):
        RandomPolicy(seed)
