"""A judge around a judge that errs at known rates: what finds out how good judges are must find these rates."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from whatworked.errors import InvalidOptionError
from whatworked.judging import Judge
from whatworked.judging.judges import Request
from whatworked.judging.replies import Reply
from whatworked.process.juries.catalog import questions
from whatworked.storage.canonical import canonical_json, sha256

CHOICES: Mapping[str, str] = {
    "idea": "like", "subject": "like", "topic": "topic", "result": "verdict", "said": "reading", "cause": "kind",
    "aftermath": "what", "ground": "rests_on", "reach": "reach", "novelty": "distance", "rule": "rule",
    "promotes": "promotes", "coverage": "coverage", "closing": "closing",
}  # fmt: skip
"""By question, the property of an answer, or of the items of its list, that holds what is decided."""
_LABELLED: Mapping[str, tuple[str, ...]] = {
    "idea": ("known", "ideas"), "subject": ("known", "ideas"), "ground": ("results",), "rule": ("rules",),
}  # fmt: skip
"""Fields whose labels can be chosen, where a question has no fixed choices."""
_LISTS = ("acts", "propositions", "ideas")


class Rates(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often an erring judge errs.

    Attributes
    ----------
    flip : float
        Share of choices that become another of the allowed ones; in extraction, types of propositions.
    drop : float
        Share of items that are left out of a list, and of other answers that are refused.
    garble : float
        Share of answers that are cut off in the middle.
    """

    flip: float = 0.0
    drop: float = 0.0
    garble: float = 0.0


def read_rates(text: str) -> Rates:
    """Rates as a user writes them.

    Parameters
    ----------
    text : str
        Such as ``flip=0.1,drop=0.05,garble=0.02``.

    Returns
    -------
    Rates

    Raises
    ------
    InvalidOptionError
        If a part is no rate from 0 to 1, or stands twice.

    Examples
    --------
    >>> read_rates("flip=0.1,garble=0.02")
    Rates(flip=0.1, drop=0.0, garble=0.02)
    """
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = (piece.strip() for piece in part.partition("="))
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if name not in Rates.__struct_fields__ or name in found or not 0 <= value <= 1:
            raise InvalidOptionError(
                f"{part.strip()!r} is no rate; allowed: flip=, drop= and garble=, once each, with a number from "
                "0 to 1, for instance flip=0.1,drop=0.05,garble=0.02"
            )
        found[name] = value
    return Rates(**found)


class ErringJudge:
    """A judge that passes on what another answers, with errors.

    What happens to an answer depends on the seed, the run, what is asked about and the number of the vote alone: an
    answer that is asked for again has the same fate.

    Parameters
    ----------
    judge : Judge
        Who answers.
    rates : Rates
        How often it errs.
    seed : int
        Of the errors.
    of : str
        Name of the run that it is asked about: what is asked in the same words of two runs errs apart.
    """

    def __init__(self, judge: Judge, rates: Rates, seed: int = 0, of: str = "") -> None:
        self._judge = judge
        self._rates = rates
        self._seed = seed
        self._of = of
        told = ",".join(f"{name}={getattr(rates, name):g}" for name in Rates.__struct_fields__)
        self.name = f"{judge.name} with {told},seed={seed}"

    async def reply(self, request: Request) -> Reply:
        """Answer with errors.

        Parameters
        ----------
        request : Request
            What is asked.

        Returns
        -------
        Reply
        """
        reply = await self._judge.reply(request)
        if reply.kind != "answer":
            return reply
        asked = canonical_json([request.question, request.vote, msgspec.to_builtins(request.fields)])
        draw = random.Random(f"{self._seed} {self._of} {sha256(asked)}")
        if draw.random() < self._rates.garble:
            return msgspec.structs.replace(reply, text=reply.text[: len(reply.text) // 2])
        answer = json.loads(reply.text)
        lists = [name for name in _LISTS if isinstance(answer.get(name), list)]
        if not lists and draw.random() < self._rates.drop:
            return Reply(kind="refusal", model=reply.model, detail="dropped")
        for name in lists:
            answer[name] = [item for item in answer[name] if draw.random() >= self._rates.drop]
        for place, key, others in _choices(request, answer):
            if draw.random() < self._rates.flip and others:
                place[key] = draw.choice(others)
        return msgspec.structs.replace(reply, text=canonical_json(answer).decode())


def _choices(request: Request, answer: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, list[str]]]:
    """Each choice of an answer: where it stands, and what else could stand there."""
    if request.question == "extract":
        places, key = answer["propositions"], "type"
        allowed = questions()["extract"].answer.properties["propositions"].items
    else:
        key = CHOICES[request.question]
        schema = questions()[request.question].answer
        listed = next((name for name in _LISTS if name in answer), None)
        places = [answer] if listed is None else answer[listed]
        allowed = schema if listed is None else schema.properties[listed].items
    fixed = None if allowed is None else allowed.properties[key].enum
    for place in places:
        options = _labels(request) if fixed is None else list(fixed)
        yield place, key, [option for option in options if option != place[key]]


def _labels(request: Request) -> list[str]:
    fields: Mapping[str, Any] = request.fields
    found = [str(label) for name in _LABELLED[request.question] for label, _ in fields[name]]
    return found if request.question in ("idea", "subject") else [*found, "none"]
