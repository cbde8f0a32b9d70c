"""Traces: model calls and tool calls as spans, told to a draft in order of time, whatever order they stand in.

A trace repeats the conversation in each model call; only what a call answered is taken, and of the first call the
prompt. A model call that is told by two spans, one within the other, counts once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from whatworked.process.records.draft import AGENT, HARNESS, USER, Draft
from whatworked.process.records.record import Tokens
from whatworked.process.records.values import arguments, items, mapping, objects, stated, text, unpacked


class Call(NamedTuple):
    """A call that a model asked for.

    Attributes
    ----------
    call_id, tool : str or None
        Its id and the tool's name.
    given : object
        The arguments.
    """

    call_id: str | None
    tool: str | None
    given: Any


class Answer(NamedTuple):
    """What a model call wrote.

    Attributes
    ----------
    words, thinking : list of str
        Open words and hidden reasoning.
    calls : list of Call
        Calls of tools.
    """

    words: list[str]
    thinking: list[str]
    calls: list[Call]


class Span(NamedTuple):
    """A model call or a tool call of a trace.

    Attributes
    ----------
    kind : str
        ``"model"`` or ``"tool"``.
    id, parent : str or None
        Ids of the span and of the one around it.
    order : tuple
        By which spans are sorted: the time, then what tells equal times apart.
    started, ended : str or None
        Times as the log writes them.
    seconds : float or None
        How long it took.
    model : str or None
        Of a model call, the model.
    prompt : object
        Of a model call, what it was sent.
    answer : Answer
        Of a model call, what it wrote.
    tokens : Tokens or None
        Of a model call.
    call : Call or None
        Of a tool call, the call.
    output : str or None
        Of a tool call, what came back.
    failed : bool or None
        Whether it is marked as an error.
    """

    kind: str
    id: str | None
    parent: str | None
    order: tuple[Any, ...]
    started: str | None = None
    ended: str | None = None
    seconds: float | None = None
    model: str | None = None
    prompt: Any = None
    answer: Answer = Answer([], [], [])
    tokens: Tokens | None = None
    call: Call | None = None
    output: str | None = None
    failed: bool | None = None


def tell_spans(draft: Draft, spans: Iterable[Span], parents: Mapping[str, str | None]) -> None:
    """Tell a draft the model and tool calls of one trace.

    Parameters
    ----------
    draft : Draft
        The run.
    spans : iterable of Span
        In any order.
    parents : mapping of str to (str or None)
        Parent of every span of the trace, those of machinery too.
    """
    ordered = sorted(spans, key=lambda span: span.order)
    models = {span.id for span in ordered if span.kind == "model"}
    waiting: list[tuple[str | None, int]] = []
    prompted = False
    for span in ordered:
        where = f"span {span.id}"
        if span.kind == "model":
            if _within(span, models, parents):
                draft.drop("model call that is told twice, by a span within another")
                continue
            draft.model = draft.model or span.model
            if not prompted:
                prompted = _tell_prompt(draft, span, where)
            waiting += _tell_model(draft, span, where)
        elif span.kind == "tool":
            _tell_tool(draft, span, where, waiting)


def _within(span: Span, models: set[str | None], parents: Mapping[str, str | None]) -> bool:
    above, seen = span.parent, set()
    while above is not None and above not in seen:
        if above in models:
            return True
        seen.add(above)
        above = parents.get(above)
    return False


def _tell_prompt(draft: Draft, span: Span, where: str) -> bool:
    told = False
    for role, words in prompt_messages(span.prompt):
        if role == "user":
            draft.task_prompt = draft.task_prompt or words
        if role in ("user", "system", "developer"):
            speaker = USER if role == "user" else HARNESS
            draft.message(words, where=where, speaker=speaker, mandated=role != "user")
            told = True
    return told


def _tell_model(draft: Draft, span: Span, where: str) -> list[tuple[str | None, int]]:
    turn = span.id or where
    for thinking in span.answer.thinking:
        draft.think(thinking, where=where, turn=turn, time=span.started)
    for words in span.answer.words:
        draft.say(words, where=where, turn=turn, time=span.started)
    found = []
    for call in span.answer.calls:
        if call.call_id is not None and draft.began(call.call_id) is not None:
            draft.drop("call that is told again by a later span")
            continue
        number = draft.call(
            call.tool, arguments(call.given), where=where, speaker=AGENT, call_id=call.call_id, turn=turn
        )
        found.append((call.tool, number))
    draft.usage(turn, span.tokens)
    return found


def _tell_tool(draft: Draft, span: Span, where: str, waiting: list[tuple[str | None, int]]) -> None:
    call = span.call or Call(None, None, {})
    number = draft.began(call.call_id) if call.call_id is not None else None
    if number is None or draft.answered(number):
        open_calls = [step for tool, step in waiting if tool == call.tool and not draft.answered(step)]
        number = open_calls[0] if open_calls else None
    if number is None:
        draft.call(
            call.tool,
            arguments(call.given),
            where=where,
            call_id=call.call_id,
            observation=span.output,
            started=span.started,
            ended=span.ended,
            seconds=span.seconds,
            failed=span.failed,
        )
        return
    draft.amend(number, started=span.started)
    draft.result(span.output, where=where, step=number, ended=span.ended, seconds=span.seconds, failed=span.failed)


def prompt_messages(prompt: Any) -> Iterator[tuple[str, str]]:
    """Role and text of the messages that a model call was sent, in whichever form."""
    value = unpacked(prompt) if isinstance(prompt, str) else prompt
    if isinstance(value, str):
        yield "user", value
        return
    if isinstance(value, dict):
        for name in ("system", "system_instruction", "instructions"):
            if text(value.get(name)):
                yield "system", value[name]
        inner: Any = next(
            (value[name] for name in ("messages", "contents", "prompt", "input", "content") if name in value), []
        )
        yield from prompt_messages(inner)
        return
    for message in items(value):
        if isinstance(message, list):
            yield from prompt_messages(message)
        elif isinstance(message, dict):
            role = text(message.get("role")) or {"human": "user", "ai": "assistant"}.get(
                str(message.get("type")), str(message.get("type"))
            )
            words = "\n".join(answer_of([message]).words)
            if words:
                yield role, words


def answer_of(value: Any) -> Answer:
    """Words, hidden reasoning and calls of an answer, in whichever of the usual forms."""
    found = Answer([], [], [])
    _collect(unpacked(value) if isinstance(value, str) else value, found, 0)
    return found


_LISTS = ("messages", "choices", "candidates", "parts", "output", "generations", "kwargs", "message", "content")


def _collect(value: Any, found: Answer, depth: int) -> None:
    if depth > 12:
        return
    if isinstance(value, str):
        if value.strip():
            found.words.append(value)
    elif isinstance(value, list):
        for item in value:
            _collect(item, found, depth + 1)
    elif isinstance(value, dict):
        _collect_object(value, found, depth)


def _collect_object(value: dict[str, Any], found: Answer, depth: int) -> None:
    kind = value.get("type")
    if kind in ("thinking", "reasoning"):
        said = next(
            (value[name] for name in ("thinking", "content", "reasoning", "text") if text(value.get(name))), None
        )
        if said:
            found.thinking.append(said)
        return
    called = value.get("function_call") if isinstance(value.get("function_call"), dict) else None
    if kind in ("tool_use", "tool_call", "tool-call", "function_call", "function") or called:
        _collect_call(called or value, found)
        return
    if kind in ("tool_call_response", "tool_result", "tool-result", "function_call_output"):
        return
    reasoning = text(value.get("reasoning_content"))
    if reasoning:
        found.thinking.append(reasoning)
    if text(value.get("text")):
        found.words.append(value["text"])
        return
    for name in _LISTS:
        if name in value and value[name] not in (None, "", []):
            _collect(value[name], found, depth + 1)
            break
    for call in objects(value.get("tool_calls")):
        _collect_call(call, found)


def _collect_call(value: Mapping[str, Any], found: Answer) -> None:
    inner = mapping(value.get("function")) or value
    tool = text(inner.get("name")) or text(inner.get("toolName"))
    given: Any = next((inner[name] for name in ("arguments", "input", "args") if name in inner), {})
    call_id = stated(value.get("id") or value.get("call_id") or value.get("toolCallId"))
    if tool is not None and not any(call.call_id == call_id and call_id is not None for call in found.calls):
        found.calls.append(Call(call_id, tool, given))


def shown(value: Any) -> str | None:
    """A tool's output as text: the text of parts, anything else as JSON."""
    if value is None:
        return None
    inner = unpacked(value) if isinstance(value, str) else value
    content = mapping(inner).get("content")
    if isinstance(content, str):
        return content
    parts = [part["text"] for part in objects(content) if text(part.get("text")) is not None]
    return "\n".join(parts) if parts else value if isinstance(value, str) else json.dumps(inner, ensure_ascii=False)
