"""OpenHands, second form: events with a `kind`, one a file in a folder, or together in a list or in lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.chat import call_arguments, file_patches
from whatworked.process.records.draft import (
    AGENT,
    BOOKKEEPING,
    DELEGATE,
    EDIT,
    HARNESS,
    READ,
    SHELL,
    SUBMIT,
    USER,
    Draft,
    ToolUse,
    content_text,
)
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import arguments, flag, mapping, text

TOOLS: Mapping[str, ToolUse] = {
    **dict.fromkeys(("terminal", "execute_bash", "bash"), SHELL),
    **dict.fromkeys(("file_editor", "str_replace_editor", "apply_patch", "planning_file_editor"), EDIT),
    **dict.fromkeys(("glob", "grep", "browser_navigate", "browser_get_state", "browser_get_content", "fetch"), READ),
    **dict.fromkeys(("think", "task_tracker", "invoke_skill"), BOOKKEEPING),
    **dict.fromkeys(("delegate", "task"), DELEGATE),
    "finish": SUBMIT,
}

_KINDS = ("SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent",
          "UserRejectObservation",
          "Condensation", "CondensationSummaryEvent", "CondensationRequest", "ConversationStateUpdateEvent",
          "PauseEvent",
          "ConversationErrorEvent", "TokenEvent", "HookExecutionEvent", "LLMCompletionLogEvent")  # fmt: skip
_NUMBER = re.compile(r"event-(\d+)-")


def _is_event(entry: Mapping[str, Any]) -> bool:
    return entry.get("kind") in _KINDS and "id" in entry and "source" in entry


def recognises(source: Source) -> bool:
    """A folder of files with one event each, or events in one file."""
    if source.shape == "folder":
        files = [member for member in source.members if member.path.suffix == ".json"]
        return len(files) >= 1 and all(member.shape == "object" and _is_event(member.value) for member in files[:3])
    return any(_is_event(entry) for entry in source.sample)


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a folder or file."""
    draft = Draft("openhands-v1", source.name, TOOLS)
    for where, event in _events(source):
        _tell(draft, where, mapping(event))
    yield draft


def _events(source: Source) -> list[tuple[str, Any]]:
    if source.shape == "object":
        return [("event", source.value)]
    if source.shape != "folder":
        return source.entries

    def place(member: Source) -> tuple[int, str]:
        found = _NUMBER.match(member.path.name)
        return (int(found[1]) if found else -1, member.path.name)

    files = [member for member in source.members if member.path.suffix == ".json"]
    return [(member.path.name, member.value) for member in sorted(files, key=place)]


def _tell(draft: Draft, where: str, event: Mapping[str, Any]) -> None:
    kind, time = event.get("kind"), text(event.get("timestamp"))
    draft.strip(event)
    if kind == "SystemPromptEvent":
        words = content_text(mapping(event.get("system_prompt")), draft) or text(event.get("system_prompt"))
        draft.message(words, where=where, speaker=HARNESS, time=time, mandated=True)
    elif kind == "MessageEvent":
        _tell_message(draft, where, event, time)
    elif kind == "ActionEvent":
        _tell_action(draft, where, event, time)
    elif kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
        _tell_observation(draft, where, event, kind, time)
    elif kind in ("Condensation", "CondensationSummaryEvent"):
        draft.message(text(event.get("summary")), where=where, speaker=HARNESS, time=time, mandated=True)
    elif kind == "ConversationErrorEvent":
        draft.message(text(event.get("detail")), where=where, speaker=HARNESS, time=time, mandated=True)
    elif kind in _KINDS:
        draft.drop(f"machinery: {kind}")
    else:
        draft.unknown(f"event {kind}")


def _tell_message(draft: Draft, where: str, event: Mapping[str, Any], time: str | None) -> None:
    said = mapping(event.get("llm_message"))
    words = content_text(said.get("content"), draft)
    if event.get("source") == "user":
        draft.task_prompt = draft.task_prompt or words
        draft.message(words, where=where, speaker=USER, time=time)
        return
    turn = text(event.get("llm_response_id"))
    draft.think(_thinking(said), where=where, turn=turn, time=time)
    draft.say(words, where=where, speaker=AGENT, turn=turn, time=time)


def _thinking(said: Mapping[str, Any]) -> str | None:
    return text(said.get("reasoning_content"))


def _tell_action(draft: Draft, where: str, event: Mapping[str, Any], time: str | None) -> None:
    tool, call = text(event.get("tool_name")), mapping(event.get("tool_call"))
    given = call.get("arguments", mapping(call.get("function")).get("arguments"))
    if given is None:
        given = {name: value for name, value in mapping(event.get("action")).items() if name != "kind"}
    draft.call(
        tool,
        arguments(given),
        where=where,
        turn=text(event.get("llm_response_id")),
        call_id=text(event.get("tool_call_id")),
        words=content_text(event.get("thought"), draft) or None,
        thinking=_thinking(event),
        started=time,
        patches=file_patches(tool or "", call_arguments(given)),
    )


def _tell_observation(draft: Draft, where: str, event: Mapping[str, Any], kind: str, time: str | None) -> None:
    shown = mapping(event.get("observation"))
    if kind == "ObservationEvent":
        words = content_text(shown.get("content"), draft) if "content" in shown else text(shown.get("output"))
        code = shown.get("exit_code")
        failed = flag(shown.get("is_error")) or (code != 0 if isinstance(code, int) else flag(shown.get("is_error")))
        words = (
            words if words is not None else arguments({name: value for name, value in shown.items() if name != "kind"})
        )
    else:
        words, failed = text(event.get("error")) or text(event.get("rejection_reason")), True
    draft.result(words, where=where, call_id=text(event.get("tool_call_id")), ended=time, failed=failed)


READER = LogReader(
    "openhands-v1",
    "events with kind ActionEvent, ObservationEvent, …: a folder of files or one file",
    recognises,
    drafts,
)
