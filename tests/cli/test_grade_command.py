"""``whatworked grade``: what it prints is what `grade` computes, and all mistakes are reported at once."""

from __future__ import annotations

import io
import json
import math
import re

import numpy as np
import pytest
import surface_tables
from click.testing import CliRunner

from whatworked.cli import cli
from whatworked.errors import (
    InvalidArtifactError,
    InvalidMaskError,
    InvalidOptionError,
    StorageError,
    UnknownNameError,
    WhatWorkedError,
)
from whatworked.grading import grade
from whatworked.grading.grader import Grade
from whatworked.surfaces import CostMap, ResponseSurface, mask_strings

TRUTH = np.array([0.5, 0.25, 0.8, 0.4])
GUESS = [0.5, 0.5, 0.625, 0.0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    surfaces = [
        surface_tables.labelled("plain", TRUTH),
        surface_tables.labelled("costs", TRUTH, scale=2.0),
        surface_tables.labelled("flat", np.full(4, 0.5)),
        surface_tables.labelled("single", np.array([0.25, 0.5])),
    ]
    return surface_tables.write(tmp_path_factory.mktemp("references"), surfaces)


@pytest.fixture
def run(folder, tmp_path, monkeypatch):
    """Run the command on a table, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def grade_table(condition, content, *arguments, standard_input=""):
        text = content if isinstance(content, str | bytes) else json.dumps(content)
        (tmp_path / "mine.json").write_bytes(text.encode() if isinstance(text, str) else text)
        command = ["grade", condition, "mine.json", "--references", str(folder), *arguments]
        return CliRunner().invoke(cli, command, input=standard_input, catch_exceptions=False).output

    return grade_table


def table(values):
    return dict(zip(mask_strings(len(values).bit_length() - 1), values, strict=True))


def truth(scale=None):
    return ResponseSurface(("A", "B"), TRUTH, utility_map=None if scale is None else CostMap(scale))


def cells(text):
    """Value of every line of the first table, by name."""
    return dict(re.split(r"\s{2,}", line)[:2] for line in text.split("\n\n")[1].splitlines())


@pytest.mark.parametrize(("condition", "scale"), [("plain", None), ("costs", 2.0)])
@pytest.mark.parametrize(
    ("observed", "masks"), [("", []), ("01", ["01"]), ("11,01,01", ["01"]), ("00 01, 10,11", ["01", "10"])]
)
def test_json_is_the_grade_with_the_anchors_among_the_measured(run, condition, scale, observed, masks):
    content = json.loads(run(condition, table(GUESS), "--observed", observed, "--json"))
    assert content["observed_masks"] == sorted(["00", "11", *masks])
    assert content["native_unit"] == (None if scale is None else "s")
    assert Grade.from_dict(content["grade"]) == grade(truth(scale), GUESS, ["00", "11", *masks])


def test_every_quantity_is_printed(run):
    text, result = run("costs", table(GUESS), "--observed", "01"), grade(truth(2.0), GUESS, ["00", "01", "11"])
    printed, content = cells(text), result.to_dict()
    assert "3 of 4 masks measured, the anchors included: 00, 01, 11" in text
    elsewhere = {"delivered", "observed", "strict_profile", "near_optimal_vacuous"}  # said in words or another table
    assert {name.replace(" ", "_") for name in printed} == set(content) - elsewhere
    for name, shown in printed.items():
        value = content[name.replace(" ", "_")]
        if isinstance(value, bool):
            assert shown == ("yes" if value else "no"), name
        elif isinstance(value, float):
            assert float(shown) == pytest.approx(value, abs=6e-7, rel=1e-5), name
        else:
            assert shown == str(value), name
    profile = [line.split() for line in text.split("Strict by tolerance\n")[1].splitlines()[1:]]
    assert {share: said == "yes" for share, _, said in profile} == content["strict_profile"]
    assert [float(limit) for _, limit, _ in profile] == pytest.approx([0.55 * float(share) for share, _, _ in profile])


def test_what_is_undefined_is_a_dash(run):
    plain = cells(run("plain", table(GUESS), "--observed", "01,10"))
    for name in ("effect mae unobserved", "effect ratio unobserved", "grid mae unobserved", "native effect recovery"):
        assert plain[name] == "-", name
    assert cells(run("single", table([0.25, 0.5])))["interaction mae"] == "-"


def test_what_is_worth_a_remark_gets_one(run):
    assert "true of every choice here, since the whole range is below 0.02" in run("flat", table([0.5] * 4))
    unbounded = run("costs", table([0.5, 0.0, 0.8, 0.4]))
    assert "native unbounded                    1" in unbounded
    assert "E is undefined and R is 0" in unbounded


def test_a_small_error_is_not_printed_as_none(run):
    assert cells(run("plain", table([0.5, 0.25, 0.8, 0.4 + 1e-9])))["effect mae"] == "0.000000"
    assert cells(run("plain", table([0.5, 0.25 + 1e-9, 0.8, 0.4])))["effect mae"] == "5.0e-10"


@pytest.mark.parametrize("content", ["01\n10\n", "01, 10", '["01", "10"]', ' [\n"10", "01"]'])
def test_measured_masks_may_stand_in_a_file(run, tmp_path, content):
    (tmp_path / "measured").write_text(content)
    found = json.loads(run("plain", table(GUESS), "--observed", "measured", "--json"))
    assert found["observed_masks"] == ["00", "01", "10", "11"]


def test_standard_input_is_not_read(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = io.BytesIO(json.dumps(table(GUESS)).encode())
    command = ["grade", "plain", "-", "--observed", "-", "--references", str(folder)]
    with pytest.raises(WhatWorkedError, match=r"standard input is not read.*--observed is '-', neither masks"):
        CliRunner().invoke(cli, command, input=source, catch_exceptions=False)
    (tmp_path / "-").write_text(json.dumps(table(GUESS)))
    shown = CliRunner().invoke(cli, command[:3] + command[5:], input=source, catch_exceptions=False)
    assert (shown.exit_code, source.tell()) == (0, 0)


def test_all_offences_are_in_one_message(run):
    wrong = '{"00": 0.5, "00": 0.5, "01": true, "10": 7}'
    with pytest.raises(InvalidArtifactError) as caught:
        run("plain", wrong, "--observed", "012")
    for part in (
        "mine.json: prediction table refused",
        "1 duplicate mask (00)",
        "1 missing mask (11)",
        "not a number (01: true)",
        "outside [0, 1] (10: 7.0)",
        "--observed is '012', neither masks",
    ):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("content", "observed", "error", "message"),
    [
        (table(GUESS), "000,11", InvalidMaskError, "--observed: 1 of the masks .* not strings of 2 .*'000'"),
        (table(GUESS), "0a", InvalidMaskError, "--observed is '0a', neither masks"),
        (table(GUESS), "mine.json", InvalidMaskError, "--observed in mine.json: the text is JSON but not an array"),
        (b"\xef\xbb\xbf{}", "", InvalidArtifactError, "mine.json: .*begins with a byte order mark"),
        ("[0.5]", "", InvalidArtifactError, "JSON but not an object"),
        (" " * 3000, "", InvalidArtifactError, "mine.json has more than the 2048 bytes that 4 masks need at most"),
        (table(GUESS), "01," * 2000 + "x", InvalidMaskError, r"--observed is '01,01,.*…', neither masks"),
    ],
)
def test_mistakes_are_named(run, content, observed, error, message):
    with pytest.raises(error, match=message):
        run("plain", content, "--observed", observed)


@pytest.mark.parametrize(
    ("content", "message"),
    [("[", "measured: the text is not JSON"), ("[3]", "1 of the masks"), ("0\xff1", "in measured: 1 of the masks")],
)
def test_a_file_of_masks_may_be_wrong(run, tmp_path, content, message):
    (tmp_path / "measured").write_bytes(content.encode("latin-1"))
    with pytest.raises(InvalidMaskError, match=message):
        run("plain", table(GUESS), "--observed", "measured")


def test_a_missing_file_and_an_unknown_condition_are_named(folder, tmp_path):
    def failure(*arguments):
        with pytest.raises(WhatWorkedError) as caught:
            CliRunner().invoke(cli, ["grade", *arguments, "--references", str(folder)], catch_exceptions=False)
        return caught.value

    missing = failure("plain", str(tmp_path / "none.json"))
    assert isinstance(missing, StorageError)
    assert "none.json: No such file or directory; put it there or name another one" in str(missing)
    assert isinstance(failure("plaim", "none.json"), UnknownNameError)


def test_noise_adds_a_grade_that_counts_only_what_exceeds_it(run):
    quiet = json.loads(run("plain", table(GUESS), "--json"))
    noisy = json.loads(run("plain", table(GUESS), "--json", "--noise", "0.05"))
    above = noisy.pop("above_noise")
    assert noisy == quiet
    # The anchors are measured, so the predicted cells are 0.5, 0.5, 0.625, 0.4: each of the four effects has one error.
    floor = 1.6448536269514722 * math.sqrt(2) * 0.05
    error = 2 * (0.25 - floor) + 2 * (0.175 - floor)
    size = sum(effect - floor for effect in (0.25, 0.4, 0.3, 0.15))
    assert above["floor"] == pytest.approx(floor)
    assert above["effects"] == 4
    assert above["effect_recovery"] == pytest.approx(max(0.0, 1 - error / size))
    text = run("plain", table(GUESS), "--noise", "0.05")
    assert "Above the floor that noise of 0.05 sets" in text
    with pytest.raises(InvalidOptionError, match=r"sd is -1; give a standard deviation of 0 or more"):
        run("plain", table(GUESS), "--noise", "-1")
