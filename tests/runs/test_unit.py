"""One unit: prefixes of purchases, seeds, failures, grades."""

from __future__ import annotations

import numpy as np
import pytest
from run_helpers import lowest, make_plan, mean, noise, shuffled, synthetic_task

from whatworked.errors import InvalidOptionError
from whatworked.grading import grade
from whatworked.plugins import load
from whatworked.runs import Plan, crossed
from whatworked.runs.benchmark import run_in_process
from whatworked.runs.plan import parse_budgets
from whatworked.runs.unit import missing_result, purchase, run_unit
from whatworked.surfaces import Equivalence, anchors


def records(plan):
    return [record for result in run_in_process(plan) for record in result.records]


def test_every_expected_record_is_made_once(tasks):
    plan = make_plan(tasks, [mean, noise], [lowest, shuffled], seeds=2)
    made = sorted((r.condition, r.method, r.budget, r.seed) for r in records(plan))
    assert made == sorted(plan.expected())
    per_method = {method: sum(m == method for _, m, _, _ in made) for method in {m for _, m, _, _ in made}}
    assert per_method == {"mean/lowest": 9, "noise/lowest": 18, "mean/shuffled": 18, "noise/shuffled": 18}


def test_budgets_beyond_the_masks_are_left_out_and_named(tasks):
    plan = make_plan(tasks, budgets=(4, 10))
    assert plan.skipped == {"one": (10,), "two": (10,)}
    assert {(r.condition, r.budget) for r in records(plan)} == {("one", 4), ("two", 4), ("six", 4), ("six", 10)}


def test_grades_are_those_of_the_recorded_predictions(tasks):
    surfaces = {task.condition: task.surface for task in tasks}
    for record in records(make_plan(tasks, [noise], [shuffled], seeds=1)):
        surface = surfaces[record.condition]
        observed = [surface.masks[rank] for rank in anchors(surface.d)] + list(record.purchases)
        assert grade(surface, record.predictions, observed) == record.grade
        for mask in observed:
            assert record.predictions[int(mask, 2)] == surface[mask]


def test_seeds_reach_estimator_and_policy(tasks):
    by_seed = {r.seed: r for r in records(make_plan(tasks[:1], [noise], [shuffled], budgets=(3,)))}
    assert len({r.purchases for r in by_seed.values()}) == 3
    assert len({r.predictions for r in by_seed.values()}) == 3
    fixed = records(make_plan(tasks[:1], [noise], [lowest], budgets=(3,)))
    assert len({r.purchases for r in fixed}) == 1
    assert len({r.predictions for r in fixed}) == 3


def test_a_policy_blind_to_the_credits_is_run_once_for_all_budgets(tasks):
    asked = []

    def counting(state, n):
        asked.append(len(state.masks))
        return lowest(state, n)

    bought = purchase(tasks[0], load(counting, "policy"), 0, (1, 3, 5))
    assert asked == [2, 3, 4, 5, 6]
    assert bought[1] is bought[5]


def test_a_policy_that_looks_is_run_for_every_budget(tasks):
    def from_the_end(state, n):
        return state.bits(state.unmeasured[[state.remaining - 1]])

    bought = purchase(tasks[0], load(from_the_end, "policy"), 0, (1, 3))
    assert bought[1].ranks == (1,)
    assert bought[3].ranks == (3, 2, 1)


def test_batches_that_do_not_divide_every_budget_are_run_for_every_budget(tasks):
    wanted = []

    def policy(state, n):
        wanted.append(n)
        return lowest(state, n)

    purchase(tasks[0], load(policy, "policy"), 0, (2, 4), batch=2)
    assert wanted == [2, 2]
    wanted.clear()
    purchase(tasks[0], load(policy, "policy"), 0, (3, 4), batch=2)
    assert wanted == [2, 2, 2, 1]


def test_a_policy_that_stops_early_spends_less(tasks):
    def two(state, n):
        return lowest(state, n) if len(state.masks) < 4 else []

    made = {r.budget: r for r in records(make_plan(tasks[:1], policies=[two], budgets=(1, 2, 5)))}
    assert [len(made[budget].purchases) for budget in (1, 2, 5)] == [1, 2, 2]
    assert made[5].predictions is not None


class Fails:
    """Fails where the first utility is that of condition two."""

    def __init__(self, at: float) -> None:
        self.at = at

    def fit(self, masks, utilities):
        if utilities[0] == self.at:
            raise RuntimeError("cannot fit this one")
        return self

    def predict(self, masks):
        return np.full(len(masks), 0.5)


def test_an_estimator_that_fails_on_one_condition_is_a_missing_delivery_there(tasks):
    at = float(tasks[1].surface.utilities[0])

    def failing():
        return Fails(at)

    plan = make_plan(tasks, [failing, mean])
    made = records(plan)
    missing = [r for r in made if r.predictions is None]
    assert {(r.condition, r.method) for r in missing} == {("two", "failing/lowest")}
    assert len(missing) == 3
    assert {r.failure for r in missing} == {"estimator: RuntimeError: cannot fit this one"}
    assert all(r.grade.effect_recovery == 0.0 and not r.grade.strict and not r.grade.delivered for r in missing)
    log = "\n".join(line for result in run_in_process(plan) for line in result.log)
    assert "failing/lowest on two budget 4 seed 0" in log
    assert "Traceback" in log


def test_a_policy_that_fails_late_is_missing_only_from_there(tasks):
    def breaks(state, n):
        if len(state.masks) == 5:
            raise RuntimeError("enough")
        return lowest(state, n)

    made = {r.budget: r for r in records(make_plan(tasks[:1], policies=[breaks], budgets=(2, 3, 4)))}
    assert [made[budget].failure for budget in (2, 3)] == [None, None]
    assert made[4].failure == "policy: RuntimeError: enough"
    assert made[4].predictions is None
    assert made[4].purchases == ("001", "010", "011")


def test_a_policy_that_cannot_be_built_for_a_seed_is_missing(tasks):
    def make(random_state=0):
        if random_state == 1:
            raise ValueError("unlucky")
        return lowest

    made = {r.seed: r for r in records(make_plan(tasks[:1], policies=[make], budgets=(2,), seeds=2))}
    assert made[0].failure is None
    assert made[1].failure == "policy: ValueError: unlucky"


def test_only_some_estimators_and_missing_ones_together_make_the_unit(tasks):
    plan = make_plan(tasks[:1], [mean, noise], [lowest], seeds=2)
    unit = plan.units()[0]
    whole = run_unit(plan, unit)
    parts = run_unit(plan, unit, ["mean"]).records + run_unit(plan, unit, ["noise"]).records
    assert parts == whole.records
    dead = missing_result(plan, unit, ["noise"]).records
    assert [(r.method, r.budget, r.seed) for r in dead] == [
        (r.method, r.budget, r.seed) for r in whole.records if r.method == "noise/lowest"
    ]
    assert all("worker process died" in r.failure for r in dead)


def test_costs_stand_beside_records_and_not_in_them(tasks):
    (result,) = run_in_process(make_plan(tasks[:1], budgets=(0, 3)))
    assert [(cost.budget, cost.asks) for cost in result.costs] == [(0, 0), (3, 3)]
    assert result.costs[1].policy_seconds > 0
    assert result.costs[0].fit_seconds > 0


def test_asks_and_fits_that_fail_are_costs_too(tasks):
    def refuses(state, n):
        raise RuntimeError("no")

    def stops(state, n):
        return lowest(state, n) if len(state.masks) < 4 else []

    def fails(masks, utilities, cube):
        raise RuntimeError("no")

    plan = make_plan(tasks[:1], [mean, fails], [lowest, refuses, stops], budgets=(2, 4))
    costs = {(cost.method, cost.budget): cost for result in run_in_process(plan) for cost in result.costs}
    counted = {key: (cost.asks, cost.fits) for key, cost in costs.items()}
    for estimator in ("mean", "fails"):
        assert counted[f"{estimator}/lowest", 2] == (2, 1)
        assert counted[f"{estimator}/lowest", 4] == (4, 1)
        assert counted[f"{estimator}/stops", 2] == (2, 1)
        assert counted[f"{estimator}/stops", 4] == (3, 1)
        assert counted[f"{estimator}/refuses", 2] == counted[f"{estimator}/refuses", 4] == (1, 0)
    assert all(cost.policy_seconds > 0 for cost in costs.values())
    assert costs["fails/lowest", 4].fit_seconds > 0
    dead = missing_result(plan, plan.units()[0], ["mean"]).costs
    assert [(cost.asks, cost.fits) for cost in dead] == [(0, 0), (0, 0)]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"budgets": ()}, "at least one is needed"),
        ({"budgets": (-1,)}, "none may be negative"),
        ({"budgets": (99,)}, "the largest possible budget is 14"),
        ({"seeds": 0}, "seeds is 0"),
        ({"batch": 0}, "batch is 0"),
        ({"estimators": ()}, "give --estimator and --policy"),
        ({"estimators": (mean, mean)}, "two are called mean.lowest; give labels"),
    ],
)
def test_a_plan_says_what_is_wrong_with_it(tasks, changes, expected):
    with pytest.raises(InvalidOptionError, match=expected):
        make_plan(tasks, **changes)


def test_two_different_plugins_of_one_label_are_refused(tasks):
    def other(masks, utilities, cube): ...

    first = crossed([load(mean, "estimator")], [load(lowest, "policy")])
    second = crossed([load(other, "estimator", "mean")], [load(shuffled, "policy")])
    with pytest.raises(InvalidOptionError, match="two are called mean"):
        Plan(tuple(tasks), first + second, (2,))


def test_budgets_are_read_sorted_and_once():
    assert parse_budgets(" 8, 4,8 ") == (4, 8)
    for text in ("", "4,", "-1", "4;8", "1e3", "99999999"):
        with pytest.raises(InvalidOptionError, match="separated by commas"):
            parse_budgets(text)


def test_no_condition_large_enough_for_a_budget_makes_no_unit():
    plan = make_plan([synthetic_task("small", 2), synthetic_task("large", 4)], budgets=(10,))
    assert [plan.tasks[unit.task].condition for unit in plan.units()] == ["large"]


def test_classes_go_to_estimators_that_take_them_and_to_no_other():
    classes = Equivalence(np.array([0, 0, 2, 3, 4, 4, 6, 7]))
    given = []

    class Aware:
        def __init__(self, equivalence=None):
            given.append(equivalence)

        def fit(self, masks, utilities):
            return self

        def predict(self, masks):
            return np.zeros(len(masks))

    task = synthetic_task("one", 3, equivalence=classes)
    made = {r.method: r for r in records(make_plan([task], [Aware, mean], budgets=(1,)))}
    assert given == [classes]
    assert made["Aware/lowest"].aliases == ()
    assert made["Aware/lowest"].predictions[1] == task.surface.utilities[1]
    deeper = {r.budget: r for r in records(make_plan([task], [Aware], budgets=(0, 3, 4)))}
    assert deeper[0].aliases == ("001",)
    assert deeper[4].aliases == ("101",)
    assert deeper[4].predictions[5] == task.surface.utilities[4]
    assert made["mean/lowest"].aliases == ()
    given.clear()
    with pytest.raises(InvalidOptionError, match="Aware takes code-equivalence classes; add --rules"):
        make_plan([synthetic_task("one", 3)], [Aware], budgets=(1,))
