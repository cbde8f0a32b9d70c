"""From what judges offer to a graph: every node and edge passes a gate of code, and whatever does not is counted.

Nothing is asked here. A quote that does not stand where it is said to, a check on a step that is no evidence, an edge
that goes back in time: each is dropped with its reason. The order in which things are offered decides nothing but which
of two equal ones comes first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from whatworked.judging import find_quote
from whatworked.process.graph.gates import (
    EDGE_ENDS,
    OWN,
    act_fault,
    act_fields,
    is_run_for_agent,
    order_fault,
    said_at,
    said_fields,
    shown_at,
    token_budget,
)
from whatworked.process.graph.model import (
    ACT_TYPES,
    MARK_VALUES,
    PROPOSITION_TYPES,
    SCHEMA,
    SHOWN,
    VERDICTS,
    Act,
    Edge,
    EdgeType,
    Field,
    Graph,
    Idea,
    Mark,
    MarkType,
    Moment,
    Proposition,
    Quote,
    WorldFacts,
)
from whatworked.process.graph.text import step_text
from whatworked.process.records import Record, Step


@dataclass(frozen=True)
class Quoted:
    """A quote as a judge gives it.

    Attributes
    ----------
    step : int
        Where it is said to stand.
    text : str
        What is said to stand there.
    """

    step: int
    text: str


class Assembly:
    """A graph in the making; the one object here that changes.

    Parameters
    ----------
    record : Record
        The run that everything is quoted from.
    """

    def __init__(self, record: Record) -> None:
        self._steps = record.steps
        self._texts: dict[tuple[int, Field], str | None] = {}
        self._ideas: dict[str, Idea] = {}
        self._acts: dict[str, Act] = {}
        self._propositions: dict[str, Proposition] = {}
        self._said_in: dict[int, list[Proposition]] = {}
        self._edges: dict[tuple[str, str, str], Edge] = {}
        self._marks: dict[tuple[str, str], Mark] = {}
        self._kinds: dict[str, str] = {}
        self._in_order: tuple[Act, ...] | None = None
        self._dropped: Counter[str] = Counter()

    # What was offered

    def drop(self, reason: str) -> None:
        """Count something that the rules do not take.

        Parameters
        ----------
        reason : str
            In plain words.
        """
        self._dropped[reason] += 1

    def idea(self, name: str) -> str:
        """Add an idea; returns its id. Two ideas may have one name.

        Parameters
        ----------
        name : str
            In a few words.

        Returns
        -------
        str
        """
        number = f"i{len(self._ideas) + 1}"
        self._ideas[number] = Idea(id=number, name=" ".join(name.split()))
        self._kinds[number] = "idea"
        return number

    def act(self, kind: str, quoted: Quoted, idea: str | None, floor: int = 1) -> str | None:
        """Offer an act.

        Parameters
        ----------
        kind : {"launch", "check", "probe", "revise", "deliver"}
            What sort of act.
        quoted : Quoted
            The part of the action that launches, revises or delivers, of the observation that shows a result, of
            either that looks.
        idea : str or None
            Id of what it is about.
        floor : int
            Characters that the quote must have.

        Returns
        -------
        str or None
            Its id; None where it was dropped.
        """
        act_type = next((known for known in ACT_TYPES if known == kind), None)
        step = self._step(quoted.step)
        name = f"a{quoted.step}.{kind}"
        reason = (
            "act of unknown type"
            if act_type is None
            else "act that is there already"
            if name in self._acts
            else self._place_fault(step, idea)
        )
        if act_type is None or step is None or reason is not None or (reason := act_fault(step, act_type)) is not None:
            self.drop(str(reason))
            return None
        quote = self.quote(quoted, act_fields(act_type), floor)
        if quote is None:
            return None
        seen = act_type in ("check", "probe")
        self._acts[name] = Act(
            id=name,
            type=act_type,
            step=step.id,
            at=shown_at(step) if seen else Moment(step.id, 1),
            kind=step.kind,
            mandated=step.mandated and not is_run_for_agent(step),
            idea=idea,
            quote=quote,
        )
        self._kinds[name] = act_type
        self._in_order = None
        return name

    def proposition(self, kind: str, quoted: Quoted, idea: str | None, floor: int = 1) -> str | None:
        """Offer a proposition.

        Parameters
        ----------
        kind : str
            What sort of proposition.
        quoted : Quoted
            The agent's words.
        idea : str or None
            Id of what it is about.
        floor : int
            Characters that the quote must have.

        Returns
        -------
        str or None
            Its id; None where it was dropped.
        """
        proposition_type = next((known for known in PROPOSITION_TYPES if known == kind), None)
        step = self._step(quoted.step)
        reason = "proposition of unknown type" if proposition_type is None else self._place_fault(step, idea)
        if proposition_type is None or step is None or reason is not None:
            self.drop(str(reason))
            return None
        if step.actor not in OWN:
            self.drop("words of somebody else")
            return None
        quote = self.quote(quoted, said_fields(step), floor)
        if quote is None:
            return None
        there = self._said_in.setdefault(step.id, [])
        if any(other.quote == quote and other.type == proposition_type for other in there):
            self.drop("proposition that is there already")
            return None
        name = f"p{step.id}.{len(there) + 1}"
        self._propositions[name] = Proposition(
            id=name, type=proposition_type, step=step.id, at=said_at(quote), idea=idea, quote=quote
        )
        there.append(self._propositions[name])
        self._kinds[name] = proposition_type
        return name

    def edge(self, kind: EdgeType, source: str, target: str, quoted: Quoted | None = None, floor: int = 1) -> bool:
        """Offer an edge.

        Parameters
        ----------
        kind : str
            Which type.
        source, target : str
            Ids of nodes.
        quoted : Quoted, optional
            The part of the record that shows it. A verdict and `grounds` need one from what the source shows, `voids`
            one from any result.
        floor : int
            Characters that the quote must have.

        Returns
        -------
        bool
            Whether it was taken.
        """
        reason = self._misplaced(kind, source, target)
        if reason is not None:
            self.drop(reason)
            return False
        quote = None
        if kind in SHOWN:
            # A result of the source shows a verdict and a ground; any result may show that one is void.
            if quoted is None or (kind != "voids" and quoted.step != self._acts[source].step):
                self.drop("edge without a quote of the result that shows it")
                return False
            quote = self.quote(quoted, ("observation",), floor)
        elif quoted is not None:
            quote = self.quote(quoted, ("words", "action", "observation"), floor)
        if quote is None and quoted is not None:
            return False
        key = (kind, source, target)
        if key in self._edges or (kind in VERDICTS and self._verdict_given(source, target)):
            self.drop("edge that is there already")
            return False
        self._edges[key] = Edge(kind, source, target, quote)
        return True

    def mark(self, kind: MarkType, node: str, value: str | None, quoted: Quoted | None = None, floor: int = 1) -> bool:
        """Offer an answer about a node.

        Parameters
        ----------
        kind : str
            Which question.
        node : str
            Id of the node, or ``run``.
        value : str or None
            The answer; None where the votes did not decide.
        quoted : Quoted, optional
            The part of the record that shows it.
        floor : int
            Characters that the quote must have.

        Returns
        -------
        bool
            Whether it was taken.
        """
        if node != "run" and node not in self._kinds:
            self.drop("node that does not exist")
            return False
        if value is not None and MARK_VALUES[kind] and value not in MARK_VALUES[kind]:
            self.drop("answer that is none of the allowed")
            return False
        quote = None
        if quoted is not None:
            quote = self.quote(quoted, ("words", "action", "observation"), floor)
            if quote is None:
                return False
        if kind == "said" and quote is not None and not self._said_after(node, quote):
            self.drop("reading before its result was shown")
            return False
        if (kind, node) in self._marks:
            self.drop("answer that is there already")
            return False
        self._marks[kind, node] = Mark(kind, node, value, quote)
        return True

    def quote(self, quoted: Quoted, fields: Iterable[Field], floor: int) -> Quote | None:
        """Find a quote in a step; one that is not there is counted.

        Parameters
        ----------
        quoted : Quoted
            As a judge gives it.
        fields : iterable of str
            Texts of the step in which it may stand, the likeliest first.
        floor : int
            Characters that it must have; a text that is shorter as a whole may be quoted whole.

        Returns
        -------
        Quote or None
        """
        found = self._find(quoted, fields, floor)
        if isinstance(found, Quote):
            return found
        self.drop(found)
        return None

    def stands(self, quoted: Quoted, fields: Iterable[Field], floor: int = 1) -> bool:
        """Whether a quote would be found; nothing is counted.

        Parameters
        ----------
        quoted : Quoted
            As a judge gives it.
        fields : iterable of str
            Texts of the step in which it may stand.
        floor : int
            Characters that it must have.

        Returns
        -------
        bool
        """
        return isinstance(self._find(quoted, fields, floor), Quote)

    def _find(self, quoted: Quoted, fields: Iterable[Field], floor: int) -> Quote | str:
        """A quote, or why it is none."""
        if self._step(quoted.step) is None:
            return "step that does not exist"
        for field in fields:
            text = self.text(quoted.step, field)
            span = None if text is None else find_quote(quoted.text, text)
            if text is None or span is None:
                continue
            if span.end - span.start < min(floor, len(text.strip())):
                return "quote that is too short"
            return Quote(quoted.step, field, span.start, span.end, text[span.start : span.end])
        return "quote that does not stand there"

    def text(self, step: int, field: Field) -> str | None:
        """A text of a step as it is shown; None where it is not recorded.

        Parameters
        ----------
        step : int
            Its id.
        field : {"words", "action", "observation"}
            Which text.

        Returns
        -------
        str or None
        """
        key = (step, field)
        if key not in self._texts:
            self._texts[key] = step_text(self._steps[step], field)
        return self._texts[key]

    # What is there so far

    @property
    def acts(self) -> tuple[Act, ...]:
        """Acts so far, in order of time."""
        if self._in_order is None:
            self._in_order = tuple(sorted(self._acts.values(), key=lambda act: (act.at, act.id)))
        return self._in_order

    @property
    def propositions(self) -> tuple[Proposition, ...]:
        """Propositions so far, in order of time."""
        return tuple(sorted(self._propositions.values(), key=lambda said: (said.at, said.quote, said.id)))

    @property
    def ideas(self) -> tuple[Idea, ...]:
        """Ideas so far, in order of first mention."""
        return tuple(self._ideas.values())

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Edges so far, sorted."""
        return tuple(sorted(self._edges.values(), key=_edge_key))

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Answers so far, sorted."""
        return tuple(sorted(self._marks.values(), key=lambda mark: (mark.type, mark.node)))

    def value(self, kind: MarkType, node: str) -> str | None:
        """The answer about a node so far.

        Parameters
        ----------
        kind : str
            Which question.
        node : str
            Id of the node.

        Returns
        -------
        str or None
            None where it was not asked or not decided.
        """
        mark = self._marks.get((kind, node))
        return None if mark is None else mark.value

    def finish(
        self,
        *,
        scorer: str,
        judge: str,
        cheap: bool,
        record: Record,
        digest: str,
        world: WorldFacts,
        asked: Mapping[str, int],
        undecided: Mapping[str, int],
        unfinished: Mapping[str, int],
    ) -> Graph:
        """The graph.

        Parameters
        ----------
        scorer : str
            Version of the scorer.
        judge : str
            Who answered.
        cheap : bool
            Whether it was made with one pass and one vote.
        record : Record
            The run.
        digest : str
            SHA-256 of its bytes.
        world : WorldFacts
            What is known of the task.
        asked, undecided, unfinished : mapping of str to int
            Questions by name.

        Returns
        -------
        Graph
        """
        self._drop_late_expectations()
        return Graph(
            schema=SCHEMA,
            scorer=scorer,
            judge=judge,
            cheap=cheap,
            record=digest,
            run=record.header.run,
            model=record.header.model,
            steps=len(record.steps),
            world=world,
            budget=token_budget(record),
            ideas=self.ideas,
            acts=self.acts,
            propositions=self.propositions,
            edges=self.edges,
            marks=self.marks,
            dropped=dict(sorted(self._dropped.items())),
            asked=dict(sorted(asked.items())),
            undecided=dict(sorted(undecided.items())),
            unfinished=dict(sorted(unfinished.items())),
        )

    # Gates

    def _step(self, number: int) -> Step | None:
        return self._steps[number] if 0 <= number < len(self._steps) else None

    def _place_fault(self, step: Step | None, idea: str | None) -> str | None:
        if step is None:
            return "step that does not exist"
        return "idea that does not exist" if idea is not None and idea not in self._ideas else None

    def _misplaced(self, kind: EdgeType, source: str, target: str) -> str | None:
        kinds = self._kinds
        if source not in kinds or target not in kinds:
            return "node that does not exist"
        sources, targets = EDGE_ENDS[kind]
        if kinds[source] not in sources or kinds[target] not in targets:
            return "edge between nodes that it cannot tie"
        return None if kinds[target] == "idea" else order_fault(kind, self._at(source), self._at(target))

    def _at(self, node: str) -> Moment:
        return self._acts[node].at if node in self._acts else self._propositions[node].at

    def _verdict_given(self, source: str, target: str) -> bool:
        return any((kind, source, target) in self._edges for kind in VERDICTS)

    def _said_after(self, node: str, quote: Quote) -> bool:
        return node in self._acts and said_at(quote) > self._acts[node].at

    def _drop_late_expectations(self) -> None:
        """What is expected of a launch must be said before its first result is shown."""
        shown: dict[str, Moment] = {}
        for edge in self._edges.values():
            if edge.type == "reads":
                at = self._acts[edge.source].at
                shown[edge.target] = min(at, shown.get(edge.target, at))
        for key, edge in list(self._edges.items()):
            if edge.type != "expects" or edge.source not in shown:
                continue
            if self._propositions[edge.target].at >= shown[edge.source]:
                del self._edges[key]
                self.drop("expectation that was written after its result")


def _edge_key(edge: Edge) -> tuple[str, str, str]:
    return edge.type, edge.source, edge.target
