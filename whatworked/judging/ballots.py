"""From the votes on a case to what each chooses, and why something stays undecided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from whatworked.errors import JudgeError
from whatworked.judging.cases import Case, Vote
from whatworked.judging.questions import Counting, Question
from whatworked.judging.votes import WHOLE, Ballot, Choice


def ballot_of(case: Case, vote: Vote, ballot: Callable[[Case, Any], Ballot] | None) -> Ballot | None:
    """What a vote chooses, by the caller's rule or the question's own; None if it is no answer."""
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


def is_whole(question: Question, ballot: object, counts: Mapping[str, object]) -> bool:
    """Whether one thing was to be decided, and no vote says anything of it."""
    return not counts and ballot is None and question.vote is not None and question.vote.list is None


def reasons_of(undecided: Mapping[str, str], votes: Sequence[Vote], *, whole: bool) -> dict[str, str]:
    """Why items are undecided, with the votes that were lost."""
    lost = Counter(vote.kind for vote in votes if vote.kind != "answer")
    said = ", ".join(f"{number} {kind}" for kind, number in sorted(lost.items()))
    told = f"; of {len(votes)} votes lost: {said}" if said else ""
    reasons = {WHOLE: "too few votes"} if whole else {}
    return {item: reason + told for item, reason in {**reasons, **undecided}.items()}
