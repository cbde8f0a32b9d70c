"""``whatworked process score``, ``measure``, ``page`` and ``compare`` from the command line."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hand_graphs import run_record
from plain_judge import NO_WORLD, plain_graph, plain_judge
from test_juries import STORY

from whatworked.cli import cli, process_score
from whatworked.cli.judging import JudgingOptions
from whatworked.errors import CapReachedError, InvalidOptionError, RecordError, WhatWorkedError
from whatworked.judging import Judge, ReplayJudge
from whatworked.process.graph import Graph, read_graph, write_graph
from whatworked.process.records import Record, write_record, write_world


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["process", *map(str, arguments)])


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "story.record.jsonl"
    write_record(path, STORY)
    write_world(tmp_path / "story.world.json", NO_WORLD)
    return path


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(judging: JudgingOptions) -> Judge:
        return ReplayJudge("plain") if judging.replay else plain_judge()

    monkeypatch.setattr(process_score, "asked_judge", judge)


@pytest.mark.usefixtures("plain")
def test_a_run_is_scored_and_replayed(record: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shown = run("score", record, "--judge", "plain", "--out", out, "--task", "rates")
    assert shown.exit_code == 0, shown.output
    assert "belief_grounded            1 of 3" in shown.output
    assert "calls sent, 0 from the journal" in shown.output
    first = (out / "story.graph.json").read_bytes()
    assert read_graph(out / "story.graph.json").world.task == "rates"
    again = run("score", record, "--judge", "plain", "--out", out, "--task", "rates", "--replay")
    assert again.exit_code == 0
    assert "0 calls sent" in again.output
    assert (out / "story.graph.json").read_bytes() == first
    assert sorted(path.name for path in out.iterdir() if not path.name.endswith(".lock")) == [
        "story.calls", "story.graph.json"
    ]  # fmt: skip


@pytest.mark.usefixtures("plain")
def test_caps_hold_for_all_runs_together(record: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.record.jsonl"
    again.write_bytes(record.read_bytes())
    (tmp_path / "again.world.json").write_bytes((tmp_path / "story.world.json").read_bytes())
    first = run("score", record, "--judge", "plain", "--out", tmp_path / "first")
    needed = int(re.search(r"(\d+) calls sent", first.output)[1])  # type: ignore[index]
    both = ("score", record, again, "--judge", "plain", "--out", tmp_path / "both", "--max-calls")
    short = run(*both, 2 * needed - 1)
    assert isinstance(short.exception, CapReachedError)
    assert "again, after what the runs before took of the caps: " in str(short.exception)
    assert f"{needed} calls sent" in short.output
    # What was asked stands in the journals, so the one call that was short is all that is left.
    rest = run(*both, 1)
    assert rest.exit_code == 0
    assert "1 call sent" in rest.output


def test_a_dry_run_sends_and_writes_nothing(record: Path, tmp_path: Path) -> None:
    shown = run("score", record, "--dry-run", "--out", tmp_path / "out")
    assert shown.exit_code == 0, shown.output
    assert "Nothing was sent." in shown.output
    assert not (tmp_path / "out").exists()


def test_a_log_is_scored_without_a_step_between(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text(json.dumps([{"action": "launch A", "observation": "result A: good", "thought": "belief A: x"}]))
    assert "log" in run("score", log, "--dry-run").output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "{none}"), "there is no "),
        (("score", "{record}"), "give --judge, or --dry-run"),
        (("measure", "{record}"), "is no graph of a run"),
        (("measure", "{folder}"), "holds no *.graph.json"),
        (("measure", "{record}", "--csv", "--json"), "two forms"),
        (("page", "{record}"), "one graph and at most one record; here are 0 and 1"),
        (("compare", "{folder}", "{folder}"), "holds no *.graph.json"),
    ],
)
def test_mistakes_are_named(arguments: tuple[str, ...], message: str, record: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    given = [part.format(record=record, none=tmp_path / "none", folder=tmp_path / "empty") for part in arguments]
    shown = run(*given)
    assert isinstance(shown.exception, WhatWorkedError)
    assert message in str(shown.exception)


def test_measures_as_text_csv_and_json_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "story.graph.json"
    write_graph(path, plain_graph(STORY))
    rows = list(csv.DictReader(io.StringIO(run("measure", path, "--csv").output)))
    (scores,) = json.loads(run("measure", path, "--json").output)
    values = {entry["id"]: entry["score"] for entry in scores["measures"]}
    assert {row["measure"]: float(row["score"]) if row["score"] else None for row in rows if row["measure"]} == values
    assert {row["axis"] for row in rows if not row["measure"]} == {entry["id"] for entry in scores["axes"]}
    text = run("measure", path, "--opportunities").output
    assert "not taken" in text
    assert "no result that was shown before settles it" in text


# Comparing


def told(*, grounded: int, task: str, run_name: str, **changes: object) -> Graph:
    """A graph of five beliefs of which some rest on what was shown."""
    steps: list[object] = [("", "run", f"launch A{number}", f"result A{number}: good") for number in range(5)]
    steps += [f"belief A{number}: so it is" for number in range(grounded)]
    steps += [f"belief B{number}: so it is" for number in range(5 - grounded)]
    record: Record = run_record(*steps)  # type: ignore[arg-type]
    graph = plain_graph(record, cheap=True, task=task)
    return Graph(**{**fields_of(graph), "run": run_name, **changes})


def groups(tmp_path: Path, **changes: object) -> tuple[Path, Path]:
    for group, values in (("a", (5, 4, 5, 4)), ("b", (2, 1, 2, 1))):
        (tmp_path / group).mkdir()
        for number, grounded in enumerate(values):
            graph = told(grounded=grounded, task=f"t{number}", run_name=f"{group}{number}", **changes)
            write_graph(tmp_path / group / f"{number}.graph.json", graph)
    return tmp_path / "a", tmp_path / "b"


def test_groups_are_compared_task_by_task(tmp_path: Path) -> None:
    a, b = groups(tmp_path)
    found = {entry["axis"]: entry for entry in json.loads(run("compare", a, b, "--json").output)}
    assert found["E1"]["difference"] == pytest.approx(0.6)
    assert (found["E1"]["verdict"], found["E1"]["tasks"]) == ("ahead", ["t0", "t1", "t2", "t3"])
    assert found["E4"]["verdict"] == "same"
    assert found["T1"]["undefined"] == [4, 4]
    assert found["T1"]["verdict"] is None
    shown = run("compare", a, b, "--name", "left", "right").output
    assert "left against right" in shown
    assert "not compared" in shown
    assert "left is ahead of right on tasks like these" in shown
    for path in (*a.iterdir(), *b.iterdir()):
        if path.name > "2":
            path.unlink()
    here = run("compare", a, b).output
    assert "On these 2 tasks a is ahead of b; so few say nothing of others." in " ".join(here.split())
    for words in (shown, here):
        assert "source" not in words
        assert "famil" not in words
    same = {entry["axis"]: entry for entry in json.loads(run("compare", a, a, "--json").output)}
    assert same["E1"]["verdict"] == "same"


def test_groups_are_picked_by_model(tmp_path: Path) -> None:
    a, b = groups(tmp_path)
    apart = json.loads(run("compare", a, b, "--json").output)
    for path in b.iterdir():
        graph = read_graph(path)
        write_graph(a / f"b{path.name}", Graph(**{**fields_of(graph), "model": "model-b"}))
    together = json.loads(run("compare", a, a, "--models", "model-a", "model-b", "--name", "a", "b", "--json").output)
    assert together == apart
    shown = run("compare", a, a, "--models", "model-a", "model-c")
    assert "unknown model 'model-c'; did you mean " in str(shown.exception)


def fields_of(graph: Graph) -> dict[str, object]:
    return {name: getattr(graph, name) for name in graph.__struct_fields__}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scorer": "2/other"}, "scores of several versions of the scorer are not compared"),
        ({"judge": "somebody"}, "scores of several judges are not compared"),
        ({"cheap": False}, "scores of several ways of voting are not compared"),
    ],
)
def test_scores_that_were_made_otherwise_are_not_compared(
    changes: dict[str, object], message: str, tmp_path: Path
) -> None:
    a, b = groups(tmp_path)
    write_graph(b / "x.graph.json", told(grounded=2, task="t0", run_name="x", **changes))
    shown = run("compare", a, b)
    assert isinstance(shown.exception, InvalidOptionError)
    assert message in str(shown.exception)


# The page


def test_a_page_is_of_the_record_that_was_scored(record: Path, tmp_path: Path) -> None:
    graph, out = tmp_path / "story.graph.json", tmp_path / "page.html"
    write_graph(graph, plain_graph(STORY))
    assert run("page", graph, record, "-o", out).exit_code == 0
    assert out.read_text().count("<mark>") >= 10
    assert run("page", graph, "-o", out).exit_code == 0
    assert "The record was not given" in out.read_text()
    write_record(tmp_path / "other.record.jsonl", run_record(("x", "run", "launch A", "result A: good")))
    wrong = run("page", graph, tmp_path / "other.record.jsonl", "-o", out)
    assert isinstance(wrong.exception, RecordError)
    assert "give the record that was scored" in str(wrong.exception)
