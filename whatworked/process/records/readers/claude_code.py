"""Claude Code: what it streams with ``--output-format stream-json``, its session files, and the JSON list of 2025.

All three hold messages in Anthropic's form; one model call is spread over entries with the same message id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.chat import CALL_PARTS, RESULT_PARTS, tell_parts, tell_results, usage_tokens
from whatworked.process.records.draft import (
    AGENT,
    BOOKKEEPING,
    DELEGATE,
    EDIT,
    HARNESS,
    POLL,
    READ,
    SHELL,
    USER,
    Draft,
    Speaker,
    ToolUse,
    content_text,
)
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import arguments, items, mapping, objects, stated, text

TOOLS: Mapping[str, ToolUse] = {
    **dict.fromkeys(("Bash", "PowerShell", "KillShell", "KillBash", "TaskStop"), SHELL),
    **dict.fromkeys(("BashOutput", "TaskOutput", "AgentOutputTool", "Monitor"), POLL),
    **dict.fromkeys(("Read", "View", "LS", "Glob", "GlobTool", "Grep", "GrepTool", "NotebookRead", "ReadNotebook",
                     "WebFetch",
                     "WebSearch", "web_search", "web_fetch", "LSP", "ListMcpResourcesTool",
                     "ReadMcpResourceTool"), READ),
    **dict.fromkeys(("Edit", "MultiEdit", "Write", "Replace", "NotebookEdit", "NotebookEditCell"), EDIT),
    **dict.fromkeys(("Task", "Agent", "dispatch_agent", "SendMessage", "Workflow"), DELEGATE),
    **dict.fromkeys(("TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "EnterPlanMode",
                     "ExitPlanMode",
                     "exit_plan_mode", "AskUserQuestion", "Skill", "SlashCommand", "ToolSearch", "EnterWorktree",
                     "ExitWorktree", "Think"), BOOKKEEPING),
}  # fmt: skip

_MACHINERY = frozenset(
    {
        "file-history-snapshot", "file-history-delta", "queue-operation", "progress", "summary", "attachment",
        "last-prompt",
        "custom-title", "ai-title", "agent-name", "agent-color", "agent-setting", "pr-link", "permission-mode",
        "mode", "tag",
        "stream_event", "rate_limit_event", "tool_progress", "tool_use_summary", "control_request", "control_response",
        "keep_alive", "worktree-state", "bridge-session",
    }
)  # fmt: skip
_FROM_PROGRAM = (
    "<command-name>", "<command-message>", "<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>",
    "<system-reminder>", "<bash-stdout>", "<bash-stderr>", "<task-notification>", "[Request interrupted", "Caveat:",
    "This session is being continued from a previous conversation",
)  # fmt: skip
_STREAM_NOTE = "tokens stand in a stream's lines as they were when the call began, so only the run's sum is taken over"


def recognises(source: Source) -> bool:
    """Entries with a message of role assistant or user around Anthropic's parts, or the older list of them."""
    if source.shape in ("lines", "object"):
        return any(_is_line(entry) for entry in source.sample)
    if source.shape != "list":
        return False
    bare = any(_is_bare(entry) for entry in source.sample)
    return bare or any(_is_line(entry) for entry in source.sample)


def _is_line(entry: Mapping[str, Any]) -> bool:
    kind = entry.get("type")
    if kind in ("assistant", "user"):
        said = mapping(entry.get("message"))
        return said.get("role") == kind and (
            "uuid" in entry or "session_id" in entry or "sessionId" in entry or "parent_tool_use_id" in entry
        )
    if kind == "system":
        return entry.get("subtype") == "init" and "tools" in entry
    known = ("messageId", "leafUuid", "operation", "sessionId")
    return kind in ("summary", "file-history-snapshot", "queue-operation") and any(name in entry for name in known)


def _is_bare(entry: Mapping[str, Any]) -> bool:
    answered = (
        entry.get("type") == "message"
        and entry.get("role") == "assistant"
        and str(entry.get("id", "")).startswith("msg_")
    )
    return answered and any(part.get("type") in (*CALL_PARTS, "text") for part in objects(entry.get("content")))


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a file; a stream's file may hold several sessions one after another."""
    entries = [("line 1", source.value)] if source.shape == "object" else source.entries
    yield _Session(source.name, entries).draft


class _Session:
    """One file while it is read."""

    def __init__(self, name: str, entries: list[tuple[str, Any]]) -> None:
        self.draft = Draft("claude-code", name, TOOLS)
        self.streamed = any(
            mapping(entry).get("type") == "result" or mapping(entry).get("subtype") == "init" for _, entry in entries
        )
        self.seen: set[str] = set()
        self.parents: set[str] = set()
        self.last_words: str | None = None
        self.batches: dict[str, list[tuple[str, int]]] = {}
        if self.streamed:
            self.draft.notes.append(_STREAM_NOTE)
        for where, entry in entries:
            if isinstance(entry, dict):
                self.tell(where, entry)
            else:
                self.draft.unknown(f"entry that is a {type(entry).__name__}")

    def tell(self, where: str, entry: Mapping[str, Any]) -> None:
        """One line or entry, by its type; the older list has none and gives the role instead."""
        if stated(entry.get("uuid")) in self.seen:
            self.draft.drop("line that stands there twice")
            return
        if uuid := stated(entry.get("uuid")):
            self.seen.add(uuid)
            self._note_branch(entry)
        kind = entry.get("type")
        kind = stated(entry.get("role") if kind in (None, "message") else kind)
        if kind == "assistant":
            self._assistant(where, entry)
        elif kind == "user":
            self._user(where, entry)
        elif kind == "result":
            self._result(where, entry)
        elif kind == "system":
            self._system(where, entry)
        elif kind in _MACHINERY:
            self.draft.drop(f"machinery: {kind}")
        else:
            self.draft.unknown(f"line of type {kind}")

    def _note_branch(self, entry: Mapping[str, Any]) -> None:
        parent = stated(entry.get("parentUuid"))
        prompt = entry.get("type") == "user" and isinstance(mapping(entry.get("message")).get("content"), str)
        if parent and prompt and parent in self.parents:
            self.draft.drop("branch of the conversation: all of them are kept, in order of the file", 1)
        if parent:
            self.parents.add(parent)

    def _speaker(self, entry: Mapping[str, Any]) -> Speaker:
        if entry.get("isSidechain") is True or entry.get("parent_tool_use_id"):
            return Speaker("subagent", stated(entry.get("agentId") or entry.get("parent_tool_use_id")))
        return AGENT

    def _assistant(self, where: str, entry: Mapping[str, Any]) -> None:
        message = mapping(entry.get("message")) or entry
        draft, speaker = self.draft, self._speaker(entry)
        draft.model = draft.model or text(message.get("model"))
        turn = text(message.get("id")) or where
        sent = entry.get("parent_tool_use_id")
        fields = {"parent": draft.began(sent)} if isinstance(sent, str) else {}
        for part in self._parts(message):
            if mapping(part).get("type") in CALL_PARTS and part.get("name") == "Batch":
                self._batch(part, where, speaker, turn)
            else:
                tell_parts(
                    draft, [part], where, speaker=speaker, turn=turn, time=text(entry.get("timestamp")), **fields
                )
                self.last_words = text(mapping(part).get("text")) or self.last_words
        if not self.streamed:
            draft.usage(turn, usage_tokens(message.get("usage")))

    @staticmethod
    def _parts(message: Mapping[str, Any]) -> list[Any]:
        content = message.get("content")
        return [{"type": "text", "text": content}] if isinstance(content, str) else items(content)

    def _batch(self, part: Mapping[str, Any], where: str, speaker: Speaker, turn: str) -> None:
        """Several calls in one: each is a step, and the list of texts that answers them is shared out in order."""
        calls = objects(mapping(part.get("input")).get("invocations"))
        steps = []
        for call in calls:
            tool = text(call.get("tool_name"))
            number = self.draft.call(
                tool,
                arguments(call.get("input", {})),
                where=where,
                speaker=speaker,
                turn=turn,
                call_id=text(part.get("id")),
            )
            steps.append((tool or "", number))
        self.batches[str(part.get("id"))] = steps

    def _user(self, where: str, entry: Mapping[str, Any]) -> None:
        message = mapping(entry.get("message")) or entry
        content = message.get("content")
        time = text(entry.get("timestamp"))
        for part in objects(content):
            if part.get("type") not in RESULT_PARTS:
                continue
            if str(part.get("tool_use_id")) in self.batches:
                self._batch_results(where, part)
            else:
                tell_results(self.draft, [part], where, time=time)
        rest = [part for part in items(content) if mapping(part).get("type") not in RESULT_PARTS]
        words = content if isinstance(content, str) else content_text(rest, self.draft) if rest else None
        self._said(where, entry, words, time)

    def _said(self, where: str, entry: Mapping[str, Any], words: str | None, time: str | None) -> None:
        if not words:
            return
        made = (
            entry.get("isMeta") is True
            or entry.get("isCompactSummary") is True
            or words.lstrip().startswith(_FROM_PROGRAM)
        )
        if made or words.lstrip().startswith("<bash-input>"):
            speaker = USER if words.lstrip().startswith("<bash-input>") else HARNESS
            self.draft.message(words, where=where, speaker=speaker, time=time, mandated=True)
            return
        sent = self._speaker(entry)
        if sent.actor == "agent":
            self.draft.task_prompt = self.draft.task_prompt or words
            self.draft.message(words, where=where, speaker=USER, time=time)
        else:
            # What a sub-agent is asked to do is the text of the call that sent it.
            self.draft.drop("prompt of a sub-agent, which stands in the call that sent it")

    def _batch_results(self, where: str, part: Mapping[str, Any]) -> None:
        steps = self.batches[str(part.get("tool_use_id"))]
        texts = [text(inner.get("text")) or "" for inner in objects(part.get("content"))]
        if len(texts) == 2 * len(steps):
            for place, (_, number) in enumerate(steps):
                self.draft.result("\n".join(texts[2 * place : 2 * place + 2]), where=where, step=number)
        elif len(texts) == len(steps):
            for body, (_, number) in zip(texts, steps, strict=True):
                self.draft.result(body, where=where, step=number)
        else:
            self.draft.drop("result of a batch that cannot be shared out, kept with its first call")
            whole = content_text(part.get("content"), self.draft)
            self.draft.result(whole, where=where, step=steps[0][1] if steps else None)

    def _result(self, where: str, entry: Mapping[str, Any]) -> None:
        self.draft.tokens = usage_tokens(entry.get("usage")) or self.draft.tokens
        self._closing(where, text(entry.get("result")))
        self.draft.drop("machinery: result")

    def _closing(self, where: str, words: str | None) -> None:
        if words and words.strip() and words.strip() != (self.last_words or "").strip():
            self.draft.say(words, where=where)

    def _system(self, where: str, entry: Mapping[str, Any]) -> None:
        if "result" in entry and "subtype" not in entry:
            self._closing(where, text(entry.get("result")))
            self.draft.drop("machinery: result")
            return
        if entry.get("subtype") == "init":
            self.draft.model = self.draft.model or text(entry.get("model"))
        if entry.get("subtype") == "task_notification" and text(entry.get("summary")):
            self.draft.message(entry["summary"], where=where, speaker=HARNESS, mandated=True)
            return
        self.draft.drop(f"machinery: system {stated(entry.get('subtype')) or 'line'}")


READER = LogReader(
    "claude-code",
    "lines or a list of assistant and user messages with parts tool_use and tool_result, as Claude Code writes them",
    recognises,
    drafts,
)
