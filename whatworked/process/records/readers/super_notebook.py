"""SUPER: a notebook as a log, in which headings, times, thoughts, actions and code cells follow one another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.draft import EDIT, HARNESS, SHELL, SUBMIT, Draft, ToolUse
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import items, mapping, objects

TOOLS: Mapping[str, ToolUse] = {"execute": SHELL, "edit": EDIT, "submit": SUBMIT}
_TIME = re.compile(r"Execution Start time: (\S+), End time: (\S+) \(duration: (\d+) seconds?\)")
_ACTION = re.compile(r"\*\*Action \((.*?)\)\*\*:?")
_STEP = re.compile(r"### Step \d+")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "".join(part for part in items(value) if isinstance(part, str))


def recognises(source: Source) -> bool:
    """A notebook with cells `### Step 1` and `**Action (…)**`."""
    if source.shape != "object" or not isinstance(source.value.get("cells"), list):
        return False
    texts = [_text(cell.get("source")) for cell in objects(source.value["cells"])]
    return any(_STEP.match(cell) for cell in texts) and any(_ACTION.match(cell) for cell in texts)


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a notebook."""
    draft = Draft("super", source.name, TOOLS)
    notebook = _Notebook(draft)
    for number, cell in enumerate(objects(source.value.get("cells"))):
        notebook.tell(f"cells[{number}]", cell)
    yield draft


class _Notebook:
    """Cells while they are told: a step is spread over several, and ends with its code cell."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.clear()

    def clear(self) -> None:
        """Forget the parts of the step before."""
        self.thought: str | None = None
        self.action: str | None = None
        self.times: tuple[str | None, str | None, float | None] = (None, None, None)

    def tell(self, where: str, cell: Mapping[str, Any]) -> None:
        """One cell."""
        body = _text(cell.get("source"))
        if cell.get("cell_type") == "code":
            self._code(where, cell, body)
        elif body.startswith("### Query"):
            self.draft.task_prompt = body.removeprefix("### Query").strip("\n")
            self.draft.message(self.draft.task_prompt, where=where)
        elif body.startswith("### Prompt"):
            self.draft.message(body, where=where, speaker=HARNESS, mandated=True)
        elif found := _TIME.match(body):
            self.times = (found[1], found[2], float(found[3]))
        elif body.startswith("**Thought**:"):
            self.thought = body.removeprefix("**Thought**:").strip()
        elif found := _ACTION.match(body):
            self.action = found[1]
        elif not _STEP.match(body):
            self.draft.message(body, where=where, speaker=HARNESS, mandated=True)

    def _code(self, where: str, cell: Mapping[str, Any], body: str) -> None:
        shown = "".join(_output(output) for output in objects(cell.get("outputs")))
        if self.action in (None, "", "exception"):
            self.draft.say(self.thought, where=where)
            self.draft.message(f"{body}{shown}", where=where, speaker=HARNESS, mandated=True)
        else:
            self.draft.call(
                self.action,
                body,
                where=where,
                turn=where,
                words=self.thought or None,
                observation=shown,
                started=self.times[0],
                ended=self.times[1],
                seconds=self.times[2],
            )
        self.clear()


def _output(output: Mapping[str, Any]) -> str:
    if "text" in output:
        return _text(output["text"])
    if "traceback" in output:
        return "\n".join(part for part in items(output["traceback"]) if isinstance(part, str))
    return _text(mapping(output.get("data")).get("text/plain"))


READER = LogReader("super", "a notebook with cells `### Step n` and `**Action (…)**`", recognises, drafts)
