"""Games of this benchmark as they were first published: a folder with events, evidence, calculations and a submission.

The journal of an episode will have a reader beside this one; both use the same table of tools.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.draft import (
    BOOKKEEPING,
    EXPERIMENT,
    HARNESS,
    READ,
    SHELL,
    SUBMIT,
    Draft,
    ToolUse,
)
from whatworked.process.records.record import Tokens
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import arguments, items, mapping, objects, stated, text, whole, written

TOOLS: Mapping[str, ToolUse] = {
    "observe_many": EXPERIMENT,
    "calculate_python": SHELL,
    "current_evidence": READ,
    "note": BOOKKEEPING,
    "submit_diagnosis": SUBMIT,
}
"""Tools of an episode."""

_EVENTS = ("observe", "calculation", "submit")
_NAMES = {"observe": "observe_many", "calculation": "calculate_python", "submit": "submit_diagnosis"}


def recognises(source: Source) -> bool:
    """A folder with `events.jsonl` of the events observe, calculation and submit, and `evidence.json`."""
    if source.shape != "folder":
        return False
    events, evidence = source.member("events.jsonl"), source.member("evidence.json")
    if events is None or evidence is None:
        return False
    return any(entry.get("event") in _EVENTS for entry in events.sample) and "observations" in mapping(evidence.value)


def drafts(source: Source) -> Iterator[Draft]:
    """The one game of a folder."""
    draft = Draft("whatworked-game", source.name, TOOLS)
    draft.feedback_polarity = "higher is better"
    draft.submission = "submit_diagnosis"
    prompt = source.member("prompt.txt")
    if prompt is not None:
        draft.task_prompt = prompt.text
        draft.message(prompt.text, where="prompt.txt", speaker=HARNESS, mandated=True)
    game = _Game(source)
    events = source.member("events.jsonl")
    for where, value in events.entries if events is not None else ():
        game.tell(draft, f"events.jsonl, {where}", mapping(value))
    _tell_end(draft, source)
    yield draft


class _Game:
    """What the events leave to the other files: utilities, code and its output, the submitted table."""

    def __init__(self, source: Source) -> None:
        self.source = source
        evidence = source.member("evidence.json")
        observations = objects(mapping(evidence.value if evidence else None).get("observations"))
        self.utilities = {text(entry.get("mask")): entry.get("utility") for entry in observations}
        order = source.member("calculation_order.json")
        self.order = [stated(name) for name in items(order.value if order else None)]

    def tell(self, draft: Draft, where: str, event: Mapping[str, Any]) -> None:
        """One event."""
        kind = event.get("event")
        if kind not in _EVENTS:
            draft.unknown(f"event {kind}")
            return
        shown = {"observe": self._observe, "calculation": self._calculation}.get(kind, self._submit)
        action, observation, failed = shown(event)
        if action is None:
            draft.drop("arguments of a call, which are not published")
        draft.call(
            _NAMES[kind],
            action or "",
            where=where,
            observation=observation,
            failed=failed,
            ended=stated(event.get("elapsed")),
        )

    def _observe(self, event: Mapping[str, Any]) -> tuple[str | None, str | None, bool | None]:
        masks = [mask for mask in items(event.get("masks")) if isinstance(mask, str)]
        known = [f"{mask}: {written(self.utilities[mask])}" for mask in masks if mask in self.utilities]
        return arguments({"masks": masks}), "\n".join(known) or None, None

    def _calculation(self, event: Mapping[str, Any]) -> tuple[str | None, str | None, bool | None]:
        number, code = whole(event.get("number")), event.get("returncode")
        failed = code != 0 if isinstance(code, int) else None
        name = self.order[number - 1] if number and number <= len(self.order) else None
        program = self.source.member(f"calculations/{name}/code.py") if name else None
        receipt = self.source.member(f"calculations/{name}/receipt.json") if name else None
        said = mapping(receipt.value if receipt else None)
        shown = [part for part in (text(said.get("stdout")), text(said.get("stderr"))) if part is not None]
        return program.text if program else None, "".join(shown) if shown else None, failed

    def _submit(self, event: Mapping[str, Any]) -> tuple[str | None, str | None, bool | None]:
        del event
        submission = self.source.member("submission.json")
        return submission.text if submission else None, None, None


def _tell_end(draft: Draft, source: Source) -> None:
    usage = source.member("provider_usage.jsonl")
    lines = [mapping(value) for _, value in usage.entries] if usage is not None else []
    draft.model = next((model for line in lines if (model := text(line.get("model")))), None)
    used = [mapping(line.get("usage")) for line in lines if line.get("status") == "complete"]
    if used:
        draft.tokens = Tokens(
            input=_total(used, "input_tokens"),
            cached=_total(used, "cache_read_input_tokens"),
            output=_total(used, "output_tokens"),
            thinking=None,
        )
    error = source.member("service_error.json")
    if error is not None:
        draft.message(error.text, where="service_error.json", speaker=HARNESS, mandated=True)


def _total(used: list[Mapping[str, Any]], name: str) -> int | None:
    counts = [whole(usage.get(name)) for usage in used]
    return None if None in counts else sum(count for count in counts if count is not None)


READER = LogReader(
    "whatworked-game", "a folder with events.jsonl (observe, calculation, submit) and evidence.json", recognises, drafts
)
