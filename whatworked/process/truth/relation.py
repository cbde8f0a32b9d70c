"""Does better process go with better knowledge? Process measures against what was known, at equal purchases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from whatworked.process.comparison import hold_alike
from whatworked.process.measures import AXES, MEASURES, Scores
from whatworked.process.truth.games import TruthGame
from whatworked.statistics.bootstrap import RESAMPLES
from whatworked.statistics.ranks import Association, RankedItem, rank_association
from whatworked.wording import counted, fixed, interval_text

KNOWLEDGE: Mapping[str, tuple[str, Callable[[TruthGame], float | None]]] = MappingProxyType(
    {
        "recovery": ("effect recovery", lambda game: game.recovery),
        "closeness": ("closeness of effects", lambda game: game.closeness),
        "share_true": ("share of true beliefs", lambda game: game.share_true),
    }
)
"""Names of what stands for knowledge, what each is, and how it is read from a game."""
SHOWN_AXES = tuple(axis.id for axis in AXES if axis.kind == "competence")
"""Axes whose relations are told in words; of a habit, no end is better."""
LIMITS = (
    "The games were not assigned a process: whatever makes a player work well may make it know more, and the order of "
    "cause is not shown.",
    "In games of scripted players both the process and the table follow from the script, so that what goes with what "
    "was put there; it shows whether the measures find it, and nothing of agents.",
    "Who measures an effect and reads the result off states it rightly without any inference, so that grounded beliefs "
    "go with true ones almost by definition; effect recovery asks for what was not measured.",
    "Who states little is seldom wrong: the share of true beliefs does not count what is left unsaid.",
    "A process measure is what a judge read; its errors weaken every relation here.",
    "Games of one source are drawn together for the intervals; with few sources they are rough.",
)
"""What no such figures can say; see `limits_of`."""


@dataclass(frozen=True)
class Relation:
    """One process measure against one figure of knowledge.

    Attributes
    ----------
    process, title : str
        Id of an axis or a measure, and its name.
    trait : bool
        Whether it is a habit, of which no end is better.
    knowledge : str
        Of `KNOWLEDGE`.
    games : int
        With both figures.
    left_out : int
        Games without one of them.
    equal : Association
        Over pairs of games of one instance with equal purchases.
    overall : Association
        Over all pairs, whatever was played and bought.
    confidence : float
        Nominal coverage of the intervals.
    """

    process: str
    title: str
    trait: bool
    knowledge: str
    games: int
    left_out: int
    equal: Association
    overall: Association
    confidence: float

    @property
    def name(self) -> str:
        """The id of an axis with its name, or the name of a measure."""
        return self.title if self.process.replace("_", " ") == self.title else f"{self.process} {self.title}"

    @property
    def told(self) -> bool:
        """Whether two games of one instance with equal purchases differ in both figures."""
        return self.equal.pairs > 0

    @property
    def verdict(self) -> str:
        """``rises``, ``falls``, ``open`` where the interval holds 0, or ``untold``."""
        low, high = self.equal.low, self.equal.high
        if self.equal.tau is None or low is None or high is None:
            return "untold"
        return "rises" if low > 0 else "falls" if high < 0 else "open"


def relations(
    games: Sequence[TruthGame], *, confidence: float = 0.95, resamples: int = RESAMPLES
) -> tuple[Relation, ...]:
    """Every axis and every measure of process against every figure of knowledge.

    Parameters
    ----------
    games : sequence of TruthGame
        Scored in one way.
    confidence : float
        Nominal coverage of the intervals.
    resamples : int
        Of the bootstrap over sources.

    Returns
    -------
    tuple of Relation
        Axes first, in their order; those that fewer than two games have are left out.

    Raises
    ------
    InvalidOptionError
        If the scores were made by several versions of the scorer or several judges, or for a confidence or a number of
        resamples outside what is allowed.
    """
    hold_alike([game.scores for game in games])
    readers: list[tuple[str, str, bool, Callable[[Scores], float | None]]] = [
        (axis.id, axis.name, axis.kind == "trait", _axis_reader(axis.id)) for axis in AXES
    ]
    traits = {axis.id: axis.kind == "trait" for axis in AXES}
    readers += [
        (entry.id, entry.id.replace("_", " "), traits[entry.axis], _measure_reader(entry.id)) for entry in MEASURES
    ]
    found = []
    for process, title, trait, read in readers:
        for knowledge, (_, known) in KNOWLEDGE.items():
            items = [
                RankedItem(x, y, game.source, (game.instance, game.purchases))
                for game in games
                if (x := read(game.scores)) is not None and (y := known(game)) is not None
            ]
            if len(items) < 2:
                continue
            equal, overall = (
                rank_association(items, within_strata=within, confidence=confidence, resamples=resamples)
                for within in (True, False)
            )
            found.append(
                Relation(
                    process, title, trait, knowledge, len(items), len(games) - len(items), equal, overall, confidence
                )
            )
    return tuple(found)


def limits_of(found: Sequence[Relation]) -> tuple[str, ...]:
    """What these figures cannot say.

    Parameters
    ----------
    found : sequence of Relation
        Everything that is told.

    Returns
    -------
    tuple of str
        Sentences; the last one on how many intervals exclude 0 by chance.
    """
    told = [entry for entry in found if entry.equal.low is not None]
    if not told:
        return LIMITS
    expected = sum(1.0 - entry.confidence for entry in told)
    return (
        *LIMITS,
        f"Intervals given: {len(told)}, of measures that overlap. If no relation were there, about {expected:.2g} of "
        "them would be expected to exclude 0 by chance.",
    )


def _axis_reader(name: str) -> Callable[[Scores], float | None]:
    return lambda scores: next(axis.score for axis in scores.axes if axis.id == name)


def _measure_reader(name: str) -> Callable[[Scores], float | None]:
    return lambda scores: next(entry.score for entry in scores.measures if entry.id == name)


def relation_sentence(relation: Relation) -> str:
    """A relation in words.

    Parameters
    ----------
    relation : Relation
        Any.

    Returns
    -------
    str
    """
    equal = relation.equal
    name = (
        relation.title
        if relation.process == relation.title.replace(" ", "_")
        else f"{relation.process} {relation.title}"
    )
    what = KNOWLEDGE[relation.knowledge][0]
    if equal.tau is None or equal.concordant is None:
        return f"{name} and {what}: no two games of one instance with equal purchases differ in both."
    share = (
        f"{name} and {what}: of {counted(equal.pairs, 'pair')} of games of one instance with equal purchases, the game "
        f"with the higher measure has the higher {what} in {fixed(100 * equal.concordant, 0)}% (tau "
        f"{fixed(equal.tau, 2, signed=True)}"
    )
    if equal.low is None or equal.high is None:
        return f"{share}; one source, so no interval)."
    interval = interval_text(equal.low, equal.high, 2, signed=True)
    said = {
        "rises": "the two rise together",
        "falls": "the one falls as the other rises",
        "open": "the interval holds 0, so neither is shown",
    }[relation.verdict]
    return f"{share}, {100 * relation.confidence:g}% interval {interval}, {counted(equal.clusters, 'source')}): {said}."
