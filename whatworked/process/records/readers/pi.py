"""Sessions of the pi coding agent: JSON lines of messages, compactions and changes of model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.chat import tell_parts, tell_result, usage_tokens
from whatworked.process.records.draft import AGENT, EDIT, HARNESS, READ, SHELL, USER, Draft, ToolUse, content_text
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import flag, mapping, stated, text

TOOLS: Mapping[str, ToolUse] = {
    "bash": SHELL,
    **dict.fromkeys(("read", "grep", "find", "ls"), READ),
    **dict.fromkeys(("edit", "write"), EDIT),
}

_MACHINERY = ("session", "model_change", "thinking_level_change", "label", "session_info", "custom")


def recognises(source: Source) -> bool:
    """A line `session` with a folder and an id, or messages with `toolResult` and `toolCall`."""
    return source.shape == "lines" and any(
        (entry.get("type") == "session" and "cwd" in entry and "id" in entry)
        or (
            entry.get("type") == "message"
            and mapping(entry.get("message")).get("role") in ("toolResult", "bashExecution")
        )
        for entry in source.sample
    )


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a file."""
    draft = Draft("pi", source.name, TOOLS)
    for where, entry in source.entries:
        _tell(draft, where, mapping(entry))
    yield draft


def _tell(draft: Draft, where: str, entry: Mapping[str, Any]) -> None:
    kind = entry.get("type")
    if kind == "message":
        _tell_message(draft, where, mapping(entry.get("message")), text(entry.get("timestamp")))
    elif kind in ("compaction", "branch_summary"):
        draft.message(
            text(entry.get("summary")), where=where, speaker=HARNESS, time=text(entry.get("timestamp")), mandated=True
        )
    elif kind == "custom_message":
        words = content_text(entry.get("content"), draft)
        draft.message(words, where=where, speaker=HARNESS, time=text(entry.get("timestamp")), mandated=True)
    elif kind in _MACHINERY:
        draft.drop(f"machinery: {kind}")
    else:
        draft.unknown(f"line of type {kind}")


def _tell_message(draft: Draft, where: str, message: Mapping[str, Any], time: str | None) -> None:
    role = message.get("role")
    if role == "user":
        words = content_text(message.get("content"), draft)
        draft.task_prompt = draft.task_prompt or words
        draft.message(words, where=where, speaker=USER, time=time)
    elif role == "assistant":
        draft.model = draft.model or text(message.get("model"))
        if message.get("stopReason") in ("aborted", "error"):
            draft.drop(f"model call that ended as {message['stopReason']}: what it had written is kept")
        tell_parts(draft, message.get("content"), where, speaker=AGENT, turn=where, time=time)
        draft.usage(where, usage_tokens(message.get("usage")))
    elif role == "toolResult":
        call_id, failed = stated(message.get("toolCallId")), flag(message.get("isError"))
        tell_result(draft, message.get("content"), where, call_id=call_id, time=time, failed=failed)
    elif role == "bashExecution":
        code = message.get("exitCode")
        failed = None if not isinstance(code, int) else code != 0
        draft.call(
            "bash",
            text(message.get("command")) or "",
            where=where,
            speaker=USER,
            started=time,
            failed=failed,
            observation=text(message.get("output")),
        )
    else:
        draft.unknown(f"message of role {role}")


READER = LogReader(
    "pi", "lines of type session and message, with parts toolCall and roles toolResult", recognises, drafts
)
