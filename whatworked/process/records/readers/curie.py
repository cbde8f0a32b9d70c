"""Curie's log: coloured lines of several roles, each with the tools it calls and what it says in short."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whatworked.process.records.draft import BOOKKEEPING, DELEGATE, HARNESS, READ, SHELL, Draft, Speaker, ToolUse
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import LineNumbers, Source

TOOLS: Mapping[str, ToolUse] = {
    "execute_shell_command": SHELL,
    **dict.fromkeys(("codeagent_openhands", "patcher_record", "patch_agent_openhands",
                     "patchagent_openhands"), DELEGATE),
    **dict.fromkeys(("exp_plan_get", "read_file_contents", "query_pdf"), READ),
    **dict.fromkeys(("write_new_exp_plan", "exp_plan_write", "exp_plan_redo_partition", "exp_plan_partition_done_write",
                     "workflow_verified_record", "workflow_patched_record", "analyzer_record", "concluder_record",
                     "edit_priority"), BOOKKEEPING),
}  # fmt: skip

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_LINE = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) - logger - (\S+) - [A-Z]+ - ", re.MULTILINE)
_ROLE = re.compile(r"(?:<>)+ \W*([A-Z][A-Z0-9_ ]*[A-Z0-9])\W* (?:<>)+")
_RESULTS = ("💻 Openhands results:", "Openhands results:", "Command output:", "Shell output:", "Patcher results:")


class _Entry(NamedTuple):
    time: str
    file: str
    body: str
    line: int


def recognises(source: Source) -> bool:
    """Lines `time - logger - file - INFO - ` with headings of roles."""
    if source.shape != "text":
        return False
    plain = _ANSI.sub("", source.text[:20000])
    return bool(_LINE.search(plain)) and bool(_ROLE.search(plain))


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a log."""
    draft = Draft("curie", source.name, TOOLS)
    draft.notes.append(
        "short responses often tell a plan again; what a verifier says is another agent's word, and no observation"
    )
    told = _Log(draft)
    for entry in _entries(_ANSI.sub("", source.text)):
        told.tell(entry)
    yield draft


def _entries(body: str) -> Iterator[_Entry]:
    heads = list(_LINE.finditer(body))
    numbers = LineNumbers(body)
    for place, head in enumerate(heads):
        end = heads[place + 1].start() if place + 1 < len(heads) else len(body)
        yield _Entry(head[1], head[2], body[head.end() : end].rstrip("\n"), numbers.at(head.start()))


class _Log:
    """Entries while they are told: a role's tools, arguments and words follow its heading."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.role: str | None = None
        self.called: list[str] = []
        self.open: int | None = None

    @property
    def speaker(self) -> Speaker:
        """Who the last heading named."""
        return Speaker("agent" if self.role in (None, "SUPERVISOR") else "subagent", self.role)

    def tell(self, entry: _Entry) -> None:
        """One entry, by how it begins."""
        where, body = f"line {entry.line}", entry.body
        if role := _ROLE.match(body):
            self._close(entry)
            self.role = role[1].strip()
        elif body.startswith("Tool calls:"):
            self.called = [name.strip() for name in body.removeprefix("Tool calls:").split(",")]
        elif body.startswith(("Message:", "Message received:")):
            self._message(where, body.partition(":")[2].strip(), entry.time, received=body.startswith("Message r"))
        elif body.startswith("Concise response:"):
            self.draft.say(
                body.removeprefix("Concise response:").strip(), where=where, speaker=self.speaker, time=entry.time
            )
        elif begin := next((mark for mark in _RESULTS if body.startswith(mark)), None):
            self._result(where, body.removeprefix(begin).strip("\n"), entry.time)
        elif entry.file != "base_node.py":
            self.draft.drop(f"machinery: {entry.file}")
        else:
            self.draft.unknown(f"entry {' '.join(body.split()[:2])[:30]}")

    def _message(self, where: str, body: str, time: str, *, received: bool) -> None:
        if self.called:
            tool = self.called.pop(0)
            self.open = self.draft.call(tool or None, body, where=where, speaker=self.speaker, started=time)
        elif received:
            self.draft.message(body, where=where, speaker=HARNESS, time=time, mandated=True)
        else:
            self._result(where, body, time)

    def _result(self, where: str, body: str, time: str) -> None:
        if self.open is not None:
            self.draft.result(body, where=where, step=self.open, ended=time)
            self.open = None
        else:
            self.draft.result(body, where=where, ended=time)

    def _close(self, entry: _Entry) -> None:
        for tool in self.called:
            self.draft.call(tool, "", where=f"line {entry.line}", speaker=self.speaker)
        self.called = []


READER = LogReader("curie", "lines `time - logger - file - INFO - …` with headings of roles", recognises, drafts)
