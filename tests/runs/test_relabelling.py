"""Orders of the options: records in the catalog's masks, averages over orders, packed and verified like any other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_helpers import lowest, make_plan, noise, shuffled, three_tasks

from whatworked.environments.effects.relabelling import Relabelling
from whatworked.errors import InvalidOptionError
from whatworked.leaderboard import pack, unpack, verified
from whatworked.runs import Plan, bench, catalog_tasks
from whatworked.runs.benchmark import run_in_process
from whatworked.surfaces import ranks_of


@given(st.integers(0, 30), st.integers(1, 7))
def test_an_order_is_a_relabelling_of_the_cube(number, d):
    order = Relabelling(number, d)
    before = order.before()
    assert sorted(before.tolist()) == list(range(1 << d))
    assert (before[0], before[-1]) == (0, (1 << d) - 1)
    table = np.random.default_rng(d).random(1 << d)
    assert np.array_equal(order.table_before(table[before]), table)
    assert order.ranks_before(range(1 << d)) == tuple(before.tolist())
    for new, option in enumerate(order.order):  # a single option on stays a single option on
        assert before[1 << (d - 1 - new)] == 1 << (d - 1 - option)


def test_a_task_in_another_order_is_the_same_surface():
    (task,) = catalog_tasks("wine__d6", rules=True)
    order = Relabelling(2, 6)
    other = order.task(task)
    assert np.array_equal(order.table_before(other.surface.utilities), task.surface.utilities)
    assert other.surface.mean_absolute_effect == pytest.approx(task.surface.mean_absolute_effect)
    together = other.equivalence.representative
    for a, b in itertools.combinations(range(0, 64, 7), 2):
        before = order.before()
        same = task.equivalence.representative[before[a]] == task.equivalence.representative[before[b]]
        assert (together[a] == together[b]) == same


def plan_of(relabel, tasks=None):
    plain = make_plan(tasks or three_tasks(), [noise, "gp"], [lowest, shuffled], budgets=(2, 4), seeds=2)
    return Plan(plain.tasks, plain.methods, plain.budgets, plain.seeds, relabel=relabel)


def records_of(plan):
    return {record.key: record for result in run_in_process(plan) for record in result.records}


def test_the_first_order_is_that_of_the_catalog_and_others_are_what_their_tasks_give():
    plain, several = records_of(plan_of(1)), records_of(plan_of(3))
    assert len(several) == 3 * len(plain)
    assert set(several) == set(plan_of(3).expected())
    for (condition, method, budget, seed), record in plain.items():
        found = several[condition, method, budget, 3 * seed]
        assert (found.purchases, found.predictions, found.grade) == (record.purchases, record.predictions, record.grade)
    order = {task.condition: Relabelling(2, task.d) for task in three_tasks()}
    apart = records_of(plan_of(1, [order[task.condition].task(task) for task in three_tasks()]))
    for (condition, method, budget, seed), record in apart.items():
        found = several[condition, method, budget, 3 * seed + 2]
        there = order[condition]
        bought = there.ranks_before(ranks_of(np.array([list(map(int, mask)) for mask in record.purchases])).tolist())
        assert [int(mask, 2) for mask in found.purchases] == list(bought)
        assert np.array_equal(there.table_before(np.array(record.predictions)), found.predictions)
        assert found.grade.effect_recovery == pytest.approx(record.grade.effect_recovery)


def test_plans_of_one_order_are_described_as_before():
    assert plan_of(1).digest == make_plan(three_tasks(), [noise, "gp"], [lowest, shuffled], (2, 4), 2).digest
    with pytest.raises(InvalidOptionError, match="relabel is 0; it must be at least 1"):
        plan_of(0)


def test_a_packed_run_of_several_orders_is_verified(tmp_path):
    run = bench(
        "class-gp", "class-gp-effect", [4, 20], tmp_path / "r", catalog_tasks("wine__d6", rules=True), relabel=3
    )
    assert len(run.records) == 6
    assert len({record.purchases for record in run.records}) > 2
    again = verified(unpack(pack(run, "orders"), "here"))
    assert again.description.orders == 3
    assert [record.grade for record in again.records] == [record.grade for record in run.records]
