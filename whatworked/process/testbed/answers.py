"""Answers of a judge beside the known ones: one pair for each thing that was asked or found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from whatworked.judging import Case, Judge, Vote
from whatworked.judging.judges import Request
from whatworked.judging.replies import Reply, read_answer
from whatworked.process.juries import score
from whatworked.process.juries.cards import alike
from whatworked.process.juries.catalog import questions
from whatworked.process.testbed.erring import CHOICES
from whatworked.process.testbed.known import READINGS, SpokenGame, known_judge

CLAIMS, RESULTS, EDGES = "claims", "results", "edges"
"""What extraction finds: propositions; launches, results and deliveries; and what ties a result to its launch, or a
launch to the one that it builds on."""
EXTRACTION = (CLAIMS, RESULTS, EDGES)
_LISTS = ("acts", "ideas")


@dataclass(frozen=True)
class Pair:
    """What is true of one thing, and what a judge says of it.

    Attributes
    ----------
    game, fault, bank : str
        Where.
    asked : str
        One of `EXTRACTION`, or the id of a jury's question.
    true : str or None
        What is so; None where the judge found something that is not there.
    given : str or None
        What the judge says; None where it missed the thing or gave no answer.
    lost : str or None
        Class of the reply where it was no answer.
    """

    game: str
    fault: str
    bank: str
    asked: str
    true: str | None
    given: str | None
    lost: str | None = None

    @property
    def right(self) -> bool:
        """Whether both are the same."""
        return self.true == self.given


@dataclass(frozen=True, eq=False)
class KnownCase:
    """A question about a game with its true answer.

    Attributes
    ----------
    case : Case
        The question.
    answer : object
        What is so, in the form of an answer.
    """

    case: Case
    answer: Any


def known_cases(game: SpokenGame) -> tuple[KnownCase, ...]:
    """Every question that process scoring puts about a game, each as if all before were answered rightly.

    Parameters
    ----------
    game : SpokenGame
        With its script.

    Returns
    -------
    tuple of KnownCase
        In the order in which they are put, each once.
    """
    heard = _Heard(known_judge(game))
    score(game.record, game.world, heard, cheap=True)
    return tuple(heard.cases)


class _Heard:
    """Passes answers on and keeps what was asked."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.name = judge.name
        self.cases: list[KnownCase] = []

    async def reply(self, request: Request) -> Reply:
        reply = await self._judge.reply(request)
        case = Case(question=questions()[request.question], fields=request.fields, about=f"case {len(self.cases) + 1}")
        self.cases.append(KnownCase(case, read_answer(reply.text)))
        return reply


def pairs_of(game: SpokenGame, known: KnownCase, vote: Vote) -> Iterator[Pair]:
    """What a vote says beside what is so.

    Parameters
    ----------
    game : SpokenGame
        What was asked about.
    known : KnownCase
        What was asked, with its true answer.
    vote : Vote
        Of the judge.

    Yields
    ------
    Pair
    """
    question = known.case.question.id
    given = vote.answer if vote.kind == "answer" else None
    lost = None if vote.kind == "answer" else str(vote.kind)
    found = _extracted(game, known.answer, given) if question == "extract" else _chosen(question, known.answer, given)
    for asked, true, told in found:
        yield Pair(game.name, game.script.fault, game.script.bank, asked, true, told, lost)


def _chosen(question: str, true: Any, given: Any) -> Iterator[tuple[str, str | None, str | None]]:
    key = CHOICES[question]
    listed = next((name for name in _LISTS if isinstance(true.get(name), list)), None)
    if listed is None:
        yield question, true[key], None if given is None else given[key]
        return
    about = listed.removesuffix("s")
    told = {} if given is None else {item[about]: item[key] for item in given[listed]}
    for item in true[listed]:
        yield question, item[key], told.get(item[about])


def _extracted(game: SpokenGame, true: Any, given: Any) -> Iterator[tuple[str, str | None, str | None]]:
    none: Mapping[str, Any] = {"acts": [], "propositions": []}
    given = none if given is None else given
    yield from _claims(game, true["propositions"], given["propositions"])
    for asked, read in ((RESULTS, _acts), (EDGES, _edges)):
        so, said = read(true), read(given)
        yield from ((asked, so.get(key), said.get(key)) for key in dict.fromkeys((*so, *said)))


def _claims(game: SpokenGame, true: Any, given: Any) -> Iterator[tuple[str, str | None, str | None]]:
    left = list(given)
    for claim in true:
        same = (other for other in left if other["step"] == claim["step"] and other["quote"].strip() == claim["quote"])
        near = (other for other in left if other["step"] == claim["step"] and _overlap(other["quote"], claim["quote"]))
        found = next(same, None) or next(near, None)
        if found is not None:
            left.remove(found)
        yield CLAIMS, claim["type"], None if found is None else found["type"]
    # Sentences that say how a result came out may be read either way.
    readings = [said.text for note in game.script.notes for said in note if said.says in READINGS]
    for other in left:
        if not any(_overlap(other["quote"], text) for text in readings):
            yield CLAIMS, None, other["type"]


def _overlap(quote: str, sentence: str) -> bool:
    return quote in sentence or sentence in quote or (len(quote) > len(sentence) and alike(quote, sentence))


def _acts(answer: Any) -> dict[tuple[int, str], str]:
    kinds = ("launch", "check", "deliver")
    return {(act["step"], act["type"]): act["type"] for act in answer["acts"] if act["type"] in kinds}


def _edges(answer: Any) -> dict[tuple[str, int, int], str]:
    found: dict[tuple[str, int, int], str] = {}
    for act in answer["acts"]:
        if act["type"] == "check":
            found |= {("reads", act["step"], step): "reads" for step in act["shows"]}
        elif act["builds_on"] is not None:
            found["builds_on", act["step"], act["builds_on"]] = "builds_on"
    return found
