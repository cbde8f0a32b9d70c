"""What asking some cases will cost, before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence

from whatworked.judging.cases import Case
from whatworked.judging.cost import Estimate, Interval
from whatworked.judging.questions import Question
from whatworked.judging.secrets import redact_material


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
