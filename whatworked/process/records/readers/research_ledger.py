"""Ledgers of experiments: one line or entry an experiment, with its number, what was measured and whether it was kept.

What is written on such a line was written when the result was known. So an experiment is a step without words, and the
words follow as a message: nothing in them is a prediction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.draft import EXPERIMENT, Draft, ToolUse
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import arguments, mapping, real, stated, text

TOOLS: Mapping[str, ToolUse] = {"experiment": EXPERIMENT}

_NUMBERS = ("run", "experiment_num", "experiment", "experiment_id", "iteration", "trial")
_MEASURES = ("metric", "metrics", "composite", "val_primary", "test_primary", "secondary_metrics", "per_fold_val",
             "per_fold_test",
             "result", "results", "value", "values", "val_loss", "val_bpb", "accuracy", "error", "measured",
             "outcome")  # fmt: skip
_ACTIONS = (
    "description",
    "change",
    "changes",
    "config",
    "params",
    "parameters",
    "commit",
    "backbone",
    "command",
    "code",
)
_WORDS = ("asi", "hypothesis", "rationale", "learned", "lesson", "lessons", "analysis", "conclusion", "evidence",
          "notes", "note",
          "decision", "reasoning", "rollback_reason", "next_action_hint", "prediction", "interpretation")  # fmt: skip
_MACHINERY = ("config", "hook", "header", "meta", "metadata")


def _is_experiment(entry: Mapping[str, Any]) -> bool:
    numbered = any(entry.get(name) is not None for name in _NUMBERS)
    return (
        numbered
        and any(name in entry for name in _MEASURES)
        and ("status" in entry or any(name in entry for name in _WORDS))
    )


def recognises(source: Source) -> bool:
    """At least half of the entries have a number, a measure and a status or a lesson."""
    if source.shape not in ("lines", "list") or not source.sample:
        return False
    rows = [entry for entry in source.sample if entry.get("type") not in _MACHINERY]
    return bool(rows) and sum(map(_is_experiment, rows)) >= 0.5 * len(rows)


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a ledger."""
    draft = Draft("research-ledger", source.name, TOOLS)
    draft.notes.append(
        "an entry was written when its result was known: its words stand after the result, and predict nothing"
    )
    seen: set[str] = set()
    for where, value in source.entries:
        entry = mapping(value)
        if entry.get("type") in _MACHINERY:
            _tell_machinery(draft, entry)
        elif _is_experiment(entry):
            number = next(str(stated(entry[name])) for name in _NUMBERS if entry.get(name) is not None)
            if number in seen:
                draft.drop("number of an experiment used again: both are kept")
            seen.add(number)
            _tell_experiment(draft, where, entry, number)
        else:
            draft.unknown(f"entry of type {entry.get('type')}")
    yield draft


def _tell_machinery(draft: Draft, entry: Mapping[str, Any]) -> None:
    draft.drop(f"machinery: {entry['type']}")
    direction = entry.get("bestDirection", entry.get("direction"))
    if direction in ("lower", "higher"):
        draft.feedback_polarity = "lower is better" if direction == "lower" else "higher is better"
    if entry["type"] == "config" and text(entry.get("name")):
        draft.task_prompt = entry["name"]


def _tell_experiment(draft: Draft, where: str, entry: Mapping[str, Any], number: str) -> None:
    measured = {name: entry[name] for name in _MEASURES if name in entry and entry[name] is not None}
    known = (*_NUMBERS, *_MEASURES, *_WORDS, *_ACTIONS, "status", "timestamp", "seconds_elapsed", "duration", "segment",
             "confidence", "type")  # fmt: skip
    for name in entry:
        if name not in known:
            draft.drop(f"field that is neither action, measure nor words: {name}")
    status = text(entry.get("status"))
    draft.call(
        "experiment",
        arguments({name: entry[name] for name in _ACTIONS if entry.get(name) is not None}),
        where=where,
        call_id=number,
        observation=arguments(measured) if measured else None,
        failed=status in ("crash", "failed", "error", "CRASH", "FAILED", "ERROR") if status else None,
        ended=stated(entry.get("timestamp")),
        seconds=real(entry.get("seconds_elapsed")) or real(mapping(entry.get("metrics")).get("elapsed_seconds")),
    )
    words = {"status": status, **{name: entry[name] for name in _WORDS if entry.get(name) not in (None, "", {}, [])}}
    said = [_words(name, value) for name, value in words.items() if value is not None]
    draft.say("\n".join(said), where=where, time=stated(entry.get("timestamp")))


def _words(name: str, value: Any) -> str:
    return arguments(value) if isinstance(value, dict) else arguments({name: value})


READER = LogReader(
    "research-ledger", "entries with the number of an experiment, a measure, and a status or lesson", recognises, drafts
)
