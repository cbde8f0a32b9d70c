"""Sentences on what a comparison supports, and what it does not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from whatworked.grading.score import PRIMARY, Score
from whatworked.statistics.bootstrap import Interval
from whatworked.statistics.paired import Comparison
from whatworked.wording import counted, fixed, interval_text

FEW_FAMILIES = 3
"""With fewer families than this, an interval supports nothing about other families."""

ALWAYS = "None of this covers other budgets, other metrics, or surfaces that a method was tuned on."
"""The limit of every comparison."""

Conclusion = Literal[
    "ahead", "behind", "undecided", "same", "one source", "ahead here", "behind here", "undecided here", "missing"
]

HERE = "here: on these sources, which are of too few families to say anything of others"
"""What the verdicts with ``here`` mean."""


@dataclass(frozen=True)
class Unit:
    """What figures are averaged over, and what it is called.

    Attributes
    ----------
    name : str
        What a pair of figures belongs to.
    like_these : str
        Those that a conclusion is about.
    mean : str
        Which mean is compared.
    families : bool
        Whether units are grouped in families; otherwise each stands for itself.
    """

    name: str
    like_these: str
    mean: str
    families: bool


SOURCES = Unit("source", "sources and families like these", "family-macro", families=True)
"""Sources within families: the unit of the benchmark."""
TASKS = Unit("task", "tasks like these", "mean", families=False)
"""Tasks, each counting once."""


@dataclass(frozen=True)
class Statement:
    """What a paired comparison supports.

    Attributes
    ----------
    verdict : str
        ``ahead`` or ``behind`` of the baseline; ``undecided`` where the interval holds 0; ``same`` on every source;
        ``one source`` where leaving out one source changes the sign; with ``here`` behind it where it holds on these
        sources, and their families are too few to say anything of others; ``missing`` where neither delivered anything.
    difference, supports : str
        The numbers, and what they support.
    limits : tuple of str
        What they do not support, beside `ALWAYS`.
    """

    verdict: Conclusion
    difference: str
    supports: str
    limits: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join([self.difference, self.supports, *self.limits])


def statement(
    methods: tuple[str, str],
    place: str,
    interval: Interval,
    paired: Comparison,
    missing: Sequence[int] = (0, 0),
    nothing: bool = False,
    score: Score = PRIMARY,
    unit: Unit = SOURCES,
) -> Statement:
    """What a paired comparison supports.

    Parameters
    ----------
    methods : (str, str)
        The method and its baseline.
    place : str
        Where they were compared, for instance ``"paired track, B = 20"``.
    interval : Interval
        Family-macro difference, method minus baseline.
    paired : Comparison
        The same by source.
    missing : (int, int)
        Missing deliveries of each, which count as score 0.
    nothing : bool, default False
        Whether neither delivered anything at all.
    score : Score
        What is compared; default: effect recovery.
    unit : Unit
        What is paired; default: sources within families.
    """
    verdict = "missing" if nothing else _verdict(interval, paired, score)
    difference = (
        f"{methods[0]} against {methods[1]}, {place}: {fixed(interval.estimate, score.digits, signed=True)} "
        f"{unit.mean} {score.label} ({_interval(interval, score)}better on {paired.better}, equal on {paired.equal}, "
        f"worse on {paired.worse} of {counted(paired.sources.count, unit.name)})."
    )
    limits = [
        f"1 delivery of {method} is missing and counts as {score.label} 0."
        if count == 1
        else f"{count} deliveries of {method} are missing and count as {score.label} 0."
        for method, count in zip(methods, missing, strict=True)
        if count
    ]
    return Statement(
        verdict,
        difference,
        _supports(verdict, methods, interval, paired, score, unit),
        (*limits, *_limits(verdict, interval, paired, score, unit)),
    )


def overview(
    method: str, baseline: str, verdicts: Iterable[Conclusion], places: Sequence[tuple[str, int]] | None = None
) -> str:
    """One sentence over all budgets and tracks of a pair of methods.

    Parameters
    ----------
    method, baseline : str
        The pair.
    verdicts : iterable of str
        One per comparison.
    places : sequence of (str, int), optional
        Track and budget of each, to be named.
    """
    given = list(verdicts)
    words: dict[Conclusion, str] = {
        "ahead": "ahead in {}",
        "behind": "behind in {}",
        "undecided": "undecided in {}",
        "same": "the same in {}",
        "one source": "dependent on one source in {}",
        "ahead here": "ahead on these sources, of too few families to say more, in {}",
        "behind here": "behind on these sources, of too few families to say more, in {}",
        "undecided here": "undecided on these sources in {}",
        "missing": "nothing delivered by either in {}",
    }
    parts = [
        text.format(given.count(verdict)) + _named(verdict, given, places)
        for verdict, text in words.items()
        if verdict in given
    ]
    return f"{method} against {baseline}, {counted(len(given), 'comparison')}: {', '.join(parts)}."


def _named(verdict: Conclusion, given: Sequence[Conclusion], places: Sequence[tuple[str, int]] | None) -> str:
    """Where a verdict was given, as `` (four: B = 4, 8; paired: B = 20)``."""
    if places is None:
        return ""
    chosen = [place for other, place in zip(given, places, strict=True) if other == verdict]
    return f" ({listed_places(chosen, single=len({track for track, _ in places}) == 1)})"


def listed_places(places: Iterable[tuple[str, int]], *, single: bool = False) -> str:
    """Tracks with budgets, as ``four: B = 4, 8; paired: B = 20``; without the track if it is a `single` one."""
    budgets: dict[str, list[str]] = {}
    for track, budget in places:
        budgets.setdefault(track, []).append(str(budget))
    return "; ".join(("" if single else f"{track}: ") + f"B = {', '.join(found)}" for track, found in budgets.items())


def without_pairs(methods: int) -> str:
    """Why there is no comparison at all."""
    if methods == 1:
        return "Only one method: there is nothing to compare it with."
    return "No method shares a track, a budget and a source with its baseline; name another one with --baseline."


def without_counterpart(methods: Sequence[str], baselines: Sequence[str]) -> str:
    """That the baseline pairs some methods with nothing, and which `baselines` would pair them."""
    return (
        f"{', '.join(methods)}: not compared, no counterpart under this baseline; try --baseline "
        f"{' or '.join(baselines)}."
    )


def nothing_shared(method: str, baseline: str, places: Iterable[tuple[str, int]]) -> str:
    """That a method and its baseline have no source in common in some places (track and budget)."""
    return f"{method}: not compared with {baseline} on {listed_places(places)}, where they share no source."


def multiplicity(comparisons: int, confidence: float) -> str:
    """How many of the intervals of `comparisons` would be expected to exclude 0 by chance."""
    if not comparisons:
        return "A single value has no interval."
    expected = comparisons * (1.0 - confidence)
    return (
        f"{counted(comparisons, 'comparison')} {'was' if comparisons == 1 else 'were'} made, each at {confidence:.0%}: "
        f"if no methods differed at all, about {expected:.2g} of the intervals would be expected to exclude 0 by "
        "chance."
    )


def _verdict(interval: Interval, paired: Comparison, score: Score) -> Conclusion:
    if paired.equal == paired.sources.count:
        return "same"
    ahead = score.gain(interval.estimate) > 0
    few = interval.families < FEW_FAMILIES
    if interval.low is None or interval.high is None:
        return "ahead here" if ahead else "behind here"
    if interval.low <= 0.0 <= interval.high:
        return "undecided here" if few else "undecided"
    omission = paired.macro_omission
    if omission is not None and omission.low <= 0.0 <= omission.high:
        return "undecided here" if few else "one source"
    if few:
        return "ahead here" if ahead else "behind here"
    return "ahead" if ahead else "behind"


def _supports(
    verdict: Conclusion, methods: tuple[str, str], interval: Interval, paired: Comparison, score: Score, unit: Unit
) -> str:
    ahead, behind = methods if score.gain(interval.estimate) > 0 else methods[::-1]
    if verdict == "same":
        return f"The two are the same on every {unit.name}."
    if verdict == "missing":
        return "Neither delivered anything: there is nothing to compare."
    if verdict.endswith(" here"):
        return _supports_here(verdict, ahead, behind, interval, unit)
    if verdict == "undecided" and interval.low is not None and interval.high is not None:
        largest = max(abs(interval.low), abs(interval.high))
        return (
            f"Neither is shown to be ahead, and they are not shown to be equal: differences up to "
            f"{fixed(largest, score.digits)} in either direction are compatible with these {unit.name}s."
        )
    omission = paired.macro_omission
    if verdict == "one source" and omission is not None:
        culprit = omission.low_source if interval.estimate > 0 else omission.high_source
        return f"{ahead} is ahead of {behind} only with {culprit}: without that {unit.name} the sign changes."
    ends = [] if omission is None else sorted((abs(omission.low), abs(omission.high)))
    spread = f" ({interval_text(ends[0], ends[1], score.digits)} when any one {unit.name} is left out)" if ends else ""
    return f"{ahead} is ahead of {behind} on {unit.like_these}{spread}."


def _supports_here(verdict: Conclusion, ahead: str, behind: str, interval: Interval, unit: Unit) -> str:
    single = interval.sources == 1
    these = f"this {unit.name}" if single else f"these {interval.sources} {unit.name}s"
    found = (
        f"Neither is shown to be ahead on {these}"
        if verdict == "undecided here"
        else f"On {these} {ahead} is ahead of {behind}"
    )
    if not unit.families:
        return f"{found}; {'a single one says' if single else 'so few say'} nothing of others."
    families = counted(interval.families, "family", "families")
    return f"{found}; {'it is' if single else 'they are'} of {families}: this says nothing of others."


def _limits(verdict: Conclusion, interval: Interval, paired: Comparison, score: Score, unit: Unit) -> list[str]:
    limits = []
    against = paired.worse if score.gain(interval.estimate) > 0 else paired.better
    if verdict.split()[0] in ("ahead", "behind") and against:
        limits.append(
            f"It does not hold everywhere: on {counted(against, unit.name)} the difference has the other sign."
        )
    if unit.families and verdict in ("ahead", "behind") and interval.families == interval.sources:
        limits.append("With one source per family, this supports nothing about a single family.")
    return limits


def _interval(interval: Interval, score: Score) -> str:
    if interval.low is None or interval.high is None:
        return ""
    ends = interval_text(interval.low, interval.high, score.digits, signed=True)
    return f"{interval.confidence:.0%} interval {ends}; "
