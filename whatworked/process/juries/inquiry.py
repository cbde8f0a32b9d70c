"""Putting questions about one run: cases in, verdicts out, with a count of what was asked, undecided and unanswered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from whatworked.judging import Ballot, Case, Panel, Verdict, Vote
from whatworked.judging.fences import Material
from whatworked.process.graph import Act, Assembly, Edge, Proposition, Quote, Quoted
from whatworked.process.graph.gates import OWN, said_fields
from whatworked.process.graph.model import EdgeType, Field, MarkType
from whatworked.process.juries.catalog import questions
from whatworked.process.juries.settings import SETTINGS, Settings
from whatworked.process.juries.windows import Labelled
from whatworked.process.records import Record, Step, World

NONE = "none"
"""What an answer names where nothing fits."""
NOT_RECORDED = "(not recorded)"
_REASON = 200
"""Characters of a reason that are kept."""

Matter: TypeAlias = tuple[str, Mapping[str, Material]]
"""What a question is put about: the name of a thing, and the question's fields."""
BallotRule: TypeAlias = Callable[[str, Any], Ballot]
"""From what a case is about and an answer to the choices that the answer makes; an empty one is no vote."""


class Inquiry:
    """Questions about one run. What is decided goes into its assembly; this keeps the counts.

    Parameters
    ----------
    record : Record
        The run.
    world : World
        What is known of the task.
    assembly : Assembly
        The graph in the making.
    panel : Panel
        Who is asked.
    cheap : bool
        Whether one pass and one vote stand for all.
    settings : Settings
        Bounds of what is shown.
    """

    def __init__(
        self,
        record: Record,
        world: World,
        assembly: Assembly,
        panel: Panel,
        *,
        cheap: bool = False,
        settings: Settings = SETTINGS,
    ) -> None:
        self.record = record
        self.world = world
        self.assembly = assembly
        self.panel = panel
        self.cheap = cheap
        self.settings = settings
        self.asked: Counter[str] = Counter(dict.fromkeys(questions(), 0))
        self.undecided: Counter[str] = Counter()
        self.unfinished: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()

    async def decide(self, name: str, cases: Sequence[Matter], ballot: BallotRule | None = None) -> list[Verdict]:
        """Put one question about several things.

        Parameters
        ----------
        name : str
            Id of the question.
        cases : sequence of (str, mapping)
            What each is about, with its fields.
        ballot : callable, optional
            What an answer chooses; by the question's own rule where it is left out.

        Returns
        -------
        list of Verdict
            In order.
        """
        question = questions()[name]
        put = [Case(question=question, fields=fields, about=about) for about, fields in cases]
        chosen = None if ballot is None else _by_case(ballot)
        verdicts = await self.panel.decide(put, chosen)
        for verdict in verdicts:
            self.note(verdict.votes)
            self.count(name, finished=verdict.finished, decided=bool(verdict.choices) and not verdict.undecided)
        return verdicts

    def count(self, name: str, *, finished: bool, decided: bool) -> None:
        """Count a question that was put."""
        self.asked[name] += 1
        if not finished:
            self.unfinished[name] += 1
        elif not decided:
            self.undecided[name] += 1

    def note(self, votes: Iterable[Vote]) -> None:
        """Count votes that were lost, by class of reply and reason."""
        for vote in votes:
            if vote.kind != "answer":
                self.lost[f"{vote.kind}: {vote.detail[:_REASON]}" if vote.detail else vote.kind] += 1

    # What questions show

    def task(self) -> str:
        """The task, as far as it is recorded and fits."""
        return (self.world.task_prompt or NOT_RECORDED)[: self.settings.task_characters]

    def contract(self) -> str:
        """Rules of the task beyond its prompt, likewise."""
        contract = self.world.contract
        return (NOT_RECORDED if contract is None else contract.text)[: self.settings.task_characters]

    def around(self, quote: Quote) -> str:
        """The text that holds a quote, as far as it is shown with it."""
        text = self.assembly.text(quote.step, quote.field) or ""
        size = self.settings.excerpt
        return text[max(0, quote.start - size) : quote.end + size]

    def stated(self, quote: Quote) -> Labelled:
        """A statement in its words, and the text that holds it: one text may hold several statements."""
        return (("said", quote.text), ("around", self.around(quote)))

    def action(self, step: int) -> str:
        """What was run in a step, as far as it is shown with a result."""
        return (self.assembly.text(step, "action") or NOT_RECORDED)[: 2 * self.settings.excerpt]

    def said_in(self, step: Step, most: int) -> Labelled:
        """What the agent says in a step, the beginning of each text: its words, and what it writes or hands in."""
        if step.actor not in OWN:
            return ()
        names = {"words": "words", "action": "writes"}
        texts = ((names[field], self.assembly.text(step.id, field)) for field in said_fields(step))
        return tuple((f"{step.id}.{name}", text[:most]) for name, text in texts if text)

    def shown_before(self, said: Proposition, *types: str) -> tuple[Act, ...]:
        """The latest acts of these types whose results were shown before a proposition, in order."""
        acts = [act for act in self.assembly.acts if act.type in types and act.at < said.at]
        return tuple(acts[-self.settings.results :])

    # What the graph holds so far

    def edges(self, *types: EdgeType) -> tuple[Edge, ...]:
        """Edges of some types."""
        return tuple(edge for edge in self.assembly.edges if edge.type in types)

    def value(self, kind: MarkType, node: str) -> str | None:
        """The answer about a node so far."""
        return self.assembly.value(kind, node)

    def stands(self, question: str, text: str, step: int, *fields: Field) -> bool:
        """Whether a quote stands in one of some texts of a step, and is long enough."""
        return self.assembly.stands(Quoted(step, text), fields, floor_of(question))


def floor_of(name: str) -> int:
    """Characters that a quote in answers to a question must have."""
    return questions()[name].shortest_quote.characters


def _by_case(ballot: BallotRule) -> Callable[[Case, Any], Ballot]:
    return lambda case, answer: ballot(case.about, answer)


def winning(verdict: Verdict, ballot: BallotRule) -> list[Any]:
    """The answers that chose what was decided, in order of votes.

    Parameters
    ----------
    verdict : Verdict
        Of one case.
    ballot : callable
        What an answer chooses.

    Returns
    -------
    list
        Answers.
    """
    chosen = dict(verdict.choices)
    answers = [vote.answer for vote in verdict.votes if vote.kind == "answer"]
    return [answer for answer in answers if chosen and dict(ballot(verdict.about, answer)) == chosen]
