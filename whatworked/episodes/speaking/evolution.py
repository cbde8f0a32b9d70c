"""Evolution: accounts that are changed, joined and kept by how well they fit what has happened."""

from __future__ import annotations

from typing import Any, NamedTuple

from whatworked.episodes.speaking.aid_calls import AidCalls, AidView
from whatworked.episodes.speaking.regions import enclosed, filled, plain, region
from whatworked.episodes.speaking.texts import aid_texts

POPULATION = 4
"""Accounts that are kept; as many are written at first."""
OFFSPRING = 2
"""New accounts a round, besides one for each free place."""
ALIKE = 0.8
"""Share of common runs of four characters above which two accounts are one."""
_RUN = 4
_EVENTS, _CHARACTERS = 120, 16_000
"""Of what happened, for fitness."""


class Candidate(NamedTuple):
    """An account of what goes on.

    Attributes
    ----------
    number : int
        From 1, in the order in which they were written.
    text : str
        What it says.
    parents : tuple of int
        Numbers of those it comes from.
    fitness : float
        From 0 to 1: how much of what happened it would have led to expect.
    """

    number: int
    text: str
    parents: tuple[int, ...] = ()
    fitness: float = 0.0


class Evolution:
    """Keeps the accounts that fit best, and writes new ones from them every round."""

    def __init__(self) -> None:
        self._population: list[Candidate] = []
        self._written = 0

    async def before(self, seen: AidView, calls: AidCalls) -> None:
        """Write new accounts, ask how well all of them fit, and keep the best."""
        wanted = OFFSPRING + POPULATION - len(self._population) if self._population else POPULATION
        fields = {**seen.fields(), "wanted": str(wanted), "accounts": self._told(self._population)}
        answer = await calls.ask("aid-breed", fields)
        grown = [*self._population, *self._new(answer, wanted)]
        if not grown:
            return
        fields = {**seen.fields(_EVENTS, _CHARACTERS), "accounts": self._told(grown, fitness=False)}
        answer = await calls.ask("aid-fitness", fields)
        scores = {} if answer is None else {item["account"]: float(item["fitness"]) for item in answer["scores"]}
        self._population = survivors([each._replace(fitness=scores.get(each.number, each.fitness)) for each in grown])

    async def after(self, seen: AidView, calls: AidCalls) -> None:
        """Do nothing."""

    def region(self) -> str:
        """The accounts, the best first."""
        if not self._population:
            return ""
        lines = [
            f"{candidate.fitness:.2f}, account {candidate.number}: {candidate.text}" for candidate in self._population
        ]
        return region([("candidates", lines)])

    def aside(self) -> str:
        """Which one leads, and that steps on which they differ tell more."""
        if not self._population:
            return ""
        best = self._population[0]
        return enclosed(filled(aid_texts().sections["leader"], {"fitness": f"{best.fitness:.2f}", "text": best.text}))

    def _new(self, answer: Any, wanted: int) -> list[Candidate]:
        found = []
        known = {candidate.number for candidate in self._population}
        for item in [] if answer is None else answer["accounts"][:wanted]:
            self._written += 1
            parents = tuple(number for number in item["parents"] if number in known)
            found.append(Candidate(self._written, plain(item["text"]), parents))
        return found

    @staticmethod
    def _told(candidates: list[Candidate], *, fitness: bool = True) -> str:
        lines = [
            f"account {candidate.number}{f' (fits {candidate.fitness:.2f})' if fitness else ''}: {candidate.text}"
            for candidate in candidates
        ]
        return "\n".join(lines) or aid_texts().sections["none"]


def survivors(candidates: list[Candidate]) -> list[Candidate]:
    """The best that are not nearly the same.

    Parameters
    ----------
    candidates : list of Candidate
        With their fitness.

    Returns
    -------
    list of Candidate
        `POPULATION` at most, the best first; of equal ones, and of two that are alike, the fitter and then the older.
    """
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda candidate: (-candidate.fitness, candidate.number)):
        if len(kept) < POPULATION and not any(likeness(candidate.text, other.text) > ALIKE for other in kept):
            kept.append(candidate)
    return kept


def likeness(first: str, second: str) -> float:
    """Jaccard index of the runs of four characters of two texts, letters of either case.

    Parameters
    ----------
    first, second : str
        Of any length.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> likeness("abcde", "ABCDE"), likeness("abcde", "bcdef")
    (1.0, 0.3333333333333333)
    """
    runs = [_runs(first), _runs(second)]
    return len(runs[0] & runs[1]) / len(runs[0] | runs[1])


def _runs(text: str) -> set[str]:
    lowered = " ".join(text.lower().split())
    return {lowered[start : start + _RUN] for start in range(max(1, len(lowered) - _RUN + 1))}
