"""Real logs, where a folder of them is at hand: counts that were taken from the logs by others.

The folder is named by WHATWORKED_AGENT_LOGS. The logs are not part of this project.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from whatworked.process.records import Conversion, Record, convert, record_bytes

FOLDER = os.environ.get("WHATWORKED_AGENT_LOGS", "")
pytestmark = pytest.mark.skipif(
    not FOLDER or not Path(FOLDER).is_dir(), reason="no folder of agents' logs: set WHATWORKED_AGENT_LOGS to one"
)


@pytest.fixture(scope="session")
def conversions() -> list[Conversion]:
    return list(convert([Path(FOLDER)]))


def found(conversions: list[Conversion], part: str) -> list[Conversion]:
    return [one for one in conversions if part in one.source and one.format is not None]


def record(conversions: list[Conversion], part: str) -> Record:
    first = found(conversions, part)[0].record
    assert first is not None
    return first


# Counts of the overview that came with the logs: tool calls of each run.
@pytest.mark.parametrize(
    ("part", "actions"),
    [
        ("execution_claude_transcript.jsonl", [53]),
        ("long-conversation.jsonl", [98]),
        ("before-compaction.jsonl", [454]),
        ("data_problems/codex_log.log", [63 + 10]),
        ("bi_align/codex_log.log", [13 + 3]),
        ("docent_ctf.json", [3, 8]),
        ("inspect_browser.json", [4]),
        ("inspect_message_deduplication.eval", [5]),
        ("github_issue.traj.json", [10]),
        ("tau_retail_misinterpretation.json", [16]),
        ("mle_dojo_agent_trajectory.json", [10]),
        ("itml_phase2_autoresearch.jsonl", [67]),
        ("uci_pm25_experiment_log.jsonl", [195]),
        ("coadaptive_stage2", [8]),
        ("clarify_to_retrieve_stage3", [17]),
        ("abstract_interp_stage1", [7]),
        ("dugongs_oed_true_1.json", [12]),
        ("rat_tumor_critic_1.json", [12]),
        ("research_noise_robustness_20250309.log", [28]),
        ("mle_activation_func_20250326.log", [43]),
        ("mlsys_diffusion_step_20250327.log", [31]),
        ("chat-transcript-css.md", [9]),
        ("droid_provider_watcher.md", [23]),
        ("pydantic-ai-tools", [4]),
        ("jaeger_helm.json", [1]),
    ],
)
def test_actions_are_as_many_as_were_counted(part: str, actions: list[int], conversions: list[Conversion]) -> None:
    records = [one.record for one in found(conversions, part)]
    assert [one.header.counts.actions for one in records if one is not None] == actions


def test_what_lacks_results_is_refused_with_the_reason(conversions: list[Conversion]) -> None:
    for part in ("s6e6_000018", "inspect_tool_call_error", "claude_code_record_samples", "vercel_aisdk"):
        assert found(conversions, part)
        for one in found(conversions, part):
            assert one.refused is not None
            assert re.match(r"cannot be judged: no (steps|actions|observations) are recorded", one.refused)


def test_nothing_is_unknown_but_what_is_named(conversions: list[Conversion]) -> None:
    unknown = {event for one in conversions if one.record is not None for event in one.record.header.counts.unknown}
    assert unknown == {"entry ✌️ Concluder"}


def test_every_result_of_a_log_stands_with_its_call(conversions: list[Conversion]) -> None:
    path = next(Path(FOLDER).rglob("before-compaction.jsonl"))
    messages = [json.loads(line).get("message", {}) for line in path.read_text().splitlines()]
    results = {
        message["toolCallId"]: "\n".join(part["text"] for part in message["content"])
        for message in messages
        if message.get("role") == "toolResult"
    }
    steps = {step.call_id: step for step in record(conversions, "before-compaction.jsonl").steps if step.call_id}
    assert {name: steps[name].observation for name in results} == results
    assert all(steps[name].observation is None for name in set(steps) - set(results))


def test_the_tokens_of_a_message_that_is_spread_over_lines_count_once(conversions: list[Conversion]) -> None:
    path = next(Path(FOLDER).rglob("long-conversation.jsonl"))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    used = {
        line["message"]["id"]: line["message"]["usage"]["output_tokens"]
        for line in lines
        if line["type"] == "assistant"
    }
    steps = record(conversions, "long-conversation.jsonl").steps
    assert sum(step.tokens.output or 0 for step in steps if step.tokens is not None) == sum(used.values())


def test_the_bytes_are_the_same_again(conversions: list[Conversion]) -> None:
    again = list(convert([Path(FOLDER)]))
    for first, second in zip(conversions, again, strict=True):
        assert (first.source, first.run, first.refused, first.world) == (
            second.source,
            second.run,
            second.refused,
            second.world,
        )
        if first.record is not None and second.record is not None:
            assert record_bytes(first.record) == record_bytes(second.record)
