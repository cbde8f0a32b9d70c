"""Asking questions: votes, retries by class of reply, caps and the journal, in one loop for every judge."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from whatworked.judging.asking import Asker, Patience
from whatworked.judging.ballots import ballot_of, is_whole, reasons_of
from whatworked.judging.calls import Call, open_calls
from whatworked.judging.cases import Case, Verdict, Vote, vote_of
from whatworked.judging.cost import Caps, Prices, Spent
from whatworked.judging.fences import Material
from whatworked.judging.judges import Judge, ReplayJudge, Request
from whatworked.judging.limits import Limits
from whatworked.judging.questions import Question, again
from whatworked.judging.replies import Kind
from whatworked.judging.secrets import Secret, redact_material
from whatworked.judging.votes import Ballot, Rule, settled, tally
from whatworked.progress import Progress

Result = TypeVar("Result")

RETRIES: Mapping[Kind, int] = {"answer": 1, "unparseable": 2, "truncated": 1, "refusal": 1, "filtered": 1}
"""How often a vote is asked again after a reply of each class; an answer only where the caller has complaints."""


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
            return [ballot_of(case, vote, ballot) for vote in votes]

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
            undecided=reasons_of(found.undecided, votes, whole=is_whole(case.question, ballot, found.counts)),
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
            found = vote_of(call, asked.case, tried.total() + 1)
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
