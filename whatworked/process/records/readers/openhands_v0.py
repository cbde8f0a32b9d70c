"""OpenHands, first form: lists of events that are actions or observations, alone or in a line a run; and DevAI's table.

An event is an action if it names an `action` and an observation if it names an `observation`; its `source` does not
tell, for observations carry the agent's name too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from whatworked.process.records.draft import (
    AGENT,
    BOOKKEEPING,
    DELEGATE,
    EDIT,
    HARNESS,
    READ,
    SHELL,
    SUBMIT,
    UNKNOWN_TOOL,
    USER,
    Draft,
    ToolUse,
    patch,
)
from whatworked.process.records.record import Patch, Tokens
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import arguments, flag, items, mapping, objects, real, stated, text, whole

TOOLS: Mapping[str, ToolUse] = {
    **dict.fromkeys(("run", "run_ipython", "call_tool_mcp"), SHELL),
    "call_tool_mcp": UNKNOWN_TOOL,
    **dict.fromkeys(("read", "browse", "browse_interactive"), READ),
    **dict.fromkeys(("edit", "write"), EDIT),
    **dict.fromkeys(("think", "recall", "condensation", "condensation_request", "task_tracking",
                     "loop_recovery"), BOOKKEEPING),
    "delegate": DELEGATE,
    **dict.fromkeys(("finish", "reject"), SUBMIT),
}  # fmt: skip

_MACHINERY = ("change_agent_state", "agent_state_changed", "null", "pause", "resume", "stop", "recall", "condensation",
              "condensation_request", "status", "start_hidden", "loop_detection")  # fmt: skip
_WORDS = ("thought", "wait_for_response", "image_urls", "file_urls", "confirmation_state", "security_risk",
          "hidden", "blocking",
          "is_input", "is_static", "translated_ipython_code")  # fmt: skip


def _is_event(entry: Mapping[str, Any]) -> bool:
    if isinstance(entry.get("action"), str):
        return isinstance(entry.get("args"), dict)
    return isinstance(entry.get("observation"), str) and "content" in entry and ("extras" in entry or "cause" in entry)


def _is_devai(entry: Mapping[str, Any]) -> bool:
    return "user_message" in entry and isinstance(entry.get("agent"), dict) and "environment" in entry


def recognises(source: Source) -> bool:
    """Events with `action` and `args` or `observation` and `extras`, a `history` of them, or DevAI's steps."""
    return any(
        _is_event(entry) or _is_devai(entry) or _events(entry) != []
        for entry in source.sample[:20]
        if source.shape in ("list", "lines", "object")
    )


def _events(entry: Any) -> list[dict[str, Any]]:
    """The events of a run's history: bare, or in the older pairs of action and observation."""
    found: list[dict[str, Any]] = []
    for item in items(mapping(entry).get("history") or mapping(entry).get("trajectory")):
        found.extend(objects(item) if isinstance(item, list) else objects([item]))
    return found if any(_is_event(event) for event in found) else []


def drafts(source: Source) -> Iterator[Draft]:
    """One run a file of events, or one a line."""
    entries = [("", source.value)] if source.shape == "object" else source.entries
    if any(_is_devai(mapping(entry)) for _, entry in entries):
        yield _devai(source.name, entries)
    elif any(_is_event(mapping(entry)) for _, entry in entries):
        draft = Draft("openhands-v0", source.name, TOOLS)
        _tell_events(draft, ((where, mapping(entry)) for where, entry in entries))
        yield draft
    else:
        for where, entry in entries:
            yield _of_output(source.name, where, mapping(entry))


def _of_output(name: str, where: str, entry: Mapping[str, Any]) -> Draft:
    draft = Draft("openhands-v0", stated(entry.get("instance_id")) or f"{name} {where}".strip(), TOOLS)
    draft.strip(entry)
    draft.task_prompt = text(entry.get("instruction"))
    draft.model = text(mapping(mapping(entry.get("metadata")).get("llm_config")).get("model"))
    sums = mapping(mapping(entry.get("metrics")).get("accumulated_token_usage"))
    draft.tokens = _usage(sums)
    prefix = f"{where}, " if where else ""
    _tell_events(draft, ((f"{prefix}event {number}", event) for number, event in enumerate(_events(entry))))
    handed_in = text(mapping(entry.get("test_result")).get("git_patch"))
    if handed_in:
        draft.call("finish", handed_in, where=f"{prefix}test_result.git_patch", mandated=True)
    if text(entry.get("error")):
        draft.message(entry["error"], where=f"{prefix}error", speaker=HARNESS, mandated=True)
    return draft


def _usage(said: Mapping[str, Any]) -> Tokens | None:
    read, wrote = whole(said.get("prompt_tokens")), whole(said.get("completion_tokens"))
    if read is None and wrote is None:
        return None
    return Tokens(input=read, cached=whole(said.get("cache_read_tokens")), output=wrote, thinking=None)


def _tell_events(draft: Draft, events: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    told = _Events(draft)
    for where, event in events:
        told.tell(where, event)


class _Events:
    """Events while they are told: an observation names the action that caused it, or follows it."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.steps: dict[str, int] = {}
        self.last: int | None = None
        self.ignored: set[str] = set()

    def tell(self, where: str, event: Mapping[str, Any]) -> None:
        """One event."""
        if isinstance(event.get("action"), str):
            self._action(where, event)
        elif isinstance(event.get("observation"), str):
            self._observation(where, event)
        else:
            self.draft.unknown("event that is neither action nor observation")

    def _action(self, where: str, event: Mapping[str, Any]) -> None:
        name, given = event["action"], mapping(event.get("args"))
        time = text(event.get("timestamp"))
        if name in _MACHINERY:
            self.ignored.add(str(event.get("id")))
            self.draft.drop(f"machinery: {name}")
        elif name == "system":
            self.draft.message(text(given.get("content")), where=where, speaker=HARNESS, time=time, mandated=True)
        elif name == "message":
            self._message(where, event, given, time)
        else:
            self._call(where, event, name, given, time)

    def _message(self, where: str, event: Mapping[str, Any], given: Mapping[str, Any], time: str | None) -> None:
        words = text(given.get("content"))
        if event.get("source") == "user":
            self.draft.task_prompt = self.draft.task_prompt or words
            self.draft.message(words, where=where, speaker=USER, time=time)
        else:
            self.draft.message(words, where=where, speaker=AGENT, time=time)

    def _call(
        self, where: str, event: Mapping[str, Any], name: str, given: Mapping[str, Any], time: str | None
    ) -> None:
        joined = mapping(event.get("tool_call_metadata"))
        reply = mapping(joined.get("model_response"))
        self.draft.model = self.draft.model or text(reply.get("model"))
        turn = text(reply.get("id"))
        speaker = USER if event.get("source") == "user" else AGENT
        thought = text(given.get("thought"))
        if name == "think":
            # A thought that is told by a tool is what the agent says, and no action.
            self.steps[str(event.get("id"))] = -1
            self.draft.say(thought, where=where, turn=turn, time=time)
            self.ignored.add(str(event.get("id")))
            return
        choices = objects(reply.get("choices"))
        hidden = text(mapping(choices[0].get("message")).get("reasoning_content")) if choices else None
        number = self.draft.call(
            name,
            arguments({key: value for key, value in given.items() if key not in _WORDS and value not in (None, "")}),
            where=where,
            speaker=speaker,
            turn=turn,
            call_id=text(joined.get("tool_call_id")),
            words=thought or None,
            thinking=hidden,
            started=time,
            patches=_changes(name, given),
        )
        usage = mapping(reply.get("usage"))
        self.draft.usage(turn, _usage({**usage, "cache_read_tokens": usage.get("cache_read_input_tokens")}))
        self.steps[str(event.get("id"))] = self.last = number

    def _observation(self, where: str, event: Mapping[str, Any]) -> None:
        name, content, time = event["observation"], text(event.get("content")), text(event.get("timestamp"))
        cause = stated(event.get("cause"))
        if name in _MACHINERY or cause in self.ignored:
            self.draft.drop(f"machinery: {name}")
            return
        step = self.steps.get(cause) if cause is not None else None
        if step is None and cause is None and name != "error":
            step = self.last
        code = mapping(mapping(event.get("extras")).get("metadata")).get(
            "exit_code", mapping(event.get("extras")).get("exit_code")
        )
        failed = flag(event.get("success"))
        failed = (not failed) if failed is not None else code != 0 if isinstance(code, int) else None
        joined = text(mapping(event.get("tool_call_metadata")).get("tool_call_id"))
        if step is None and joined is None:
            words = f"{content}" if content else None
            self.draft.message(words, where=where, speaker=HARNESS, time=time, mandated=True)
            return
        self.draft.result(content, where=where, step=step, call_id=joined, ended=time, failed=failed)


def _changes(name: str, given: Mapping[str, Any]) -> tuple[Patch, ...]:
    if name == "write":
        return (patch(given.get("path"), new=given.get("content")),)
    if name != "edit":
        return ()
    new = text(given.get("new_str")) or text(given.get("file_text")) or text(given.get("content")) or None
    return (patch(given.get("path"), old=given.get("old_str"), new=new),)


def _devai(name: str, entries: list[tuple[str, Any]]) -> Draft:
    draft = Draft("openhands-v0", name, TOOLS)
    for where, value in entries:
        entry = mapping(value)
        draft.strip(entry)
        agent, usage = mapping(entry.get("agent")), mapping(entry.get("step_usage"))
        words = text(entry.get("user_message"))
        draft.task_prompt = draft.task_prompt or words
        draft.message(words, where=where)
        draft.model = draft.model or text(usage.get("model"))
        action, shown = text(agent.get("action")), text(entry.get("environment"))
        if action is None:
            draft.say(text(agent.get("thought")), where=where)
            draft.message(shown, where=where, speaker=HARNESS, mandated=True)
            continue
        told = next((tool for begin, tool in _DEVAI.items() if action.startswith(begin)), None)
        draft.call(
            told,
            action,
            where=where,
            turn=where,
            words=text(agent.get("thought")),
            observation=shown,
            seconds=real(usage.get("step_execution_time")),
        )
        draft.usage(
            where,
            Tokens(
                input=whole(usage.get("input_tokens")),
                cached=None,
                output=whole(usage.get("output_tokens")),
                thinking=None,
            ),
        )
    return draft


_DEVAI = {
    "Running command:": "run",
    "Running Python code interactively:": "run_ipython",
    "Browsing": "browse",
    "Reading file:": "read",
    "Writing file:": "write",
}
"""The display line that stands for an action begins with the name of its tool in words."""

READER = LogReader(
    "openhands-v0",
    "events with action and args or observation and extras, alone or as `history` in a line a run; or DevAI's steps",
    recognises,
    drafts,
)
