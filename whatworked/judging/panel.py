"""Asking questions: votes, retries by class of reply, caps and the journal, in one loop for every judge."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from whatworked.errors import JudgeError
from whatworked.judging.asking import Asker, Patience
from whatworked.judging.calls import Call, open_calls
from whatworked.judging.cost import Caps, Estimate, Interval, Prices, Spent
from whatworked.judging.fences import Material
from whatworked.judging.judges import Judge, ReplayJudge, Request
from whatworked.judging.limits import Limits
from whatworked.judging.questions import Counting, Question, again
from whatworked.judging.replies import Kind, read_answer
from whatworked.judging.schema import misfits
from whatworked.judging.secrets import Secret, redact_material
from whatworked.judging.votes import WHOLE, Ballot, Choice, Rule, settled, tally
from whatworked.progress import Progress

Result = TypeVar("Result")

RETRIES: Mapping[Kind, int] = {"answer": 1, "unparseable": 2, "truncated": 1, "refusal": 1, "filtered": 1}
"""How often a vote is asked again after a reply of each class; an answer only where the caller has complaints."""


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


@dataclass(frozen=True)
class _Asked:
    """A case as it is sent."""

    case: Case
    fields: Mapping[str, Material]
    prompt: str
    secrets: tuple[Secret, ...] = field(repr=False)


class Panel:
    """One judge that votes on many cases; see `open_panel`.

    Results do not depend on how many calls are under way at once.

    Parameters
    ----------
    asker : Asker
        Makes the calls.
    cheap : bool
        Whether one vote stands for all.
    progress : Progress or None
        Told of every vote.
    """

    def __init__(self, asker: Asker, *, cheap: bool, progress: Progress | None) -> None:
        self._asker = asker
        self._cheap = cheap
        self._progress = progress
        self._secrets: set[Secret] = set()
        self._kinds: Counter[Kind] = Counter()

    @property
    def spent(self) -> Spent:
        """What was spent so far."""
        return self._asker.limits.spent

    @property
    def money(self) -> float | None:
        """What was spent in money, where a price is known."""
        return self._asker.limits.money

    @property
    def kinds(self) -> dict[Kind, int]:
        """How many votes ended in each class of reply."""
        return dict(sorted(self._kinds.items()))

    @property
    def finished(self) -> bool:
        """Whether every vote so far got a reply of the judge."""
        return not self._kinds["unreachable"]

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """What was taken out of the material before it was sent."""
        return tuple(sorted(self._secrets))

    @property
    def answered_by(self) -> str | None:
        """The model that answers, in the provider's words."""
        return self._asker.answered_by

    async def ask(self, case: Case, vote: int = 0) -> Vote:
        """One vote on a case, with its retries.

        Parameters
        ----------
        case : Case
            What is asked.
        vote : int
            Which vote or pass it is, from 0.

        Returns
        -------
        Vote

        Raises
        ------
        JudgeError
            If the judge cannot be asked on, or a cap is reached.
        QuestionError
            If the case has other fields than its question.
        JournalError
            If the journal cannot be written.
        """
        return await self._vote(self._asked(case), vote)

    async def send(self, request: Request) -> Call:
        """One request as it is, without a question's form, retries and votes; journal, caps and patience hold.

        Parameters
        ----------
        request : Request
            What is sent; nothing is taken out of its prompt.

        Returns
        -------
        Call
            Of class ``unreachable`` where no reply came; it is not kept then.

        Raises
        ------
        JudgeError
            If the judge cannot be asked on, or a cap is reached.
        JournalError
            If the journal cannot be written.
        """
        return await self._asker.call(request)

    async def sample(self, cases: Sequence[Case], passes: int | None = None) -> list[tuple[Vote, ...]]:
        """Every pass over some cases, where nothing is voted on.

        Parameters
        ----------
        cases : sequence of Case
            What is asked.
        passes : int, optional
            How often each is asked; as often as its question says where it is left out, and once when cheap.

        Returns
        -------
        list of tuple of Vote
            For each case, in order, its votes.

        Raises
        ------
        JudgeError, QuestionError, JournalError
            As `ask`.
        """

        async def sampled(case: Case) -> tuple[Vote, ...]:
            asked = self._asked(case)
            wanted = 1 if self._cheap else case.question.votes if passes is None else passes
            return tuple(await _together([self._vote(asked, vote) for vote in range(wanted)]))

        return await _together([sampled(case) for case in cases])

    async def decide(self, cases: Sequence[Case], ballot: Callable[[Case, Any], Ballot] | None = None) -> list[Verdict]:
        """Vote on some cases.

        Parameters
        ----------
        cases : sequence of Case
            What is asked.
        ballot : callable, optional
            From a case and an answer to the choice for each item; by the question's `vote` where it is left out.

        Returns
        -------
        list of Verdict
            In the order of the cases.

        Raises
        ------
        JudgeError, QuestionError, JournalError
            As `ask`.
        """
        return await _together([self._decide(case, ballot) for case in cases])

    async def _decide(self, case: Case, ballot: Callable[[Case, Any], Ballot] | None) -> Verdict:
        asked = self._asked(case)
        rule = self._rule(case.question)

        def ballots(votes: Sequence[Vote]) -> list[Ballot | None]:
            return [_ballot(case, vote, ballot) for vote in votes]

        # Votes that could be left out are asked for one by one; all others at once.
        first = rule.majority if case.question.early_stop else rule.votes
        votes = await _together([self._vote(asked, vote) for vote in range(first)])
        while len(votes) < rule.votes and not settled(ballots(votes), rule):
            votes.append(await self._vote(asked, len(votes)))
        self._advance(rule.votes - len(votes))
        found = tally(ballots(votes), rule)
        return Verdict(
            about=case.about,
            question=case.question.id,
            choices=found.choices,
            counts=found.counts,
            undecided=_reasons(found.undecided, votes, whole=_is_whole(case.question, ballot, found.counts)),
            votes=tuple(votes),
            cheap=self._cheap,
            stopped_early=len(votes) < rule.votes,
        )

    def _rule(self, question: Question) -> Rule:
        if self._cheap:
            return Rule(votes=1, majority=1, floor=1)
        return Rule(votes=question.votes, majority=question.majority(), floor=question.needed())

    def _asked(self, case: Case) -> _Asked:
        fields, secrets = {}, []
        for name, material in case.fields.items():
            fields[name], found = redact_material(name, material)
            secrets += [Secret(f"{case.about}: {secret.place}", secret.kind) for secret in found]
        self._secrets.update(secrets)
        return _Asked(case, fields, case.question.render(fields), tuple(secrets))

    async def _vote(self, asked: _Asked, vote: int) -> Vote:
        found = await self._attempts(asked, vote)
        self._kinds[found.kind] += 1
        self._advance(1)
        return found

    async def _attempts(self, asked: _Asked, vote: int) -> Vote:
        question = asked.case.question
        prompt, max_tokens, tried = asked.prompt, question.max_tokens, Counter[Kind]()
        while True:
            request = Request(
                question=question.id,
                version=question.version,
                prompt=prompt,
                fields=asked.fields,
                vote=vote,
                attempt=tried.total(),
                max_tokens=max_tokens,
                temperature=question.temperature,
            )
            call = await self._asker.call(request)
            found = _classed(call, asked.case, tried.total() + 1)
            if found.kind == "unreachable" or (found.kind == "answer" and not found.complaints):
                return found
            if tried[found.kind] >= RETRIES[found.kind] or tried.total() + 1 >= question.attempts():
                return found
            tried[found.kind] += 1
            prompt = again(asked.prompt, found.complaints) if found.complaints else asked.prompt
            max_tokens = 2 * question.max_tokens if tried["truncated"] else question.max_tokens

    def _advance(self, votes: int) -> None:
        if self._progress is not None and votes:
            self._progress.update(votes)


def _classed(call: Call, case: Case, attempts: int) -> Vote:
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


def _ballot(case: Case, vote: Vote, ballot: Callable[[Case, Any], Ballot] | None) -> Ballot | None:
    if vote.kind != "answer":
        return None
    if ballot is not None:
        return ballot(case, vote.answer)
    if case.question.vote is None:
        raise JudgeError(f"question {case.question.id!r} does not say what is voted on; give its file a [vote]")
    return read_ballot(case.question.vote, vote.answer)


def read_ballot(counting: Counting, answer: Any) -> Ballot:
    """What an answer chooses, by the question's own rule; an item with two different choices has none."""
    if counting.list is None or counting.key is None:
        return {WHOLE: answer[counting.value]}
    found: dict[str, set[Choice]] = {}
    for item in answer[counting.list]:
        found.setdefault(str(item[counting.key]), set()).add(item[counting.value])
    return {key: next(iter(choices)) for key, choices in found.items() if len(choices) == 1}


def _is_whole(question: Question, ballot: object, counts: Mapping[str, object]) -> bool:
    """Whether one thing was to be decided, and no vote says anything of it."""
    return not counts and ballot is None and question.vote is not None and question.vote.list is None


def _reasons(undecided: Mapping[str, str], votes: Sequence[Vote], *, whole: bool) -> dict[str, str]:
    """Why items are undecided, with the votes that were lost."""
    lost = Counter(vote.kind for vote in votes if vote.kind != "answer")
    said = ", ".join(f"{number} {kind}" for kind, number in sorted(lost.items()))
    told = f"; of {len(votes)} votes lost: {said}" if said else ""
    reasons = {WHOLE: "too few votes"} if whole else {}
    return {item: reason + told for item, reason in {**reasons, **undecided}.items()}


async def _together(waiting: Sequence[Coroutine[Any, Any, Result] | Awaitable[Result]]) -> list[Result]:
    """Results in order; if some fail, the first error, when all others have ended, so that their replies are kept."""
    found = await asyncio.gather(*waiting, return_exceptions=True)
    for result in found:
        if isinstance(result, BaseException):
            raise result
    return [result for result in found if not isinstance(result, BaseException)]


@contextlib.asynccontextmanager
async def open_panel(
    judge: Judge,
    *,
    journal: Path | None = None,
    of: str = "",
    jobs: int = 6,
    caps: Caps | None = None,
    prices: Prices | None = None,
    cheap: bool = False,
    progress: Progress | None = None,
    patience: Patience | None = None,
) -> AsyncIterator[Panel]:
    """A judge that can be asked, with its journal held open.

    Parameters
    ----------
    judge : Judge
        Who is asked. A `ReplayJudge` reads the journal alone and changes nothing. A judge that is an asynchronous
        context manager is held open as long as the panel.
    journal : Path, optional
        File of calls; what stands there is not asked again. None keeps nothing.
    of : str
        What the journal belongs to, such as the digest of a record.
    jobs : int
        Calls that are under way at once.
    caps : Caps, optional
        What may be spent.
    prices : Prices, optional
        What the judge costs.
    cheap : bool
        One vote for each question; verdicts say so.
    progress : Progress, optional
        Told of every vote.
    patience : Patience, optional
        How long a judge out of reach is waited for.

    Yields
    ------
    Panel

    Raises
    ------
    JournalError
        If the journal is damaged or belongs to something else.
    StorageError
        If it cannot be read or written, or another process holds it.
    InvalidOptionError
        If the price file lacks the judge, or a cap on money comes without one.
    """
    price = None if prices is None else prices.of(judge.name)
    limits = Limits(caps or Caps(), price, "" if prices is None else prices.currency)
    held = judge if isinstance(judge, contextlib.AbstractAsyncContextManager) else contextlib.nullcontext()
    async with held:
        with open_calls(journal, of, read_only=isinstance(judge, ReplayJudge)) as calls:
            asker = Asker(judge, calls, limits, jobs, patience or Patience())
            yield Panel(asker, cheap=cheap, progress=progress)


def estimate(cases: Sequence[Case], *, cheap: bool = False) -> Estimate:
    """What asking some cases will cost, before anything is sent.

    Parameters
    ----------
    cases : sequence of Case
        What will be asked.
    cheap : bool
        Whether one vote stands for all.

    Returns
    -------
    Estimate
        Characters are those of the prompts that would be sent, secrets taken out. Least: votes stop as early as they
        may; expected: each vote is one call; most: each vote uses up its retries.
    """
    found = Estimate()
    for case in cases:
        question = case.question
        fields = {name: redact_material(name, material)[0] for name, material in case.fields.items()}
        prompt = question.render(fields)
        found += estimate_prompt(question, len(prompt), len(prompt.encode()), cheap=cheap)
    return found


def estimate_prompt(question: Question, characters: int, text_bytes: int, *, cheap: bool = False) -> Estimate:
    """What one case costs whose prompt has a known or expected length.

    Parameters
    ----------
    question : Question
        What will be asked.
    characters, text_bytes : int
        Length of the prompt, in characters and in bytes of UTF-8.
    cheap : bool
        Whether one vote stands for all.

    Returns
    -------
    Estimate
    """
    votes = 1 if cheap else question.votes
    least = question.majority() if question.early_stop and not cheap else votes
    calls = Interval(least, votes, votes * question.attempts())
    return Estimate.of(calls, characters, text_bytes, question.max_tokens)
