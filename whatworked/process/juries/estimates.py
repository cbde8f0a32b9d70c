"""What scoring a run will cost, before anything is sent.

The windows of extraction are known, and they are rendered. How many acts, propositions and ideas a run holds is not
known before it is read, so the questions about them are counted as an interval for each action and each text of the
agent.
"""

from __future__ import annotations

from dataclasses import dataclass

from whatworked.judging import Case, Estimate, Interval, estimate, estimate_prompt
from whatworked.process.graph.gates import OWN
from whatworked.process.juries.catalog import house_rules, questions
from whatworked.process.juries.settings import SETTINGS, Settings
from whatworked.process.juries.windows import Window, windows
from whatworked.process.records import Record, World


@dataclass(frozen=True)
class _Rate:
    """How often a question is put, and how much it shows.

    Attributes
    ----------
    per : str
        ``action``, ``words`` or ``run``.
    low, expected, high : float
        Times for each of these.
    excerpts : float
        Excerpts of usual length that it shows.
    """

    per: str
    low: float
    expected: float
    high: float
    excerpts: float


_RATES = {
    "idea": _Rate("words", 0, 0.15, 1.0, 12),
    "topic": _Rate("words", 0, 0.15, 1.0, 8),
    "subject": _Rate("words", 0, 0.1, 1.0, 12),
    "result": _Rate("action", 0, 0.5, 2.0, 3),
    "said": _Rate("action", 0, 0.4, 1.0, 5),
    "cause": _Rate("words", 0, 0.1, 2.0, 8),
    "aftermath": _Rate("action", 0, 0.1, 1.0, 8),
    "ground": _Rate("words", 0, 0.8, 5.0, 8),
    "reach": _Rate("words", 0, 0.4, 5.0, 2),
    "novelty": _Rate("words", 0, 0.1, 2.0, 4),
    "rule": _Rate("action", 0, 0.15, 1.0, 6),
    "promotes": _Rate("action", 0, 0.1, 1.0, 6),
    "coverage": _Rate("action", 0, 0.5, 2.0, 4),
    "closing": _Rate("run", 0, 1, 1, 10),
}


def estimate_score(
    record: Record, world: World, *, cheap: bool = False, settings: Settings = SETTINGS
) -> dict[str, Estimate]:
    """What scoring a run will cost, by question.

    Parameters
    ----------
    record : Record
        The run.
    world : World
        What is known of its task; questions that need more than it says are left out.
    cheap : bool
        Whether one pass and one vote stand for all.
    settings : Settings
        Bounds of what is shown.

    Returns
    -------
    dict of str to Estimate
        In the order in which they are put. Characters grow with the length of the run and not with its square.
    """
    found = {"extract": estimate([_case(window, settings) for window in windows(record, settings)], cheap=cheap)}
    own = [step for step in record.steps if step.actor in OWN or step.kind == "experiment"]
    units = {
        "action": sum(step.action is not None for step in own),
        "words": sum(step.words is not None for step in own),
        "run": int(any(step.words is not None for step in own)),
    }
    lacking = {"promotes": world.submission is None, "coverage": world.measure_size is None}
    for name, rate in _RATES.items():
        if not lacking.get(name, False):
            found[name] = _rated(name, rate, units[rate.per], world, cheap, settings)
    return found


def _rated(name: str, rate: _Rate, units: int, world: World, cheap: bool, settings: Settings) -> Estimate:
    filler = "x" * settings.excerpt
    fields = dict.fromkeys(questions()[name].fields, "")
    fixed = len(questions()[name].render(fields))
    task = min(len(world.task_prompt or ""), settings.task_characters) if "task" in fields else 0
    rules = sum(map(len, house_rules().values())) if "rules" in fields else 0
    length = fixed + task + rules + int(rate.excerpts * len(filler))
    one_case = estimate_prompt(questions()[name], length, length, cheap=cheap)
    times = Interval(int(rate.low * units), rate.expected * units, rate.high * units)
    return Estimate(
        calls=one_case.calls.scaled(times.low, times.expected, times.high),
        characters=one_case.characters.scaled(times.low, times.expected, times.high),
        input_tokens=one_case.input_tokens.scaled(times.low, times.expected, times.high),
        output_tokens=one_case.output_tokens.scaled(times.low, times.expected, times.high),
    )


def _case(window: Window, settings: Settings) -> Case:
    """A window with a roster that is full, which is the most that it can be told."""
    fields = {
        "ideas": tuple((f"idea-{number}", "x" * 40) for number in range(settings.ideas)),
        "launches": tuple((f"step-{number}", "x" * 80) for number in range(settings.launches)),
        "before": window.before,
        "steps": window.texts,
    }
    return Case(question=questions()["extract"], fields=fields, about="window")
