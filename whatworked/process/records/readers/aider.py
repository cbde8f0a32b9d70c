"""aider's chat history: markdown in which ``####`` is what aider was told, ``>`` what aider notes, the rest the model.

AI-Scientist drives aider and tells it the results of the runs it makes in lines with ``####`` too; by their fixed first
words they are known as the harness's experiments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whatworked.process.records.draft import AGENT, EDIT, EXPERIMENT, HARNESS, USER, Draft, ToolUse, patch
from whatworked.process.records.record import Patch, Tokens
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source

TOOLS: Mapping[str, ToolUse] = {"edit": EDIT, "run": EXPERIMENT}

_START = re.compile(r"^# aider chat started at (.+?)\s*$", re.MULTILINE)
_EDIT = re.compile(
    r"(?:^(?P<path>[^\n`]+)\n```[^\n]*\n|^```[^\n]*\n(?P<within>[^\n<`]+)\n)"
    r"<{5,9} (?:SEARCH|ORIGINAL)\n(?P<old>.*?)^={5,9}\n(?P<new>.*?)^>{5,9} (?:REPLACE|UPDATED)\n```",
    re.DOTALL | re.MULTILINE,
)
_INSIDE = re.compile(
    r"^<{5,9} (?:SEARCH|ORIGINAL)\n.*?^>{5,9} (?:REPLACE|UPDATED)$|^```.*?^```\s*$", re.DOTALL | re.MULTILINE
)
_NOTE = re.compile(r"^> (?:Applied edit to|Added .* to the chat|\$ aider )", re.MULTILINE)
_RAN = re.compile(r"(?:Run \d+ completed\. Here are the results|(?:Run|Plotting) failed with the following error)")
_TOKENS = re.compile(
    r"^> (?:Tokens: )?([\d.,]+)(k?)(?: prompt tokens| sent)(?:, [^,\n]*cache[^,\n]*)*"
    r", ([\d.,]+)(k?)(?: completion tokens| received)",
    re.MULTILINE,
)


class _Part(NamedTuple):
    """Lines of one sort that stand together: ``told``, ``note`` or ``said``."""

    sort: str
    text: str
    line: int


def recognises(source: Source) -> bool:
    """The line with which aider begins a chat, or what was told beside what aider notes of it."""
    if source.shape != "text":
        return False
    body = source.text
    return bool(_START.search(body)) or (bool(re.search(r"^#### \S", body, re.MULTILINE)) and bool(_NOTE.search(body)))


def drafts(source: Source) -> Iterator[Draft]:
    """One run a chat: a history holds each chat that was begun in its folder."""
    body = source.text
    starts = [(match.end(), match[1]) for match in _START.finditer(body)] or [(0, source.name)]
    ends = [*(match.start() for match in list(_START.finditer(body))[1:]), len(body)]
    for (start, time), end in zip(starts, ends, strict=True):
        chat = body[start:end]
        if not chat.strip():
            continue
        draft = Draft("aider", time if len(starts) > 1 else source.name, TOOLS)
        told = _Chat(draft)
        for part in _parts(chat, body.count("\n", 0, start) + 1):
            told.tell(part)
        told.close()
        yield draft


def _parts(chat: str, first: int) -> Iterator[_Part]:
    """Parts in order; within an edit or a fence every line is the model's, whatever it begins with."""
    inside = [(match.start(), match.end()) for match in _INSIDE.finditer(chat)]
    held: list[str] = []
    sort, begun, place, span = "", first, 0, 0
    for number, line in enumerate(chat.split("\n"), first):
        while span < len(inside) and inside[span][1] <= place:
            span += 1
        within = span < len(inside) and inside[span][0] <= place < inside[span][1]
        now = "said" if within else "told" if line.startswith("####") else "note" if line.startswith("> ") else "said"
        place += len(line) + 1
        if not line.strip() and sort:
            now = sort
        if now != sort:
            if held and sort:
                yield _Part(sort, "\n".join(held), begun)
            held, sort, begun = [], now, number
        held.append(line)
    if held and sort:
        yield _Part(sort, "\n".join(held), begun)


class _Chat:
    """Parts while they are told: the notes after a reply say what became of its edits."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.steps: list[tuple[int, str]] = []
        self.notes: list[str] = []
        self.where = ""
        self.begun = False
        self.tokens: Tokens | None = None

    def tell(self, part: _Part) -> None:
        """One part."""
        where = f"line {part.line}"
        if part.sort == "note":
            self._note(part.text, where)
            return
        if part.sort == "told":
            self.close()
            self.begun = True
            self._told(_without_marks(part.text), where)
        elif part.text.strip():
            if self.notes:
                self.close()
            if self.begun:
                self._said(part.text.strip("\n"), where)
            else:
                self.draft.drop("text before the first message")

    def _told(self, words: str, where: str) -> None:
        if _RAN.match(words.lstrip()):
            failed = "failed" in words.lstrip()[:20]
            self.draft.call("run", "", where=where, speaker=HARNESS, observation=words, failed=failed, mandated=True)
            return
        self.draft.task_prompt = self.draft.task_prompt or words
        self.draft.message(words, where=where, speaker=USER)

    def _said(self, words: str, where: str) -> None:
        edits = list(_EDIT.finditer(words))
        rest = _EDIT.sub("", words) if edits else words
        self.draft.say(rest.strip("\n"), where=where, turn=where, speaker=AGENT)
        for edit in edits:
            path = (edit["path"] or edit["within"]).strip()
            change: Patch = patch(path, old=edit["old"], new=edit["new"])
            number = self.draft.call("edit", edit[0], where=where, turn=where, patches=(change,))
            self.steps.append((number, path))
        self.draft.usage(where, self.tokens)
        self.tokens = None

    def _note(self, words: str, where: str) -> None:
        found = _TOKENS.search(words)
        if found:
            self.tokens = Tokens(
                input=_number(found[1], found[2]), cached=None, output=_number(found[3], found[4]), thinking=None
            )
            self.draft.drop("machinery: count of tokens")
        rest = [line for line in words.split("\n") if line.strip() and not _TOKENS.match(line)]
        self.notes.extend(line.removeprefix("> ").rstrip() for line in rest)
        self.where = self.where or where
        if not self.steps and self.notes:
            self._flush_notes()

    def close(self) -> None:
        """Give each edit the notes that name its file, or the one that refuses the reply; the rest is a message."""
        refused = any("did not conform to the edit format" in note for note in self.notes)
        for number, path in self.steps:
            named = self.notes if refused else [note for note in self.notes if path in note]
            if named:
                applied = any(note.startswith("Applied edit to") and path in note for note in named)
                self.draft.result("\n".join(named), where=self.where, step=number, failed=not applied)
        paths = [path for _, path in self.steps]
        told = refused and bool(self.steps)
        self.notes = [note for note in self.notes if not told and not any(path in note for path in paths)]
        self._flush_notes()
        self.steps = []

    def _flush_notes(self) -> None:
        if self.notes:
            self.draft.message("\n".join(self.notes), where=self.where, speaker=HARNESS, mandated=True)
        self.notes, self.where = [], ""


def _without_marks(words: str) -> str:
    """What aider was told, without the mark before each line and the two spaces with which it ends lines."""
    return "\n".join(
        line.removeprefix("####").removeprefix(" ").removesuffix("  ") for line in words.split("\n")
    ).strip("\n")


def _number(digits: str, thousands: str) -> int | None:
    try:
        return round(float(digits.replace(",", "")) * (1000 if thousands else 1))
    except ValueError:
        return None


READER = LogReader(
    "aider", "a line `# aider chat started at …`, or lines `#### ` beside `> Applied edit to`", recognises, drafts
)
