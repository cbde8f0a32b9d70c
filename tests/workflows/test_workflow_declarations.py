"""What follows from a declaration: settings, classes, keys; and what a declaration may not say."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whatworked import workflows
from whatworked.declaration import Metric, PredictionForm, Workflow, values_fingerprint
from whatworked.declaration.text import deciding_text
from whatworked.declaration.workflow import Option, Stage
from whatworked.errors import DeclarationError, InvalidMaskError
from whatworked.surfaces import bits_of, mask_strings

CLASSES = {
    "classification": 64,
    "regression": 36,
    "clustering": 48,
    "forecasting": 64,
    "restoration": 36,
    "retrieval": 48,
    "beat_detection": 64,
    "link_prediction": 63,
}
INACTIVE: dict[str, dict[int, Callable[[str], bool]]] = {
    "regression": {4: lambda mask: mask[2] == "0", 5: lambda mask: mask[1] == "0"},
    "clustering": {4: lambda mask: mask[2] == "0"},
    "restoration": {4: lambda mask: mask[1] == "0", 5: lambda mask: mask[0] == "0"},
    "retrieval": {2: lambda mask: mask[4] == "1"},
    "link_prediction": {5: lambda mask: mask[:5] == "00000"},
}
"""When an option (by position) has no effect, in the words of the specification."""

families = st.sampled_from(sorted(CLASSES))
masks = st.sampled_from(mask_strings(6))


@pytest.mark.parametrize(("family", "count"), CLASSES.items())
def test_number_of_classes(family: str, count: int) -> None:
    equivalence = workflows.get(family).equivalence()
    assert len(equivalence) == count
    assert len(workflows.get(family).equivalence(4)) == 16


@pytest.mark.parametrize("family", CLASSES)
def test_representatives_have_inactive_options_off(family: str) -> None:
    equivalence = workflows.get(family).equivalence()
    for rank, mask in enumerate(mask_strings(6)):
        inactive = [option for option, applies in INACTIVE.get(family, {}).items() if applies(mask)]
        expected = "".join("0" if option in inactive else bit for option, bit in enumerate(mask))
        assert equivalence.representative[rank] == int(expected, 2)


@given(families, masks, masks)
def test_equal_settings_are_equal_keys_of_the_last_stage(family: str, one: str, other: str) -> None:
    workflow = workflows.get(family)
    same = workflow.settings(one) == workflow.settings(other)
    assert (workflow.stage_keys(one)[-1] == workflow.stage_keys(other)[-1]) == same


@given(families, masks, masks)
def test_a_setting_depends_only_on_the_options_read(family: str, one: str, other: str) -> None:
    workflow = workflows.get(family)
    for stage, mine, theirs in zip(workflow.stages, workflow.settings(one), workflow.settings(other), strict=True):
        if all(one["ABCDEF".index(letter)] == other["ABCDEF".index(letter)] for letter in stage.reads):
            assert mine == theirs


@given(families, st.sampled_from(mask_strings(4)))
def test_the_four_option_track_is_a_subcube(family: str, mask: str) -> None:
    workflow = workflows.get(family)
    restricted = workflow.restricted(4)
    assert restricted.d == 4
    assert restricted.settings(mask) == workflow.settings(mask + "00")
    assert restricted.stage_keys(mask) == workflow.stage_keys(mask + "00")
    assert restricted.restricted(6).options == workflow.options


@given(families, masks)
def test_masks_may_be_strings_or_bits(family: str, mask: str) -> None:
    workflow = workflows.get(family)
    assert workflow.settings(mask) == workflow.settings(bits_of([int(mask, 2)], 6)[0])
    hash(workflow.settings(mask))


@pytest.mark.parametrize("mask", ["01010", "0101012", "01010x", "", [0, 1, 2, 0, 0, 0]])
def test_illegal_masks_are_refused(mask: object) -> None:
    with pytest.raises(InvalidMaskError, match="mask"):
        workflows.get("regression").settings(mask)  # type: ignore[arg-type]


@pytest.mark.parametrize("d", [0, 7])
def test_impossible_restrictions_are_refused(d: int) -> None:
    with pytest.raises(InvalidMaskError, match="6 options"):
        workflows.get("regression").restricted(d)


def step(data: object, setting: object, *inputs: object) -> float:
    return 0.0


OPTIONS = (Option("A", "a", "off", "on"), Option("B", "b", "off", "on"))
GOOD = Workflow(
    family="toy",
    summary="",
    options=OPTIONS,
    stages=(Stage("first", step, "A"), Stage("second", step, "B")),
    metric=Metric("m", step, step),
    form=PredictionForm("a number", values_fingerprint),
)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"options": OPTIONS[::-1]}, "must be A, B, C"),
        ({"stages": ()}, "no stages"),
        ({"stages": (Stage("first", step, "AB"), Stage("first", step))}, "two stages are called 'first'"),
        ({"stages": (Stage("first", step, "A"),)}, "no stage reads option B"),
        ({"stages": (Stage("first", step, "ABC"),)}, "reads C, which is not an option"),
        ({"stages": (Stage("first", step, "AB", needs=("later",)),)}, "needs later, which is not an earlier stage"),
        ({"stages": (Stage("first", step, "AB"), Stage("last", step, "", lambda on: 1))}, "reads no option"),
        ({"stages": (Stage("first", step, "B", lambda on: on["A"]), Stage("last", step, "AB"))}, "looks at 'A'"),
        ({"stages": (Stage("first", step, "AB", lambda on: on["A"] and []),)}, "cannot be hashed"),
    ],
)
def test_contradictions_are_named(changes: dict[str, object], message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        replace(GOOD, **changes)


def test_all_contradictions_are_named_at_once() -> None:
    with pytest.raises(DeclarationError, match=r"reads C.*two stages.*no stage reads option A, B"):
        replace(GOOD, stages=(Stage("first", step, "C"), Stage("first", step, needs=())))


def test_default_settings_are_the_switches() -> None:
    workflow = replace(GOOD, stages=(Stage("none", step), Stage("one", step, "B"), Stage("both", step, "AB")))
    assert workflow.settings("01") == (None, True, (False, True))
    assert [key[1] for key in workflow.stage_keys("01")] == [(None,), (None, True), (None, True, (False, True))]


def test_facts_and_code_come_from_the_declaration() -> None:
    workflow = workflows.get("link_prediction")
    facts = workflow.restricted(4).describe()
    assert [option["letter"] for option in facts["options"]] == ["A", "B", "C", "D"]
    assert facts["stages"][1] == {"name": "common_neighbours", "reads": "A", "needs": ["observe"]}
    assert workflow.code().count("def column(") == 1
    assert "class ExampleThatIsNotThere" not in workflow.code()


HELPERS = {
    "classification": ["tabular"],
    "clustering": ["tabular"],
    "retrieval": ["ngrams"],
    "beat_detection": ["events"],
}


def headings(workflow: Workflow) -> list[str]:
    """Names of the modules that a workflow's code shows, in order."""
    return re.findall(r"^# (\S+)$", workflow.code(), re.MULTILINE)


@pytest.mark.parametrize("family", sorted(CLASSES))
def test_code_shows_the_helpers_that_a_family_imports_each_under_its_name(family: str) -> None:
    workflow = workflows.get(family)
    shown = [f"whatworked.workflows.{name}" for name in [family, *HELPERS.get(family, [])]]
    assert headings(workflow) == headings(workflow.restricted(4)) == headings(workflow.checked()) == shown
    for name in shown:
        assert workflow.code().count(inspect.getsource(importlib.import_module(name))) == 1


PACKAGE = {
    "__init__": "",
    "family": """
        import outside_helpers.far
        from . import near
        from outside_helpers.second import again

        def stage(data, setting):
            from .late import helper
            return helper() + near.value
        """,
    "near": """
        from .deep.inner import thing
        value = 1.0
        def around():
            from .family import stage
        """,
    "deep/__init__": "",
    "deep/inner": "from .. import deepest\nfrom ..deepest import no_module as thing\n",
    "deepest": "import json\nno_module = 2.0\n",
    "far": "import numpy\n",
    "late": "import nowhere_at_all\n",
    "second": """
        from outside_helpers import only_second

        def again(data, prediction):
            return 0.0
        """,
    "only_second": "only = 1\n",
    "unused": "value = 1\n",
}


def test_helpers_of_a_family_from_outside_are_found_however_they_are_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in PACKAGE.items():
        path = tmp_path / "outside_helpers" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(str(tmp_path))
    family = importlib.import_module("outside_helpers.family")
    metric = Metric("m", step, family.again)
    workflow = replace(GOOD, stages=(Stage("stage", family.stage, "AB"),), metric=metric)
    found = ["family", "deep.inner", "deepest", "far", "late", "near"]
    assert headings(workflow) == [f"outside_helpers.{name}" for name in found]
    scored = replace(workflow, metric=replace(metric, native=family.again))
    assert headings(scored) == [f"outside_helpers.{name}" for name in [*found, "only_second", "second"]]


def test_all_text_that_decides_a_table_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {
        "stages_apart": "def stage(data, setting):\n    return 0.0\n",
        "settings_apart": "def choose(on):\n    return on['A']\n",
        "metric_apart": "def native(data, prediction):\n    return 0.0\n",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    stages, chosen, scored = map(importlib.import_module, ("stages_apart", "settings_apart", "metric_apart"))
    workflow = replace(
        GOOD,
        stages=(Stage("stage", stages.stage, "AB", chosen.choose),),
        metric=Metric("m", scored.native, step),
    )
    assert headings(workflow) == ["stages_apart"]
    before = deciding_text(workflow)
    for name in ("def stage(", "def choose(", "def native(", "def values_fingerprint("):
        assert before.count(name) == 1
    # Even one that cannot be read is told apart from what it was.
    (tmp_path / "settings_apart.py").write_text("def choose(on:\n")
    assert deciding_text(workflow) != before


def test_code_is_shown_though_a_helper_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half_written").mkdir()
    for name, text in {
        "__init__": "",
        "family": "def stage(data, setting):\n    from . import later\n",
        "later": "from . import (\n",
    }.items():
        (tmp_path / "half_written" / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    family = importlib.import_module("half_written.family")
    workflow = replace(GOOD, stages=(Stage("stage", family.stage, "AB"),))
    assert headings(workflow) == ["half_written.family", "half_written.later"]


def test_code_without_a_source_file_says_so() -> None:
    scope: dict[str, object] = {"__name__": "nowhere"}
    exec("def made(data, setting):\n    return 0.0", scope)
    workflow = replace(GOOD, stages=(Stage("made", scope["made"], "AB"),))  # type: ignore[arg-type]
    assert "not available" in workflow.code()
