"""Items of OpenAI's Responses form (messages, calls, outputs, reasoning), told to a draft in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatworked.process.records.chat import call_arguments, file_patches, tell_result
from whatworked.process.records.draft import HARNESS, USER, Draft, content_text
from whatworked.process.records.values import arguments, items, mapping, stated, text, unpacked, written

CALLS = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "mcp_call", "file_search_call",
         "code_interpreter_call", "computer_call", "tool_search_call")  # fmt: skip
OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output", "computer_call_output",
           "mcp_tool_call_output", "tool_search_output")  # fmt: skip
_MACHINERY = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>")


def is_item(value: Any) -> bool:
    """Whether a value is a call, an output or reasoning of the Responses form."""
    return isinstance(value, dict) and value.get("type") in (*CALLS, *OUTPUTS, "reasoning")


def tell_item(draft: Draft, where: str, item: Mapping[str, Any], *, turn: str | None, time: str | None = None) -> None:
    """Tell a draft one item.

    Parameters
    ----------
    draft : Draft
        The run.
    where : str
        Place of the item in the source.
    item : mapping
        The item.
    turn : str or None
        The model call that it belongs to.
    time : str, optional
        When, as the log writes it.
    """
    kind = text(item.get("type")) or "message"
    if kind == "message":
        _tell_message(draft, where, item, turn, time)
    elif kind == "reasoning":
        parts = [*items(item.get("summary")), *items(item.get("content"))]
        words = content_text(parts, draft, ("summary_text", "reasoning_text", "text")) if parts else None
        draft.think(words, where=where, turn=turn, time=time)
        if not words:
            draft.drop("hidden thinking that is not recorded in words")
    elif kind in CALLS:
        _tell_call(draft, where, item, kind, turn, time)
    elif kind in OUTPUTS:
        call_id = stated(item.get("call_id") or item.get("id"))
        body = item.get("output")
        inner = unpacked(body) if isinstance(body, str) else body
        metadata = mapping(mapping(inner).get("metadata"))
        code = metadata.get("exit_code")
        shown = mapping(inner).get("output", body) if metadata else body
        failed = code != 0 if isinstance(code, int) else None
        tell_result(draft, shown, where, call_id=call_id, time=time, failed=failed)
    else:
        draft.unknown(f"item {kind}")


def _tell_message(draft: Draft, where: str, item: Mapping[str, Any], turn: str | None, time: str | None) -> None:
    words = content_text(item.get("content"), draft)
    role = item.get("role")
    if role == "assistant":
        draft.say(words, where=where, turn=turn, time=time)
    elif role == "user" and not (words or "").lstrip().startswith(_MACHINERY):
        draft.task_prompt = draft.task_prompt or words
        draft.message(words, where=where, speaker=USER, time=time)
    else:
        draft.message(words, where=where, speaker=HARNESS, time=time, mandated=True)


def _tell_call(
    draft: Draft, where: str, item: Mapping[str, Any], kind: str, turn: str | None, time: str | None
) -> None:
    tool = text(item.get("name")) or kind.removesuffix("_call")
    named = ("arguments", "input", "action", "queries", "code")
    given: Any = next((item[name] for name in named if item.get(name) is not None), {})
    draft.call(
        tool,
        arguments(given),
        where=where,
        turn=turn,
        call_id=stated(item.get("call_id") or item.get("id")),
        started=time,
        patches=file_patches(tool, call_arguments(given)),
    )
    result = item.get("output", item.get("results"))
    if result is not None and kind not in ("function_call", "custom_tool_call"):
        draft.result(written(result), where=where, call_id=stated(item.get("call_id") or item.get("id")))
