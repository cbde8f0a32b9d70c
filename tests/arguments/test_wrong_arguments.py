"""Whatever stands in place of an argument, the answer is right or an error by name, never one from inside."""

from __future__ import annotations

import datetime
from enum import Enum
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from whatworked import (
    ResponseSurface,
    bench,
    grading,
    leaderboard,
    plots,
    report,
    runs,
    sources,
    statistics,
    surfaces,
)
from whatworked.arguments import names, path, text
from whatworked.comparing import collect_runs, compare_methods, standings, uncompared
from whatworked.controls import DesignPolicy, KrigingPolicy, RidgeEstimator, estimator, policy, ridge_design
from whatworked.environments.protocol import Call
from whatworked.episodes.admission import admitted
from whatworked.errors import WhatWorkedError, nearest
from whatworked.sources import Library
from whatworked.statistics import Measurement
from whatworked.storage.files import user_path


class Unshowable:
    def __repr__(self):
        raise ValueError("no")


def wrong_values(surface):
    """Of every kind; anew each time, for some can be used up."""
    singles = [
        None,
        True,
        3,
        -1,
        10**30,
        2.5,
        float("nan"),
        "",
        "x",
        "\0",
        "a" * 5000,
        b"wine",
        1j,
        object(),
        Unshowable,
    ]
    arrays = [np.array(3), np.array([1, 2]), np.full(4, np.nan), np.array(["x"] * 4), np.array([["a"]]), np.ma.masked]
    several = [[], {}, {"a": 1}, [None], ["wine", 3], {"wine"}, (1,), iter([1]), range(3), [[0.25, 0.5], [0.75, 1.0]]]
    tables = [pd.Series([1.0, 2.0]), pd.DataFrame({"a": [1.0]}), pd.NA, pd.Timestamp(0)]
    others = [Path("/nope"), lambda x: x, surface, datetime.date(2020, 1, 1)]
    return [*singles, *arrays, *several, *tables, *others]


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """By name, a function and arguments that it takes."""
    folder = tmp_path_factory.mktemp("run")
    run = bench("mean", "design-main", [0, 1], folder / "run", "wine")
    collected = collect_runs(run)
    surface = ResponseSurface(("A", "B"), [0.25, 0.5, 0.75, 1.0])
    rows = [Measurement("f", "s", 0.5), Measurement("f", "t", 0.7)]
    table = {"00": 0.25, "01": 0.5, "10": 0.75, "11": 1.0}
    values, resampled = [0.1, 0.2, 0.3, 0.4], {"confidence": 0.9, "resamples": 3, "seed": 0}
    packed = leaderboard.pack(run, "x")
    few = ("confidence", "resamples")
    paged = {"runs": collected, "title": None, "baseline": None, **{name: resampled[name] for name in few}}
    classes = surfaces.Equivalence(np.array([0, 1, 1, 3]))
    return {
        "grade": (grading.grade, {"truth": surface, "prediction": table, "observed": ["00", "11"]}),
        "grade_many": (grading.grade_many, {"truth": surface, "predictions": [table], "observed": [["00", "11"]]}),
        "read_artifact": (grading.read_artifact, {"artifact": table, "d": 2}),
        "score_named": (grading.score_named, {"name": "recovery"}),
        "ResponseSurface": (
            ResponseSurface,
            {"options": ("A", "B"), "utilities": values, "name": "", "native_unit": ""},
        ),
        "draw": (plots.draw, {"surface": surface, "kind": "main"}),
        "render": (plots.render, {"figure": plots.draw(surface, "main"), "form": "svg"}),
        "collect_runs": (collect_runs, {"runs": run}),
        "narrowed": (collected.narrowed, {"tracks": (), "budgets": (), "methods": ()}),
        "compare_methods": (
            compare_methods,
            {"runs": collected, "baseline": None, **resampled, "methods": (), "score": "recovery"},
        ),
        "standings": (standings, {"rows": run.rows(), "score": "recovery"}),
        "uncompared": (
            uncompared,
            {"runs": collected, "results": compare_methods(collected, resamples=3), "baseline": None},
        ),
        "report_page": (report.report_page, paged),
        "board_of": (leaderboard.board_of, {"folder": folder}),
        "recorded_board": (leaderboard.recorded_board, {"score": grading.PRIMARY}),
        "pack": (leaderboard.pack, {"run": run, "name": "x", "note": ""}),
        "unpack": (leaderboard.unpack, {"data": packed, "where": "file"}),
        "verified": (leaderboard.verified, {"submission": leaderboard.unpack(packed, "file")}),
        "read_run": (runs.read_run, {"folder": folder / "run"}),
        "Library": (sources.Library, {"cache": None, "mirror": None}),
        "prepared": (lambda source: sources.Library(folder).prepared(source), {"source": "yacht"}),
        "estimator": (estimator, {"name": "gp", "equivalence": None}),
        "policy": (policy, {"name": "random", "random_state": 0}),
        "ridge_design": (ridge_design, {"d": 3, "degree": 1, "budget": 2, "equivalence": None}),
        "DesignPolicy": (DesignPolicy, {"degree": 2}),
        "KrigingPolicy": (KrigingPolicy, {"target": "effect"}),
        "fit": (
            lambda masks, utilities: RidgeEstimator(1).fit(masks, utilities),
            {"masks": [[0], [1]], "utilities": [0, 1]},
        ),
        "predict": (RidgeEstimator(1).fit([[0], [1]], [0, 1]).predict, {"masks": [[0], [1]]}),
        "bits_of": (surfaces.bits_of, {"ranks": [1, 2], "d": 2}),
        "mask_rank": (surfaces.mask_rank, {"mask": "01", "d": 2}),
        "mask_ranks": (surfaces.mask_ranks, {"masks": ["01"], "d": 2}),
        "any_mask_rank": (surfaces.any_mask_rank, {"mask": "01", "d": 2}),
        "mask_string": (surfaces.mask_string, {"rank": 1, "d": 2}),
        "Equivalence": (surfaces.Equivalence, {"representative": [0, 1, 1, 3]}),
        "inactive_rules": (surfaces.inactive_rules, {"equivalence": classes}),
        "option_signs": (surfaces.option_signs, {"surface": surface, "floor": 0.1}),
        "sign_split": (surfaces.sign_split, {"surface": surface, "option": "A", "floor": 0.1}),
        "difference_interval": (statistics.difference_interval, {"left": rows, "right": rows, **resampled}),
        "macro_interval": (statistics.macro_interval, {"rows": rows, **resampled}),
        "summarize": (statistics.summarize, {"rows": rows}),
        "value": (lambda value: statistics.macro_mean([Measurement("f", "s", value)]), {"value": 0.5}),
    }


def test_every_argument_is_taken_or_refused_by_name(calls):
    escaped = []
    surface = calls["option_signs"][1]["surface"]
    for name, (function, arguments) in calls.items():
        function(**arguments)
        for argument in arguments:
            for value in wrong_values(surface):
                try:
                    function(**{**arguments, argument: value})
                except WhatWorkedError as error:
                    assert str(error), (name, argument)  # noqa: PT017 - what is raised differs
                except Exception as error:
                    escaped.append((name, argument, type(value).__name__, f"{type(error).__name__}: {error}"[:80]))
    assert not escaped, "\n".join(map(str, escaped))


def test_what_can_be_meant_is_taken(calls):
    (_, arguments) = calls["compare_methods"]
    collected = arguments["runs"]
    plain = compare_methods(collected, resamples=3)
    folder = collected.runs[0].name
    for given in (collected.runs[0], folder, Path(folder), [folder], iter([Path(folder)]), collected.runs):
        assert compare_methods(given, resamples=np.int64(3), confidence=np.float64(0.95)) == plain
    method = collected.rows[0].method
    assert collected.narrowed(methods=method) == collected.narrowed(methods=[method]) == collected
    assert len(collected.narrowed(budgets=np.int64(1)).rows) == 1
    assert report.report_page(folder, resamples=3) == report.report_page(collected, resamples=3)


class Unspeakable:
    """Its representation raises an error, which must not take the place of the one about the argument."""

    def __repr__(self):
        raise ZeroDivisionError


@pytest.mark.parametrize(
    "call",
    [
        lambda value: surfaces.CostMap(value),
        lambda value: surfaces.mask_rank("2", value),
        lambda value: surfaces.ResponseSurface(value, [0.0, 1.0]),
        lambda value: surfaces.ResponseSurface(("A",), [0.0, 1.0], name=value),
        lambda value: surfaces.ResponseSurface(("A",), [0.0, 1.0], utility_map=value),
        lambda value: Library(offline=True).prepared("wine", again=value),
        lambda value: Library(offline=True).prepared("wine", again=np.array([True, False])),
    ],
)
def test_what_cannot_be_shown_is_still_refused_by_name(call):
    with pytest.raises(WhatWorkedError):
        call(Unspeakable())


class Spiteful(str):
    """A text whose class refuses to say it; its characters are there."""

    __slots__ = ()

    def __str__(self):
        raise ZeroDivisionError

    __repr__ = __str__

    def __format__(self, form):
        raise ZeroDivisionError


class Source(str, Enum):  # noqa: UP042 - StrEnum says its value
    """Names as many programs hold them: ``str()`` gives ``Source.WINE``."""

    WINE = "wine"


@pytest.mark.parametrize(("given", "meant"), [(Spiteful("wine"), "wine"), (Source.WINE, "wine"), (np.str_("a"), "a")])
def test_a_text_is_its_characters_whatever_its_class_says(given, meant):
    taken = (
        text(given, "text"),
        *names(given, "names"),
        *names([given], "names"),
        str(path(given, "path")),
        str(user_path(given)),
        *nearest(given, [meant]),
        admitted(Call(tool=given, arguments={given: given})).call.tool,
        admitted(Call(tool="look", arguments={}, call_id=given)).call.call_id,
        *admitted(Call(tool="look", arguments={given: given})).call.arguments.values(),
    )
    assert taken == (meant,) * 9
    assert {type(value) for value in taken} == {str}


def test_a_call_whose_objects_fail_when_they_are_written_down_is_refused():
    class Failing(dict):
        def items(self):
            raise ZeroDivisionError

    for given in (Failing(a=1), {"deep": [Failing(a=1)]}):
        admission = admitted(Call(tool="look", arguments=given))
        assert admission.refusal.code == "bad_json"
        assert "writing a value down fails with ZeroDivisionError" in admission.refusal.message
        assert admission.call.arguments["bytes"] > 0
