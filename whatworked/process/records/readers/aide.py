"""AIDE and AI-Scientist-v2: a journal of nodes, each a program with its output; the run is a tree and stays one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.draft import AGENT, EXPERIMENT, Draft, Speaker, ToolUse
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import items, mapping, objects, real, stated, text

TOOLS: Mapping[str, ToolUse] = {"execute": EXPERIMENT}
_REVIEWER = Speaker("subagent", "reviewer")
_VERDICTS = ("metric", "is_buggy", "is_buggy_plots")


def recognises(source: Source) -> bool:
    """An object with `nodes` that have plan, code and an output or step."""
    nodes = objects(source.value.get("nodes")) if source.shape == "object" else []
    return bool(nodes) and all(
        "plan" in node and "code" in node and ("_term_out" in node or "step" in node) for node in nodes[:3]
    )


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a journal, its nodes in order of creation."""
    draft = Draft("aide", source.name, TOOLS)
    draft.notes.append("a tree: steps stand in order of creation, and `parent` is the step that a step descends from")
    draft.strip({name: value for name, value in source.value.items() if name != "nodes"})
    parents = mapping(source.value.get("node2parent"))
    steps: dict[str, int] = {}
    nodes = list(enumerate(objects(source.value.get("nodes"))))
    for place, node in sorted(nodes, key=lambda pair: (real(pair[1].get("step")) or 0.0, pair[0])):
        _tell_node(draft, f"nodes[{place}]", node, parents, steps)
    yield draft


def _tell_node(
    draft: Draft, where: str, node: Mapping[str, Any], parents: Mapping[str, Any], steps: dict[str, int]
) -> None:
    name = stated(node.get("id")) or where
    parent = stated(parents.get(name)) or stated(node.get("parent_id")) or stated(node.get("parent"))
    for verdict in _VERDICTS:
        if node.get(verdict) is not None:
            draft.strip_names([verdict])
    seeded = node.get("is_seed_node") is True or node.get("is_seed_agg_node") is True
    steps[name] = draft.call(
        "execute",
        text(node.get("code")) or "",
        where=where,
        turn=name,
        speaker=AGENT,
        words=text(node.get("plan")) or None,
        observation=_output(node),
        failed=node.get("exc_type") is not None if "exc_type" in node else None,
        started=stated(node.get("ctime")),
        seconds=real(node.get("exec_time")),
        parent=steps.get(parent or ""),
        mandated=seeded,
    )
    for field in ("analysis", "vlm_feedback_summary"):
        said = node.get(field)
        words = (
            "\n".join(part for part in items(said) if isinstance(part, str)) if isinstance(said, list) else text(said)
        )
        draft.message(words, where=f"{where}.{field}", speaker=_REVIEWER)


def _output(node: Mapping[str, Any]) -> str | None:
    """What the program printed, with the error it ended by if that is not printed there."""
    printed = node.get("_term_out", node.get("term_out"))
    if printed is None:
        return None
    shown = (
        "".join(part for part in items(printed) if isinstance(part, str))
        if isinstance(printed, list)
        else text(printed)
    )
    error = text(node.get("exc_type"))
    return f"{shown}\n{error}" if error and shown is not None and error not in shown else shown


READER = LogReader("aide", "an object with nodes that have plan, code and output", recognises, drafts)
