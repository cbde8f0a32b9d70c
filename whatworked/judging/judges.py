"""Who can be asked: a model behind Inspect, rules, or nobody but the journal."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

import msgspec

from whatworked.errors import MissingReplyError
from whatworked.judging.fences import Material
from whatworked.judging.replies import Reply
from whatworked.storage.canonical import canonical_json


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One call to a judge.

    Attributes
    ----------
    question : str
        Id of the question.
    version : int
        Its version.
    prompt : str
        The whole text that is sent.
    fields : mapping of str to str or sequence of (str, str)
        The quoted material that stands in the prompt, for judges that go by rules.
    vote : int
        Which vote it is, from 0.
    attempt : int
        How often it was asked before for this vote.
    max_tokens : int
        Most tokens of the answer.
    temperature : float or None
        Sampling temperature; None is the provider's own.
    """

    question: str
    version: int
    prompt: str
    fields: Mapping[str, Material]
    vote: int
    attempt: int
    max_tokens: int
    temperature: float | None


class Judge(Protocol):
    """What a judge must be: a name, and a reply to each request.

    Many replies may be awaited at once. A judge tells what came back by the class of its `Reply`; it raises nothing but
    `JudgeError`, for what asking on cannot help, such as a key that is not accepted.

    Attributes
    ----------
    name : str
        The model, by the name that a user knows it by. It stands in the key of each call.
    """

    @property
    def name(self) -> str:
        """The model."""
        ...

    async def reply(self, request: Request) -> Reply:
        """Send one request.

        Parameters
        ----------
        request : Request
            What is asked.

        Returns
        -------
        Reply
            Of class ``answer`` if the model finished in its own words, whether they fit the question or not.
        """
        ...


RuleFunction: TypeAlias = Callable[[Mapping[str, Material], int], Any]
"""From the quoted material and the number of the vote to an answer (an object), a whole `Reply`, or either awaited."""


class RuleJudge:
    """A judge that goes by rules, for tests and for records whose words are known.

    Parameters
    ----------
    rules : mapping of str to callable
        For each question's id, a function of the quoted material and the number of the vote. It returns the answer as
        a value of JSON, or a `Reply`.
    name : str
        What to call it.
    """

    def __init__(self, rules: Mapping[str, RuleFunction], name: str = "rules") -> None:
        self._rules = dict(rules)
        self.name = name

    async def reply(self, request: Request) -> Reply:
        """Answer by the rule of the question.

        Parameters
        ----------
        request : Request
            What is asked.

        Returns
        -------
        Reply
            Of class ``refusal`` where no rule is given for the question.
        """
        rule = self._rules.get(request.question)
        if rule is None:
            return Reply(kind="refusal", model=self.name, detail=f"no rule for the question {request.question}")
        found = rule(request.fields, request.vote)
        if inspect.isawaitable(found):
            found = await _awaited(found)
        if isinstance(found, Reply):
            return found
        return Reply(kind="answer", text=canonical_json(found).decode(), model=self.name)


async def _awaited(found: Awaitable[Any]) -> Any:
    return await found


class ReplayJudge:
    """Nobody: everything is answered from the journal, and what it does not hold is an error.

    Parameters
    ----------
    name : str
        The model whose replies the journal holds.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    async def reply(self, request: Request) -> Reply:
        """Refuse to answer.

        Parameters
        ----------
        request : Request
            What the journal does not hold.

        Returns
        -------
        Reply
            Never.

        Raises
        ------
        MissingReplyError
            Always.
        """
        raise MissingReplyError(
            f"the journal of calls holds no reply of {self.name} to question {request.question} version "
            f"{request.version}, vote {request.vote + 1}: it was made with another record, judge or version of the "
            "questions, or was not finished; run with --judge to ask what is missing"
        )
