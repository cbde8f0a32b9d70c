"""Sessions of the Gemini command line: one object with messages, whose calls hold their results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.chat import file_patches
from whatworked.process.records.draft import (
    BOOKKEEPING,
    EDIT,
    HARNESS,
    READ,
    SHELL,
    USER,
    Draft,
    ToolUse,
    content_text,
)
from whatworked.process.records.record import Tokens
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import arguments, mapping, objects, stated, text, whole, written

TOOLS: Mapping[str, ToolUse] = {
    "run_shell_command": SHELL,
    **dict.fromkeys(("read_file", "read_many_files", "list_directory", "glob", "search_file_content"), READ),
    **dict.fromkeys(("google_web_search", "web_fetch"), READ),
    **dict.fromkeys(("write_file", "replace"), EDIT),
    **dict.fromkeys(("save_memory", "write_todos"), BOOKKEEPING),
}


def recognises(source: Source) -> bool:
    """An object with `sessionId` and `messages` of type user and gemini."""
    if source.shape != "object" or "sessionId" not in source.value:
        return False
    return any(message.get("type") in ("user", "gemini") for message in objects(source.value.get("messages")))


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a session."""
    draft = Draft("gemini-cli", source.name, TOOLS)
    draft.strip(source.value)
    for number, message in enumerate(objects(source.value.get("messages"))):
        _tell(draft, f"messages[{number}]", message)
    yield draft


def _tell(draft: Draft, where: str, message: Mapping[str, Any]) -> None:
    kind, time = message.get("type"), text(message.get("timestamp"))
    words = content_text(message.get("content"), draft)
    if kind == "user":
        draft.task_prompt = draft.task_prompt or words
        draft.message(words, where=where, speaker=USER, time=time)
    elif kind == "gemini":
        _tell_model(draft, where, message, words, time)
    elif kind in ("info", "error", "warning"):
        draft.message(words, where=where, speaker=HARNESS, time=time, mandated=True)
    else:
        draft.unknown(f"message of type {stated(kind)}")
        draft.message(words, where=where, speaker=HARNESS, time=time, mandated=True)


def _tell_model(draft: Draft, where: str, message: Mapping[str, Any], words: str | None, time: str | None) -> None:
    draft.model = draft.model or text(message.get("model"))
    for thought in objects(message.get("thoughts")):
        parts = [part for name in ("subject", "description") if (part := text(thought.get(name)))]
        draft.think("\n".join(parts), where=where, turn=where, time=time)
    draft.say(words, where=where, turn=where, time=time)
    for call in objects(message.get("toolCalls")):
        tool, given = text(call.get("name")), call.get("args", {})
        step = draft.call(
            tool,
            arguments(given),
            where=where,
            turn=where,
            call_id=stated(call.get("id")),
            started=time,
            patches=file_patches(tool or "", mapping(given)),
        )
        failed = {"success": False, "error": True}.get(str(call.get("status")))
        draft.result(
            _shown(call.get("result")), where=where, step=step, failed=failed, ended=text(call.get("timestamp"))
        )
    said = mapping(message.get("tokens"))
    counts = [whole(said.get(name)) for name in ("input", "cached", "output", "thoughts")]
    if any(count is not None for count in counts):
        draft.usage(where, Tokens(input=counts[0], cached=counts[1], output=counts[2], thinking=counts[3]))


def _shown(result: Any) -> str | None:
    """What came back: the outputs of the responses, or the result as it is."""
    outputs = [mapping(mapping(part.get("functionResponse")).get("response")) for part in objects(result)]
    found = [response.get("output", response.get("error")) for response in outputs]
    texts = [written(part) for part in found if part is not None]
    return "\n".join(texts) if texts else None if result is None else written(result)


READER = LogReader("gemini-cli", "an object with sessionId and messages of type user and gemini", recognises, drafts)
