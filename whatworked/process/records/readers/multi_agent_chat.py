"""Chats of several agents (Magentic-One, Captain Agent, Who&When): the speaker is the role or the name.

An order to another agent is an action that delegates, and what that agent then says came back from it. A turn of a
terminal is a result of the turn before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.draft import DELEGATE, HARNESS, SHELL, USER, Draft, Speaker, ToolUse, content_text
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import mapping, objects, text

TOOLS: Mapping[str, ToolUse] = {"delegate": DELEGATE, "terminal": SHELL}

_PLAIN = ("user", "assistant", "system", "developer", "tool", "function", "human")
_ORDER = re.compile(r"(.+?) \(->\s*(.+?)\)$")
_ASIDE = re.compile(r"(.+?) \((.+)\)$")
_TERMINALS = ("Computer_terminal", "ComputerTerminal", "terminal", "Executor")


def _turns(source: Source) -> list[dict[str, Any]]:
    if source.shape == "object":
        return objects(source.value.get("history"))
    return objects(source.value) if source.shape == "list" else []


def _is_turn(turn: Mapping[str, Any]) -> bool:
    return isinstance(turn.get("role"), str) and isinstance(turn.get("content"), str) and "tool_calls" not in turn


def recognises(source: Source) -> bool:
    """Turns with role and content, the speaker another role than the usual ones, or several names among them."""
    turns = _turns(source)
    if not turns or not all(_is_turn(turn) for turn in turns):
        return False
    roles = {turn["role"] for turn in turns}
    strange = roles - set(_PLAIN)
    spoken = {turn["name"] for turn in turns if isinstance(turn.get("name"), str)}
    marked = any(_ORDER.match(role) or _ASIDE.match(role) for role in strange)
    return marked or len(spoken) > 1 or (len(strange) > 1 and "assistant" not in roles)


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a file."""
    draft = Draft("multi-agent-chat", source.name, TOOLS)
    around = mapping(source.value)
    draft.strip(around)
    draft.task_prompt = text(around.get("question"))
    chat = _Chat(draft)
    for number, turn in enumerate(_turns(source)):
        chat.tell(f"turn {number}", turn)
    yield draft


class _Chat:
    """Turns while they are told."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.awaited: tuple[str, int] | None = None
        self.spoke: str | None = None

    def tell(self, where: str, turn: Mapping[str, Any]) -> None:
        """One turn, by who speaks and to whom."""
        role, words = str(turn.get("role")), content_text(turn.get("content"), self.draft)
        name = text(turn.get("name")) or role
        if name in _TERMINALS:
            self._terminal(where, words)
        elif order := _ORDER.match(name):
            self._order(where, order[1], order[2], words)
        elif aside := _ASIDE.match(name):
            self.draft.say(words, where=where, speaker=Speaker("agent", aside[1]))
        elif self.awaited is not None and self.awaited[0] == name:
            self.draft.result(words, where=where, step=self.awaited[1])
            self.awaited = None
        elif name in ("user", "human"):
            self.draft.task_prompt = self.draft.task_prompt or words
            self.draft.message(words, where=where, speaker=USER)
        elif name in ("system", "developer"):
            self.draft.message(words, where=where, speaker=HARNESS, mandated=True)
        else:
            self._agent(where, name, words)

    def _order(self, where: str, name: str, to: str, words: str | None) -> None:
        step = self.draft.call("delegate", words or "", where=where, speaker=Speaker("agent", name))
        self.awaited = (to, step)

    def _agent(self, where: str, name: str, words: str | None) -> None:
        self.spoke = words
        self.draft.message(words, where=where, speaker=Speaker("agent" if name == "assistant" else "subagent", name))

    def _terminal(self, where: str, words: str | None) -> None:
        """A program ran what the turn before held; which part of it is not recorded."""
        self.draft.call("terminal", "", where=where, speaker=HARNESS, observation=words)


READER = LogReader("multi-agent-chat", "turns whose role or name is the agent that speaks", recognises, drafts)
