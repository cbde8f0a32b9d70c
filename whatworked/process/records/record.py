"""One run of an agent as typed steps, whatever program logged it.

``None`` in a field always means *not recorded*: the log does not say. An empty text means that the log says it was
empty. Nothing is filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

SCHEMA = "whatworked-record/1"
"""Name of the layout of a record's file."""

Actor: TypeAlias = Literal["agent", "subagent", "user", "harness"]
"""Who acts or speaks in a step; `harness` is the program that runs the agent."""
Kind: TypeAlias = Literal[
    "shell", "experiment", "poll", "read", "edit", "delegate", "bookkeeping", "submit", "message", "other"
]
"""What sort of tool a step uses, by the tool's name alone; `other` is a name that no table of the format holds."""
Scope: TypeAlias = Literal["environment", "workspace", "submission", "not recorded"]
"""What a step acts on: the studied system, the agent's own files, or what is handed in."""


class Patch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change of one file.

    Attributes
    ----------
    path : str or None
        The file.
    old, new : str or None
        Text that was replaced, and what stands there now.
    diff : str or None
        The change as a patch, where it was written as one.
    """

    path: str | None
    old: str | None
    new: str | None
    diff: str | None


class Tokens(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tokens of one model call, or of a run.

    Attributes
    ----------
    input, cached, output, thinking : int or None
        Tokens read, the part of them that was cached, tokens written, and the part of them that was hidden thinking,
        each as the log states it.
    """

    input: int | None
    cached: int | None
    output: int | None
    thinking: int | None


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One action with what came back, or one message.

    Attributes
    ----------
    id : int
        Number of the step, from 0.
    actor : {"agent", "subagent", "user", "harness"}
        Who acts or speaks.
    name : str or None
        Name of the agent, where several act.
    kind : str
        What sort of tool is used.
    tool : str or None
        Name of the tool, as the log has it.
    scope : str
        What is acted on.
    mandated : bool
        Whether the harness made the step happen, so that it was not the agent's choice.
    action : str or None
        What was run: the arguments of the tool, their texts unchanged. None for a message.
    words : str or None
        What the actor wrote openly with the action; of a message, the message.
    thinking : str or None
        Hidden reasoning, where the log has it in words.
    observation : str or None
        What came back; of a message from somebody else, None.
    failed : bool or None
        Whether the log marks the result as an error.
    shown_after : int or None
        The last step that had begun when the observation came; the step's own id where nothing came between.
    patches : tuple of Patch
        Changes of files that the action states.
    turn : str or None
        The model call that the step belongs to; steps of one call have the same.
    tokens : Tokens or None
        Tokens of that call, at its first step.
    call_id : str or None
        The log's own name for the call.
    started, ended : str or None
        Times as the log writes them.
    seconds : float or None
        How long the action took.
    parent : int or None
        The step that this one descends from, where the run is a tree or a sub-agent was sent.
    where : str
        Where in the source it stands.
    """

    id: int
    actor: Actor
    name: str | None
    kind: Kind
    tool: str | None
    scope: Scope
    mandated: bool
    action: str | None
    words: str | None
    thinking: str | None
    observation: str | None
    failed: bool | None
    shown_after: int | None
    patches: tuple[Patch, ...]
    turn: str | None
    tokens: Tokens | None
    call_id: str | None
    started: str | None
    ended: str | None
    seconds: float | None
    parent: int | None
    where: str


class SourceFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file that a record was made from.

    Attributes
    ----------
    name : str
        Its name, without the folders above what was given.
    size : int
        Bytes.
    sha256 : str
        Digest of its bytes.
    """

    name: str
    size: int
    sha256: str


class Counts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a record holds, and what was left out of it.

    Attributes
    ----------
    steps : int
        All steps.
    actions : int
        Actions that the agent and its sub-agents chose, and experiments that the harness ran for them.
    observed : int
        Those of them whose result is recorded.
    unknown : mapping of str to int
        Events of the log that the reader does not know, by name.
    unknown_tools : mapping of str to int
        Names of tools that the format's table does not hold.
    dropped : mapping of str to int
        Known events that are no part of the run, by reason.
    stripped : mapping of str to int
        Answers that stood in the log (scores, targets, labels), by name; none of them is in the record.
    """

    steps: int
    actions: int
    observed: int
    unknown: Mapping[str, int]
    unknown_tools: Mapping[str, int]
    dropped: Mapping[str, int]
    stripped: Mapping[str, int]


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """First line of a record's file.

    Attributes
    ----------
    schema : str
        `SCHEMA`.
    format : str
        Which reader made it.
    run : str
        Name of the run within its source.
    sources : tuple of SourceFile
        What it was made from.
    model : str or None
        The model that acted, as the log names it.
    tokens : Tokens or None
        Tokens of the whole run, where the log states a sum.
    counts : Counts
        What it holds and what was left out.
    not_recorded : tuple of str
        Fields that no step of the run has.
    notes : tuple of str
        What a reader of the record should know of the format.
    """

    schema: str
    format: str
    run: str
    sources: tuple[SourceFile, ...]
    model: str | None
    tokens: Tokens | None
    counts: Counts
    not_recorded: tuple[str, ...]
    notes: tuple[str, ...]


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One run.

    Attributes
    ----------
    header : Header
        Where it comes from, what it holds and what was left out.
    steps : tuple of Step
        In the order in which they began.
    """

    header: Header
    steps: tuple[Step, ...]


def unjudgeable(record: Record) -> str | None:
    """Why a record cannot be judged, or None.

    Parameters
    ----------
    record : Record
        The run.

    Returns
    -------
    str or None
        A reason in plain words: there is no step, no action, or no result of any action.
    """
    counts = record.header.counts
    if not counts.steps:
        return "no steps are recorded"
    if not counts.actions:
        return "no actions are recorded, only messages"
    if not counts.observed:
        return f"no observations are recorded: none of the {counts.actions} actions has its result"
    return None
