"""MLE-Dojo's own history of an environment: actions by name, with times and feedback, but without their arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from whatworked.process.records.draft import READ, SHELL, Draft, ToolUse
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import mapping, objects, stated, text

TOOLS: Mapping[str, ToolUse] = {
    "execute_code": SHELL,
    "validate_code": SHELL,
    **dict.fromkeys(("request_info", "get_history", "reset"), READ),
}


def recognises(source: Source) -> bool:
    """An object with `competition` and `actions` that have action, result and feedback."""
    rows = objects(source.value.get("actions")) if source.shape == "object" and "competition" in source.value else []
    return bool(rows) and all("action" in row and "feedback" in row for row in rows[:3])


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a history."""
    draft = Draft("mle-dojo", source.name, TOOLS)
    draft.strip(source.value)
    draft.strip_names(name for name in ("best_raw_score", "best_position_score") if source.value.get(name) is not None)
    for number, row in enumerate(objects(source.value.get("actions"))):
        draft.drop("arguments of a call, which are not recorded")
        shown = text(mapping(mapping(row.get("feedback")).get("base")).get("feedback"))
        failed = {"SUCCESS": False, "FAILED": True}.get(str(mapping(row.get("result")).get("status")))
        draft.call(
            text(row.get("action")),
            "",
            where=f"actions[{number}]",
            call_id=stated(row.get("step")),
            observation=shown,
            failed=failed,
            ended=text(row.get("timestamp")),
        )
    yield draft


READER = LogReader("mle-dojo", "an object with competition and actions that have feedback", recognises, drafts)
