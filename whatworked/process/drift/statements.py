"""From notes to statements with times: one question for each criterion, and what its answer is held to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

import msgspec

from whatworked.judging import Case, Panel, Question, RuleJudge, Vote, load_question
from whatworked.process.drift.blinding import Blinding, blinding
from whatworked.process.drift.criteria import DATA, Criterion, criteria
from whatworked.process.drift.notes import ShownNotes
from whatworked.wording import printable

STUB = "stub"
"""Name of the judge that goes by the words of the examples."""


class Statement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a judge found in the notes for one criterion.

    Attributes
    ----------
    criterion : str
        Its id.
    stated : bool
        Whether the notes state it, with a quote that stands in them.
    grounded : bool
        Whether they ground it as well.
    quotes, grounding_quotes : tuple of str
        Those that stand in the notes.
    stated_at, grounded_at : int or None
        Paid actions at the revision by which the statement was complete, and at the first that grounds it.
    confidence : {"high", "low"} or None
        Of the judge; None without an answer.
    reply : str
        Class of the judge's reply; only an ``answer`` can find a statement.
    complaints : tuple of str
        What was still wrong after it was asked again.
    """

    criterion: str
    stated: bool = False
    grounded: bool = False
    quotes: tuple[str, ...] = ()
    grounding_quotes: tuple[str, ...] = ()
    stated_at: int | None = None
    grounded_at: int | None = None
    confidence: Literal["high", "low"] | None = None
    reply: str
    complaints: tuple[str, ...] = ()


def cases_of(notes: ShownNotes) -> dict[str, Case]:
    """What a judge is asked about some notes.

    Parameters
    ----------
    notes : ShownNotes
        As the judge sees them.

    Returns
    -------
    dict of str to Case
        For each criterion, in order; empty without notes, which state nothing.
    """
    if not notes.revisions:
        return {}
    revisions = [(revision.label, revision.added) for revision in notes.revisions]
    fields: dict[str, str | Sequence[tuple[str, str]]] = {"notes": revisions, "final": notes.final}
    return {
        name: Case(question=question, fields=fields, about=name, check=_check(notes, question))
        for name, question in _questions().items()
    }


async def ask(panel: Panel, notes: ShownNotes) -> tuple[Statement, ...]:
    """Statements of some notes, by every criterion.

    Parameters
    ----------
    panel : Panel
        Who is asked.
    notes : ShownNotes
        As the judge sees them.

    Returns
    -------
    tuple of Statement
        In the order of the criteria.

    Raises
    ------
    JudgeError
        If the judge cannot be asked on, or a cap is reached.
    JournalError
        If the journal cannot be written.
    """
    cases = cases_of(notes)
    if not cases:
        return tuple(Statement(criterion=name, reply="answer") for name in criteria())
    votes = await panel.sample(list(cases.values()), passes=1)
    return tuple(
        statement_of(name, vote, notes, case.question)
        for (name, case), (vote,) in zip(cases.items(), votes, strict=True)
    )


def statement_of(name: str, vote: Vote, notes: ShownNotes, question: Question) -> Statement:
    """What a reply comes to, by the rules alone.

    Parameters
    ----------
    name : str
        Id of the criterion.
    vote : Vote
        The reply, asked again already where it broke a rule.
    notes : ShownNotes
        What it was about.
    question : Question
        What was asked.

    Returns
    -------
    Statement
        A miss where the reply contradicts itself, names no revision, or none of its quotes stands in the notes. Where
        no grounding quote does, it is not grounded.
    """
    if vote.kind != "answer":
        return Statement(criterion=name, reply=vote.kind, complaints=vote.complaints)
    answer = vote.answer
    quotes = _standing(answer["quotes"], notes, question)
    miss = Statement(criterion=name, confidence=answer["confidence"], reply=vote.kind, complaints=vote.complaints)
    if not answer["hit"] or not quotes or _broken(answer, notes):
        return miss
    paid = {revision.number: revision.paid for revision in notes.revisions}
    grounds = _standing(answer["grounding_quotes"], notes, question) if answer["grounded"] else {}
    return msgspec.structs.replace(
        miss,
        stated=True,
        quotes=tuple(quotes),
        stated_at=paid[max(answer["first_revision"], min(quotes.values()))],
        grounded=bool(grounds),
        grounding_quotes=tuple(grounds),
        grounded_at=paid[min(grounds.values())] if grounds else None,
    )


def stub_judge() -> RuleJudge:
    """A judge that finds the words of the examples and nothing else, so that all but the model can be tried.

    Returns
    -------
    RuleJudge
        Named ``"stub"``.
    """
    hide = blinding().hide

    def rule(criterion: Criterion) -> Callable[[Mapping[str, Any], int], Any]:
        stated, grounded = hide(criterion.positive.stated), hide(criterion.positive.grounded)

        def answer(fields: Mapping[str, Any], vote: int) -> Any:
            del vote
            holding = [number for number, (_, text) in enumerate(fields["notes"], 1) if stated in text]
            grounds = bool(holding) and any(grounded in text for _, text in fields["notes"])
            return {
                "hit": bool(holding),
                "quotes": [stated] * bool(holding),
                "first_revision": min(holding, default=0),
                "confidence": "high",
                "grounded": grounds,
                "grounding_quotes": [grounded] * grounds,
            }

        return answer

    return RuleJudge({_id(name): rule(criterion) for name, criterion in criteria().items()}, name=STUB)


@cache
def _questions() -> Mapping[str, Question]:
    template = load_question(DATA / "drift.toml")
    return {name: _question(template, name, criterion, blinding()) for name, criterion in criteria().items()}


def _question(template: Question, name: str, criterion: Criterion, hidden: Blinding) -> Question:
    """The question of one criterion: its words are the asker's own and stand outside all quoted material."""
    example = criterion.positive
    prompt = template.prompt
    for place, text in {
        "statement": criterion.statement,
        "grounding": criterion.grounding,
        "positive": example.notes,
        "negative": criterion.negative,
    }.items():
        prompt = prompt.replace(f"@{place}@", hidden.hide(text))
    for place, text in {"stated": example.stated, "grounded": example.grounded}.items():
        prompt = prompt.replace(f"@{place}@", json.dumps(hidden.hide(text), ensure_ascii=False))
    return msgspec.structs.replace(template, id=_id(name), prompt=prompt)


def _id(name: str) -> str:
    return f"drift-{name.lower()}"


def _check(notes: ShownNotes, question: Question) -> Callable[[Any], Sequence[str]]:
    def check(answer: Any) -> list[str]:
        wrong = _broken(answer, notes)
        if answer["grounded"] != bool(answer["grounding_quotes"]):
            wrong.append("grounded and grounding_quotes do not go together")
        for field in ("quotes", "grounding_quotes"):
            standing = _standing(answer[field], notes, question)
            wrong += [
                f"{field}: {printable(quote[:80])!r} stands nowhere in the notes or is too short"
                for quote in answer[field]
                if quote not in standing
            ]
        return wrong

    return check


def _broken(answer: Any, notes: ShownNotes) -> list[str]:
    """Where an answer contradicts itself, or names a revision that is none."""
    wrong = []
    if answer["hit"] and not answer["quotes"]:
        wrong.append("hit is true without quotes")
    if not answer["hit"] and (answer["quotes"] or answer["grounded"]):
        wrong.append("hit is false, with quotes or grounded")
    numbers = [revision.number for revision in notes.revisions]
    if answer["hit"] and answer["first_revision"] not in numbers:
        wrong.append(f"first_revision is {answer['first_revision']}; allowed: {numbers[0]} to {numbers[-1]}")
    return wrong


def _standing(quotes: Sequence[str], notes: ShownNotes, question: Question) -> dict[str, int]:
    """Quotes that stand in the notes, each with the number of the first revision that holds it."""
    found = {}
    for quote in quotes:
        first = notes.first_with(quote) if question.long_enough(quote) else None
        if first is not None:
            found[quote] = first.number
    return found
