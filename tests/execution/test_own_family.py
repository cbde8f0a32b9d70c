"""A family and a source declared outside the package work in every command of the executor."""

from __future__ import annotations

import hashlib
import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toy_family
from command_line import Ended, run_apart, run_here
from toy_family import WORKFLOW, Shelf

from whatworked.declaration import PreparedInput

MANIFEST = """
schema = 1
id = "box"
title = "A box"
family = "toys"
tracks = ["four", "paired"]
licence = "CC0-1.0"
attribution = "Me"
citation = "Me (2026)."
homepage = "https://example.org/box"

[preparation]
kind = "arrays"
facts = {facts}

[expected]
digest = "{digest}"
shapes = {{}}

[[forms]]
name = "arrays"
reader = {{ kind = "arrays" }}

[[forms.files]]
name = "box.npz"
sha256 = "{sha256}"
shipped = true
"""


def declare(folder: Path, facts: dict[str, Any]) -> None:
    """Write the manifest and the raw file of a source of the toy family."""
    arrays = dict(Shelf()("box").arrays)
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    raw = folder / "raw" / "box"
    raw.mkdir(parents=True)
    (raw / "box.npz").write_bytes(stream.getvalue())
    toml = "{ " + ", ".join(f"{name} = {json.dumps(value)}" for name, value in facts.items()) + " }"
    digest = PreparedInput("box", "toys", arrays, facts).digest
    sha256 = hashlib.sha256(stream.getvalue()).hexdigest()
    (folder / "box.toml").write_text(MANIFEST.format(facts=toml, digest=digest, sha256=sha256))


def environment(folder: Path, module: str, path: Path) -> dict[str, str]:
    return {
        "WHATWORKED_MANIFESTS": str(folder / "manifests"),
        "WHATWORKED_FAMILIES": f"toys={module}:WORKFLOW",
        "WHATWORKED_CACHE": str(folder / "cache"),
        "PYTHONPATH": str(path),
    }


HERE = Path(__file__).parent


def whatworked(folder: Path, *arguments: str, module: str = "toy_family", path: Path = HERE) -> Ended:
    """Run a command in this process, with the family in a module of a folder on the path."""
    return run_here(*arguments, **environment(folder, module, path))


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "manifests").mkdir()
    return tmp_path


def test_it_is_rebuilt_verified_listed_and_shown(own: Path) -> None:
    declare(own / "manifests", {})
    out = str(own / "out")
    built = whatworked(own, "rebuild", "--family", "toys", "--jobs", "1", "--out", out)
    assert built.returncode == 0, built.stderr
    assert "2 conditions: 2 built, 0 unchanged, 0 skipped, 0 failed; 80 records" in built.stdout
    how = ("--sample", "0.1", "--cold", "--jobs", "1")
    checked = whatworked(own, "verify", "--family", "toys", "--references", out, *how)
    assert "9 records of 2 conditions: 9 identical" in checked.stdout
    listed = json.loads(whatworked(own, "list", "--family", "toys", "--references", out, "--json").stdout)
    assert [one["records"] for one in listed] == [16, 64]
    shown = whatworked(own, "show", "box__d6", "--references", out).stdout
    assert "toys on A box (box)" in shown
    assert f"{len(WORKFLOW.equivalence())} distinct programs" in shown
    unbuilt = whatworked(own, "show", "box").stdout
    assert "; make it with `whatworked rebuild box --out DIR`, then give --references DIR" in unbuilt
    assert "MAE in cm; utility is 1 / (1 + MAE / a scale of the source)" in unbuilt


def test_failing_configurations_are_reported_and_the_exit_code_is_1(own: Path) -> None:
    declare(own / "manifests", {"fails": [True, False]})
    done = whatworked(own, "rebuild", "box", "--jobs", "1", "--out", str(own / "out"))
    assert done.returncode == 1
    why = "ValueError: this setting cannot be mixed (4)"
    assert f"- box: 4 of 16 failed: 0010, 0110, 1010, 1110; {why}" in done.stdout
    assert "the package's" not in done.stdout
    assert f"Tracebacks are in {own / 'out' / 'failures.log'}" in done.stdout
    assert "ValueError: this setting cannot be mixed" in (own / "out" / "failures.log").read_text()


SHIFTS = 'return data.arrays["x"] + by'
FAILS = 'raise ValueError("this setting cannot be mixed")'


def rebuilt_with(own: Path, out: str, **edits: str) -> str:
    """What a rebuild tells after `edits` of the stages of the toy family (text of SHIFTS, of FAILS)."""
    text = Path(toy_family.__file__).read_text(encoding="utf-8")
    for name, before in (("shifts", SHIFTS), ("fails", FAILS)):
        assert text.count(before) == 1
        text = text.replace(before, edits.get(name, before))
    (own / "edited_toys.py").write_text(text, encoding="utf-8")
    # A module is edited between runs, and each run reads it anew.
    arguments = ("rebuild", "box", "--jobs", "1", "--out", str(own / out))
    done = run_apart(*arguments, **environment(own, "edited_toys", own))
    assert done.stderr == ""
    return done.stdout


def test_an_edited_stage_is_run_again(own: Path) -> None:
    declare(own / "manifests", {})
    assert "1 built, 0 unchanged" in rebuilt_with(own, "out")
    before = (own / "out" / "box.tsv").read_bytes()
    assert "0 built, 1 unchanged" in rebuilt_with(own, "out")
    assert "1 built, 0 unchanged" in rebuilt_with(own, "out", shifts=f"{SHIFTS} + by")
    assert (own / "out" / "box.tsv").read_bytes() != before
    assert "0 built, 1 unchanged" in rebuilt_with(own, "out", shifts=f"{SHIFTS} + by")


def test_what_ran_before_an_edit_is_not_taken_over(own: Path) -> None:
    declare(own / "manifests", {"fails": [True, False]})
    assert "4 of 16 failed" in rebuilt_with(own, "out", shifts=f"{SHIFTS} - by - by")
    assert (own / "out" / ".rebuild.journal").exists()
    assert "1 built" in rebuilt_with(own, "out", fails="pass")
    assert "1 built" in rebuilt_with(own, "fresh", fails="pass")
    assert (own / "out" / "box.tsv").read_bytes() == (own / "fresh" / "box.tsv").read_bytes()


FIVE = """
from dataclasses import replace
from toy_family import Option, Stage, WORKFLOW as SIX

WORKFLOW = replace(
    SIX,
    options=SIX.options[:5],
    stages=(Stage("shift", SIX.stages[0].run, "A", lambda on: 0.5 if on["A"] else 0.0), *SIX.stages[1:]),
)
"""
MISFIT = (
    "box__d6: family toys declares 5 options, the manifest's track needs 6: "
    'use tracks = ["own"] and options = 5 in the manifest, or declare six options'
)


def test_a_condition_with_more_options_than_its_family_fails_alone_and_says_why(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(own / "manifests", {})
    (own / "five_toys.py").write_text(FIVE, encoding="utf-8")
    path = Path(f"{own}{os.pathsep}{HERE}")
    monkeypatch.syspath_prepend(own)

    def run(*arguments: str) -> Ended:
        return whatworked(own, *arguments, module="five_toys", path=path)

    out = str(own / "out")
    built = run("rebuild", "box", "box__d6", "nile", "--jobs", "1", "--out", out)
    assert (built.returncode, built.stderr) == (1, "")
    assert "3 conditions: 1 built, 0 unchanged, 0 skipped, 2 failed; 16 records" in built.stdout
    assert f"- {MISFIT}" in built.stdout
    assert "- box: family toys declares 5 options, the manifest's track needs 4 or 6" in built.stdout
    listed = run("list", "--family", "toys", "--references", out)
    assert listed.stdout.splitlines()[-1] == f"- {MISFIT}"
    for command in ("show", "effects"):
        refused = run(command, "box__d6", "--references", out)
        assert (refused.returncode, refused.stderr) == (2, f"error: {MISFIT}\n")

    # A table made when the family had six options.
    assert whatworked(own, "rebuild", "box__d6", "--jobs", "1", "--out", out).returncode == 0
    checked = run("verify", "box", "box__d6", "--jobs", "1", "--references", out)
    assert checked.returncode == 1
    assert "No record was checked." in checked.stdout
    assert f"- box__d6 not checked{MISFIT.removeprefix('box__d6')}" in checked.stdout


def test_a_family_that_is_not_declared_fails_its_conditions_alone(own: Path) -> None:
    declare(own / "manifests", {})
    arguments = ("rebuild", "box", "nile", "--jobs", "1", "--out", str(own / "out"))
    built = whatworked(own, *arguments, module="no_such_module")
    assert (built.returncode, built.stderr) == (1, "")
    assert "2 conditions: 1 built, 0 unchanged, 0 skipped, 1 failed" in built.stdout
    assert "- box: workflow 'no_such_module:WORKFLOW' cannot be loaded" in built.stdout
