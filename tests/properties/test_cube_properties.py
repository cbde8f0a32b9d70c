"""Identities of section 6 that hold for every table over every cube."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import COARSE, cases, tables

from whatworked.surfaces import (
    ResponseSurface,
    conditional_effects,
    inverse_mobius,
    inverse_walsh_hadamard,
    mean_effects,
    mobius,
    option_letters,
    pair_interactions,
    path_effects,
    variance_by_order,
    walsh_hadamard,
)
from whatworked.surfaces.edges import pairs

ANY = st.integers(1, 6).flatmap(tables)


@st.composite
def tables_with_orders(draw, smallest=1):
    d = draw(st.integers(smallest, 6))
    return draw(tables(d)), draw(st.permutations(range(d)))


def surface(values):
    return ResponseSurface(option_letters(values.size.bit_length() - 1), values)


@given(ANY)
def test_transforms_and_their_inverses(values):
    assert inverse_walsh_hadamard(walsh_hadamard(values)) == pytest.approx(values, abs=1e-15)
    assert inverse_mobius(mobius(values)) == pytest.approx(values, abs=1e-13)
    assert walsh_hadamard(inverse_walsh_hadamard(values / 64)) == pytest.approx(values / 64, abs=1e-15)


@given(ANY)
def test_variance_is_kept(values):
    assert variance_by_order(values).sum() == pytest.approx(values.var(), abs=1e-14)


@given(ANY, st.data())
def test_effects_along_any_path_sum_to_the_difference_of_its_ends(values, data):
    d = values.size.bit_length() - 1
    rank = data.draw(st.integers(0, values.size - 1))
    path = [rank]
    for option in data.draw(st.lists(st.integers(0, d - 1), max_size=12)):
        path.append(path[-1] ^ (1 << option))
    steps = path_effects(values, [format(rank, f"0{d}b") for rank in path])
    assert steps.sum() == pytest.approx(values[path[-1]] - values[path[0]], abs=1e-14)


@given(cases(), st.data())
def test_an_intervention_of_k_switches_errs_by_at_most_k_times_the_largest_effect_error(case, data):
    _, truth, prediction, _ = case
    largest = np.abs(conditional_effects(prediction) - conditional_effects(truth)).max()
    start, end = data.draw(st.tuples(*[st.integers(0, truth.size - 1)] * 2))
    switches = (start ^ end).bit_count()
    error = abs((prediction[end] - prediction[start]) - (truth[end] - truth[start]))
    assert error <= switches * largest + 1e-14


@given(tables_with_orders())
def test_relabelling_options_permutes_everything_exactly(case):
    values, order = case
    one = surface(values)
    other = one.reordered([one.options[i] for i in order])
    d = one.d
    assert other.range == one.range
    assert other.mean_absolute_effect == one.mean_absolute_effect
    assert other.mean_effects().tolist() == one.mean_effects()[list(order)].tolist()
    assert np.sort(other.effects(), axis=None).tolist() == np.sort(one.effects(), axis=None).tolist()
    place = {pair: k for k, pair in enumerate(pairs(d))}
    moved = [place[min(order[i], order[j]), max(order[i], order[j])] for i, j in pairs(d)]
    assert other.interactions().tolist() == one.interactions()[moved].tolist()
    assert other.order_shares() == pytest.approx(one.order_shares(), abs=1e-12)


@given(tables_with_orders(smallest=2), st.data())
def test_effects_of_a_subcube_are_effects_of_the_cube(case, data):
    values, _ = case
    one = surface(values)
    fixed = data.draw(st.dictionaries(st.sampled_from(one.options[1:]), st.integers(0, 1)))
    part = one.restricted(fixed)

    def whole(mask):
        free = iter(mask)
        return "".join(str(fixed[option]) if option in fixed else next(free) for option in one.options)

    assert [part[mask] for mask in part.masks] == [one[whole(mask)] for mask in part.masks]
    effects = {(row.option, row.mask): row.effect for row in one.effect_table()}
    for row in part.effect_table():
        assert row.effect == effects[row.option, whole(row.mask)]


@given(tables_with_orders(smallest=2))
def test_restrictions_commute(case):
    values, order = case
    one = surface(values)
    first, second = one.options[order[0]], one.options[order[1]]
    if one.d == 2:
        return
    stepwise = one.restricted({first: 1}).restricted({second: 0})
    assert stepwise.utilities.tolist() == one.restricted({second: 0, first: 1}).utilities.tolist()


@given(st.integers(2, 6).flatmap(lambda d: tables(d, COARSE)))
def test_interactions_are_differences_of_mean_effects(values):
    one = surface(values)
    for interaction, (left, right) in zip(pair_interactions(values), one.pairs, strict=True):
        place = [option for option in one.options if option != right].index(left)
        with_it, without = (mean_effects(one.restricted({right: bit}).utilities)[place] for bit in (1, 0))
        assert interaction == with_it - without


@given(ANY)
def test_adding_a_constant_or_turning_all_signs_changes_effects_as_it_should(values):
    assert conditional_effects(-values).tolist() == (-conditional_effects(values)).tolist()
    assert conditional_effects(values + 1) == pytest.approx(conditional_effects(values), abs=1e-15)
