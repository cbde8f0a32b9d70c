"""Records as Scout's transcripts, and transcripts as records.

A transcript that was made from a record gives the same record back: what messages have no place for stands in their
metadata. Any other transcript is read as Inspect's logs are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import msgspec

from whatworked.errors import MissingExtraError, RecordError
from whatworked.process.records import Record, Step, World, record_bytes
from whatworked.process.records.readers.inspect_log import transcript_draft
from whatworked.process.records.record import SourceFile
from whatworked.storage.canonical import canonical_json, sha256

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_scout import Transcript

SOURCE_TYPE = "whatworked-record"
"""What a transcript that was made from a record says of its source."""
_STEP = "whatworked_step"
_HEADER = "whatworked_header"
_WORLD = "whatworked_world"
_TEXTS = ("words", "thinking", "action", "observation")
"""Fields of a step that stand in messages."""


def transcript_of(record: Record, world: World, *, source: str | None = None) -> Transcript:
    """A record as a transcript, to be kept in a database of Scout or scanned.

    Parameters
    ----------
    record : Record
        The run.
    world : World
        What is known of its task.
    source : str, optional
        Where the record is, for people.

    Returns
    -------
    inspect_scout.Transcript
        A message for what is said and run in a step, and one for what came back. No score stands in it, as none does in
        a record.

    Raises
    ------
    MissingExtraError
        If Scout is not installed.
    """
    try:
        from inspect_scout import Transcript
    except ImportError as error:
        raise _missing() from error
    header = record.header
    tokens = header.tokens
    return Transcript(
        transcript_id=sha256(record_bytes(record))[:32],
        source_type=SOURCE_TYPE,
        source_id=header.run,
        source_uri=source,
        task_id=header.run,
        agent=header.format,
        model=header.model,
        total_tokens=None if tokens is None or tokens.output is None else (tokens.input or 0) + tokens.output,
        messages=[message for step in record.steps for message in _messages(step)],
        metadata={_HEADER: msgspec.to_builtins(header), _WORLD: msgspec.to_builtins(world)},
    )


def _messages(step: Step) -> Iterator[ChatMessage]:
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageTool,
        ChatMessageUser,
        ContentReasoning,
        ContentText,
    )
    from inspect_ai.tool import ToolCall

    rest = {name: value for name, value in msgspec.to_builtins(step).items() if name not in _TEXTS or value is None}
    metadata = {_STEP: rest}
    name = f"step {step.id}"
    words = step.words or ""
    if step.actor in ("user", "harness") and step.action is None and step.thinking is None:
        yield ChatMessageUser(id=name, content=words, metadata=metadata)
    else:
        call = step.call_id or f"call {step.id}"
        thought = [] if step.thinking is None else [ContentReasoning(reasoning=step.thinking)]
        used = [] if step.action is None else [ToolCall(call, step.tool or step.kind, {"action": step.action})]
        yield ChatMessageAssistant(
            id=name,
            content=[*thought, ContentText(text=words)] if thought else words,
            tool_calls=used or None,
            metadata=metadata,
        )
    if step.observation is not None:
        yield ChatMessageTool(
            id=f"{name} result",
            content=step.observation,
            tool_call_id=step.call_id or f"call {step.id}",
            function=step.tool or step.kind,
        )


def record_of(transcript: Transcript) -> tuple[Record, World]:
    """The record of a transcript, and what the transcript says of the task.

    Parameters
    ----------
    transcript : inspect_scout.Transcript
        With its messages, and its events of models and tools where there are any.

    Returns
    -------
    record : Record
        The same that `transcript_of` was given, or the run as a log of Inspect is read.
    world : World
        Of any other transcript, its first message from a user as the task; the rest is not recorded.

    Raises
    ------
    RecordError
        If a transcript says that it was made from a record, and is damaged.
    """
    if transcript.source_type == SOURCE_TYPE:
        return _restored(transcript)
    draft = transcript_draft(transcript)
    messages = canonical_json([message.model_dump(mode="json") for message in transcript.messages])
    name = PurePosixPath(transcript.source_uri or transcript.transcript_id).name
    return draft.finish([SourceFile(name=name, size=len(messages), sha256=sha256(messages))]), draft.world()


def _restored(transcript: Transcript) -> tuple[Record, World]:
    try:
        header, world = transcript.metadata[_HEADER], transcript.metadata[_WORLD]
        steps = list(_steps(transcript.messages))
        record = msgspec.convert({"header": header, "steps": steps}, Record)
        return record, msgspec.convert(world, World)
    except (KeyError, msgspec.ValidationError) as error:
        raise RecordError(
            f"transcript {transcript.transcript_id} says that it was made from a record, and lacks or alters a part of "
            f"it: {error}; make it anew"
        ) from error


def _steps(messages: list[ChatMessage]) -> Iterator[dict[str, Any]]:
    """The fields of each step, from its messages."""
    fields: dict[str, Any] = {}
    for message in messages:
        if message.role == "tool":
            fields["observation"] = message.text
            continue
        if fields:
            yield fields
        fields = {"words": message.text, **(message.metadata or {})[_STEP]}
        if message.role == "assistant":
            thoughts = [] if isinstance(message.content, str) else message.content
            fields.update(("thinking", part.reasoning) for part in thoughts if part.type == "reasoning")
            fields.update(("action", call.arguments["action"]) for call in message.tool_calls or ())
    if fields:
        yield fields


def _missing() -> MissingExtraError:
    return MissingExtraError(
        'transcripts of Scout need inspect-scout; install it with: pip install "whatworked[scout]"'
    )
