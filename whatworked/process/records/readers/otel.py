"""OpenTelemetry traces of agents: Jaeger's JSON, OTLP, or a list of spans, in the dialects of the common libraries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.draft import Draft
from whatworked.process.records.readers.openai_messages import TOOLS
from whatworked.process.records.record import Tokens
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.spans import Answer, Call, Span, answer_of, shown, tell_spans
from whatworked.process.records.values import items, mapping, objects, real, stated, text

_INDEXED = re.compile(r"(?:gen_ai\.(prompt|completion)|llm\.(input|output)_messages)\.(\d+)\.(.+)")


def recognises(source: Source) -> bool:
    """Spans with the attributes of model or tool calls somewhere among them."""
    return any(True for _ in _traces(source))


def _traces(source: Source) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Each trace that holds a model or tool call: its id and its spans in one plain form."""
    traces: dict[str, list[dict[str, Any]]] = {}
    for row in _rows(source):
        traces.setdefault(row["trace"], []).append(row)
    for trace, rows in sorted(traces.items(), key=lambda pair: min(row["order"] for row in pair[1])):
        if any(_span(row) is not None for row in rows):
            yield trace, rows


def _rows(source: Source) -> Iterator[dict[str, Any]]:
    values = (
        [source.value]
        if source.shape == "object"
        else source.sample
        if source.shape == "lines"
        else items(source.value)
    )
    for value in values if source.shape in ("object", "list", "lines") else ():
        entry = mapping(value)
        for trace in objects(entry.get("data")):
            yield from (_jaeger(span) for span in objects(trace.get("spans")))
        for name in ("resourceSpans", "batches"):
            for batch in objects(entry.get(name)):
                for scope in [*objects(batch.get("scopeSpans")), *objects(batch.get("instrumentationLibrarySpans"))]:
                    yield from (_otlp(span) for span in objects(scope.get("spans")))
        if isinstance(entry.get("attributes"), dict) and (
            "spanContext" in entry or "context" in entry or "span_id" in entry or "spanId" in entry
        ):
            yield _plain(entry)


def _jaeger(span: Mapping[str, Any]) -> dict[str, Any]:
    tags = {str(tag.get("key")): tag.get("value") for tag in objects(span.get("tags"))}
    parents = [text(ref.get("spanID")) for ref in objects(span.get("references")) if ref.get("refType") == "CHILD_OF"]
    start, length = real(span.get("startTime")) or 0.0, real(span.get("duration"))
    return _row(
        span,
        span.get("traceID"),
        span.get("spanID"),
        parents[0] if parents else None,
        tags,
        start / 1e6,
        None if length is None else length / 1e6,
        text(span.get("operationName")),
    )


def _otlp(span: Mapping[str, Any]) -> dict[str, Any]:
    tags = {str(tag.get("key")): _otlp_value(tag.get("value")) for tag in objects(span.get("attributes"))}
    start, end = (_nanoseconds(span.get(name)) for name in ("startTimeUnixNano", "endTimeUnixNano"))
    return _row(
        span,
        span.get("traceId"),
        span.get("spanId"),
        text(span.get("parentSpanId")) or None,
        tags,
        start or 0.0,
        None if start is None or end is None else end - start,
        text(span.get("name")),
    )


def _otlp_value(value: Any) -> Any:
    inner = mapping(value)
    if "arrayValue" in inner:
        return [_otlp_value(one) for one in items(mapping(inner["arrayValue"]).get("values"))]
    return next(iter(inner.values()), None)


def _nanoseconds(value: Any) -> float | None:
    try:
        return int(value) / 1e9
    except (TypeError, ValueError):
        return None


def _plain(span: Mapping[str, Any]) -> dict[str, Any]:
    context = {**mapping(span.get("context")), **mapping(span.get("spanContext")), **span}
    parent = span.get("parentSpanId") or span.get("parent_id") or mapping(span.get("parentSpanContext")).get("spanId")
    start, end = (
        _moment(span.get(first, span.get(second)))
        for first, second in (("startTime", "start_time"), ("endTime", "end_time"))
    )
    length = end[1] - start[1] if end[1] is not None and start[1] is not None else None
    row = _row(
        span,
        context.get("traceId") or context.get("trace_id"),
        context.get("spanId") or context.get("span_id"),
        text(parent),
        mapping(span.get("attributes")),
        start[1] or 0.0,
        length,
        text(span.get("name")),
    )
    row["order"] = (start[1] or 0.0, start[0] or "", row["id"] or "")
    row["started"] = start[0]
    return row


def _moment(value: Any) -> tuple[str | None, float | None]:
    """A time as the log writes it, and in seconds where it is a number or a pair of seconds and nanoseconds."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(part, int) for part in value):
        return f"{value[0]}.{value[1]:09d}", value[0] + value[1] / 1e9
    return stated(value), real(value)


def _row(
    span: Mapping[str, Any],
    trace: Any,
    name: Any,
    parent: str | None,
    tags: Mapping[str, Any],
    start: float,
    seconds: float | None,
    title: str | None,
) -> dict[str, Any]:
    return {
        "trace": str(trace),
        "id": text(name),
        "parent": parent,
        "tags": tags,
        "order": (start, "", str(name)),
        "started": repr(start),
        "seconds": seconds,
        "title": title,
        "status": span.get("status"),
    }


def drafts(source: Source) -> Iterator[Draft]:
    """One run a trace that holds model or tool calls."""
    for trace, rows in _traces(source):
        draft = Draft("otel", trace, TOOLS)
        spans = [span for row in rows if (span := _span(row)) is not None]
        draft.drop("span that is neither model nor tool call", len(rows) - len(spans))
        tell_spans(draft, spans, {str(row["id"]): row["parent"] for row in rows})
        if not any(span.answer.words or span.answer.calls or span.call for span in spans):
            draft.refused = "no text is recorded, only that calls took place"
        yield draft


def _span(row: Mapping[str, Any]) -> Span | None:
    tags = row["tags"]
    tool = _tool(tags, row["title"] or "")
    common = {name: row[name] for name in ("id", "parent", "order", "started", "seconds")}
    if tool is not None:
        output = _first(
            tags,
            "gcp.vertex.agent.tool_response",
            "gen_ai.tool.call.result",
            "ai.toolCall.result",
            "output.value",
            "traceloop.entity.output",
            "mcp.response.value",
        )
        failed = True if mapping(row["status"]).get("code") in (2, "ERROR", "STATUS_CODE_ERROR") else None
        return Span("tool", call=tool, output=shown(output), failed=failed, **common)
    answer = _answer(tags)
    if answer is None:
        return None
    return Span(
        "model",
        model=text(_first(tags, "gen_ai.request.model", "llm.model_name", "ai.model.id")),
        prompt=_prompt(tags),
        answer=answer,
        tokens=_tokens(tags),
        **common,
    )


def _first(tags: Mapping[str, Any], *names: str) -> Any:
    return next((tags[name] for name in names if tags.get(name) not in (None, "", "{}")), None)


def _tool(tags: Mapping[str, Any], title: str) -> Call | None:
    is_tool = (
        tags.get("gen_ai.operation.name") == "execute_tool"
        or tags.get("openinference.span.kind") == "TOOL"
        or tags.get("traceloop.span.kind") == "tool"
        or "ai.toolCall.name" in tags
    )
    if not is_tool:
        return None
    name = text(_first(tags, "gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name"))
    given = _first(
        tags,
        "gcp.vertex.agent.tool_call_args",
        "gen_ai.tool.call.arguments",
        "ai.toolCall.args",
        "input.value",
        "tool.parameters",
        "traceloop.entity.input",
    )
    call_id = stated(_first(tags, "gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id"))
    return Call(call_id, name or title.removeprefix("execute_tool ") or None, {} if given is None else given)


def _answer(tags: Mapping[str, Any]) -> Answer | None:
    """What a model call wrote; None for a span that is none."""
    indexed = _indexed(tags, ("completion", "output"))
    if indexed:
        return answer_of(indexed)
    said = _first(tags, "gen_ai.output.messages", "gcp.vertex.agent.llm_response")
    if said is not None:
        return answer_of(said)
    if "ai.response.text" in tags or "ai.response.toolCalls" in tags or "ai.response.object" in tags:
        words = [part for name in ("ai.response.text", "ai.response.object") if (part := text(tags.get(name)))]
        return Answer(words, [], answer_of(tags.get("ai.response.toolCalls")).calls)
    is_model = tags.get("gen_ai.operation.name") in ("chat", "text_completion", "generate_content") or (
        tags.get("openinference.span.kind") == "LLM"
    )
    if not is_model:
        return None
    return answer_of(tags.get("output.value")) if "output.value" in tags else Answer([], [], [])


def _prompt(tags: Mapping[str, Any]) -> Any:
    indexed = _indexed(tags, ("prompt", "input"))
    return indexed or _first(
        tags, "gen_ai.input.messages", "gcp.vertex.agent.llm_request", "ai.prompt.messages", "ai.prompt", "input.value"
    )


def _indexed(tags: Mapping[str, Any], which: tuple[str, ...]) -> list[dict[str, Any]]:
    """Messages that are spread over attributes with their number in the name."""
    found: dict[int, dict[str, Any]] = {}
    for name, value in tags.items():
        match = _INDEXED.fullmatch(name)
        if match is None or (match[1] or match[2]) not in which:
            continue
        _put(found.setdefault(int(match[3]), {}), match[4].removeprefix("message."), value)
    return [_message(found[number]) for number in sorted(found)]


def _put(message: dict[str, Any], path: str, value: Any) -> None:
    match = re.fullmatch(r"tool_calls\.(\d+)\.(?:tool_call\.)?(?:function\.)?(id|name|arguments)", path)
    if match is not None:
        message.setdefault("calls", {}).setdefault(int(match[1]), {})[match[2]] = value
    else:
        message[path] = value


def _message(parts: dict[str, Any]) -> dict[str, Any]:
    calls = parts.pop("calls", {})
    return {**parts, "tool_calls": [{**calls[number], "type": "function"} for number in sorted(calls)]}


def _tokens(tags: Mapping[str, Any]) -> Tokens | None:
    def count(*names: str) -> int | None:
        said = _first(tags, *names)
        try:
            return int(said) if said is not None else None
        except (TypeError, ValueError):
            return None

    read = count(
        "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "ai.usage.promptTokens"
    )
    wrote = count(
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "ai.usage.completionTokens",
    )
    if read is None and wrote is None:
        return None
    return Tokens(
        input=read,
        cached=count("gen_ai.usage.cache_read_input_tokens"),
        output=wrote,
        thinking=count("gen_ai.usage.reasoning_tokens"),
    )


READER = LogReader(
    "otel",
    "spans (Jaeger, OTLP or a list) with attributes gen_ai, openinference, ai.… of model and tool calls",
    recognises,
    drafts,
)
