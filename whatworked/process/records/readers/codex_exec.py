"""Codex in its non-interactive mode with ``--json``: events of a thread, its turns and their items."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.chat import usage_tokens
from whatworked.process.records.draft import BOOKKEEPING, EDIT, HARNESS, READ, SHELL, USER, Draft, ToolUse, patch
from whatworked.process.records.record import Patch, Tokens
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import arguments, mapping, objects, stated, text, written

TOOLS: Mapping[str, ToolUse] = {
    "command_execution": SHELL,
    "file_change": EDIT,
    "web_search": READ,
    "todo_list": BOOKKEEPING,
}

_EVENTS = (
    "thread.started",
    "turn.started",
    "turn.completed",
    "turn.failed",
    "item.started",
    "item.updated",
    "item.completed",
)


def recognises(source: Source) -> bool:
    """Lines of type thread.started, turn.… and item.…."""
    return source.shape in ("lines", "list") and any(entry.get("type") in _EVENTS for entry in source.sample)


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a file."""
    draft = Draft("codex-exec", source.name, TOOLS)
    items = _Items(draft)
    for where, value in source.entries:
        entry = mapping(value)
        kind = entry.get("type")
        if kind in ("item.started", "item.updated", "item.completed"):
            items.tell(where, kind.removeprefix("item."), mapping(entry.get("item")))
        elif kind == "turn.completed":
            items.add_usage(entry)
        elif kind in ("turn.failed", "error"):
            said = entry.get("message") or mapping(entry.get("error")).get("message") or ""
            draft.message(written(said), where=where, speaker=HARNESS, mandated=True)
        elif kind in ("thread.started", "turn.started"):
            draft.drop(f"machinery: {kind}")
        else:
            draft.unknown(f"event {kind}")
    yield draft


class _Items:
    """Items by their ids: an item that was started is one step, however often it is told."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.steps: dict[str, int] = {}

    def add_usage(self, entry: Mapping[str, Any]) -> None:
        """Add a turn's tokens to the run's."""
        said, before = usage_tokens(entry.get("usage")), self.draft.tokens
        if said is not None and before is not None:
            pairs = {name: (getattr(before, name), getattr(said, name)) for name in Tokens.__struct_fields__}
            said = Tokens(**{name: None if None in pair else sum(pair) for name, pair in pairs.items()})
        self.draft.tokens = said or before

    def tell(self, where: str, phase: str, item: Mapping[str, Any]) -> None:
        """One event of an item."""
        kind = text(item.get("type") or item.get("item_type")) or "(no type)"
        if kind in ("agent_message", "assistant_message"):
            if phase == "completed":
                self.draft.say(text(item.get("text")), where=where)
        elif kind == "reasoning":
            if phase == "completed":
                self.draft.think(text(item.get("text")), where=where)
        elif kind == "user_message":
            self.draft.message(text(item.get("text")), where=where, speaker=USER)
        elif kind == "error":
            self.draft.message(text(item.get("message")), where=where, speaker=HARNESS, mandated=True)
        elif kind in TOOLS or kind in ("mcp_tool_call", "collab_tool_call", "function_call"):
            self._call(where, phase, kind, item)
        else:
            self.draft.unknown(f"item {kind}")

    def _call(self, where: str, phase: str, kind: str, item: Mapping[str, Any]) -> None:
        key = stated(item.get("id")) or where
        action = _action(kind, item)
        if key not in self.steps:
            tool = text(item.get("tool") or item.get("name")) if kind not in TOOLS else kind
            self.steps[key] = self.draft.call(tool, action, where=where, call_id=key, patches=_changes(kind, item))
        elif phase == "completed" and action:
            # What was asked may be complete only now: a search is started before its words are known.
            self.draft.amend(self.steps[key], action=action, patches=_changes(kind, item))
        if phase == "completed":
            code, status = item.get("exit_code"), item.get("status")
            failed = code != 0 if isinstance(code, int) else {"failed": True, "completed": False}.get(str(status))
            self.draft.result(_output(kind, item), where=where, step=self.steps[key], failed=failed)


def _action(kind: str, item: Mapping[str, Any]) -> str:
    if kind == "command_execution":
        return written(item.get("command", ""))
    if kind == "file_change":
        return "\n".join(
            f"{text(change.get('kind'))} {text(change.get('path'))}" for change in objects(item.get("changes"))
        )
    if kind == "web_search":
        return text(item.get("query")) or ""
    if kind == "todo_list":
        return "\n".join(
            f"[{'x' if entry.get('completed') else ' '}] {text(entry.get('text'))}"
            for entry in objects(item.get("items"))
        )
    return arguments(item.get("arguments", {}))


def _changes(kind: str, item: Mapping[str, Any]) -> tuple[Patch, ...]:
    if kind != "file_change":
        return ()
    return tuple(patch(change.get("path"), diff=change.get("diff")) for change in objects(item.get("changes")))


def _output(kind: str, item: Mapping[str, Any]) -> str | None:
    if kind == "command_execution":
        return text(item.get("aggregated_output"))
    if kind in ("file_change", "todo_list", "web_search"):
        return None
    result = item.get("result", item.get("output", item.get("error")))
    return None if result is None else result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)


READER = LogReader(
    "codex-exec", "lines of type thread.started, turn.… and item.… (codex exec --json)", recognises, drafts
)
