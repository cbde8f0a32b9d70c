"""The graph of a run: what was done, what was said, and what ties the two; plain values, in one order, in one form.

Names, once each. An *act* is something the agent did: it launches work whose result will tell something, checks such a
result, probes, revises what it launched, or delivers what is taken as the result. A *proposition* is something the
agent said. An *idea* is what acts and propositions are about. A *quote* is a literal part of the record. A *verdict* is
what the result of a check says of an idea.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

SCHEMA = "whatworked-graph/1"
"""Name of the layout of a graph's file."""

ActType: TypeAlias = Literal["launch", "check", "probe", "revise", "deliver"]
PropositionType: TypeAlias = Literal[
    "belief", "conjecture", "prediction", "question", "reliance", "retraction", "cause"
]
Field: TypeAlias = Literal["words", "action", "observation"]
EdgeType: TypeAlias = Literal[
    "reads", "builds_on", "expects", "grounds", "confirms", "contradicts", "inconclusive", "answers", "explains",
    "withdraws", "voids",
]  # fmt: skip
MarkType: TypeAlias = Literal[
    "topic", "subject", "ground", "reach", "distance", "source", "said", "aftermath", "breach", "coverage", "promotes",
    "closing",
]  # fmt: skip

ACT_TYPES: tuple[ActType, ...] = ("launch", "check", "probe", "revise", "deliver")
PROPOSITION_TYPES: tuple[PropositionType, ...] = (
    "belief", "conjecture", "prediction", "question", "reliance", "retraction", "cause"
)  # fmt: skip
VERDICTS: tuple[EdgeType, ...] = ("confirms", "contradicts", "inconclusive")
"""Edges that are verdicts, from a check to an idea."""
SHOWN: tuple[EdgeType, ...] = (*VERDICTS, "grounds", "voids")
"""Edges that need a quote of a result that shows them: no words are enough."""

MARK_VALUES: Mapping[MarkType, tuple[str, ...]] = {
    "topic": ("research", "work"),
    "subject": (),
    "ground": ("shown", "not shown"),
    "reach": ("readout", "within", "beyond"),
    "distance": ("near", "far"),
    "source": ("transfer", "new"),
    "said": ("favourable", "adverse", "mixed", "none"),
    "aftermath": ("built on", "undone", "retried", "diagnosed", "left"),
    "breach": (),
    "coverage": ("all", "part", "none"),
    "promotes": ("by score", "otherwise", "no"),
    "closing": ("stated", "part unstated", "no score"),
}
"""Values that a mark may have; an empty tuple allows any text."""


class Moment(msgspec.Struct, frozen=True, order=True):
    """When something stands in a run, in the order in which an agent came to know it.

    Attributes
    ----------
    step : int
        The step; for a result, the last step that had begun when it was shown.
    phase : int
        Within the step: 0 what is written with an action, 1 the action, 2 what came back.
    """

    step: int
    phase: int


class Quote(msgspec.Struct, frozen=True, order=True):
    """A literal part of the record.

    Attributes
    ----------
    step : int
        The step.
    field : {"words", "action", "observation"}
        Which of its texts.
    start, end : int
        Positions in that text as it is shown, see `whatworked.process.graph.shown_text`.
    text : str
        What stands there.
    """

    step: int
    field: Field
    start: int
    end: int
    text: str


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """Something the agent did.

    Attributes
    ----------
    id : str
        ``a<step>.<type>``.
    type : {"launch", "check", "probe", "revise", "deliver"}
        What sort of act.
    step : int
        The step it stands in.
    at : Moment
        When: of a check, when the result was shown.
    kind : str
        What sort of tool the step uses; ``other`` is a tool that no table holds.
    mandated : bool
        Whether the harness made it happen, and not the agent. Such acts are no opportunities. An experiment that the
        harness runs on the agent's work is the agent's.
    idea : str or None
        What it is about.
    quote : Quote
        The part of the record that shows it.
    """

    id: str
    type: ActType
    step: int
    at: Moment
    kind: str
    mandated: bool
    idea: str | None
    quote: Quote


class Proposition(msgspec.Struct, frozen=True, kw_only=True):
    """Something the agent said.

    Attributes
    ----------
    id : str
        ``p<step>.<number>``.
    type : str
        Belief, conjecture, prediction, question, reliance, retraction, or the cause of a failure.
    step : int
        The step it stands in.
    at : Moment
        When.
    idea : str or None
        What it is about.
    quote : Quote
        Its words.
    """

    id: str
    type: PropositionType
    step: int
    at: Moment
    idea: str | None
    quote: Quote


class Idea(msgspec.Struct, frozen=True, kw_only=True):
    """What acts and propositions are about.

    Attributes
    ----------
    id : str
        ``i<number>``, in the order of first mention.
    name : str
        In a few words.
    """

    id: str
    name: str


class Edge(msgspec.Struct, frozen=True, order=True):
    """What ties two nodes.

    Attributes
    ----------
    type : str
        How, for instance ``reads`` from a check to the launch whose result it shows, ``contradicts`` from a check to an
        idea.
    source, target : str
        Ids of nodes.
    quote : Quote or None
        The part of the record that shows it, where the question asks for one.
    """

    type: EdgeType
    source: str
    target: str
    quote: Quote | None = None


class Mark(msgspec.Struct, frozen=True):
    """An answer about one node that is no edge.

    Attributes
    ----------
    type : str
        Which question.
    node : str
        Id of the node, or ``run``.
    value : str or None
        The answer; None where the votes did not decide.
    quote : Quote or None
        The part of the record that shows it.
    """

    type: MarkType
    node: str
    value: str | None
    quote: Quote | None = None


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """Output tokens of a run, as far as they are recorded.

    Attributes
    ----------
    calls : int
        Model calls of the agent.
    recorded : int
        Those whose output and hidden thinking are both stated.
    output, thinking : int
        Tokens written in those calls, and the part of them that was hidden thinking.
    acting : int
        Tokens written in those calls that hold an action, hidden thinking left out.
    """

    calls: int
    recorded: int
    output: int
    thinking: int
    acting: int


class WorldFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the measures need of the manifest.

    Attributes
    ----------
    task : str or None
        Name of the task, or the digest of its prompt.
    prompt : bool
        Whether the task's prompt is recorded.
    submission : str or None
        Where the result is taken from.
    measure_size : int or None
        Number of cases in the official measure.
    """

    task: str | None
    prompt: bool
    submission: str | None
    measure_size: int | None


class Graph(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that is measured of a run.

    Attributes
    ----------
    schema : str
        `SCHEMA`.
    scorer : str
        Version of the scorer, with the digest of its questions. Results of two versions are not compared.
    judge : str
        Who answered.
    cheap : bool
        Whether it was made with one pass and one vote.
    record : str
        SHA-256 of the record's bytes.
    run : str
        Name of the run.
    model : str or None
        The model that acted.
    steps : int
        Number of steps.
    world : WorldFacts
        What is known of the task.
    budget : Budget
        Tokens.
    ideas : tuple of Idea
        In order of id.
    acts : tuple of Act
        In order of time.
    propositions : tuple of Proposition
        In order of time.
    edges : tuple of Edge
        Sorted.
    marks : tuple of Mark
        Sorted.
    dropped : mapping of str to int
        What judges offered and the rules did not take, by reason.
    asked : mapping of str to int
        Questions that were put, by name.
    undecided : mapping of str to int
        Questions whose votes did not decide, by name.
    unfinished : mapping of str to int
        Questions that got no answer, by name: a judge that could not be reached, or refused. The run goes on from them.
    """

    schema: str
    scorer: str
    judge: str
    cheap: bool
    record: str
    run: str
    model: str | None
    steps: int
    world: WorldFacts
    budget: Budget
    ideas: tuple[Idea, ...]
    acts: tuple[Act, ...]
    propositions: tuple[Proposition, ...]
    edges: tuple[Edge, ...]
    marks: tuple[Mark, ...]
    dropped: Mapping[str, int]
    asked: Mapping[str, int]
    undecided: Mapping[str, int]
    unfinished: Mapping[str, int]
