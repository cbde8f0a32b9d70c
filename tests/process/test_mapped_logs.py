"""JSON of one's own, read by a mapping."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from whatworked.errors import RecordError, StorageError
from whatworked.process.records import convert
from whatworked.process.records.mapped import mapped_reader

MAPPING = """
format = "lab-robot"
steps = "run.steps"
answers = ["secret"]

[fields]
action = "do.what"
tool = "do.with"
words = "said"
observation = "seen.0.text"
call_id = "id"
seconds = "took"
output_tokens = "cost.out"
actor = "who"

[tools.pipette]
kind = "experiment"
scope = "environment"

[actors]
robot = "agent"
boss = "user"

[world]
task_prompt = "run.goal"
model = "run.brain"
feedback_polarity = "lower is better"
"""
LOG = {
    "run": {
        "goal": "dilute",
        "brain": "m",
        "steps": [
            {"who": "boss", "said": "go"},
            {
                "who": "robot",
                "said": "I will",
                "do": {"what": {"ml": 3}, "with": "pipette"},
                "seen": [{"text": "0.5"}],
                "took": 2,
            },
            {"who": "robot", "do": {"what": "wash", "with": "sink"}, "cost": {"out": 7}, "secret": "x", "id": 4},
            {"who": "ghost", "said": "boo"},
        ],
        "score": 1,
    }
}


@pytest.fixture
def mapping(tmp_path: Path) -> Path:
    path = tmp_path / "mapping.toml"
    path.write_text(MAPPING)
    return path


def test_every_field_is_taken_from_where_it_is_said_to_stand(mapping: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text(json.dumps(LOG))
    (found,) = convert([log], mapped_reader(mapping))
    assert found.record is not None
    assert found.world is not None
    boss, first, second, ghost = found.record.steps
    assert (boss.actor, boss.words, boss.action) == ("user", "go", None)
    assert (first.kind, first.scope, first.action, first.observation) == ("experiment", "environment", "ml: 3", "0.5")
    assert (first.words, first.seconds, first.call_id) == ("I will", 2.0, None)
    assert (second.kind, second.scope, second.action, second.observation) == ("other", "not recorded", "wash", None)
    assert second.tokens is not None
    assert (second.call_id, second.tokens.output, second.tokens.input) == ("4", 7, None)
    assert ghost.actor == "harness"
    counts = found.record.header.counts
    assert (counts.unknown, counts.unknown_tools) == ({"actor ghost": 1}, {"sink": 1})
    assert counts.stripped == {"run.score": 1, "secret": 1}
    assert (found.world.task_prompt, found.world.feedback_polarity) == ("dilute", "lower is better")
    assert (found.record.header.format, found.record.header.model) == ("lab-robot", "m")


def test_lines_as_steps_and_lines_as_runs(mapping: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(step) + "\n" for step in LOG["run"]["steps"]))
    mapping.write_text(MAPPING.replace('steps = "run.steps"', ""))
    (found,) = convert([log], mapped_reader(mapping))
    assert found.record is not None
    assert found.record.header.counts.actions == 2
    log.write_text(json.dumps(LOG) + "\n" + json.dumps(LOG) + "\n")
    mapping.write_text('runs = "entry"\n' + MAPPING)
    assert [
        found.record and found.record.header.counts.actions for found in convert([log], mapped_reader(mapping))
    ] == [2, 2]


def test_a_path_that_leads_nowhere_is_named(mapping: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text('{"run": {}}')
    (found,) = convert([log], mapped_reader(mapping))
    assert found.refused == "there is no list of steps at 'run.steps'; set steps in the mapping"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("format = ", "Invalid value"),
        ('format = "x"', "missing required field `fields`"),
        ('format = "x"\n[fields]\n', "names neither action nor words"),
        ('format = "x"\n[fields]\naktion = "a"', "unknown field `aktion`"),
        ('format = "x"\nruns = "all"\n[fields]\naction = "a"', "runs is 'all'; allowed: file, entry"),
        (
            'format = "x"\n[fields]\naction = "a"\n[tools.b]\nkind = "magic"\nscope = "environment"',
            "Invalid enum value 'magic'",
        ),
    ],
)
def test_a_mapping_that_is_wrong_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mapping.toml"
    path.write_text(text)
    with pytest.raises(RecordError) as told:
        mapped_reader(path)
    assert message in str(told.value)


def test_a_mapping_that_is_missing_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        mapped_reader(tmp_path / "none.toml")
