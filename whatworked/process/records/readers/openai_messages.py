"""Chats as lists of messages: ``role`` and ``content``, with calls beside or in the content, or as items.

The form that most programs can export, and the last to be tried: a reader that knows more goes before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.chat import call_arguments, tell_chat
from whatworked.process.records.draft import (
    BOOKKEEPING,
    EDIT,
    EXPERIMENT,
    POLL,
    READ,
    SHELL,
    SUBMIT,
    Draft,
    ToolUse,
)
from whatworked.process.records.registry import LogReader
from whatworked.process.records.responses import is_item, tell_item
from whatworked.process.records.source import Source
from whatworked.process.records.values import items, mapping, objects, stated, text

TOOLS: Mapping[str, ToolUse] = {
    **dict.fromkeys(("bash", "shell", "execute_bash", "terminal", "run_command", "python", "execute_code",
                     "code_interpreter",
                     "execute_python", "local_shell", "ipython", "run_python", "exec"), SHELL),
    **dict.fromkeys(("run_experiment", "experiment", "observe", "observe_many", "measure"), EXPERIMENT),
    **dict.fromkeys(("wait", "poll", "get_output"), POLL),
    **dict.fromkeys(("read_file", "view", "search", "web_search", "fetch", "list_files", "open_file", "browse",
                     "web_fetch",
                     "request_info", "validate_code", "get_history", "file_search", "grep", "glob"), READ),
    **dict.fromkeys(("write_file", "edit_file", "create_file", "apply_patch", "str_replace_editor", "edit", "write",
                     "str_replace_based_edit_tool"), EDIT),
    **dict.fromkeys(("think", "todo_write", "update_plan", "plan"), BOOKKEEPING),
    **dict.fromkeys(("submit", "finish", "final_answer", "submit_diagnosis"), SUBMIT),
}  # fmt: skip

_LISTS = ("messages", "traj", "trajectory", "conversation", "conversations", "history", "chat", "transcript",
          "input", "items",
          "turns", "dialog", "dialogue", "log")  # fmt: skip


_SHARED = {
    "human": "user",
    "gpt": "assistant",
    "bing": "assistant",
    "chatgpt": "assistant",
    "model": "assistant",
    "observation": "tool",
    "function_response": "tool",
}
"""Roles of the ShareGPT form, whose messages have `from` and `value`."""


def _usual(value: Any) -> Any:
    """A message of the ShareGPT or LangChain form as one with role and content; anything else as it is."""
    chained = _unchained(value)
    if chained is not None:
        return chained
    if not isinstance(value, dict) or not isinstance(value.get("from"), str) or "value" not in value:
        return value
    said, role = value["value"], _SHARED.get(value["from"], value["from"])
    if role == "function_call":
        call = call_arguments(said)
        return {"role": "assistant", "content": None, "tool_calls": [{"id": "shared", "function": call}]}
    return {"role": role, "content": said, **({"tool_call_id": "shared"} if role == "tool" else {})}


_DEPTH = 3
"""How far within an object a chat may stand."""


_CHAINED = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant", "system": "system", "tool": "tool"}
"""Types of LangChain's messages, and their roles."""


def _unchained(value: Any) -> dict[str, Any] | None:
    """A message of LangChain, whose type stands in place of a role; its fields may stand under `data` or `kwargs`."""
    said = mapping(value)
    fields = mapping(said.get("data")) or mapping(said.get("kwargs")) or said
    kind = said.get("type")
    if kind == "constructor":
        kind = str((items(said.get("id")) or [""])[-1]).removesuffix("Message").lower()
    if "role" in said or not isinstance(kind, str) or kind not in _CHAINED or "content" not in fields:
        return None
    return {**fields, "role": _CHAINED[kind], "usage": fields.get("usage_metadata")}


def _is_message(value: Any) -> bool:
    value = _usual(value)
    if not isinstance(value, dict):
        return False
    has_content = any(name in value for name in ("content", "tool_calls", "function_call"))
    return isinstance(value.get("role"), str) and has_content


def _is_chat(value: Any) -> bool:
    listed = [entry for entry in items(value) if isinstance(entry, dict)]
    known = sum(_is_message(entry) or is_item(entry) for entry in listed)
    return known >= 1 and known >= 0.5 * len(listed)


def _chats(source: Source) -> Iterator[tuple[str, Any, list[tuple[str, Any]]]]:
    """Each chat of a source: name, what stands around it, and its messages with their places."""
    if source.shape == "object":
        yield from _chats_in(source.name, source.value, "")
        return
    entries = source.entries
    if _is_chat([value for _, value in entries]):
        yield source.name, None, entries
        return
    for number, (where, value) in enumerate(entries):
        yield from _chats_in(str(number), value, f"{where}, ")


def _chats_in(run: str, value: Any, prefix: str, depth: int = 0) -> Iterator[tuple[str, Any, list[tuple[str, Any]]]]:
    """Chats in a value: it is one, a field of it is, or objects within it hold one."""
    if _is_chat(value):
        yield run, None, [(f"{prefix}message {number}", message) for number, message in enumerate(value)]
        return
    around = mapping(value)
    name = next((name for name in _LISTS if _is_chat(around.get(name))), None)
    if name is not None:
        yield run, value, [(f"{prefix}{name}[{number}]", message) for number, message in enumerate(around[name])]
        return
    if depth < _DEPTH:
        for name, below in around.items():
            if isinstance(below, dict):
                yield from _chats_in(run, below, f"{prefix}{name}.", depth + 1)
            for number, inner in enumerate(objects(below)):
                yield from _chats_in(f"{run} {name}[{number}]", inner, f"{prefix}{name}[{number}].", depth + 1)


def recognises(source: Source) -> bool:
    """A list of messages, alone, in a field of an object or of objects within it, or one chat a line."""
    if source.shape == "object":
        return any(True for _ in _chats_in("", source.value, ""))
    if source.shape == "list" and any(_is_chat(entry) for entry in source.value[:20]):
        return True
    return source.shape in ("list", "lines") and (
        _is_chat(source.sample) or any(True for entry in source.sample[:20] for _ in _chats_in("", entry, ""))
    )


def drafts(source: Source) -> Iterator[Draft]:
    """One run a chat."""
    for number, (name, around, messages) in enumerate(_chats(source)):
        draft = Draft("openai-messages", name, TOOLS)
        _tell_around(draft, around, number)
        if any(is_item(message) for _, message in messages):
            _tell_items(draft, messages)
        else:
            tell_chat(draft, ((where, _usual(message)) for where, message in messages))
        yield draft


def _tell_around(draft: Draft, around: Any, number: int) -> None:
    """What stands beside the messages: the run's name and model; answers are counted."""
    fields = mapping(around)
    draft.strip(fields)
    for name in ("id", "task_id", "instance_id", "conversation_id", "session_id"):
        if stated(fields.get(name)):
            draft.run = f"{number}-{stated(fields[name])}" if number else str(stated(fields[name]))
            break
    draft.model = text(fields.get("model"))


def _tell_items(draft: Draft, messages: list[tuple[str, Any]]) -> None:
    turn, before = 0, False
    for where, item in messages:
        if not isinstance(item, dict):
            continue
        draft.strip(item)
        # A model call ends where something comes back from outside.
        outside = str(item.get("type", "")).endswith("_output") or item.get("role") in ("user", "system", "developer")
        turn += before and not outside
        before = outside
        for call in objects(item.get("tool_calls")):
            draft.unknown(f"call beside items: {call.get('type')}")
        tell_item(draft, where, item, turn=None if outside else f"turn {turn}")


READER = LogReader(
    "openai-messages",
    "a list of messages with role and content, calls beside or in them",
    recognises,
    drafts,
    generic=True,
)
