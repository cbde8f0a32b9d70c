"""Generated instances: the constraints and their statistics, the same everywhere, private with a salt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import run_here
from drift_worlds import FIGURE, figure
from slow_sample import slow_but

from whatworked.environments.drift.answer_space import answer_space, set_finding
from whatworked.environments.drift.checking import canonical_file, instance_digest, parse_instance
from whatworked.environments.drift.constraints import findings
from whatworked.environments.drift.drawing import Family
from whatworked.environments.drift.examining import examine
from whatworked.environments.drift.generation import generate, generate_set
from whatworked.environments.drift.order import passes
from whatworked.environments.drift.prologue import REEL, figures_of_reel, share_table
from whatworked.environments.drift.sets import read_salt, retirement_reason
from whatworked.errors import InvalidOptionError

DIGESTS = {
    ("paper", "evaluation", 0): "f85637ef4a7bd0dc",
    ("paper", "reserved", 0): "90aa22063d6d5c8c",
    ("wide", "evaluation", 0): "d2a675da9beef57d",
}
"""Of some public instances: these must not change, or published results would speak of others."""


@pytest.mark.parametrize(("family", "ensemble", "number"), DIGESTS)
def test_public_instances_stay_what_they_are(family: Family, ensemble: str, number: int) -> None:
    assert instance_digest(generate(ensemble, number, family=family))[:16] == DIGESTS[family, ensemble, number]


@pytest.mark.parametrize("number", slow_but(range(120), ("0", "60")))
@pytest.mark.parametrize("family", ["paper", "wide"])
def test_every_constraint_holds_and_the_reel_is_exact(family: Family, number: int) -> None:
    instance = generate("reserved", number, family=family)
    assert [finding for finding in examine(instance) if not finding.holds] == []
    assert parse_instance(canonical_file(instance)).file.answer == instance.file.answer
    shown = figures_of_reel(passes(instance, REEL), passes(instance))
    assert share_table(instance) == shown


def failing(**changes: Any) -> set[str]:
    return {finding.constraint for finding in findings(figure(**changes)) if not finding.holds}


@pytest.mark.parametrize(
    ("constraint", "changes"),
    [
        ("G3", {"stall": "grazer-a1"}),
        ("G4", {"transforms": {"grazer-a1": [1, 0, 1, 5]}, "states": [[[0, 0, 0, 0], 1]], "backlog": {}}),
        ("G5", {"w": "retool"}),
        ("G8", {"order": {"tick": 7, "beacon": "beacon-c2"}}),
        ("G9", {"bases": {"feeder-3": 60}}),
    ],
)
def test_a_constraint_can_fail(constraint: str, changes: dict[str, Any]) -> None:
    """The worked instance fails G1, G2 and G7 by itself, and each change another one."""
    assert failing() == {"G1", "G2", "G7"}
    content = json.loads(FIGURE.read_text())
    if changes.get("stall") == "grazer-a1":
        changes = {"labels": content["labels"] | {"feeder-1": content["labels"]["grazer-a2"]}}
    if changes.get("w") == "retool":
        changes = {"w": content["w"] | {"retool": content["w"]["retool"] | {"fen": 2}}}
    assert constraint in failing(**changes)


def test_the_answers_of_a_set_are_spread() -> None:
    """Thirty instances take more than a dozen tallies, no figure is the answer's on more than two in five."""
    made = list(generate_set("reserved", 30))
    space = answer_space(made)
    assert set_finding(space)[0]
    assert space.values["intake"] > 12
    assert space.triples >= 28
    assert len(space.beacons) == 4
    assert len({instance_digest(instance) for instance in made} | {
        instance_digest(instance) for instance in generate_set("evaluation", 12)
    }) == 42  # fmt: skip


def test_a_salt_makes_other_instances(tmp_path: Path) -> None:
    salted = generate("evaluation", 0, salt=b"0123456789abcdef")
    assert instance_digest(salted) == instance_digest(generate("evaluation", 0, salt=b"0123456789abcdef"))
    assert instance_digest(salted) != instance_digest(generate("evaluation", 0, salt=b"0123456789abcdeg"))
    (tmp_path / "short").write_bytes(b"abc")
    with pytest.raises(InvalidOptionError, match="has 3 bytes"):
        read_salt(tmp_path / "short")


def test_sets_are_written_checked_and_gone_on_with(tmp_path: Path) -> None:
    out = tmp_path / "worlds"
    command = ("drift", "generate", "evaluation", "--count", "2", "--out", str(out))
    first = run_here(*command)
    assert first.returncode == 0
    files = {path.name: path.read_bytes() for path in out.iterdir()}
    assert sorted(files) == ["evaluation-000.json", "evaluation-001.json", "index.json"]
    index = json.loads(files["index.json"])
    assert not any("answer" in str(row["answer"]) or len(row["answer"]) != 64 for row in index["instances"])
    (out / "evaluation-001.json").unlink()
    assert run_here(*command).stdout == first.stdout
    assert {path.name: path.read_bytes() for path in out.iterdir()} == files
    assert run_here("drift", "check", *(str(out / name) for name in sorted(files)[:2])).returncode == 0
    (out / "evaluation-000.json").write_text("{}")
    ended = run_here(*command)
    assert ended.returncode == 2
    assert "other content" in ended.stderr
    assert (out / "evaluation-000.json").read_text() == "{}"


def test_the_worked_instance_is_retired_and_check_says_what_fails() -> None:
    assert "printed" in (retirement_reason(figure()) or "")
    assert retirement_reason(generate("evaluation", 0)) is None
    ended = run_here("drift", "check", str(FIGURE))
    assert ended.returncode == 1
    assert "20 individuals at tick 0" in ended.stdout


@pytest.mark.parametrize("arguments", [("own",), ("own set", "--count", "1"), ("evaluation", "--count", "0")])
def test_a_set_that_cannot_be_made_is_refused(arguments: tuple[str, ...], tmp_path: Path) -> None:
    ended = run_here("drift", "generate", *arguments, "--out", str(tmp_path / "out"))
    assert ended.returncode == 2
    assert not (tmp_path / "out").exists()
