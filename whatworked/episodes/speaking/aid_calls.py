"""What a note aid sees, and how it asks: within a budget of its own, outside of the episode's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec

from whatworked.episodes.budgets import Budget
from whatworked.episodes.speaking.texts import DATA, aid_texts
from whatworked.errors import JudgeError
from whatworked.judging import Case, Panel, Question, load_question
from whatworked.wording import printable

EVENTS, CHARACTERS = 40, 8_000
"""Events of an excerpt, and characters of it."""
QUESTIONS = ("aid-review", "aid-propose", "aid-screen", "aid-refute", "aid-breed", "aid-fitness")


class AidView(NamedTuple):
    """What an aid sees of an episode: neither actions nor the view nor the world.

    Attributes
    ----------
    notes : str
        As they stand.
    events : sequence of str
        Lines of the digest.
    paid : int
        Actions paid for.
    """

    notes: str
    events: Sequence[str]
    paid: int

    def fields(self, events: int = EVENTS, characters: int = CHARACTERS) -> dict[str, str]:
        """Notes and the last events, as fields of a question.

        Parameters
        ----------
        events, characters : int
            Most events, and most characters of them; the oldest go first.

        Returns
        -------
        dict of str to str
        """
        chosen: list[str] = []
        for line in reversed(self.events[-events:]):
            characters -= len(line) + 1
            if characters < 0:
                break
            chosen.insert(0, line)
        none = aid_texts().sections["none"]
        return {"notes": self.notes or none, "events": "\n".join(chosen) or none}


@cache
def aid_questions() -> Mapping[str, Question]:
    """The questions of all aids, by id, each beginning with what all of them are told."""
    found = {}
    for name in QUESTIONS:
        question = load_question(DATA / f"{name}.toml")
        prompt = question.prompt.replace("@aid@", aid_texts().aid.strip())
        found[name] = msgspec.structs.replace(question, prompt=prompt)
    return found


class AidCalls:
    """Asks an aid's questions, each once, until its budget is used up.

    Parameters
    ----------
    panel : Panel
        Who is asked.
    limit : int
        Calls that there are.

    Attributes
    ----------
    budget : Budget
        Limit, used and left.
    asked : list of (str, object)
        Questions since the list was last emptied, with their answers; None where there was none.
    """

    def __init__(self, panel: Panel, limit: int) -> None:
        self.budget = Budget(limit)
        self.asked: list[tuple[str, Any]] = []
        self._panel = panel
        self._before: Counter[tuple[str, ...]] = Counter()

    async def ask(self, name: str, fields: Mapping[str, str]) -> Any:
        """The answer to a question; None where none came that can be read, or the budget does not reach.

        Parameters
        ----------
        name : str
            One of `QUESTIONS`.
        fields : mapping of str to str
            What it is asked about; those that the question does not have are left out.

        Returns
        -------
        object or None

        Raises
        ------
        JudgeError
            If the model cannot be reached, or a cap is reached.
        """
        question = aid_questions()[name]
        if self.budget.left < question.attempts():
            return None
        given = {field: text for field, text in fields.items() if field in question.fields}
        # The same again is another vote on the same prompt, and so a call of its own.
        asked = (name, *given.values())
        vote = await self._panel.ask(Case(question=question, fields=given, about=name), self._before[asked])
        self._before[asked] += 1
        if vote.kind == "unreachable":
            raise JudgeError(
                f"no reply came to {name}: {printable(vote.detail) or 'no reason'}. What was answered is kept; run the "
                "same command again when the model can be reached"
            )
        self.budget = Budget(self.budget.limit, self.budget.used + vote.attempts)
        answer = vote.answer if vote.kind == "answer" else None
        self.asked.append((name, answer))
        return answer
