"""Spending a budget: what a policy sees, what it may answer, and what is noticed about it."""

from __future__ import annotations

import copy
import json
import pickle
import re
import signal

import numpy as np
import pytest
from run_helpers import everything_reachable, leaks

from whatworked.plugins.adapters import FunctionPolicy
from whatworked.plugins.limits import Watch
from whatworked.protocols import SearchState
from whatworked.runs.acquisition import acquire
from whatworked.surfaces import Equivalence, bits_of

TRUTH = np.array([0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17, 0.18])


def run(function, budget=4, **others):
    return acquire(FunctionPolicy(function), TRUTH, budget, **others)


def lowest(state, n):
    return state.bits(state.unmeasured[:n])


def test_buys_one_at_a_time_and_shows_the_answers():
    seen = []

    def watching(state, n):
        seen.append((state.measured.tolist(), state.utilities.tolist(), n))
        return state.bits(state.unmeasured[-1:])

    bought = run(watching, budget=3)
    assert bought.ranks == (6, 5, 4)
    assert bought.failure is None
    assert seen[0] == ([0, 7], [0.11, 0.18], 1)
    assert seen[2] == ([0, 7, 6, 5], [0.11, 0.18, 0.17, 0.16], 1)
    assert bought.asks == (1, 2, 3)


def test_batches_and_the_short_last_one():
    wanted = []

    def watching(state, n):
        wanted.append(n)
        return lowest(state, n)

    assert run(watching, budget=5, batch=2).ranks == (1, 2, 3, 4, 5)
    assert wanted == [2, 2, 1]


def test_a_step_that_was_ended_before_costs_the_limit_and_its_ask():
    watch = Watch(seconds=5.0, ended=frozenset({json.dumps(("policy", 4, 2))}))
    bought = run(lowest, budget=4, watch=watch)
    assert bought.ranks == (1, 2)
    assert bought.failure.late
    assert bought.total == (3, 5.0)
    assert bought.cost(4) == bought.total
    assert bought.cost(2) == (2, bought.seconds[1])
    assert bought.cost(0) == (0, 0.0)


def test_a_policy_may_stop_early_or_answer_less():
    assert run(lambda state, n: []).ranks == ()
    assert run(lambda state, n: np.empty((0, 3))).failure is None
    assert run(lambda state, n: lowest(state, 1), budget=4, batch=3).ranks == (1, 2, 3, 4)


def test_exhausts_the_cube():
    assert run(lowest, budget=6).ranks == (1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda state, n: bits_of([0], 3), "measured already or given twice: 000"),
        (lambda state, n: bits_of([7], 3), "measured already or given twice: 111"),
        (lambda state, n: bits_of([1, 2], 3), "2 masks; 1 were wanted"),
        (lambda state, n: [[0, 2, 0]], "other than 0 and 1"),
        (lambda state, n: np.ma.masked_equal([[0, 1, 0]], 1), "masked values; expected 0 and 1"),
        (lambda state, n: [[0, 1]], r"shape \(1, 2\); expected \(k, 3\)"),
        (lambda state, n: [0, 1, 0], r"shape \(3,\)"),
        (lambda state, n: "010", r"shape \(\)"),
        (lambda state, n: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda state, n: state.masks.fill(1), "ValueError: assignment destination is read-only"),
        (lambda state, n: state.utilities.sort(), "ValueError.*read-only"),
    ],
)
def test_a_broken_answer_ends_it_with_a_named_failure(answer, expected):
    bought = run(answer)
    assert bought.ranks == ()
    assert bought.failure is not None
    assert bought.failure.where == "policy"

    assert re.search(expected, bought.failure.cause)
    assert "Traceback" in bought.failure.trace


def test_twice_the_same_mask_in_one_batch():
    bought = run(lambda state, n: bits_of([1, 1], 3), batch=2)
    assert bought.failure is not None
    assert "given twice: 001" in bought.failure.cause


def test_purchases_before_the_failure_are_kept():
    def breaks_later(state, n):
        if len(state.masks) == 4:
            raise RuntimeError("enough")
        return lowest(state, n)

    bought = run(breaks_later)
    assert bought.ranks == (1, 2)
    assert str(bought.failure) == "policy: RuntimeError: enough"


def test_sys_exit_in_a_plugin_is_a_failure_and_ctrl_c_is_not():
    def leaves(state, n):
        raise SystemExit(1)

    def interrupted(state, n):
        signal.raise_signal(signal.SIGINT)

    def pretends(state, n):
        raise KeyboardInterrupt

    assert run(leaves).failure.cause == "SystemExit: 1"
    assert run(pretends).failure.cause == "KeyboardInterrupt"
    with pytest.raises(KeyboardInterrupt):
        run(interrupted)


@pytest.mark.parametrize(
    ("look", "noticed"),
    [
        (lambda state: state.remaining, True),
        (lambda state: vars(state), True),
        (lambda state: copy.deepcopy(state), True),
        (lambda state: getattr(state, "rem" + "aining"), True),
        (lambda state: (state.d, state.masks, state.utilities, state.measured, state.unmeasured), False),
        (lambda state: state.equivalence, False),
    ],
)
def test_notices_whether_the_remaining_credits_were_looked_at(look, noticed):
    def policy(state, n):
        look(state)
        return lowest(state, n)

    assert run(policy).looked is noticed


def test_the_state_is_a_search_state_with_correct_credits():
    seen = []

    def policy(state, n):
        assert isinstance(state, SearchState)
        seen.append(state.remaining)
        return lowest(state, n)

    run(policy, budget=3)
    assert seen == [3, 2, 1]


def test_nothing_unmeasured_can_be_reached_from_the_state():
    """Follow every reference from the state, as a cheat would, and look for any unmeasured utility."""
    hidden = set(TRUTH.tolist()) - {0.11, 0.18}
    reached = []

    def cheat(state, n):
        reached.extend(everything_reachable(state))
        return []

    run(cheat)
    assert any(isinstance(thing, np.ndarray) and 0.18 in thing for thing in reached)
    assert not leaks(reached, hidden)


def test_the_search_for_leaks_finds_one():
    state = SearchState(3, bits_of([0, 7], 3), TRUTH[[0, 7]], 1)
    object.__setattr__(state, "inner", {"deep": [TRUTH[1:5]]})
    assert leaks(everything_reachable(state), set(TRUTH.tolist()) - {0.11, 0.18})


def test_classes_are_shown_to_the_policy():
    classes = Equivalence(np.array([0, 0, 2, 2, 4, 4, 2, 2]))
    seen = []

    def policy(state, n):
        seen.append(state.equivalence)
        return lowest(state, n)

    run(policy, budget=1, equivalence=classes)
    run(policy, budget=1)
    assert seen == [classes, None]


def test_the_state_survives_pickling_for_policies_with_their_own_processes():
    copies = []

    def policy(state, n):
        copies.append(pickle.loads(pickle.dumps(state)))
        return []

    run(policy)
    assert copies[0].remaining == 4
