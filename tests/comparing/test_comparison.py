"""Putting runs together, choosing baselines and comparing."""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from comparison_runs import Fails, flip, made, many_tasks
from run_helpers import lowest, mean, noise, shuffled, synthetic_task

from whatworked.comparing import collect_folders, collect_runs, compare_methods, standings
from whatworked.comparing.baseline import partners
from whatworked.comparing.failures import failures
from whatworked.comparing.summary import count_of, measurements
from whatworked.errors import InvalidOptionError, UnknownNameError
from whatworked.runs import Run
from whatworked.statistics import compare

METHODS = {"a/x": ("a", "x"), "a/y": ("a", "y"), "b/x": ("b", "x"), "b/y": ("b", "y"), "c/y": ("c", "y")}


@pytest.mark.parametrize(
    ("baseline", "expected"),
    [
        ("a/x", {"a/y": "a/x", "b/x": "a/x", "b/y": "a/x", "c/y": "a/x"}),
        ("x", {"a/y": "a/x", "b/y": "b/x"}),
        ("y", {"a/x": "a/y", "b/x": "b/y"}),
        ("a", {"b/x": "a/x", "b/y": "a/y", "c/y": "a/y"}),
        ("c", {"a/x": "c/y", "a/y": "c/y", "b/x": "c/y", "b/y": "c/y"}),
        (None, {"a/y": "a/x", "b/x": "a/x", "b/y": "a/x", "c/y": "a/x"}),
    ],
)
def test_partners(baseline, expected):
    assert partners(METHODS, baseline) == expected


def test_preferred_baselines_and_unknown_ones():
    assert partners({"m/r": ("m", "r"), "gp/gp-effect": ("gp", "gp-effect")}) == {"m/r": "gp/gp-effect"}
    assert partners({"D1": ("r", "d"), "GP-E": ("gp", "gp-effect")}) == {"D1": "GP-E"}
    assert partners({"a/x": ("a", "x")}) == {}
    with pytest.raises(UnknownNameError, match="unknown baseline 'z'"):
        partners(METHODS, "z")


def test_the_default_baseline_is_one_that_pairs():
    shared = {"mine/gp-effect": ("mine", "gp-effect"), "gp/gp-effect": ("gp", "gp-effect")}
    assert partners(shared) == {"mine/gp-effect": "gp/gp-effect"}
    others = {"a/gp-effect": ("a", "gp-effect"), "b/gp-effect": ("b", "gp-effect")}
    assert partners(others) == {"b/gp-effect": "a/gp-effect"}


def test_a_baseline_without_pairs_is_refused_with_those_that_have_some():
    shared = {"mine/gp-effect": ("mine", "gp-effect"), "gp/gp-effect": ("gp", "gp-effect")}
    with pytest.raises(InvalidOptionError, match=r"policy 'gp-effect' .* pairs no two methods.*give one of mine/gp"):
        partners(shared, "gp-effect")


def test_equal_methods_of_two_runs_become_one(tmp_path):
    first = made(tmp_path, "first", estimators=[mean], tasks=many_tasks()[:3])
    second = made(tmp_path, "second", estimators=[mean, flip], tasks=many_tasks()[2:])
    runs = collect_runs([first, second])
    assert list(runs.methods) == ["mean/lowest", "flip/lowest"]
    assert sum(row.method == "mean/lowest" for row in runs.rows) == 10
    assert len(runs.costs) == len(runs.rows) == 16


def test_equal_labels_of_different_methods_are_told_apart(tmp_path):
    first = made(tmp_path, "first", batch=1)
    second = made(tmp_path, "second", batch=3, budgets=(3,))
    third = made(tmp_path, "deep/second", batch=2, budgets=(3,))
    assert list(collect_runs([first, second, third]).methods) == [
        "mean/lowest",
        "mean/lowest@second",
        "mean/lowest@second'",
    ]


def test_runs_that_disagree_are_refused(tmp_path):
    first = made(tmp_path, "first")
    changed = list(first.records)
    grade = msgspec.structs.replace(changed[0].grade, effect_recovery=0.123)
    changed[0] = msgspec.structs.replace(changed[0], grade=grade)
    with pytest.raises(InvalidOptionError, match="disagree on mean/lowest on one, budget 1, seed 0"):
        collect_runs([first, Run(first.manifest, tuple(changed), (), "second")])
    with pytest.raises(InvalidOptionError, match="no run given"):
        collect_runs([])


def test_runs_on_different_tables_are_refused(tmp_path):
    first = made(tmp_path, "first")
    other = [synthetic_task("one", 3, 99, "left")]
    with pytest.raises(InvalidOptionError, match="different reference tables of one;"):
        collect_runs([first, made(tmp_path, "second", tasks=other)])


def test_missing_deliveries_count_as_nothing_recovered_and_are_listed(tmp_path):
    def sometimes(masks, utilities, cube):
        if utilities[0] > 0.5:
            raise RuntimeError("too high")
        return np.full(len(cube), utilities.mean())

    tasks = many_tasks()
    high = {task.condition for task in tasks if task.surface.utilities[0] > 0.5}
    assert 0 < len(high) < 5
    rows = made(tmp_path, estimators=[sometimes, mean], budgets=(3,)).rows()
    by_method = {one.method: one for one in standings(rows)}
    whole, partial = by_method["mean/lowest"], by_method["sometimes/lowest"]
    assert partial.missing == len(high)
    assert partial.sources == whole.sources == 5
    for row in rows:
        if row.method == "sometimes/lowest" and row.condition in high:
            assert row.grade.effect_recovery == 0.0
    expected = {"left": [], "right": [], "middle": [], "far": []}
    for row in rows:
        if row.method == "sometimes/lowest":
            expected[row.family].append(row.grade.effect_recovery)
    assert partial.value == pytest.approx(np.mean([np.mean(values) for values in expected.values()]))
    listed = list(failures(rows))
    assert {entry["condition"] for entry in listed} == high
    assert {entry["cause"] for entry in listed} == {"estimator: RuntimeError: too high"}


def test_counts_average_seeds_before_counting_sources(tmp_path):
    rows = made(tmp_path, estimators=[noise], policies=[shuffled], budgets=(3,), seeds=4).rows()
    (one,) = standings(rows)
    assert one.records == 20
    assert one.exact == pytest.approx(sum(row.grade.exact for row in rows) / 4)
    assert count_of(rows, lambda grade: grade.exact) == one.exact
    assert set(one.profile) == {"0.025", "0.05", "0.1", "0.2", "0.4"}
    assert one.profile["0.1"] == one.strict


def test_figures_hold_what_the_building_blocks_give(tmp_path):
    runs = collect_runs([made(tmp_path, estimators=[mean, flip], policies=[lowest, shuffled])])
    figures = compare_methods(runs, "mean", resamples=199)
    assert len(figures) == 8
    by_place = {(one.standing.budget, one.standing.method): one for one in figures}
    one = by_place[3, "flip/shuffled"]
    assert one.against.baseline == "mean/shuffled"
    mine, theirs = (
        [row for row in runs.rows if row.method == method and row.budget == 3]
        for method in ("flip/shuffled", "mean/shuffled")
    )
    assert one.against.paired == compare(measurements(mine), measurements(theirs))
    assert one.against.interval.estimate == pytest.approx(
        one.interval.estimate - by_place[3, "mean/shuffled"].interval.estimate
    )
    assert one.cost.fits == 1.0
    assert one.cost.asks == 3.0
    assert one.cost.fit_seconds > 0
    assert by_place[3, "mean/shuffled"].against is None
    assert (
        json.loads(json.dumps(one.to_dict()))["against"]["paired"]["differences"]["one"]
        == one.against.paired.differences["one"]
    )


def test_costs_of_runs_that_did_not_count_fits(tmp_path):
    run = made(tmp_path, estimators=[mean, Fails], budgets=(3,))
    path = tmp_path / "run" / "costs.csv"
    lines = [line.split(",") for line in path.read_text().splitlines()]
    at = lines[0].index("fits")
    path.write_text("".join(",".join(line[:at] + line[at + 1 :]) + "\n" for line in lines))
    old = collect_folders([tmp_path / "run"])
    assert {cost.fits for cost in old.costs.values()} == {None}
    now, before = (compare_methods(runs, "mean", resamples=9) for runs in (collect_runs([run]), old))
    assert [one.cost.fits for one in now] == [one.cost.fits for one in before] == [1.0, 1.0]


def test_sources_that_only_one_method_has_are_left_out_and_named(tmp_path):
    runs = collect_runs(
        [made(tmp_path, "a", estimators=[mean]), made(tmp_path, "b", estimators=[flip], tasks=many_tasks()[1:4])]
    )
    figure = compare_methods(runs, "mean/lowest", resamples=99)[-1]
    assert figure.standing.method == "flip/lowest"
    assert figure.against.left_out == ("five", "one")
    assert set(figure.against.paired.differences) == {"two", "three", "four"}


def test_methods_without_common_sources_are_not_compared(tmp_path):
    runs = collect_runs(
        [made(tmp_path, "a", tasks=many_tasks()[:2]), made(tmp_path, "b", estimators=[flip], tasks=many_tasks()[2:])]
    )
    assert all(one.against is None for one in compare_methods(runs, "mean/lowest", resamples=99))


def test_a_collection_is_narrowed_to_what_is_named(tmp_path):
    tasks = many_tasks()
    tracks = [*tasks[:2], *(replace(task, track="other") for task in tasks[2:])]
    runs = collect_runs(made(tmp_path, estimators=[mean, flip], policies=[lowest, shuffled], tasks=tracks))
    assert runs.narrowed() == runs
    found = runs.narrowed(["other"], [3], ["flip/lowest", "mean/lowest"])
    assert {(row.track, row.budget, row.method) for row in found.rows} == {
        ("other", 3, "mean/lowest"),
        ("other", 3, "flip/lowest"),
    }
    assert len(found.rows) == len(found.costs) == 6
    with pytest.raises(UnknownNameError, match=r"unknown budget '7' .*: 1, 3"):
        runs.narrowed(budgets=[7])
    with pytest.raises(UnknownNameError, match="unknown track 'othr'; did you mean other"):
        runs.narrowed(["othr"])
    unknown = [f"no-{number}" for number in range(9)]
    with pytest.raises(UnknownNameError, match="unknown method 'no-0'"):
        runs.narrowed(methods=iter(unknown))
    with pytest.raises(InvalidOptionError, match="no result is of all"):
        collect_runs(
            [made(tmp_path, "a", estimators=[mean]), made(tmp_path, "b", estimators=[flip], tasks=tracks)]
        ).narrowed(["other"], methods=["mean/lowest"])


def test_a_named_method_stays_with_its_baseline_and_its_figures(tmp_path):
    runs = collect_runs(made(tmp_path, estimators=[mean, flip], policies=[lowest, shuffled]))
    every = compare_methods(runs, "lowest", resamples=9)
    some = compare_methods(runs, "lowest", resamples=9, methods=["flip/shuffled"])
    assert some == tuple(one for one in every if one.standing.method.startswith("flip"))
    assert {one.role for one in some} == {"compared", "baseline"}
    with pytest.raises(UnknownNameError, match="unknown method 'flop'"):
        compare_methods(runs, "lowest", resamples=9, methods=["flop"])


def test_folders_are_read(tmp_path):
    made(tmp_path, "a")
    assert len(collect_folders([tmp_path / "a"]).rows) == 10
