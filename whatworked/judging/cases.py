"""What a question is asked about, and what one vote on it, or all of them, came to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from whatworked.judging.calls import Call
from whatworked.judging.fences import Material
from whatworked.judging.questions import Question
from whatworked.judging.replies import Kind, read_answer
from whatworked.judging.schema import misfits
from whatworked.judging.votes import Choice


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a question is asked about.

    Attributes
    ----------
    question : Question
        What is asked.
    fields : mapping of str to str or sequence of (str, str)
        The quoted material: a text, or texts with labels.
    about : str
        The caller's name for it.
    check : callable or None
        From an answer to what is wrong with it, such as a quote that does not stand in the record. The question is
        asked once more then; what is still wrong stands in the vote, and the caller decides what to leave out.
    """

    question: Question
    fields: Mapping[str, Material]
    about: str
    check: Callable[[Any], Sequence[str]] | None = None


class Vote(msgspec.Struct, frozen=True, kw_only=True):
    """One vote on a case.

    Attributes
    ----------
    kind : str
        Class of the last reply; only an ``answer`` votes.
    answer : object
        The answer as a value of JSON, or None.
    complaints : tuple of str
        What is wrong with the reply.
    model : str or None
        Which model answered, in the provider's words.
    attempts : int
        How many replies there were.
    detail : str
        What a person should know of the last one.
    """

    kind: Kind
    answer: Any
    complaints: tuple[str, ...]
    model: str | None
    attempts: int
    detail: str


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What the votes on a case decide.

    Attributes
    ----------
    about : str
        The case.
    question : str
        Id of the question.
    choices : mapping of str to str, int, bool or None
        The choice for each item that is decided.
    counts : mapping of str to tuple of (choice, int)
        How many votes each choice of each item has, the most first.
    undecided : mapping of str to str
        For each other item, why.
    votes : tuple of Vote
        In order.
    cheap : bool
        Whether one vote stood for all.
    stopped_early : bool
        Whether votes were left out because they could not change the outcome.
    """

    about: str
    question: str
    choices: Mapping[str, Choice]
    counts: Mapping[str, tuple[tuple[Choice, int], ...]]
    undecided: Mapping[str, str]
    votes: tuple[Vote, ...]
    cheap: bool
    stopped_early: bool

    @property
    def finished(self) -> bool:
        """Whether every vote got a reply of the judge, whatever it was."""
        return all(vote.kind != "unreachable" for vote in self.votes)


def vote_of(call: Call, case: Case, attempts: int) -> Vote:
    """A vote by what one reply holds."""
    answer: Any = None
    complaints: tuple[str, ...] = ()
    kind = call.kind
    if call.kind == "answer":
        try:
            answer = read_answer(call.text)
            complaints = tuple(misfits(case.question.answer, answer))
        except ValueError as error:
            complaints = (f"the answer cannot be read: {error}",)
        if complaints:
            answer, kind = None, "unparseable"
        elif case.check is not None:
            complaints = tuple(case.check(answer))
    return Vote(
        kind=kind,
        answer=answer,
        complaints=complaints,
        model=call.answered_by,
        attempts=attempts,
        detail=call.detail or "; ".join(complaints),
    )
