"""SWE-agent's trajectories: a list of steps with thought, action and observation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.draft import (
    BOOKKEEPING,
    EDIT,
    HARNESS,
    READ,
    SHELL,
    SUBMIT,
    Draft,
    ToolUse,
    content_text,
)
from whatworked.process.records.record import Tokens
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import mapping, objects, real, text, whole

TOOLS: Mapping[str, ToolUse] = {
    "bash": SHELL,
    **dict.fromkeys(("open", "goto", "scroll_up", "scroll_down", "search_dir", "search_file", "find_file",
                     "filemap", "view_image",
                     "open_site", "disassemble", "decompile"), READ),
    **dict.fromkeys(("create", "edit", "insert", "str_replace_editor", "edit_anthropic", "undo_edit"), EDIT),
    **dict.fromkeys(("connect_start", "connect_sendline", "connect_exec", "connect_stop", "debug_start", "debug_step",
                     "debug_exec", "debug_continue", "debug_add_breakpoint", "debug_stop"), SHELL),
    **dict.fromkeys(("think",), BOOKKEEPING),
    **dict.fromkeys(("submit", "exit_forfeit", "submit_review"), SUBMIT),
}  # fmt: skip
"""By the first word of an action, which names the command; what is none of SWE-agent's own goes to its shell."""


def recognises(source: Source) -> bool:
    """An object with a `trajectory` of steps that have action, observation and thought or response."""
    if source.shape != "object":
        return False
    steps = objects(source.value.get("trajectory"))
    return (
        bool(steps) and all("action" in step and "observation" in step for step in steps[:3]) and "response" in steps[0]
    )


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a file."""
    whole_log = source.value
    draft = Draft("swe-agent", source.name, TOOLS)
    draft.notes.append("where a reply was malformed and asked for again, the log keeps the last reply only")
    info = mapping(whole_log.get("info"))
    draft.strip(whole_log)
    draft.strip(info)
    _tell_opening(draft, whole_log)
    config = mapping(mapping(whole_log.get("replay_config")).get("agent"))
    draft.model = text(mapping(config.get("model")).get("name"))
    draft.tokens = _sum(mapping(info.get("model_stats")))
    for number, step in enumerate(objects(whole_log.get("trajectory"))):
        _tell_step(draft, f"trajectory[{number}]", step)
    submission = text(info.get("submission"))
    if submission:
        draft.call("submit", submission, where="info.submission", mandated=True, use=SUBMIT)
    yield draft


def _sum(stats: Mapping[str, Any]) -> Tokens | None:
    """Tokens of the run. Demonstrations and replays state zeros, which say nothing."""
    sent, received = whole(stats.get("tokens_sent")), whole(stats.get("tokens_received"))
    if not sent and not received:
        return None
    return Tokens(input=sent, cached=None, output=received, thinking=None)


def _tell_opening(draft: Draft, whole_log: Mapping[str, Any]) -> None:
    """The messages before the first step; demonstrations show the work of others."""
    for number, message in enumerate(objects(whole_log.get("history"))):
        role, words = message.get("role"), content_text(message.get("content"), draft)
        if message.get("is_demo") is True or message.get("message_type") == "demonstration":
            draft.drop("demonstration of another task")
        elif role == "system":
            draft.message(words, where=f"history[{number}]", speaker=HARNESS, mandated=True)
        elif role == "user":
            draft.task_prompt = words
            draft.message(words, where=f"history[{number}]")
            return
        elif role == "assistant":
            return


def _tell_step(draft: Draft, where: str, step: Mapping[str, Any]) -> None:
    action, thought = text(step.get("action")) or "", text(step.get("thought"))
    thinking = text(step.get("thinking")) or content_text(step.get("thinking_blocks"), draft, ("thinking",)) or None
    if not action.strip():
        draft.say(thought, where=where)
        draft.message(text(step.get("observation")), where=where, speaker=HARNESS, mandated=True)
        return
    first = action.split(maxsplit=1)[0]
    tool = first if first in TOOLS else "bash"
    draft.call(
        tool,
        action,
        where=where,
        turn=where,
        words=thought or None,
        thinking=thinking,
        observation=text(step.get("observation")),
        seconds=real(step.get("execution_time")),
    )


READER = LogReader(
    "swe-agent", "an object with a trajectory of steps with action, observation and response", recognises, drafts
)
