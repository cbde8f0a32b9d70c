"""mini-SWE-agent: a chat whose actions are shell commands in a fence of the assistant's text, or calls of a tool."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.chat import tell_result, usage_tokens
from whatworked.process.records.draft import HARNESS, SHELL, SUBMIT, Draft, ToolUse, content_text
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import arguments, mapping, objects, stated, text

TOOLS: Mapping[str, ToolUse] = {"bash": SHELL, "submit": SUBMIT}
_FENCE = re.compile(r"```(?:mswea_bash_command|bash)[ \t]*\n(.*?)\n?```", re.DOTALL)
_CODE = re.compile(r"<returncode>(-?\d+)</returncode>")


def _messages(value: Any) -> list[dict[str, Any]]:
    return objects(value.get("messages") if isinstance(value, dict) else value)


def recognises(source: Source) -> bool:
    """`trajectory_format: mini-swe-agent…`, or a chat with commands in a fence and `<returncode>` in the replies."""
    value = source.value
    if source.shape == "object" and str(value.get("trajectory_format", "")).startswith("mini-swe-agent"):
        return True
    messages = _messages(value)
    texts = [(message.get("role"), text(message.get("content")) or "") for message in messages]
    return any(role == "assistant" and _FENCE.search(said) for role, said in texts) and any(
        role == "user" and "<returncode>" in said for role, said in texts
    )


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a file."""
    around = mapping(source.value)
    draft = Draft("mini-swe-agent", stated(around.get("instance_id")) or source.name, TOOLS)
    info = mapping(around.get("info"))
    draft.strip(around)
    draft.strip(info)
    config = mapping(mapping(info.get("config")).get("model"))
    draft.model = text(config.get("model_name"))
    chat = _Chat(draft)
    for number, message in enumerate(_messages(source.value)):
        chat.tell(f"messages[{number}]", message)
    submission = text(info.get("submission"))
    if submission and submission.strip() != (chat.last or "").strip():
        draft.call("submit", submission, where="info.submission", mandated=True)
    yield draft


class _Chat:
    """Messages while they are told: the next message of the user answers a command."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.awaited: int | None = None
        self.last: str | None = None

    def tell(self, where: str, message: Mapping[str, Any]) -> None:
        """One message."""
        self.draft.strip(message)
        role, words = message.get("role"), content_text(message.get("content"), self.draft)
        if role == "assistant":
            self._assistant(where, message, words or "")
        elif role in ("system", "exit"):
            self.draft.message(words, where=where, speaker=HARNESS, mandated=True)
        elif role == "tool" or message.get("type") == "function_call_output":
            call_id = stated(message.get("tool_call_id") or message.get("call_id"))
            body = message.get("content", message.get("output"))
            tell_result(self.draft, body, where, call_id=call_id, failed=_failed(words or ""))
            self.last = words
        elif role == "user" and self.awaited is not None:
            self.draft.result(words, where=where, step=self.awaited, failed=_failed(words or ""))
            self.awaited, self.last = None, words
        elif role == "user":
            # Without a command before it, it is the task, and after that the program's complaint.
            asked = self.draft.task_prompt is None
            self.draft.task_prompt = self.draft.task_prompt or words
            if asked:
                self.draft.message(words, where=where)
            else:
                self.draft.message(words, where=where, speaker=HARNESS, mandated=True)
        else:
            self.draft.unknown(f"message of role {role}")

    def _assistant(self, where: str, message: Mapping[str, Any], words: str) -> None:
        extra = mapping(message.get("extra"))
        self.draft.usage(where, usage_tokens(mapping(extra.get("response")).get("usage")))
        time = stated(extra.get("timestamp"))
        self.draft.think(text(message.get("reasoning_content")), where=where, turn=where, time=time)
        calls = objects(message.get("tool_calls"))
        if calls:
            self.draft.say(words, where=where, turn=where, time=time)
            for call in calls:
                function = mapping(call.get("function"))
                given = arguments(function.get("arguments", {}))
                self.draft.call(
                    text(function.get("name")),
                    given,
                    where=where,
                    turn=where,
                    call_id=stated(call.get("id")),
                    started=time,
                )
            return
        commands = _FENCE.findall(words)
        if len(commands) != 1:
            self.awaited = None
            self.draft.say(words, where=where, turn=where, time=time)
            return
        found = _FENCE.search(words)
        rest = words if found is None else words[: found.start()] + words[found.end() :]
        self.draft.say(rest, where=where, turn=where, time=time)
        self.awaited = self.draft.call("bash", commands[0], where=where, turn=where, started=time)


def _failed(shown: str) -> bool | None:
    found = _CODE.search(shown)
    return None if found is None else found[1] != "0"


READER = LogReader(
    "mini-swe-agent",
    "trajectory_format mini-swe-agent, or a chat with bash fences answered by <returncode>",
    recognises,
    drafts,
)
