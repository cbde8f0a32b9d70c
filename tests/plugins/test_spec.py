"""The text by which a plug-in is named."""

from __future__ import annotations

import pytest

from whatworked.errors import PluginError
from whatworked.plugins import parse_spec


@pytest.mark.parametrize(
    ("text", "label", "container", "attribute", "arguments"),
    [
        ("gp-effect", "gp-effect", "", "gp-effect", {}),
        ("gp-effect(nugget=0.1)", "gp-effect(nugget=0.1)", "", "gp-effect", {"nugget": 0.1}),
        (" sklearn.svm:SVR ", "SVR", "sklearn.svm", "SVR", {}),
        ("svr=sklearn.svm:SVR(C=2.0, kernel='rbf')", "svr", "sklearn.svm", "SVR", {"C": 2.0, "kernel": "rbf"}),
        ("./a b/mine.py:Mine(x=-1)", "Mine(x=-1)", "./a b/mine.py", "Mine", {"x": -1}),
        ("/abs/mine.py:outer.Inner", "outer.Inner", "/abs/mine.py", "outer.Inner", {}),
        ("pkg.mod:make(x=(1, [2]), y=None)", "make(x=(1, [2]), y=None)", "pkg.mod", "make", {"x": (1, [2]), "y": None}),
        ("name()", "name", "", "name", {}),
    ],
)
def test_reads_label_target_and_arguments(text, label, container, attribute, arguments):
    spec = parse_spec(text)
    assert (spec.label, spec.container, spec.attribute, dict(spec.arguments)) == (
        label,
        container,
        attribute,
        arguments,
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name(x=1, x=2)", "argument x .* is given twice"),
        ("name(x={[]: 1})", "argument x .* is not a literal"),
        (f"name(x={'-' * 9000}1)", "cannot read the arguments|is not a literal"),
        ("./a\udcff.py:Mine", "has a character that UTF-8 lacks; rename its file"),
    ],
)
def test_what_python_cannot_take_as_arguments_or_a_file_cannot_hold_is_refused(text, words):
    with pytest.raises(PluginError, match=words):
        parse_spec(text)


def test_knows_files_from_modules():
    assert parse_spec("./mine.py:Mine").is_file
    assert parse_spec("folder/mine.py:Mine").is_file
    assert not parse_spec("sklearn.svm:SVR").is_file
    assert not parse_spec("gp").is_file


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        ":Mine",
        "module:",
        "mod:Name(1)",
        "mod:Name(**x)",
        "mod:Name(x=y)",
        "mod:Name(x=print(1))",
        "mod:Name(x=1",
        "mod:Name(x=)",
        "mod:Name(x=1)(y=2)",
        "a=b=c",
        "mod:Na me",
    ],
)
def test_refuses_other_shapes_and_shows_the_text(text):
    with pytest.raises(PluginError) as caught:
        parse_spec(text)
    assert repr(text) in str(caught.value)


def test_arguments_are_never_evaluated(tmp_path):
    target = tmp_path / "made"
    with pytest.raises(PluginError, match="not a literal"):
        parse_spec(f"mod:Name(x=open({str(target)!r}, 'w'))")
    assert not target.exists()
