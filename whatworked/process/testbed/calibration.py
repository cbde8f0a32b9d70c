"""How good a judge is: precision and recall of what it finds and decides, and the error of each measure.

Two things are asked. *Question by question* every question about a game is put once with its material as it is in the
known graph, so that an error in one does not show in the next. *As a whole* the game is scored as any run is, and the
measures of the two graphs are compared. Intervals of shares are Wilson's and take answers to be independent; those of
errors of measures resample games.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatworked.judging import Caps, Judge, Prices, Spent, Vote
from whatworked.judging.panel import open_panel
from whatworked.process.graph import Graph
from whatworked.process.juries import score
from whatworked.process.measures import MEASURES, measure
from whatworked.process.measures.intervals import wilson
from whatworked.process.records.files import record_bytes
from whatworked.process.testbed.answers import EDGES, EXTRACTION, RESULTS, KnownCase, Pair, known_cases, pairs_of
from whatworked.process.testbed.known import SpokenGame, known_graph
from whatworked.statistics import Measurement, macro_interval
from whatworked.storage.canonical import sha256

_RESAMPLES = 2_000
ALL = "all"
"""Choice of a row that is for all choices together."""
LABELLED = ("idea", "subject", "ground")
"""Juries that choose labels, which mean something else in each case."""
UNREADABLE = ("unparseable", "truncated")
"""Classes of replies that came and cannot be read."""


@dataclass(frozen=True)
class Share:
    """How many of how many, with Wilson's 95 % interval.

    Attributes
    ----------
    taken, offered : int
        How many of how many.
    """

    taken: int
    offered: int

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.taken / self.offered if self.offered else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its ends."""
        return wilson(self.taken, self.offered) if self.offered else None


@dataclass(frozen=True)
class Quality:
    """What a judge is worth in one respect.

    Attributes
    ----------
    asked : str
        What was asked: claims, results or edges of extraction, or the id of a jury's question.
    choice : str
        One answer, or ``"all"``.
    precision : Share
        Of what the judge says, how much is so.
    recall : Share
        Of what is so, how much the judge says.
    """

    asked: str
    choice: str
    precision: Share
    recall: Share


@dataclass(frozen=True)
class MeasureError:
    """How far a measure is off.

    Attributes
    ----------
    measure : str
        Its id.
    games : int
        Games in which both graphs give it a score.
    one_sided : int
        Games in which one graph alone does.
    bias, low, high : float or None
        Mean of judged minus known score, with a 95 % interval over games.
    absolute : float or None
        Mean size of the difference.
    """

    measure: str
    games: int
    one_sided: int
    bias: float | None
    low: float | None
    high: float | None
    absolute: float | None


@dataclass(frozen=True)
class JudgedGame:
    """A game that a judge was tried on.

    Attributes
    ----------
    name, fault, bank : str
        Which.
    pairs : tuple of Pair
        Question by question.
    against : tuple of Pair
        The same beside the answers of the judge within it, where it is a judge around a judge.
    scores : tuple of (str, float or None, float or None)
        Of each measure, the known score and the judged one.
    asked, unread, refused : int
        Questions that were put one by one, those without a readable answer, and those without any.
    spent : Spent
        What was sent.
    money : float or None
        Likewise, where the price is known.
    finished : bool
        Whether every question got a reply.
    """

    name: str
    fault: str
    bank: str
    pairs: tuple[Pair, ...]
    against: tuple[Pair, ...]
    scores: tuple[tuple[str, float | None, float | None], ...]
    asked: int
    unread: int
    refused: int
    spent: Spent
    money: float | None
    finished: bool


def try_judge(
    game: SpokenGame,
    judge: Judge,
    *,
    within: Judge | None = None,
    journal: Path | None = None,
    jobs: int = 6,
    cheap: bool = False,
    caps: Caps | None = None,
    prices: Prices | None = None,
    progress: Any = None,
) -> JudgedGame:
    """Ask a judge about a game whose answers are known.

    Parameters
    ----------
    game : SpokenGame
        With its script.
    judge : Judge
        Who is tried.
    within : Judge, optional
        The judge in a judge that errs at known rates; it is asked, too, and costs nothing.
    journal : Path, optional
        File of calls; what stands there is not asked again.
    jobs : int
        Calls that are under way at once.
    cheap : bool
        One pass and one vote where the game is scored as a whole.
    caps : Caps, optional
        What may be spent.
    prices : Prices, optional
        What the judge costs.
    progress : Progress, optional
        Told of every vote.

    Returns
    -------
    JudgedGame

    Raises
    ------
    JudgeError
        If the judge cannot be asked on, or a cap is reached; the journal keeps what was answered.
    JournalError
        If the journal is damaged or of another game.
    """
    allowed = caps or Caps()
    cases = known_cases(game)

    digest = sha256(record_bytes(game.record))

    async def one_by_one(asked: Judge, file: Path | None) -> tuple[list[Vote], Spent, float | None]:
        async with open_panel(
            asked, journal=file, of=digest, jobs=jobs, caps=allowed, prices=prices, progress=progress
        ) as panel:
            votes = await asyncio.gather(*(panel.ask(known.case) for known in cases))
            return list(votes), panel.spent, panel.money

    votes, spent, money = asyncio.run(one_by_one(judge, journal))
    against: list[Pair] = []
    if within is not None:
        bare, _, _ = asyncio.run(one_by_one(within, None))
        told = [KnownCase(known.case, vote.answer) for known, vote in zip(cases, bare, strict=True)]
        against = [pair for known, vote in zip(told, votes, strict=True) for pair in pairs_of(game, known, vote)]
    whole = score(
        game.record, game.world, judge, journal=journal, jobs=jobs, cheap=cheap, caps=allowed.after(spent, money),
        prices=prices, progress=progress,
    )  # fmt: skip
    return JudgedGame(
        name=game.name,
        fault=game.script.fault,
        bank=game.script.bank,
        pairs=tuple(
            pair for known, vote in zip(cases, votes, strict=True) for pair in pairs_of(game, known, vote)
        ),
        against=tuple(against),
        scores=_scores(known_graph(game), whole.graph),
        asked=len(votes),
        unread=sum(vote.kind in UNREADABLE for vote in votes),
        refused=sum(vote.kind in ("refusal", "filtered", "unreachable") for vote in votes),
        spent=_sum(spent, whole.spent),
        money=None if money is None or whole.money is None else money + whole.money,
        finished=whole.finished and all(vote.kind != "unreachable" for vote in votes),
    )  # fmt: skip


def qualities(games: Iterable[JudgedGame], *, choices: bool = True) -> tuple[Quality, ...]:
    """Precision and recall of everything that was asked.

    Parameters
    ----------
    games : iterable of JudgedGame
        Any of them.
    choices : bool
        Whether each answer has a row of its own, besides the one for all.

    Returns
    -------
    tuple of Quality
        Extraction first, then juries by name.
    """
    pairs = [pair for game in games for pair in game.pairs]
    asked = sorted({pair.asked for pair in pairs}, key=lambda name: (name not in EXTRACTION, name))
    found = []
    for name in asked:
        own = [pair for pair in pairs if pair.asked == name]
        found.append(_quality(name, ALL, own, None))
        fixed = sorted({choice for pair in own for choice in (pair.true, pair.given) if choice is not None})
        if choices and name not in LABELLED:
            found += [_quality(name, choice, own, choice) for choice in fixed]
    return tuple(found)


def measure_errors(games: Sequence[JudgedGame]) -> tuple[MeasureError, ...]:
    """The error of each measure that is defined in any game.

    Parameters
    ----------
    games : sequence of JudgedGame
        Any of them.

    Returns
    -------
    tuple of MeasureError
        In the order of the measures.
    """
    found = []
    for place, entry in enumerate(MEASURES):
        both = [game.scores[place][1:] for game in games]
        told = [(known, judged) for known, judged in both if known is not None and judged is not None]
        one_sided = sum((known is None) != (judged is None) for known, judged in both)
        differences = [judged - known for known, judged in told]
        if not differences:
            if one_sided:
                found.append(MeasureError(entry.id, 0, one_sided, None, None, None, None))
            continue
        rows = [Measurement("games", str(number), value) for number, value in enumerate(differences)]
        interval = macro_interval(rows, resamples=_RESAMPLES)
        absolute = sum(map(abs, differences)) / len(differences)
        found.append(
            MeasureError(
                entry.id, len(told), one_sided, interval.estimate, interval.low, interval.high, absolute
            )
        )  # fmt: skip
    return tuple(found)


@dataclass(frozen=True)
class ErrorRates:
    """Rates of errors that were found, each as errors of chances.

    Attributes
    ----------
    flip : Share
        Choices that are another than is so, of those that were given.
    drop : Share
        Things that are so and were not said, and questions that were refused, of those that could have been.
    garble : Share
        Answers that cannot be read, of all questions.
    """

    flip: Share
    drop: Share
    garble: Share

    def named(self) -> tuple[tuple[str, Share], ...]:
        """Each rate by its name.

        Returns
        -------
        tuple of (str, Share)
        """
        return ("flip", self.flip), ("drop", self.drop), ("garble", self.garble)


def error_rates(games: Sequence[JudgedGame]) -> ErrorRates:
    """How often a judge chose wrongly, left out and wrote what cannot be read.

    Parameters
    ----------
    games : sequence of JudgedGame
        Any of them.

    Returns
    -------
    ErrorRates
        Of a judge that knows every answer, but errs at known rates, these are the rates.
    """
    pairs = [pair for game in games for pair in game.against or game.pairs]
    # An act that is left out takes its ties along, and what is no answer at all is counted for itself.
    items = [pair for pair in pairs if pair.asked != EDGES and pair.true is not None and pair.lost not in UNREADABLE]
    chosen = [pair for pair in items if pair.given is not None and pair.asked != RESULTS]
    return ErrorRates(
        flip=Share(sum(not pair.right for pair in chosen), len(chosen)),
        drop=Share(sum(pair.given is None for pair in items), len(items)),
        garble=Share(sum(game.unread for game in games), sum(game.asked for game in games)),
    )


def _quality(asked: str, kind: str, pairs: Sequence[Pair], choice: str | None) -> Quality:
    given = [pair for pair in pairs if pair.given is not None and choice in (None, pair.given)]
    true = [pair for pair in pairs if pair.true is not None and choice in (None, pair.true)]
    right = sum(pair.right for pair in given)
    return Quality(asked, kind, Share(right, len(given)), Share(right, len(true)))


def _scores(known: Graph, judged: Graph) -> tuple[tuple[str, float | None, float | None], ...]:
    pairs = zip(measure(known).measures, measure(judged).measures, strict=True)
    return tuple((left.id, left.score, right.score) for left, right in pairs)


def _sum(first: Spent, second: Spent) -> Spent:
    return Spent(**{name: getattr(first, name) + getattr(second, name) for name in Spent.__struct_fields__})
