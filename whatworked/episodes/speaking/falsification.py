"""Falsification: a few accounts on trial, each with its next test, until what happens has contradicted them twice."""

from __future__ import annotations

from typing import Any, NamedTuple

from whatworked.episodes.speaking.aid_calls import AidCalls, AidView
from whatworked.episodes.speaking.regions import enclosed, filled, plain, region
from whatworked.episodes.speaking.texts import aid_texts
from whatworked.wording import counted

PLACES = 5
"""Accounts on trial."""
RETIRES = 2
"""Refutations at which one is ruled out."""


class Account(NamedTuple):
    """An account of what goes on.

    Attributes
    ----------
    number : int
        From 1, in the order in which they were put forward.
    claim, next_step, predicted : str
        What it says, how to test it, and what it predicts.
    rounds, refutations : int
        How often it was on trial, and how often it was contradicted.
    """

    number: int
    claim: str
    next_step: str
    predicted: str
    rounds: int = 0
    refutations: int = 0


class Falsification:
    """Keeps accounts on trial, looks at the next test before it is done, and retires what is contradicted twice."""

    def __init__(self) -> None:
        self._slate: list[Account] = []
        self._ruled_out: list[str] = []
        self._proposed = 0
        self._retired = False
        self._screen = ""

    async def before(self, seen: AidView, calls: AidCalls) -> None:
        """Fill the places where one is free, and look at the next test of the least refuted account."""
        if not self._slate or self._retired:
            await self._propose(seen, calls)
        self._screen = await self._screened(seen, calls) if self._slate else ""

    async def after(self, seen: AidView, calls: AidCalls) -> None:
        """Ask which accounts the last event contradicts."""
        if not self._slate:
            return
        fields = {**seen.fields(), "accounts": self._told()}
        answer = await calls.ask("aid-refute", fields)
        if answer is None:
            return
        refuted = {item["account"] for item in answer["refuted"]}
        tried = [
            account._replace(rounds=account.rounds + 1, refutations=account.refutations + (account.number in refuted))
            for account in self._slate
        ]
        self._ruled_out += [account.claim for account in tried if account.refutations >= RETIRES]
        self._slate = [account for account in tried if account.refutations < RETIRES]
        self._retired = len(self._slate) < len(tried)

    def region(self) -> str:
        """Accounts with their counts, then what is ruled out."""
        if not self._slate and not self._ruled_out:
            return ""
        # The newest of what is ruled out stand first: the others may not fit.
        return region([("accounts", [_line(a) for a in self._slate]), ("ruled_out", self._ruled_out[::-1])])

    def aside(self) -> str:
        """What a look at the next test came to."""
        return self._screen

    async def _propose(self, seen: AidView, calls: AidCalls) -> None:
        none = aid_texts().sections["none"]
        places = PLACES - len(self._slate)
        fields = {
            **seen.fields(),
            "places": str(places),
            "accounts": self._told(),
            "ruled_out": "\n".join(self._ruled_out) or none,
        }
        answer = await calls.ask("aid-propose", fields)
        if answer is None:
            return
        self._retired = False
        for item in answer["accounts"][:places]:
            self._proposed += 1
            claim, step, predicted = (plain(item[field]) for field in ("claim", "next_step", "predicted"))
            self._slate.append(Account(self._proposed, claim, step, predicted))

    async def _screened(self, seen: AidView, calls: AidCalls) -> str:
        least = min(self._slate, key=lambda account: (account.refutations, account.number))
        test = f"{least.next_step}\nAccount {least.number} predicts: {least.predicted}"
        answer = await calls.ask("aid-screen", {**seen.fields(), "test": test, "accounts": self._told()})
        return "" if answer is None else _screen_text(least, answer)

    def _told(self) -> str:
        return "\n".join(_line(account) for account in self._slate) or aid_texts().sections["none"]


def _line(account: Account) -> str:
    rounds = counted(account.rounds, "time")
    return (
        f"account {account.number}, contradicted {account.refutations} of {rounds}: {account.claim} "
        f"Test: {account.next_step} Predicts: {account.predicted}"
    )


def _screen_text(account: Account, answer: Any) -> str:
    sections = aid_texts().sections
    words = {
        "number": str(account.number),
        "step": account.next_step,
        "predicted": account.predicted,
        "verdict": plain(answer["verdict"]),
        "redundant": "yes" if answer["redundant"] else "no",
        "separates": plain(answer["separates"]),
        "better": plain(answer["better_test"]) or sections["none"],
    }
    return enclosed(filled(sections["test"], words))
