"""Logs of Inspect (``.eval`` and ``.json``), read by Inspect's own `read_eval_log`.

One log holds samples times epochs; each is a run. Messages are the final state of a conversation: where a model call
wrote what is no longer among them (after a compaction, or in a sub-agent), the calls are followed instead.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from whatworked.errors import MissingExtraError, RecordError
from whatworked.process.records.chat import file_patches
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
)
from whatworked.process.records.record import Tokens
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import FILE_LIMIT, Source
from whatworked.process.records.values import arguments, mapping

TOOLS: Mapping[str, ToolUse] = {
    **dict.fromkeys(("bash", "python", "bash_session", "computer", "exec", "shell", "execute_bash",
                     "code_execution"), SHELL),
    **dict.fromkeys(("web_search", "read_file", "list_files", "grep", "skill", "web_browser", "web_browser_go",
                     "web_browser_click",
                     "web_browser_type", "web_browser_type_submit", "web_browser_scroll", "web_browser_back",
                     "web_browser_forward",
                     "web_browser_refresh", "web_fetch"), READ),
    **dict.fromkeys(("text_editor", "apply_patch", "write_file", "edit_file"), EDIT),
    **dict.fromkeys(("think", "update_plan", "memory", "todo_write"), BOOKKEEPING),
    **dict.fromkeys(("submit", "score"), SUBMIT),
    **dict.fromkeys(("task", "handoff"), DELEGATE),
}  # fmt: skip


def recognises(source: Source) -> bool:
    """A zip archive with header.json, or an object with `eval`, `status` and `plan` or `samples`."""
    if source.shape == "object":
        value = source.value
        return isinstance(value.get("eval"), dict) and "status" in value and ("samples" in value or "plan" in value)
    return source.shape != "folder" and source.data.startswith(b"PK") and "header.json" in _names(source.data)


def _names(data: bytes) -> list[str]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return []


def drafts(source: Source) -> Iterator[Draft]:
    """One run a sample and epoch."""
    log = _read(source)
    for sample in log.samples or ():
        draft = Draft("inspect", f"{sample.id}_epoch_{sample.epoch}", TOOLS)
        draft.model = log.eval.model
        _tell_sample(draft, sample)
        yield draft


def transcript_draft(transcript: Any) -> Draft:
    """The run of one of Scout's transcripts, which has the messages and events of a sample of Inspect."""
    draft = Draft("inspect", transcript.transcript_id, TOOLS)
    draft.model = transcript.model
    draft.strip_names("score" for value in (transcript.score, transcript.success) if value is not None)
    sample = SimpleNamespace(
        target=None,
        scores=None,
        metadata=transcript.metadata,
        messages=transcript.messages,
        events=transcript.events,
        error=transcript.error,
        error_retries=None,
    )
    _tell_sample(draft, sample)
    return draft


def _read(source: Source) -> Any:
    try:
        from inspect_ai.log import read_eval_log
    except ImportError as error:
        raise MissingExtraError(
            'reading Inspect logs needs inspect-ai; install it with: pip install "whatworked[inspect]"'
        ) from error
    if source.data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > FILE_LIMIT:
            raise RecordError(f"it unpacks to {unpacked:,} bytes; at most {FILE_LIMIT:,} are read")
    try:
        log = read_eval_log(str(source.path), resolve_attachments=True)
    except Exception as error:
        raise RecordError(f"Inspect cannot read it ({type(error).__name__}: {_first_line(error)})") from error
    if not log.samples:
        raise RecordError(f"cannot be judged: the log has no samples (its status is {log.status})")
    return log


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0][:200]


def _tell_sample(draft: Draft, sample: Any) -> None:
    if sample.target not in (None, "", []):
        draft.strip_names(["target"])
    draft.strip_names("scores" for _ in sample.scores or ())
    draft.strip(mapping(sample.metadata))
    calls, tools = _model_calls(sample), {}
    for event in sample.events or ():
        if event.event == "tool":
            tools[event.id] = event
        elif event.event == "sample_limit":
            draft.drop(f"limit of the sample: {event.type}")
        elif event.event not in _KNOWN_EVENTS:
            draft.unknown(f"event {event.event}")
    if sample.error is not None:
        draft.drop("error of the sample")
    if sample.error_retries:
        draft.drop("earlier attempt that ended in an error", len(sample.error_retries))
    messages = _messages(sample, calls)
    by_message = {event.output.choices[0].message.id: event for event in calls}
    asked = False
    for place, message in enumerate(messages):
        where = f"message {place}"
        if message.role == "assistant":
            _tell_assistant(draft, where, message, by_message, tools)
        elif message.role == "tool":
            _tell_tool(draft, where, message, tools)
        elif message.role == "user" and (message.source == "input" or not asked):
            asked = True
            draft.task_prompt = draft.task_prompt or message.text
            draft.message(_text(draft, message), where=where, speaker=USER)
        else:
            draft.message(_text(draft, message), where=where, speaker=HARNESS, mandated=True)


_KNOWN_EVENTS = ("model", "tool", "state", "store", "step", "span_begin", "span_end", "sandbox", "sample_init",
                 "score", "info",
                 "input", "approval", "logger", "error", "subtask", "sample_limit", "score_edit", "compaction",
                 "branch",
                 "checkpoint", "anchor", "interrupt")  # fmt: skip


def _model_calls(sample: Any) -> list[Any]:
    """Events of model calls that gave an answer."""
    events = (event for event in sample.events or () if event.event == "model")
    return [event for event in events if event.error is None and event.output is not None and event.output.choices]


def _messages(sample: Any, calls: list[Any]) -> list[Any]:
    kept = {_key(message) for message in sample.messages}
    written = [_key(event.output.choices[0].message) for event in calls]
    if all(key in kept for key in written):
        return list(sample.messages)
    seen: set[tuple[str, ...]] = set()
    found = []
    for event in calls:
        for message in [*event.input, event.output.choices[0].message]:
            if (key := _key(message)) not in seen:
                seen.add(key)
                found.append(message)
    # A submission may be cut out of the last message of the final state: the same words are not told twice.
    said = {message.text for message in found if message.role == "assistant"}
    rest = (message for message in sample.messages if _key(message) not in seen)
    return [*found, *(message for message in rest if message.role != "assistant" or message.text not in said)]


def _key(message: Any) -> tuple[str, ...]:
    """Equal for two copies of a message: its id is new in each copy of some logs."""
    calls = tuple(call.id for call in getattr(message, "tool_calls", None) or ())
    answered = getattr(message, "tool_call_id", None) or ""
    return (message.role, answered, *calls) if calls or answered else (message.role, message.text)


def _tell_assistant(draft: Draft, where: str, message: Any, calls: Mapping[str, Any], tools: Mapping[str, Any]) -> None:
    call = calls.get(message.id)
    started = None if call is None else call.timestamp.isoformat()
    turn = where
    if call is not None and call.output.usage is not None:
        usage = call.output.usage
        draft.usage(
            turn,
            Tokens(
                input=usage.input_tokens,
                cached=usage.input_tokens_cache_read,
                output=usage.output_tokens,
                thinking=usage.reasoning_tokens,
            ),
        )
    for part in [] if isinstance(message.content, str) else message.content:
        if part.type == "reasoning":
            draft.think(None if part.redacted else part.reasoning, where=where, turn=turn, time=started)
            if part.redacted or not part.reasoning:
                draft.drop("hidden thinking that is not recorded in words")
    draft.say(_text(draft, message), where=where, turn=turn, time=started)
    for used in message.tool_calls or ():
        event = tools.get(used.id)
        given = used.arguments if not used.parse_error else used.arguments or {}
        draft.call(
            used.function,
            arguments(given),
            where=where,
            speaker=AGENT,
            turn=turn,
            call_id=used.id,
            started=None if event is None else event.timestamp.isoformat(),
            seconds=None if event is None else event.working_time,
            patches=file_patches(used.function, mapping(given)),
        )


def _tell_tool(draft: Draft, where: str, message: Any, tools: Mapping[str, Any]) -> None:
    event = tools.get(message.tool_call_id)
    ended = None if event is None or event.completed is None else event.completed.isoformat()
    shown = _text(draft, message) or ""
    failed = message.error is not None
    if failed and message.error.message and message.error.message not in shown:
        shown = f"{shown}\n{message.error.message}".strip("\n")
    draft.result(shown, where=where, call_id=message.tool_call_id, ended=ended, failed=failed)


def _text(draft: Draft, message: Any) -> str | None:
    if isinstance(message.content, str):
        return message.content
    found = []
    for part in message.content:
        if part.type == "text":
            found.append(part.text)
        elif part.type != "reasoning":
            draft.drop(f"part of a message that is no text: {part.type}")
    return "\n".join(found) if found else None


READER = LogReader(
    "inspect",
    "a log of Inspect: an archive with header.json, or an object with eval, status and samples",
    recognises,
    drafts,
)
