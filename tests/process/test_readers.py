"""Each format's reader on a small log of that format."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from written_logs import BUILDERS, CANARY, FIRST, SECOND, Log, array, jaeger, langfuse, session, stream, write

from whatworked.process.records import Conversion, Record, convert, record_bytes


def one(path: Path) -> Conversion:
    (found,) = convert([path])
    return found


def judged(path: Path) -> Record:
    found = one(path)
    assert found.refused is None, found.refused
    assert found.record is not None
    return found.record


@pytest.fixture(params=BUILDERS, ids=lambda builder: builder.__name__)
def log(request: pytest.FixtureRequest) -> Log:
    return request.param()


def test_the_format_is_told_by_content_and_everything_counted(log: Log, tmp_path: Path) -> None:
    found = one(write(log, tmp_path))
    assert (found.refused, found.format) == (None, log.format)
    assert found.record is not None
    assert found.world is not None
    counts = found.record.header.counts
    assert (counts.actions, counts.observed) == (log.actions, log.observed)
    assert sum(counts.unknown.values()) == log.unknown
    assert found.world.task_prompt == log.task
    assert bool(counts.stripped) or not log.answers


def test_the_name_does_not_tell_the_format(log: Log, tmp_path: Path) -> None:
    path = write(log, tmp_path)
    if path.is_dir() or log.format == "atif":  # a folder is read by its files' names; ATIF's parts name each other
        return
    assert one(path.rename(tmp_path / "x.bin")).format == log.format


def test_texts_are_unchanged(log: Log, tmp_path: Path) -> None:
    record = judged(write(log, tmp_path))
    observations = [step.observation for step in record.steps if step.observation is not None]
    if log.format not in ("research-ledger", "whatworked-game", "aider"):
        for text in (FIRST, SECOND):
            assert any(text in shown for shown in observations), text
    if log.words is not None:
        spoken = [step.words for step in record.steps if step.actor in ("agent", "subagent") and step.words]
        assert any(log.words in words for words in spoken)


def test_words_of_others_are_never_the_agents(log: Log, tmp_path: Path) -> None:
    record = judged(write(log, tmp_path))
    for step in record.steps:
        if step.actor in ("agent", "subagent") and step.words is not None:
            assert FIRST not in step.words
            assert log.task is None or log.task not in step.words


def test_answers_are_left_out(log: Log, tmp_path: Path) -> None:
    record = judged(write(log, tmp_path))
    assert CANARY.encode() not in record_bytes(record)
    if log.answers:
        assert any(CANARY in body for body in log.files.values())


def test_the_same_bytes_twice(log: Log, tmp_path: Path) -> None:
    path = write(log, tmp_path)
    assert record_bytes(judged(path)) == record_bytes(judged(path))


def test_a_record_does_not_tell_where_its_log_was_found(log: Log, tmp_path: Path) -> None:
    path = write(log, tmp_path / "deeper" / "down")
    named = {record_bytes(found.record) for found in convert([path]) if found.record is not None}
    below = {record_bytes(found.record) for found in convert([tmp_path]) if found.record is not None}
    assert named <= below
    assert named


def test_steps_are_in_order_and_refer_backwards(log: Log, tmp_path: Path) -> None:
    record = judged(write(log, tmp_path))
    for place, step in enumerate(record.steps):
        assert step.id == place
        assert step.parent is None or step.parent < place
        assert step.shown_after is None or place <= step.shown_after < len(record.steps)
        assert (step.shown_after is None) == (step.observation is None)


def test_an_unknown_tool_is_counted_and_its_scope_not_guessed(log: Log, tmp_path: Path) -> None:
    record = judged(write(log, tmp_path))
    others = [step for step in record.steps if step.action is not None and step.kind == "other"]
    assert all(step.scope == "not recorded" for step in others)
    assert sum(record.header.counts.unknown_tools.values()) == len(others)


def test_calls_at_once_know_when_their_results_came(tmp_path: Path) -> None:
    first, second = (step for step in judged(write(stream(), tmp_path)).steps if step.action is not None)
    assert (first.turn, first.shown_after) == (second.turn, second.id)
    assert (first.words is not None, second.words) == (True, None)
    assert (first.failed, second.failed) == (False, True)
    assert [(change.path, change.old, change.new) for change in second.patches] == [("a", "1", "2")]


def test_tokens_of_a_stream_are_the_runs_and_not_the_lines(tmp_path: Path) -> None:
    record = judged(write(stream(), tmp_path))
    assert record.header.tokens is not None
    assert record.header.tokens.output == 5
    assert "tokens" in record.header.not_recorded


def test_tokens_of_a_session_count_once_a_message_and_the_last_time(tmp_path: Path) -> None:
    record = judged(write(session(), tmp_path))
    assert [step.tokens.output for step in record.steps if step.tokens is not None] == [7]


def test_a_batch_is_as_many_steps_as_it_has_calls(tmp_path: Path) -> None:
    steps = [step for step in judged(write(array(), tmp_path)).steps if step.action is not None]
    assert [(step.tool, step.observation) for step in steps] == [
        ("Read", f"Read(a):\n{FIRST}"),
        ("Bash", f"Bash(ls):\n{SECOND}"),
    ]


@pytest.mark.parametrize("builder", [langfuse, jaeger])
def test_the_order_of_a_traces_rows_does_not_matter(builder, tmp_path: Path) -> None:
    log = builder()
    path = write(log, tmp_path)
    before = record_bytes(judged(path)).split(b"\n")[1:]
    value = json.loads(path.read_text())
    rows = value["observations"] if "observations" in value else value["data"][0]["spans"]
    random.Random(3).shuffle(rows)
    path.write_text(json.dumps(value))
    assert record_bytes(judged(path)).split(b"\n")[1:] == before


def test_a_part_that_goes_on_is_read_with_its_beginning(tmp_path: Path) -> None:
    from written_logs import atif

    write(atif(), tmp_path)
    whole, part = sorted(convert([tmp_path]), key=lambda found: found.refused is not None)
    assert whole.record is not None
    assert [file.name.split("/")[-1] for file in whole.record.header.sources] == list(atif().files)
    assert part.refused is not None
    assert "goes on from a.trajectory.json" in part.refused


def test_a_tree_stays_a_tree(tmp_path: Path) -> None:
    from written_logs import aide

    nodes = [step for step in judged(write(aide(), tmp_path)).steps if step.action is not None]
    assert [(step.turn, step.parent) for step in nodes] == [("n1", None), ("n2", nodes[0].id)]


def test_words_of_a_ledger_stand_after_its_results(tmp_path: Path) -> None:
    from written_logs import ledger

    steps = judged(write(ledger(), tmp_path)).steps
    assert [(step.kind, step.words is None) for step in steps] == [("experiment", True), ("message", False)] * 2


def test_what_looks_like_a_block_within_output_stays_output(tmp_path: Path) -> None:
    from written_logs import codex_text

    first, second = (step for step in judged(write(codex_text(), tmp_path)).steps if step.action is not None)
    assert first.action == "bash -lc 'ls\ncat a'"
    assert first.observation == f"{FIRST}\n[2026-01-01T00:00:00] no block\n"
    assert (first.seconds, second.seconds, second.failed) == (0.009, 1.5, True)


def test_marks_within_an_edit_do_not_end_it(tmp_path: Path) -> None:
    from written_logs import aider

    edit, run = (step for step in judged(write(aider(), tmp_path)).steps if step.kind != "message")
    assert [(change.path, change.old, change.new) for change in edit.patches] == [("a.py", "> x = 1\n", "#### x = 2\n")]
    assert (edit.observation, edit.tokens.input if edit.tokens else None) == ("Applied edit to a.py", 9474)
    assert (run.actor, run.mandated, run.scope) == ("harness", True, "environment")
