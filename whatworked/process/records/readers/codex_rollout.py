"""Codex's own session files: lines with a time stamp, a type and a payload in OpenAI's Responses form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.chat import usage_tokens
from whatworked.process.records.draft import BOOKKEEPING, DELEGATE, EDIT, HARNESS, POLL, READ, SHELL, Draft, ToolUse
from whatworked.process.records.registry import LogReader
from whatworked.process.records.responses import is_item, tell_item
from whatworked.process.records.source import Source
from whatworked.process.records.values import mapping, text

TOOLS: Mapping[str, ToolUse] = {
    **dict.fromkeys(
        ("shell", "shell_command", "exec_command", "local_shell", "container.exec", "unified_exec", "exec"), SHELL
    ),
    **dict.fromkeys(("write_stdin", "wait"), POLL),
    "apply_patch": EDIT,
    **dict.fromkeys(("web_search", "view_image", "read_file", "grep_files", "list_dir", "read_mcp_resource"), READ),
    **dict.fromkeys(("update_plan", "request_user_input"), BOOKKEEPING),
    **dict.fromkeys(("spawn_agent", "send_input", "wait_agent", "close_agent"), DELEGATE),
}
_LINES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")


def recognises(source: Source) -> bool:
    """Lines with a payload of type session_meta, response_item, event_msg; or the older bare items."""
    if source.shape != "lines":
        return False
    wrapped = any(entry.get("type") in _LINES and isinstance(entry.get("payload"), dict) for entry in source.sample)
    first = source.sample[0]
    return wrapped or ("instructions" in first and "id" in first and any(is_item(entry) for entry in source.sample))


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a file."""
    draft = Draft("codex-rollout", source.name, TOOLS)
    turn, outside = 0, True
    for where, value in source.entries:
        entry = mapping(value)
        kind, payload = entry.get("type"), mapping(entry.get("payload"))
        if kind not in _LINES and (is_item(entry) or kind == "message"):
            kind, payload = "response_item", entry
        if kind == "response_item":
            ends = str(payload.get("type", "")).endswith("_output") or payload.get("role") in (
                "user",
                "developer",
                "system",
            )
            turn += outside and not ends
            outside = ends
            tell_item(draft, where, payload, turn=None if ends else f"turn {turn}", time=text(entry.get("timestamp")))
        else:
            _tell_other(draft, where, kind, payload, entry)
    yield draft


def _tell_other(draft: Draft, where: str, kind: Any, payload: Mapping[str, Any], entry: Mapping[str, Any]) -> None:
    if kind == "event_msg" and payload.get("type") == "token_count":
        total = mapping(mapping(payload.get("info")).get("total_token_usage"))
        draft.tokens = usage_tokens(total) or draft.tokens
    if kind == "turn_context":
        draft.model = draft.model or text(payload.get("model"))
    if kind == "compacted":
        draft.message(text(payload.get("message")), where=where, speaker=HARNESS, mandated=True)
    elif kind == "event_msg":
        # The events tell again, for display, what stands in the items.
        draft.drop(f"event for display: {payload.get('type')}")
    elif kind in _LINES or entry.get("record_type") == "state" or "instructions" in entry:
        draft.drop(f"machinery: {kind or 'session'}")
    else:
        draft.unknown(f"line of type {kind}")


READER = LogReader(
    "codex-rollout", "lines of type session_meta, response_item and event_msg with a payload", recognises, drafts
)
