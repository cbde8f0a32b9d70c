"""Lists of chat messages, in the two forms that most formats are made of, told to a draft in order.

One form puts calls beside the content (``tool_calls``, answered by messages of the role ``tool``), the other into it
(parts ``tool_use`` and ``tool_result``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from whatworked.process.records.draft import AGENT, HARNESS, USER, Draft, Speaker, content_text, patch
from whatworked.process.records.record import Patch, Tokens
from whatworked.process.records.values import arguments, flag, items, mapping, objects, stated, text, unpacked, whole

Patches: TypeAlias = Callable[[str, Mapping[str, Any]], tuple[Patch, ...]]

THINKING_PARTS = ("thinking", "reasoning", "redacted_thinking")
CALL_PARTS = ("tool_use", "server_tool_use", "mcp_tool_use", "toolCall", "tool-call")
RESULT_PARTS = ("tool_result", "web_search_tool_result", "mcp_tool_result", "web_fetch_tool_result", "tool-result")
_FENCE = re.compile(r"```(?:json)?[ \t]*\n(\{.*?\})\s*```", re.DOTALL)


def file_patches(tool: str, given: Mapping[str, Any]) -> tuple[Patch, ...]:
    """Changes of files that the arguments of a usual editing tool state, by the names of its arguments."""
    del tool
    path = next(
        (given[name] for name in ("file_path", "path", "filename", "notebook_path") if text(given.get(name))), None
    )
    if path is None:
        return ()
    edits = objects(given.get("edits"))
    found = [_edit(path, edit) for edit in edits] or [_edit(path, given)]
    return tuple(change for change in found if change.old is not None or change.new is not None)


def _edit(path: Any, given: Mapping[str, Any]) -> Patch:
    def first(*names: str) -> Any:
        return next((given[name] for name in names if text(given.get(name)) is not None), None)

    old = first("old_string", "old_str", "oldText", "old_text")
    new = first("new_string", "new_str", "newText", "new_text", "content", "file_text", "contents", "new_source")
    return patch(path, old=old, new=new)


def call_arguments(value: Any) -> Mapping[str, Any]:
    """The arguments of a call as an object, unpacked from a text if need be; empty where they are none."""
    return mapping(unpacked(value) if isinstance(value, str) else value)


def usage_tokens(usage: Any) -> Tokens | None:
    """Token counts under the names that the providers use; None where there are none."""
    said = mapping(usage)

    def first(*names: str) -> int | None:
        return next((found for name in names if (found := whole(said.get(name))) is not None), None)

    inner = {**mapping(said.get("completion_tokens_details")), **mapping(said.get("output_tokens_details"))}
    details = {**mapping(said.get("prompt_tokens_details")), **mapping(said.get("input_tokens_details"))}
    cached = first("cache_read_input_tokens", "cached_input_tokens", "cache_read_tokens", "cacheRead", "cached_tokens")
    thinking = first("reasoning_output_tokens", "reasoning_tokens")
    found = Tokens(
        input=first("input_tokens", "prompt_tokens", "input", "inputTokens", "promptTokens"),
        cached=cached if cached is not None else whole(details.get("cached_tokens")),
        output=first("output_tokens", "completion_tokens", "output", "outputTokens", "completionTokens"),
        thinking=thinking if thinking is not None else whole(inner.get("reasoning_tokens")),
    )
    return None if found == Tokens(input=None, cached=None, output=None, thinking=None) else found


def tell_chat(draft: Draft, messages: Iterable[tuple[str, Any]]) -> None:
    """Tell a draft the messages of a chat.

    Parameters
    ----------
    draft : Draft
        The run.
    messages : iterable of (str, object)
        Each message with its place in the source.
    """
    listed = [(where, message) for where, message in messages if isinstance(message, dict)]
    fenced = _in_fences(message for _, message in listed)
    awaited: int | None = None
    for where, message in listed:
        draft.strip(message)
        role = text(message.get("role"))
        if role == "assistant":
            awaited = _tell_assistant(draft, where, message, fenced=fenced)
        elif role in ("tool", "function"):
            _tell_tool(draft, where, message)
        elif role in ("system", "developer"):
            draft.message(content_text(message.get("content"), draft), where=where, speaker=HARNESS, mandated=True)
        elif role in ("user", "human"):
            _tell_user(draft, where, message, awaited)
            awaited = None
        else:
            draft.unknown(f"message of role {role}")
            draft.message(content_text(message.get("content"), draft), where=where, speaker=Speaker("subagent", role))


def _tell_tool(draft: Draft, where: str, message: Mapping[str, Any]) -> None:
    """A result, by the id of its call; where it names none that was made, it answers the first call that waits."""
    names = (stated(message.get("tool_call_id")), stated(message.get("id")), _function_id(message))
    call_id = next((name for name in names if name is not None and draft.began(name) is not None), None)
    step = None
    if call_id is None and (step := draft.waiting()) is not None:
        draft.drop("result that names no call, joined by order")
    body, time = message.get("content"), _time(message)
    tell_result(draft, body, where, call_id=call_id or names[0], step=step, time=time)


def _tell_user(draft: Draft, where: str, message: Mapping[str, Any], awaited: int | None) -> None:
    content = message.get("content")
    if awaited is not None:
        draft.result(content_text(content, draft), where=where, step=awaited)
        return
    if isinstance(content, list) and any(part.get("type") in RESULT_PARTS for part in objects(content)):
        tell_results(draft, content, where)
        content = [part for part in content if not (isinstance(part, dict) and part.get("type") in RESULT_PARTS)]
        if not content:
            return
    words = content_text(content, draft)
    if draft.task_prompt is None and words:
        draft.task_prompt = words
    draft.message(words, where=where, speaker=USER, time=_time(message))


def _tell_assistant(draft: Draft, where: str, message: Mapping[str, Any], *, fenced: bool) -> int | None:
    name = text(message.get("name"))
    speaker = Speaker("agent", name) if name else AGENT
    turn = where
    draft.think(_thinking(message), where=where, speaker=speaker, turn=turn)
    draft.usage(turn, usage_tokens(message.get("usage")))
    if fenced and isinstance(content := message.get("content"), str) and (found := _FENCE.search(content)):
        told = _fenced_call(found.group(1))
        if told is not None:
            draft.say(content[: found.start()] + content[found.end() :], where=where, speaker=speaker, turn=turn)
            return draft.call(
                told[0], arguments(told[1]), where=where, speaker=speaker, turn=turn, started=_time(message)
            )
    tell_parts(draft, message.get("content"), where, speaker=speaker, turn=turn, time=_time(message))
    for call in [*objects(message.get("tool_calls")), *objects([message.get("function_call")])]:
        function = mapping(call.get("function")) or call
        tool = text(function.get("name"))
        given = function.get("arguments", function.get("input"))
        draft.call(
            tool,
            arguments({} if given is None else given),
            where=where,
            speaker=speaker,
            turn=turn,
            call_id=stated(call.get("id")) or (f"function {tool}" if call is message.get("function_call") else None),
            started=_time(message),
            patches=file_patches(tool or "", call_arguments(given)),
        )
    return None


def tell_parts(
    draft: Draft, content: Any, where: str, *, speaker: Speaker, turn: str | None, time: str | None, **fields: Any
) -> None:
    """Tell a draft what an agent's message holds: words, hidden thinking, calls, and results that came within it."""
    if isinstance(content, str):
        draft.say(content, where=where, speaker=speaker, turn=turn, time=time)
        return
    for part in items(content):
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in CALL_PARTS:
            tool, given = text(part.get("name") or part.get("toolName")), _given(part)
            draft.call(
                tool,
                arguments({} if given is None else given),
                where=where,
                speaker=speaker,
                turn=turn,
                call_id=stated(part.get("id") or part.get("toolCallId")),
                started=time,
                patches=file_patches(tool or "", call_arguments(given)),
                **fields,
            )
        elif kind in THINKING_PARTS:
            words = part.get("thinking") or part.get("reasoning") or part.get("text")
            draft.think(text(words), where=where, speaker=speaker, turn=turn, time=time)
            if not text(words):
                draft.drop("hidden thinking that is not recorded in words")
        elif kind in RESULT_PARTS:
            tell_results(draft, [part], where)
        else:
            draft.say(content_text([part], draft), where=where, speaker=speaker, turn=turn, time=time)


def tell_results(draft: Draft, content: Any, where: str, **fields: Any) -> None:
    """Tell a draft the results among the parts of a message."""
    for part in objects(content):
        if part.get("type") in RESULT_PARTS:
            call_id = stated(part.get("tool_use_id") or part.get("toolCallId"))
            failed = flag(part.get("is_error"))
            body = part.get("content", part.get("result", part.get("output")))
            tell_result(draft, body, where, call_id=call_id, failed=failed, **fields)


def tell_result(
    draft: Draft, content: Any, where: str, *, call_id: str | None, time: str | None = None, **fields: Any
) -> None:
    """Tell a draft one result, a text or parts."""
    if isinstance(content, dict):
        observation: str | None = json.dumps(content, ensure_ascii=False)
    elif isinstance(content, list) and not any("text" in part for part in objects(content)) and objects(content):
        observation = _without_text(draft, content)
    else:
        observation = content_text(content, draft)
    draft.result(observation, where=where, call_id=call_id, ended=time, **fields)


def _without_text(draft: Draft, content: list[Any]) -> str:
    """Parts that are data (search hits) as JSON; pictures are counted as dropped."""
    shown = []
    for part in objects(content):
        if part.get("type") in ("image", "image_url", "input_image", "document"):
            draft.drop(f"part of a message that is no text: {part['type']}")
        else:
            shown.append(
                json.dumps({name: value for name, value in part.items() if "encrypted" not in name}, ensure_ascii=False)
            )
    return "\n".join(shown)


def _given(part: Mapping[str, Any]) -> Any:
    return next((part[name] for name in ("input", "arguments", "args") if name in part), None)


def _thinking(message: Mapping[str, Any]) -> str | None:
    return next(
        (said for name in ("reasoning_content", "reasoning", "thinking") if (said := text(message.get(name)))), None
    )


def _function_id(message: Mapping[str, Any]) -> str | None:
    named = text(message.get("name"))
    return f"function {named}" if named else None


def _time(message: Mapping[str, Any]) -> str | None:
    return stated(next((message[name] for name in ("timestamp", "created_at", "time") if name in message), None))


def _in_fences(messages: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a chat without any calls writes them as JSON in a fence, one a message."""
    fenced = 0
    for message in messages:
        if message.get("tool_calls") or message.get("role") in ("tool", "function"):
            return False
        content = message.get("content")
        if message.get("role") == "assistant" and isinstance(content, str) and (found := _FENCE.search(content)):
            fenced += _fenced_call(found.group(1)) is not None
    return fenced > 0


def _fenced_call(body: str) -> tuple[str, Any] | None:
    call = unpacked(body)
    if not isinstance(call, dict):
        return None
    tool = next((call[name] for name in ("action", "tool", "function", "name") if text(call.get(name))), None)
    given: Any = next(
        (call[name] for name in ("params", "arguments", "args", "input", "action_input") if name in call), {}
    )
    return None if tool is None else (tool, given)
