"""The answer of a comparison: is mine better, against what, where, by how much, and how sure is that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from whatworked.comparing.baseline import partners
from whatworked.comparing.collection import RunCollection
from whatworked.comparing.comparison import MethodResult, PairedResult
from whatworked.comparing.ranking import Pairs, Place, RankedMethod, Ranking, rank_methods
from whatworked.comparing.statements import HERE, Conclusion, listed_places
from whatworked.grading.score import Score
from whatworked.wording import counted, first_few, fixed, html_table, interval_text

_WORDS: Mapping[Conclusion, str] = {
    "ahead": "ahead of {}",
    "behind": "behind {}",
    "ahead here": "on these sources ahead of {}",
    "behind here": "on these sources behind {}",
    "one source": "set apart from {} by a single source",
    "undecided": "not shown to differ from {}",
    "undecided here": "on these sources not shown to differ from {}",
    "same": "the same as {}",
    "missing": "without any delivery, like {},",
}
_FEW = 4
"""Sources and methods that a sentence names."""


@dataclass(frozen=True)
class Answer:
    """What a comparison says of one method.

    Attributes
    ----------
    subject : str
        The method in question: the only one asked for, else the best one that does not come with WhatWorked, else the
        best of all.
    opponent : str
        What it is compared with first: the baseline, or the best other method where the subject is the baseline.
    reference : str
        The method that the ranking's differences are to.
    place : (str, int)
        Track and budget shown first: the largest budget that leaves something to infer, on the first track.
    rankings : tuple of Ranking
        By track and budget.
    pairs : mapping of (str, int) to PairedResult
        The subject against the opponent, by track and budget.
    """

    subject: str
    opponent: str
    reference: str
    place: Place
    rankings: tuple[Ranking, ...]
    pairs: Mapping[Place, PairedResult]

    @property
    def ranking(self) -> Ranking:
        """That of the place shown first."""
        return next(ranking for ranking in self.rankings if ranking.place == self.place)

    def sentences(self) -> tuple[str, ...]:
        """The answer in words: the verdict, then how sure it is, then what it does not say.

        Returns
        -------
        tuple of str
        """
        return (self._verdict(), *self._rank(), *self._limits())

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def _repr_html_(self) -> str:
        """The sentences and the ranking as a notebook shows them."""
        said = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences())
        names = ("rank", "method", self.ranking.best.result.standing.score.label, "difference", "verdict")
        rows = [[row.to_dict()[name] for name in names] for row in self.ranking.methods]
        return said + html_table(names, rows)

    def sources(self) -> str:
        """On which sources the subject is better at the place shown first, in words; empty where there are none.

        Returns
        -------
        str
        """
        pair = self.pairs.get(self.place)
        if pair is None:
            return ""
        score = self.ranking.best.result.standing.score
        ordered = sorted(pair.paired.differences.items(), key=lambda item: -score.gain(item[1]))
        better = [item for item in ordered if score.gain(item[1]) > 0][: pair.paired.better]
        worse = [item for item in reversed(ordered) if score.gain(item[1]) < 0][: pair.paired.worse]
        parts = [
            f"{word} on {len(items)}: "
            + first_few([f"{name} {fixed(value, self._score.digits, signed=True)}" for name, value in items], _FEW)
            for word, items in (("better", better), ("worse", worse))
            if items
        ]
        return "; ".join(parts)

    def _verdict(self) -> str:
        groups: dict[Conclusion, list[Place]] = {}
        for place, pair in self.pairs.items():
            groups.setdefault(pair.statement.verdict, []).append(place)
        single = len({track for track, _ in self.pairs}) == 1
        parts: list[str] = []
        for verdict, words in _WORDS.items():
            if verdict in groups:
                other = self._named_opponent() if not parts else "it"
                parts.append(f"{words.format(other)} at {listed_places(groups[verdict], single=single)}")
        if not parts:
            return f"{self.subject} shares no source with {self.opponent}: there is nothing to compare."
        return f"{self.subject} is {', '.join(parts)}. {self._figures()}"

    @property
    def _score(self) -> Score:
        return self.ranking.best.result.standing.score

    def _named_opponent(self) -> str:
        others = [row for row in self.ranking.methods if row.method != self.subject]
        return f"{self.opponent}, the best other method," if _is_first(others, self.opponent) else self.opponent

    def _figures(self) -> str:
        pair = self.pairs.get(self.place)
        if pair is None:
            return ""
        interval, paired = pair.interval, pair.paired
        score = self._score
        between = ""
        if interval.low is not None:
            ends = interval_text(interval.low, interval.high, score.digits, signed=True)
            between = f" ({interval.confidence:.0%} interval {ends})"
        sources = counted(paired.sources.count, "source")
        return (
            f"At {_words(self.place)}: {fixed(interval.estimate, score.digits, signed=True)} {score.label}{between}, "
            f"better on {paired.better} and worse on {paired.worse} of {sources}."
        )

    def _rank(self) -> Iterator[str]:
        ranking = self.ranking
        mine, best = ranking.of(self.subject), ranking.best
        others = [row for row in ranking.methods if row.method != self.subject]
        if mine is not None and len(others) > 1 and not _is_first(others, self.opponent):
            yield self._against_best(mine, best if best.method != self.subject else others[0])
        if ranking.compared > 1:
            yield _ranked(ranking, mine)

    def _against_best(self, mine: RankedMethod, other: RankedMethod) -> str:
        score = mine.result.standing.score
        gap = fixed(mine.result.standing.value - other.result.standing.value, score.digits, signed=True)
        return f"The best other method there is {other.method}: {gap} {score.label} to it."

    def _limits(self) -> Iterator[str]:
        pair = self.pairs.get(self.place)
        if pair is not None and pair.detectable is not None:
            yield (
                f"The smallest difference that these sources and seeds would show, four times in five, is about "
                f"{fixed(pair.detectable, self._score.digits)}."
            )
        if partial := self.ranking.partial:
            named = first_few([f"{name} ({count})" for name, count in partial.items()])
            yield (
                f"Not of all sources that others were graded on: {named}. Their means, and so their ranks, are over "
                "their own sources; differences are over those that both have."
            )
        if any(row.verdict.rstrip("*").endswith(" here") for row in self.ranking.methods):
            yield f"{HERE[:1].upper()}{HERE[1:]}."


def answer(
    runs: RunCollection,
    results: Sequence[MethodResult],
    baseline: str | None = None,
    methods: Sequence[str] = (),
) -> Answer | None:
    """What a comparison says.

    Parameters
    ----------
    runs : RunCollection
        The results.
    results : sequence of MethodResult
        Their comparison, made with the same `baseline`.
    baseline : str, optional
        As it was given.
    methods : sequence of str
        Those asked for; a single one is the subject.

    Returns
    -------
    Answer or None
        None where fewer than two methods meet on a track under a budget.
    """
    partner = partners(runs.methods, baseline)
    shown = {result.standing.method for result in results}
    paired_with = {partner[method] for method in shown if method in partner}
    place = _first_place(runs, results)
    if place is None or not paired_with:
        return None
    own = [method for method in runs.own_methods if method in shown]
    candidates = [name for name in methods if name in shown] or own or list(shown)
    default = next(iter(paired_with)) if len(paired_with) == 1 else None
    subject = _subject(results, place, candidates, default)
    if subject is None:
        return None
    opponent = partner.get(subject) or _best_other(results, place, subject)
    single_own = baseline is None and len(own) == 1 and own[0] == subject
    reference = subject if single_own or default is None else default
    pairs = Pairs(runs, results)
    rankings = rank_methods(runs, results, reference, pairs=pairs)
    toward = rank_methods(
        runs, [result for result in results if result.standing.method in (subject, opponent)], opponent, pairs=pairs
    )
    against = {ranking.place: row.against for ranking in toward if (row := ranking.of(subject)) and row.against}
    if not any(ranking.place == place for ranking in rankings):
        return None
    return Answer(subject, opponent, reference, place, rankings, against)


def _first_place(runs: RunCollection, results: Sequence[MethodResult]) -> Place | None:
    """Track and budget shown first: of those with several methods, the first track and its largest open budget."""
    counts: dict[Place, int] = {}
    for result in results:
        place = result.standing.track, result.standing.budget
        counts[place] = counts.get(place, 0) + 1
    shared = [place for place, count in counts.items() if count > 1]
    if not shared:
        return None
    track = shared[0][0]
    open_budgets = {row.budget for row in runs.rows if row.track == track and row.budget < row.largest_budget}
    budgets = [budget for name, budget in shared if name == track]
    return track, max([budget for budget in budgets if budget in open_budgets] or budgets)


def _values(results: Sequence[MethodResult], place: Place) -> dict[str, float]:
    return {
        result.standing.method: result.standing.score.gain(result.standing.value)
        for result in results
        if (result.standing.track, result.standing.budget) == place
    }


def _subject(
    results: Sequence[MethodResult], place: Place, candidates: Sequence[str], default: str | None
) -> str | None:
    values = _values(results, place)
    there = [name for name in candidates if name in values]
    others = [name for name in there if name != default] or there
    return max(others, key=values.__getitem__, default=None)


def _best_other(results: Sequence[MethodResult], place: Place, subject: str) -> str:
    values = _values(results, place)
    return max((name for name in values if name != subject), key=values.__getitem__)


def _is_first(rows: Sequence[RankedMethod], method: str) -> bool:
    return bool(rows) and rows[0].method == method


def _words(place: Place) -> str:
    return f"B = {place[1]} on the {place[0]} track"


def _ranked(ranking: Ranking, mine: RankedMethod | None) -> str:
    count = ranking.compared + 1
    first = f"Of {count} methods ranked there, {ranking.best.method} is first"
    own = f" and {mine.method} is number {mine.rank}" if mine is not None and mine is not ranking.best else ""
    if not ranking.untold:
        told = "all others are shown to be behind the first"
    else:
        told = f"not shown to be behind the first: {first_few(ranking.untold, _FEW)}"
    return f"{first}{own}; corrected for comparing the first with {ranking.compared} others (Holm), {told}."
