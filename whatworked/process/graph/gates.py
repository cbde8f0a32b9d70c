"""What may stand in a graph: which step can hold which act, what an edge may tie, and in which order."""

from __future__ import annotations

from collections.abc import Mapping

from whatworked.process.graph.model import ActType, Budget, EdgeType, Field, Moment, Quote
from whatworked.process.records import Record, Step

EVIDENCE = frozenset({"shell", "experiment", "poll", "other"})
"""Kinds of steps whose observation is evidence; `other` is a tool that no table holds, and is counted apart."""
OWN = frozenset({"agent", "subagent"})
"""Actors whose words and actions are the agent's."""
AUTHORED = frozenset({"edit", "submit", "bookkeeping"})
"""Kinds of steps whose action is a text that the agent wrote; what stands there it said, as in words."""
EDGE_ENDS: Mapping[EdgeType, tuple[frozenset[str], frozenset[str]]] = {
    "reads": (frozenset({"check"}), frozenset({"launch"})),
    "builds_on": (frozenset({"launch", "revise"}), frozenset({"launch"})),
    "expects": (frozenset({"launch"}), frozenset({"prediction", "conjecture"})),
    "grounds": (frozenset({"check", "probe"}), frozenset({"belief", "conjecture"})),
    "confirms": (frozenset({"check"}), frozenset({"idea"})),
    "contradicts": (frozenset({"check"}), frozenset({"idea"})),
    "inconclusive": (frozenset({"check"}), frozenset({"idea"})),
    "answers": (frozenset({"launch", "revise"}), frozenset({"check"})),
    "explains": (frozenset({"cause"}), frozenset({"check"})),
    "withdraws": (frozenset({"cause", "retraction"}), frozenset({"check"})),
    "voids": (frozenset({"cause", "retraction"}), frozenset({"check"})),
}
_BACKWARD = frozenset({"reads", "builds_on", "answers", "explains", "withdraws", "voids"})
"""Edges from what is later to what was earlier; `grounds` goes the other way, and verdicts have no second moment."""


def order_fault(kind: EdgeType, source: Moment, target: Moment) -> str | None:
    """Why an edge cannot lead from one moment to another, or None.

    Parameters
    ----------
    kind : str
        Type of the edge.
    source, target : Moment
        Of the two nodes.

    Returns
    -------
    str or None
    """
    if kind in _BACKWARD and source <= target:
        return "edge that goes back in time"
    if kind == "grounds" and source >= target:
        return "ground that was shown after the belief"
    return None


def act_fields(act_type: ActType) -> tuple[Field, ...]:
    """Texts of a step in which an act of a type is quoted, the likeliest first."""
    if act_type == "check":
        return ("observation",)
    return ("observation", "action") if act_type == "probe" else ("action",)


def said_fields(step: Step) -> tuple[Field, ...]:
    """Texts of a step in which the agent says something: its words, and what it writes to a file or hands in."""
    return ("words", "action") if step.kind in AUTHORED else ("words",)


def is_run_for_agent(step: Step) -> bool:
    """Whether a step is an experiment of the agent that the harness runs, as where the agent only edits."""
    return step.actor == "harness" and step.kind == "experiment"


def act_fault(step: Step, act_type: ActType) -> str | None:
    """Why a step can hold no act of a type, or None."""
    if step.action is None and not is_run_for_agent(step):
        return "act in a step without an action"
    if step.actor not in OWN and not is_run_for_agent(step):
        return "act of somebody else"
    if act_type in ("check", "probe"):
        if step.observation is None:
            return "look at a result that is not recorded"
        if step.kind not in EVIDENCE:
            return f"look at a step that is no evidence (kind {step.kind})"
    return None


def said_at(quote: Quote) -> Moment:
    """When what a quote shows was written, or shown by its own step.

    Parameters
    ----------
    quote : Quote
        Of a step.

    Returns
    -------
    Moment
    """
    return Moment(quote.step, {"words": 0, "action": 1, "observation": 2}[quote.field])


def shown_at(step: Step) -> Moment:
    """When the result of a step was shown.

    Parameters
    ----------
    step : Step
        A step of a record.

    Returns
    -------
    Moment
        After the last step that had begun when it came.
    """
    return Moment(step.id if step.shown_after is None else step.shown_after, 2)


def token_budget(record: Record) -> Budget:
    """Output tokens of the agent's model calls, from what the log states and nothing else.

    Parameters
    ----------
    record : Record
        The run.

    Returns
    -------
    Budget
        Steps that belong to no model call by name count as calls whose tokens are not recorded.
    """
    calls: dict[str, list[Step]] = {}
    for step in record.steps:
        if step.actor in OWN:
            calls.setdefault(f"step {step.id}" if step.turn is None else f"call {step.turn}", []).append(step)
    recorded = output = thinking = acting = 0
    for steps in calls.values():
        tokens = next((step.tokens for step in steps if step.tokens is not None), None)
        if tokens is None or tokens.output is None or tokens.thinking is None or tokens.thinking > tokens.output:
            continue
        recorded += 1
        output += tokens.output
        thinking += tokens.thinking
        if any(step.action is not None for step in steps):
            acting += tokens.output - tokens.thinking
    return Budget(calls=len(calls), recorded=recorded, output=output, thinking=thinking, acting=acting)
