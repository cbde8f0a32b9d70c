"""The text that early versions of Codex print: blocks that each begin with a time in brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whatworked.process.records.draft import EDIT, HARNESS, READ, SHELL, Draft, ToolUse, patch
from whatworked.process.records.record import Patch
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import LineNumbers, Source

TOOLS: Mapping[str, ToolUse] = {"exec": SHELL, "apply_patch": EDIT, "web_search": READ}

_STAMP = r"\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?\] "
_HEAD = re.compile(_STAMP + r"OpenAI Codex v")
_TOLD = ("User instructions:", "thinking", "codex", "tokens used: ", "exec ", "apply_patch", "tool ", "ERROR",
         "OpenAI Codex",
         "🌐 ", "patch ", "Shutting down", "stream error", "turn diff", "file update", "Plan update",
         "task interrupted")  # fmt: skip
_BLOCK = re.compile(rf"^{_STAMP}(.*)$", re.MULTILINE)
_DONE = re.compile(r" (?:succeeded in|exited (?P<code>-?\d+) in) (?P<time>[\d.]+)(?P<unit>ms|s|m)[^\n:]*:\n?")
_EXEC = re.compile(r"exec (?P<command>.*) in (?P<folder>/\S*|[A-Za-z]:\\.*)$", re.DOTALL)
_FILE = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


class _Block(NamedTuple):
    time: str
    head: str
    body: str
    line: int


def recognises(source: Source) -> bool:
    """A first line with a time in brackets and the name of Codex."""
    return source.shape == "text" and bool(_HEAD.match(source.text.lstrip()))


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a file."""
    draft = Draft("codex-text", source.name, TOOLS)
    draft.notes.append("`tokens used` is a sum so far, without what it is made of; it is not taken over")
    told = _Blocks(draft)
    for block in _blocks(source.text):
        told.tell(block)
    yield draft


def _blocks(body: str) -> Iterator[_Block]:
    """Blocks in order. A line of output that looks like a block's head, but like none that Codex writes, is output."""
    heads: list[re.Match[str]] = []
    numbers = LineNumbers(body)
    awaited: str | None = None
    for match in _BLOCK.finditer(body):
        answers = awaited is not None and match[2].startswith(awaited)
        if answers or match[2].startswith(_TOLD):
            heads.append(match)
            called = match[2].startswith("exec ") and not answers
            # The result repeats the command; its first line is enough to know the head by.
            awaited = _command(match[2]).split("\n")[0] if called else None if answers else awaited
    for match, after in zip(heads, [*(head.start() for head in heads[1:]), len(body)], strict=True):
        yield _Block(match[1], match[2], body[match.end() + 1 : after], numbers.at(match.start()))


def _command(whole: str) -> str:
    found = _EXEC.match(whole)
    return found["command"] if found else whole.removeprefix("exec ")


class _Blocks:
    """Blocks while they are told: a result belongs to the call before it."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.awaited: int | None = None
        self.head = ""

    def tell(self, block: _Block) -> None:
        """One block, by how its head begins."""
        where, whole = f"line {block.line}", f"{block.head}\n{block.body}"
        if self.awaited is not None and whole.startswith(self.head) and (done := self._done(whole)):
            self._result(block, whole, done, where)
        elif block.head.startswith("exec "):
            self._exec(block, whole, where)
        elif block.head.startswith("apply_patch"):
            self.head = "apply_patch"
            files = tuple(patch(path, diff=block.body) for path in _FILE.findall(block.body))
            self._call("apply_patch", block.body, block, where, files)
        elif block.head == "thinking":
            self.draft.think(block.body.strip("\n"), where=where, time=block.time)
        elif block.head == "codex":
            self.draft.say(block.body.strip("\n"), where=where, time=block.time)
        elif block.head.startswith("User instructions:"):
            words = (block.head.removeprefix("User instructions:") + block.body).strip("\n")
            self.draft.task_prompt = self.draft.task_prompt or words
            self.draft.message(words, where=where, time=block.time)
        elif block.head.startswith("OpenAI Codex"):
            found = re.search(r"^model: (.+)$", block.body, re.MULTILINE)
            self.draft.model = found[1] if found else None
            self.draft.drop("machinery: header")
        elif block.head.startswith("tokens used"):
            self.draft.drop("machinery: tokens used")
        elif block.head.startswith(("ERROR", "stream error")):
            self.draft.message(whole, where=where, speaker=HARNESS, time=block.time, mandated=True)
        else:
            self.draft.unknown(f"block {block.head.split()[0] if block.head.split() else '(empty)'}")

    def _done(self, whole: str) -> re.Match[str] | None:
        start = len(self.head)
        if self.head == "apply_patch" and whole[start : start + 1] == "(":
            start = whole.find(")") + 1
        return _DONE.match(whole, start)

    def _exec(self, block: _Block, whole: str, where: str) -> None:
        self.head = _command(whole.rstrip("\n"))
        self._call("exec", self.head, block, where)

    def _call(self, tool: str, action: str, block: _Block, where: str, patches: tuple[Patch, ...] = ()) -> None:
        self.awaited = self.draft.call(tool, action, where=where, started=block.time, patches=patches)

    def _result(self, block: _Block, whole: str, done: re.Match[str], where: str) -> None:
        scale = {"ms": 1000, "s": 1}.get(done["unit"])
        seconds = None if scale is None else float(done["time"]) / scale
        self.draft.result(
            whole[done.end() :],
            where=where,
            step=self.awaited,
            failed=done["code"] not in (None, "0"),
            ended=block.time,
            seconds=seconds,
        )
        self.awaited = None


READER = LogReader(
    "codex-text", "a first line `[time] OpenAI Codex v…` and blocks that begin with a time", recognises, drafts
)
