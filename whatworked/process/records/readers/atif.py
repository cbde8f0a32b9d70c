"""ATIF, the trajectory format of Harbor: steps that hold action and observation together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.chat import call_arguments, file_patches, tell_result, usage_tokens
from whatworked.process.records.draft import (
    AGENT,
    HARNESS,
    SHELL,
    USER,
    Draft,
    ToolUse,
    content_text,
)
from whatworked.process.records.readers.openai_messages import TOOLS as COMMON
from whatworked.process.records.record import Tokens
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import arguments, mapping, objects, stated, text, whole

TOOLS: Mapping[str, ToolUse] = {**COMMON, "bash_command": SHELL, "terminal": SHELL, "keystrokes": SHELL}
_IN_TEXT = "keystrokes"


def recognises(source: Source) -> bool:
    """An object whose `schema_version` begins with ATIF."""
    return source.shape == "object" and str(source.value.get("schema_version", "")).startswith("ATIF")


def drafts(source: Source) -> Iterator[Draft]:
    """The run of a trajectory with its continuations; a continuation alone is refused where its beginning is there."""
    draft = Draft("atif", stated(source.value.get("session_id")) or source.name, TOOLS)
    before = _before(source)
    if before is not None:
        draft.refused = f"it goes on from {before.path.name}, and is part of that run"
    draft.model = text(mapping(source.value.get("agent")).get("model_name"))
    seen = {source.path.name}
    part: Source | None = source
    while part is not None:
        prefix = "" if part is source else f"{part.path.name}, "
        for number, step in enumerate(objects(part.value.get("steps"))):
            _tell_step(draft, f"{prefix}steps[{number}]", step)
        draft.tokens = _sum(draft.tokens, mapping(part.value.get("final_metrics")))
        part = _after(part, seen)
        if part is not None:
            draft.also_from.append(part)
    yield draft


def _after(source: Source, seen: set[str]) -> Source | None:
    name = text(source.value.get("continued_trajectory_ref"))
    if name is None:
        return None
    for candidate in _beside(source):
        ours = candidate.path.name == name or candidate.path.name.endswith(f".{name.removeprefix('trajectory.')}")
        if ours and candidate.path.name not in seen and recognises(candidate):
            seen.add(candidate.path.name)
            return candidate
    return None


def _before(source: Source) -> Source | None:
    """The trajectory beside this one that names it as its continuation."""
    if ".cont-" not in source.path.name:
        return None
    for candidate in _beside(source):
        if recognises(candidate) and (after := _after(candidate, {candidate.path.name})) and after.path == source.path:
            return candidate
    return None


def _beside(source: Source) -> list[Source]:
    """Trajectories of the same folder whose names begin alike."""
    stem = source.path.name.split(".")[0]
    paths = sorted(path for path in source.path.parent.glob("*.json") if path.name.split(".")[0] == stem)
    folder = source.name.removesuffix(source.path.name)
    return [Source(path, f"{folder}{path.name}") for path in paths]


def _sum(before: Tokens | None, metrics: Mapping[str, Any]) -> Tokens | None:
    found = (
        whole(metrics.get("total_prompt_tokens")),
        whole(metrics.get("total_cached_tokens")),
        whole(metrics.get("total_completion_tokens")),
    )
    if found[0] is None and found[2] is None:
        return before
    last = (None, None, None) if before is None else (before.input, before.cached, before.output)
    sums = [new if old is None else None if new is None else old + new for old, new in zip(last, found, strict=True)]
    return Tokens(input=sums[0], cached=sums[1], output=sums[2], thinking=None)


def _tell_step(draft: Draft, where: str, step: Mapping[str, Any]) -> None:
    if step.get("is_copied_context") is True:
        draft.drop("context copied from the part before")
        return
    source, time = step.get("source"), text(step.get("timestamp"))
    words = content_text(step.get("message"), draft)
    results = objects(mapping(step.get("observation")).get("results"))
    if source == "agent":
        _tell_agent(draft, where, step, words, results, time)
    elif source == "user":
        draft.task_prompt = draft.task_prompt or words
        draft.message(words, where=where, speaker=USER, time=time)
    elif source == "system":
        draft.message(words, where=where, speaker=HARNESS, time=time, mandated=True)
        _count_references(draft, results)
    else:
        draft.unknown(f"step from {source}")


def _count_references(draft: Draft, results: list[dict[str, Any]]) -> None:
    draft.drop(
        "trajectory of a sub-agent in another file",
        sum(len(objects(row.get("subagent_trajectory_ref"))) for row in results),
    )


def _tell_agent(
    draft: Draft,
    where: str,
    step: Mapping[str, Any],
    words: str | None,
    results: list[dict[str, Any]],
    time: str | None,
) -> None:
    draft.model = draft.model or text(step.get("model_name"))
    draft.think(text(step.get("reasoning_content")), where=where, turn=where, time=time)
    draft.usage(where, usage_tokens(step.get("metrics")))
    calls = objects(step.get("tool_calls"))
    _count_references(draft, results)
    shown = [row for row in results if row.get("content") is not None]
    if not calls and shown:
        # Without function calling the action stands in the message itself.
        draft.call(
            _IN_TEXT,
            words or "",
            where=where,
            turn=where,
            started=time,
            observation="\n".join(filter(None, (content_text(row["content"], draft) for row in shown))),
        )
        return
    draft.say(words, where=where, speaker=AGENT, turn=where, time=time)
    numbers = []
    for call in calls:
        tool, given = text(call.get("function_name")), call.get("arguments", {})
        numbers.append(
            draft.call(
                tool,
                arguments(given),
                where=where,
                turn=where,
                call_id=stated(call.get("tool_call_id")),
                started=time,
                patches=file_patches(tool or "", call_arguments(given)),
            )
        )
    for row in shown:
        call_id = stated(row.get("source_call_id"))
        if call_id is None and len(numbers) == 1:
            draft.result(content_text(row["content"], draft), where=where, step=numbers[0])
        else:
            tell_result(draft, row["content"], where, call_id=call_id)


READER = LogReader("atif", "an object whose schema_version begins with ATIF", recognises, drafts)
