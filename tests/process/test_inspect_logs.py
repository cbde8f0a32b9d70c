"""Logs of Inspect, written by Inspect itself."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from written_logs import CANARY, FIRST, SECOND, TASK, WORDS

from whatworked.process.records import Record, convert, record_bytes

ROOT = "inspect_ai"


@pytest.fixture
def log() -> Any:
    pytest.importorskip(ROOT, reason="inspect-ai is not installed: pip install whatworked[inspect]")
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageTool,
        ChatMessageUser,
        ContentReasoning,
        ContentText,
        ModelOutput,
    )
    from inspect_ai.scorer import Score
    from inspect_ai.tool import ToolCall, ToolCallError

    calls = [
        ToolCall(id="c1", function="bash", arguments={"cmd": "ls"}),
        ToolCall(id="c2", function="strange", arguments={"x": [1]}),
    ]
    messages = [
        ChatMessageSystem(content="rules"),
        ChatMessageUser(content=TASK, source="input"),
        ChatMessageAssistant(content=[ContentReasoning(reasoning="hm"), ContentText(text=WORDS)], tool_calls=calls),
        ChatMessageTool(content=FIRST, tool_call_id="c1", function="bash"),
        ChatMessageTool(content="", tool_call_id="c2", error=ToolCallError("timeout", SECOND)),
        ChatMessageUser(content="[usage] 12 tokens"),
        ChatMessageAssistant(content="Done: 0.75."),
    ]
    samples = [
        EvalSample(
            id="s",
            epoch=epoch,
            input=TASK,
            target=CANARY,
            messages=messages,
            output=ModelOutput(),
            scores={"accuracy": Score(value=CANARY)},
        )
        for epoch in (1, 2)
    ]
    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00", task="t", dataset=EvalDataset(), model="mock/m", config=EvalConfig()
    )
    return EvalLog(eval=spec, status="success", samples=samples)


def records(path: Path) -> list[Record]:
    found = list(convert([path]))
    assert [one.refused for one in found] == [None] * len(found)
    return [one.record for one in found if one.record is not None]


@pytest.mark.parametrize("kind", ["eval", "json"])
def test_each_sample_and_epoch_is_a_run(kind: str, log: Any, tmp_path: Path) -> None:
    from inspect_ai.log import write_eval_log

    path = tmp_path / f"log.{kind}"
    write_eval_log(log, str(path))
    both = records(path)
    assert [record.header.run for record in both] == ["s_epoch_1", "s_epoch_2"]
    record = both[0]
    first, second = (step for step in record.steps if step.action is not None)
    assert (first.tool, first.kind, first.scope, first.action) == ("bash", "shell", "environment", "cmd: ls")
    assert (first.observation, first.failed, first.words, first.thinking) == (FIRST, False, WORDS, "hm")
    assert (second.kind, second.scope, second.observation, second.failed) == ("other", "not recorded", SECOND, True)
    assert [step.actor for step in record.steps] == ["harness", "user", "agent", "agent", "harness", "agent"]
    assert record.header.counts.stripped == {"scores": 1, "target": 1}
    assert record.header.model == "mock/m"
    assert CANARY.encode() not in record_bytes(record)


def test_a_log_without_samples_and_one_that_is_broken_are_refused(log: Any, tmp_path: Path) -> None:
    from inspect_ai.log import write_eval_log

    path = tmp_path / "log.json"
    log.samples = []
    write_eval_log(log, str(path))
    (found,) = convert([path])
    assert found.refused == "cannot be judged: the log has no samples (its status is success)"
    path.write_text('{"version": 2, "status": "success", "eval": {}, "samples": []}')
    (found,) = convert([path])
    assert found.refused is not None
    assert found.refused.startswith("Inspect cannot read it (")


def test_without_inspect_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    path = tmp_path / "log.json"
    path.write_text('{"version": 2, "status": "success", "eval": {}, "samples": []}')
    (found,) = convert([path])
    assert found.refused == 'reading Inspect logs needs inspect-ai; install it with: pip install "whatworked[inspect]"'
