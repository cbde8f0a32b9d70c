"""Counts, names, masks, tables and paths in the forms that Python, numpy and pandas give them, or an error by name."""

from __future__ import annotations

import collections
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from run_helpers import lowest, mean
from slow_sample import slow_but

from whatworked import ResponseSurface, arguments, bench, catalog, controls, grade, grade_many, load_surface, plots
from whatworked.errors import (
    InvalidArtifactError,
    InvalidMaskError,
    InvalidOptionError,
    InvalidSurfaceError,
    UnknownNameError,
)
from whatworked.plugins import registry
from whatworked.runs import Plan, catalog_tasks, crossed, named_methods
from whatworked.runs.benchmark import load_all
from whatworked.surfaces import (
    Equivalence,
    all_bits,
    any_mask_rank,
    conditional_effects,
    exports,
    floor_of,
    mask_ranks,
    mask_strings,
    option_signs,
    ranks_of,
    reversing_options,
    sign_split,
    walsh_hadamard,
)


def written(value: object) -> str:
    """The value as text without its address: the parallel workers compare the names of tests."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


NO_NUMBERS = [True, np.True_, np.array(True), 2.0, np.float64(2), "2", b"2", None, [1], {1: 2}, float("nan"), object()]
VALUES = [0.25, 0.5, 0.75, 1.0]
BY_MASK = {"11": 1.0, "00": 0.25, "10": 0.75, "01": 0.5}


@pytest.fixture
def surface():
    return ResponseSurface(("A", "B"), VALUES)


@pytest.mark.parametrize("number", [3, np.int64(3), np.uint8(3), np.array(3), np.array(3, dtype=np.int16)])
def test_a_whole_number_of_any_kind_is_an_int(number):
    assert type(arguments.whole_number(number, "seeds")) is int
    assert arguments.whole_number(number, "seeds", 3) == 3
    assert arguments.whole_numbers(number, "budgets") == (3,)
    with pytest.raises(InvalidOptionError, match=r"seeds is .*3.*; it must be a whole number, at least 4"):
        arguments.whole_number(number, "seeds", 4)


@pytest.mark.parametrize("value", NO_NUMBERS, ids=written)
def test_what_is_no_whole_number_is_refused_by_name(value):
    with pytest.raises(InvalidOptionError, match=r"jobs is .*; it must be a whole number"):
        arguments.whole_number(value, "jobs")
    for count in ("seeds", "batch"):
        with pytest.raises(InvalidOptionError, match=f"{count} is"):
            bench("mean", "random", 1, "never", tasks="wine", **{count: value})
    with pytest.raises(InvalidOptionError, match="jobs is"):
        bench("mean", "random", 1, "never", tasks="wine", seeds=1, jobs=value)
    if value != [1]:
        with pytest.raises(InvalidOptionError, match="budgets"):
            bench("mean", "random", value, "never", tasks="wine")
    assert not Path("never").exists()


SEVERAL = [
    (1, 2),
    [np.int8(1), np.int64(2)],
    np.array([1, 2]),
    pd.Series([1, 2], index=[7, 5]),
    pd.Index([1, 2]),
    {1, 2},
    range(1, 3),
    np.array([2, 1, 1], dtype=np.uint8),
]


@pytest.mark.parametrize("budgets", slow_but([*SEVERAL, np.int64(1), np.array(1)], {"{1, 2}", "array(1)"}, written))
def test_a_run_takes_budgets_in_any_form_and_writes_the_same(budgets, tmp_path):
    plain = (1,) if np.ndim(budgets) == 0 and not isinstance(budgets, set | range) else (1, 2)
    tasks = catalog_tasks("wine")
    run = bench(mean, lowest, budgets, tmp_path / "run", tasks, np.int64(1), np.uint8(1), np.int32(1))
    assert run.records == bench(mean, lowest, plain, tmp_path / "plain", "wine", 1).records
    assert (tmp_path / "run" / "records.jsonl").read_bytes() == (tmp_path / "plain" / "records.jsonl").read_bytes()


def test_budgets_from_a_generator_and_in_a_plan():
    methods = crossed(load_all("mean", "estimator"), load_all("random", "policy"))
    plan = Plan(catalog_tasks("wine"), methods, (budget for budget in (np.int64(4), 2)), np.int64(2))
    assert (plan.budgets, plan.seeds, type(plan.seeds)) == ((2, 4), 2, int)
    assert plan.digest == Plan(catalog_tasks("wine"), methods, (2, 4), 2).digest


@pytest.mark.parametrize(
    "budgets", [[True], np.array([1.0]), pd.DataFrame([1]), {1: 2}, "4,8", [None], ["4"], [[1, 2]]]
)
def test_budgets_that_are_no_numbers_are_refused(budgets):
    with pytest.raises(InvalidOptionError, match="budgets"):
        bench("mean", "random", budgets, "never", tasks="wine")


def test_seeds_without_end_are_refused():
    with pytest.raises(InvalidOptionError, match=r"seeds is 10000000000000000000000; it must be at most 10000"):
        bench("mean", "random", 1, "never", tasks="wine", seeds=10**22)


@pytest.mark.parametrize("limit", [True, "5", b"5", [5], np.array([5.0]), object()])
def test_a_time_limit_that_is_no_number_is_refused(limit):
    with pytest.raises(InvalidOptionError, match=r"the time limit is .*; give a number of seconds, or None"):
        bench("mean", "random", 1, "never", tasks="wine", time_limit=limit)


NAMES = [
    "wine",
    np.str_("wine"),
    ["wine"],
    ("wine",),
    {"wine"},
    np.array(["wine"]),
    np.array(["wine"], dtype=object),
    pd.Series(["wine"], index=[3]),
    pd.Index(["wine"]),
    collections.deque(["wine"]),
]


@pytest.mark.parametrize("names", slow_but(NAMES, {"'wine'", "{'wine'}"}, written))
def test_names_are_taken_in_any_form(names, tmp_path):
    assert arguments.names(names, "names") == ("wine",)
    assert [type(name) for name in arguments.names(names, "names")] == [str]
    assert [task.condition for task in catalog_tasks(names)] == ["wine"]
    assert [condition.id for condition in catalog.select(names)] == ["wine"]
    assert {record.condition for record in bench(mean, lowest, 1, tmp_path / "run", names).records} == {"wine"}


@pytest.mark.parametrize("names", [None, 3, b"wine", [b"wine"], [["wine"]], [3], Path("wine"), np.array("wine"), True])
def test_what_holds_no_names_is_refused(names):
    for read in (catalog_tasks, catalog.select, named_methods):
        with pytest.raises(InvalidOptionError, match=r"(names|labels) (are|hold)"):
            read(names)
    for filtered in ({"families": names}, {"tracks": names}):
        with pytest.raises(InvalidOptionError, match=r"(families|tracks) (are|hold)"):
            catalog_tasks(**filtered)
    if names is not None:  # all conditions
        with pytest.raises(InvalidOptionError, match="tasks hold"):
            bench("mean", "random", 1, "never", names)


def test_a_surface_is_no_task_and_a_name_no_method(surface):
    with pytest.raises(InvalidOptionError, match=r"tasks hold ResponseSurface.*Task"):
        bench("mean", "random", 1, "never", surface)
    with pytest.raises(InvalidOptionError, match="extra holds 'GP-E'"):
        bench("mean", "random", 1, "never", "wine", extra=["GP-E"])
    assert [method.label for method in named_methods(pd.Series(["D2", "GP-E"]))] == ["D2", "GP-E"]


@pytest.mark.parametrize("name", [3, None, b"wine", ["wine"], Path("wine"), float("nan"), ("wine",)])
def test_a_name_of_another_type_is_unknown(name):
    for read in (load_surface, catalog.condition, controls.estimator, controls.policy, controls.method):
        with pytest.raises(UnknownNameError, match="unknown"):
            read(name)


@pytest.mark.parametrize("path", [3, True, b"x", ["x"], "a\0b", object()])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(InvalidOptionError, match="out is"):
        bench("mean", "random", 1, path, "wine")
    with pytest.raises(InvalidOptionError, match="references is"):
        catalog_tasks("wine", references=path)
    with pytest.raises(InvalidOptionError, match="folder of reference tables is"):
        load_surface("wine", path)


@pytest.mark.parametrize(
    ("mask", "rank"),
    [
        ("10", 2),
        (2, 2),
        (np.int64(2), 2),
        (np.uint8(2), 2),
        (np.array(2), 2),
        ((1, 0), 2),
        ([1, 0], 2),
        (np.array([1, 0]), 2),
        (np.array([1.0, 0.0]), 2),
        (all_bits(2)[2], 2),
        (pd.Series([1, 0]), 2),
        (np.str_("10"), 2),
        ((0, 0), 0),
    ],
)
def test_a_mask_has_three_forms(surface, mask, rank):
    assert any_mask_rank(mask, 2) == rank
    assert surface[mask] == VALUES[rank]
    assert mask in surface
    assert Equivalence.trivial(2).members(mask).tolist() == [rank]


@pytest.mark.parametrize(
    "mask",
    [-1, 4, 10**30, True, np.True_, 2.0, None, b"10", "1", "102", (1,), (1, 2), (True, 0), ["10"], ("1", "0"), {0, 1}],
)
def test_what_is_no_mask_is_refused_by_name(surface, mask):
    for read in (lambda: surface[mask], lambda: Equivalence.trivial(2).members(mask)):
        with pytest.raises(InvalidMaskError, match="mask"):
            read()
    assert mask not in surface
    with pytest.raises(TypeError, match="not iterable"):
        list(surface)


KEYED = [BY_MASK, pd.Series(BY_MASK), pd.Series(BY_MASK, dtype="Float64"), pd.Series(BY_MASK).sort_index()]
KEYED += [
    pd.Series(list(BY_MASK.values()), index=pd.CategoricalIndex(list(BY_MASK))),
    {np.str_(m): np.float32(v) for m, v in BY_MASK.items()},
]


@pytest.mark.parametrize("table", KEYED, ids=[str(place) for place in range(len(KEYED))])
def test_a_table_by_mask_goes_by_its_masks(surface, table):
    assert ResponseSurface.from_mapping(table).utilities.tolist() == VALUES
    assert ResponseSurface(("A", "B"), table).utilities.tolist() == VALUES
    assert ResponseSurface(("A", "B"), VALUES, native=table).native.tolist() == VALUES
    assert conditional_effects(table).tolist() == conditional_effects(VALUES).tolist()
    assert walsh_hadamard(table).tolist() == walsh_hadamard(VALUES).tolist()
    assert grade(surface, table, []).effect_mae == 0.0
    assert [one.effect_mae for one in grade_many(surface, (table for _ in range(2)), ([] for _ in range(2)))] == [0, 0]


@pytest.mark.parametrize(
    "frame", [pd.DataFrame([BY_MASK, BY_MASK]), pd.DataFrame([VALUES, VALUES]), np.array([BY_MASK, BY_MASK])]
)
def test_rows_of_a_frame_are_predictions(surface, frame):
    assert [one.effect_mae for one in grade_many(surface, frame, pd.Series([["00"], [3]]))] == [0.0, 0.0]


@pytest.mark.parametrize(
    "table",
    [
        pd.Series(VALUES, index=[3, 2, 1, 0]),
        pd.Series(VALUES, index=["00", "01", "10", "10"]),
        pd.Series(VALUES, index=[(0, 1), (0, 0), (1, 0), (1, 1)]),
        pd.Series(VALUES, index=["00", "01", "10", 3]),
        pd.Series(VALUES, index=["a", "b", "c", "d"]),
        {**BY_MASK, "11": None},
        {**BY_MASK, "11": True},
    ],
)
def test_an_index_that_says_another_order_is_refused(surface, table):
    with pytest.raises(InvalidArtifactError, match="refused"):
        grade(surface, table, [])
    with pytest.raises(InvalidSurfaceError, match="utilities"):
        ResponseSurface(("A", "B"), table)
    with pytest.raises(InvalidSurfaceError, match="response surface"):
        ResponseSurface.from_mapping(table)
    with pytest.raises(InvalidMaskError, match="values of a table"):
        conditional_effects(table)


@pytest.mark.parametrize(
    "table", [None, 3, "abc", VALUES, pd.Series(VALUES), iter(BY_MASK.items()), {}, list(BY_MASK.items())]
)
def test_what_is_no_mapping_is_refused(table):
    with pytest.raises(InvalidSurfaceError, match="response surface"):
        ResponseSurface.from_mapping(table)


@pytest.mark.parametrize("options", [5, b"AB", [1, 2], None.__class__, ["A", ""]])
def test_options_that_are_no_names_are_refused(options):
    with pytest.raises(InvalidSurfaceError, match="option"):
        ResponseSurface.from_mapping(BY_MASK, options)


@pytest.mark.parametrize("options", ["XY", np.array(["X", "Y"]), pd.Index(["X", "Y"]), (name for name in "XY")])
def test_options_are_taken_in_any_form(options):
    names = ResponseSurface.from_mapping(BY_MASK, options).options
    assert names == ("X", "Y")
    assert {type(name) for name in names} == {str}


def test_parts_of_another_type_are_refused_by_name():
    with pytest.raises(InvalidSurfaceError, match=r"name is 3; .*utility_map is 2.0; give a CostMap"):
        ResponseSurface(("A", "B"), VALUES, utility_map=2.0, name=3)


@pytest.mark.parametrize("fixed", [5, None, [("A", 1)], "A1"])
def test_a_subcube_needs_a_mapping(surface, fixed):
    with pytest.raises(InvalidSurfaceError, match="give a mapping from options to 0 or 1"):
        surface.restricted(fixed)


@pytest.mark.parametrize("setting", ["1", None, 2, -1, np.array([0, 1]), [1]])
def test_a_setting_is_0_or_1(surface, setting):
    with pytest.raises(InvalidSurfaceError, match="settings are 0 and 1"):
        surface.restricted({"A": setting})
    assert surface.restricted(pd.Series({"A": np.int64(1)})).utilities.tolist() == VALUES[2:]


@pytest.mark.parametrize("order", [5, None, b"BA", [1, 0], "AAB", "AA"])
def test_another_order_needs_the_same_names(surface, order):
    with pytest.raises(InvalidSurfaceError, match="not a permutation"):
        surface.reordered(order)
    assert surface.reordered(np.array(["B", "A"])).options == ("B", "A")


@pytest.mark.parametrize("path", [5, None, "00", b"00", [0, 1], [(0, 0), (0, 1)]])
def test_a_path_is_of_masks(surface, path):
    with pytest.raises(InvalidMaskError, match="mask"):
        surface.path_effects(path)
    assert surface.path_effects(pd.Series(["00", "01"])).tolist() == [0.25]


@pytest.mark.parametrize("read", [mask_strings, Equivalence.trivial])
@pytest.mark.parametrize("d", [True, 2.0, "2", None, [2], np.array([2]), -1, 100])
def test_a_number_of_options_is_a_number(read, d):
    with pytest.raises(InvalidMaskError, match="number of options is"):
        read(d)


def test_rows_of_bits_and_keys():
    with pytest.raises(InvalidMaskError, match="not rows of one length"):
        ranks_of([[1], [1, 0]])
    for masks in (None, "0000", b"00", 3):
        with pytest.raises(InvalidMaskError, match="give several"):
            mask_ranks(masks, 4)
    for keys in (None, 3, [[1], [2]]):
        with pytest.raises(InvalidMaskError, match="give one hashable key for each mask"):
            Equivalence.from_keys(keys)
    assert len(Equivalence.from_keys(iter("aabb"))) == 2


@pytest.mark.parametrize(
    "observed", ["00", b"00", [0, True], [False, True], np.ma.masked_array([0, 1], [0, 1]), Path("00")]
)
def test_observed_masks_in_other_forms_are_refused(surface, observed):
    with pytest.raises(InvalidMaskError, match="observed masks"):
        grade(surface, VALUES, observed)


def test_all_that_takes_a_surface_takes_it_with_labels_or_without(surface):
    labelled = exports.LabelledSurface(surface, "made_up", "mine", "", ("first", "second"))
    assert [len(table.rows) for table in exports.all_tables(surface)] == [
        len(table.rows) for table in exports.all_tables([labelled])
    ]
    assert exports.conditional_effects([surface]).rows == exports.conditional_effects(surface).rows
    assert plots.draw(surface, "main").axes[0].get_title() == plots.draw(labelled, "main").axes[0].get_title()


@pytest.mark.parametrize("thing", [VALUES, np.array(VALUES), None, "wine", 3, BY_MASK])
def test_what_is_no_surface_is_refused_by_name(thing):
    readers = [
        plots.draw,
        exports.labelled,
        option_signs,
        reversing_options,
        floor_of,
        lambda one: sign_split(one, "A"),
    ]
    readers += [exports.all_tables, exports.catalog_summary]
    for read in readers:
        with pytest.raises(InvalidSurfaceError, match=r"give a whatworked.ResponseSurface"):
            read(thing)


@pytest.mark.parametrize("kind", [3, None, ["main"], b"main", "pie"])
def test_kinds_and_formats_of_figures_are_names(surface, kind):
    with pytest.raises(InvalidOptionError, match="kind of figure is"):
        plots.draw(surface, kind)
    with pytest.raises(InvalidOptionError, match="figure format is"):
        plots.render(plots.draw(surface, "main"), kind)


def test_every_name_that_is_listed_is_built_by_name():
    for name in registry.built_in("estimator"):
        assert callable(controls.estimator(name).fit)
    for name in registry.built_in("policy"):
        assert callable(controls.policy(name).ask)
    for label, (estimator, policy) in registry.methods().items():
        assert (controls.method(label).estimator, controls.method(label).policy) == (estimator, policy)
    assert os.fspath(arguments.path(Path("x"), "out")) == "x"
