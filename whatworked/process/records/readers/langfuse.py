"""Langfuse: a trace with its observations, exported together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.chat import usage_tokens
from whatworked.process.records.draft import Draft
from whatworked.process.records.readers.openai_messages import TOOLS
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.spans import Call, Span, answer_of, shown, tell_spans
from whatworked.process.records.values import mapping, objects, stated, text, unpacked


def recognises(source: Source) -> bool:
    """An object with `trace` and `observations`, or a trace whose observations are within."""
    if source.shape != "object":
        return False
    rows = objects(source.value.get("observations"))
    return bool(rows) and "startTime" in rows[0] and "type" in rows[0]


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a trace."""
    draft = Draft("langfuse", source.name, TOOLS)
    draft.strip(mapping(source.value.get("trace")))
    rows = objects(source.value.get("observations"))
    parents = {str(row.get("id")): text(row.get("parentObservationId")) for row in rows}
    spans = []
    for row in rows:
        span = _span(row)
        if span is None:
            draft.drop(f"observation that is neither model nor tool call: {row.get('type')}")
        else:
            spans.append(span)
    tell_spans(draft, spans, parents)
    yield draft


def _span(row: Mapping[str, Any]) -> Span | None:
    kind = row.get("type")
    start, end = text(row.get("startTime")), text(row.get("endTime"))
    name, given, output = text(row.get("name")), row.get("input"), row.get("output")
    common: dict[str, Any] = {"id": text(row.get("id")), "parent": text(row.get("parentObservationId")),
              "order": (start or "", end or "", text(row.get("id")) or ""), "started": start, "ended": end}  # fmt: skip
    if kind == "GENERATION":
        usage = mapping(row.get("usageDetails"))
        return Span(
            "model",
            model=text(row.get("model")),
            prompt=given,
            answer=answer_of(output),
            tokens=usage_tokens(usage),
            **common,
        )
    if kind in ("TOOL", "RETRIEVER") or _is_tool_span(row):
        inner = mapping(unpacked(given) if isinstance(given, str) else given)
        asked = inner["input"] if set(inner) == {"input"} else given
        tool = (name or "").removeprefix("running tool: ").removeprefix("execute_tool ") or None
        call_id = stated(mapping(mapping(row.get("metadata")).get("attributes")).get("gen_ai.tool.call.id"))
        return Span(
            "tool",
            call=Call(call_id, tool, {} if asked is None else asked),
            output=shown(output),
            failed=row.get("level") == "ERROR" or None,
            **common,
        )
    return None


def _is_tool_span(row: Mapping[str, Any]) -> bool:
    """A plain span that is a tool: its output is a message of the role tool."""
    output = row.get("output")
    inner = mapping(unpacked(output) if isinstance(output, str) else output)
    kwargs = mapping(inner.get("kwargs"))
    return row.get("type") == "SPAN" and bool(inner.get("tool_call_id") or kwargs.get("tool_call_id"))


READER = LogReader("langfuse", "an object with trace and observations that have type and startTime", recognises, drafts)
