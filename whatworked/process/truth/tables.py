"""Stated effects, games and relations as rows: for CSV, for the screen, and for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from whatworked.process.measures import AXES
from whatworked.process.truth.checking import EVIDENCE, SCOPES
from whatworked.process.truth.games import STATING, StatedBelief, TruthGame
from whatworked.process.truth.relation import Relation
from whatworked.statistics.averages import Measurement
from whatworked.statistics.bootstrap import RESAMPLES, Interval, macro_interval
from whatworked.surfaces.masks import option_letters
from whatworked.wording import csv_lines

BELIEF_COLUMNS = (
    "game", "instance", "player", "seed", "proposition", "type", "event", "option", "direction", "size", "background",
    "everywhere", "scope", "settings", "true_effect", "true_low", "true_high", "true", "direction_holds", "size_holds",
    "size_error", "evidence", "ground", "reach", "again", "words",
)  # fmt: skip
GAME_COLUMNS = (
    "game", "instance", "family", "source", "player", "seed", "budget", "purchases", "delivered", "recovery",
    "closeness", "stated", "true", "share_true", "measured", "unread", *(axis.id for axis in AXES), "judge", "scorer",
)  # fmt: skip
RELATION_COLUMNS = (
    "process", "title", "trait", "knowledge", "games", "left_out", "pairs", "strata", "sources", "concordant", "tau",
    "low", "high", "verdict", "overall_tau", "overall_low", "overall_high", "overall_pairs",
)  # fmt: skip
_WORDS = {1: "more", -1: "less", 0: "none"}


def background_text(stated: tuple[tuple[int, int], ...], option: int, d: int) -> str:
    """Settings of the others as a mask: the option itself as ``*``, what is not fixed as ``-``.

    Examples
    --------
    >>> background_text(((0, 1), (2, 0)), 1, 4)
    '1*0-'
    """
    fixed = dict(stated)
    return "".join("*" if place == option else str(fixed.get(place, "-")) for place in range(d))


def belief_row(game: TruthGame, belief: StatedBelief) -> dict[str, Any]:
    """One stated effect by column.

    Parameters
    ----------
    game : TruthGame
        In which it was stated.
    belief : StatedBelief
        One of its beliefs.

    Returns
    -------
    dict
    """
    checked, stated = belief.checked, belief.checked.stated
    values = (
        game.name, game.instance, game.player, game.seed, belief.proposition, belief.type, belief.event,
        option_letters(game.d)[stated.option], _WORDS[stated.direction], stated.size,
        background_text(stated.background, stated.option, game.d), stated.everywhere, checked.scope, checked.settings,
        checked.effect, checked.low, checked.high, checked.true, checked.direction_holds, checked.size_holds,
        checked.size_error, checked.evidence, belief.ground, belief.reach, belief.again, belief.words,
    )  # fmt: skip
    return dict(zip(BELIEF_COLUMNS, values, strict=True))


def game_row(game: TruthGame) -> dict[str, Any]:
    """One game by column; what is counted are effects stated as true, each once.

    Parameters
    ----------
    game : TruthGame
        Any.

    Returns
    -------
    dict
    """
    found = game.held
    axes = {axis.id: axis.score for axis in game.scores.axes}
    values = (
        game.name, game.instance, game.family, game.source, game.player, game.seed, game.budget, game.purchases,
        game.score.delivered, game.recovery, game.closeness,
        len(found), sum(belief.checked.true for belief in found), game.share_true,
        sum(belief.checked.evidence in ("measured", "derived") for belief in found), game.unread,
        *(axes[axis.id] for axis in AXES), game.scores.judge, game.scores.scorer,
    )  # fmt: skip
    return dict(zip(GAME_COLUMNS, values, strict=True))


def relation_row(relation: Relation) -> dict[str, Any]:
    """One relation by column.

    Parameters
    ----------
    relation : Relation
        Any.

    Returns
    -------
    dict
    """
    equal, overall = relation.equal, relation.overall
    values = (
        relation.process, relation.title, relation.trait, relation.knowledge, relation.games, relation.left_out,
        equal.pairs, equal.strata, equal.clusters, equal.concordant, equal.tau, equal.low, equal.high, relation.verdict,
        overall.tau, overall.low, overall.high, overall.pairs,
    )  # fmt: skip
    return dict(zip(RELATION_COLUMNS, values, strict=True))


def rows_csv(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    """Rows as CSV.

    Parameters
    ----------
    columns : sequence of str
        Header.
    rows : iterable of dict
        A value for each column.

    Returns
    -------
    str
    """
    return csv_lines([columns, *([row[name] for name in columns] for row in rows)])


@dataclass(frozen=True)
class Tally:
    """Statements of one kind.

    Attributes
    ----------
    group, kind : str
        What they were sorted by, and which they are.
    stated, true, direction : int
        Distinct statements, those that are true, and those whose direction is.
    sized : int
        Those with a size; no effect is a size of 0.
    size_error : float or None
        Mean distance of stated and true size; None without a size.
    share : Interval
        Share of true ones, averaged over sources and families, with its interval.
    """

    group: str
    kind: str
    stated: int
    true: int
    direction: int
    sized: int
    size_error: float | None
    share: Interval


def tallies(games: Sequence[TruthGame], *, confidence: float = 0.95, resamples: int = RESAMPLES) -> tuple[Tally, ...]:
    """Distinct statements of all games, by kind.

    Parameters
    ----------
    games : sequence of TruthGame
        Any.
    confidence : float
        Nominal coverage of the intervals.
    resamples : int
        Of the bootstrap over families, sources and statements.

    Returns
    -------
    tuple of Tally
        By type; and beliefs by how many settings they are about, by what had been measured, and by whether the judge
        says that a result shows them. Kinds without a statement are left out.
    """
    groups: tuple[tuple[str, tuple[str, ...], Callable[[StatedBelief], str]], ...] = (
        ("type", STATING, lambda belief: belief.type),
        ("about", SCOPES, lambda belief: belief.checked.scope),
        ("evidence", EVIDENCE, lambda belief: belief.checked.evidence),
        ("judge", ("shown", "not shown", "undecided"), lambda belief: belief.ground or "undecided"),
    )
    found = []
    for group, kinds, read in groups:
        said = [(game, belief) for game in games for belief in (game.distinct if group == "type" else game.held)]
        for kind in kinds:
            members = [(game, belief) for game, belief in said if read(belief) == kind]
            if members:
                found.append(_tally(group, kind, members, confidence, resamples))
    return tuple(found)


def _tally(
    group: str, kind: str, members: Sequence[tuple[TruthGame, StatedBelief]], confidence: float, resamples: int
) -> Tally:
    rows = [
        Measurement(game.family, game.source, float(belief.checked.true), number)
        for number, (game, belief) in enumerate(members)
    ]
    errors = [error for _, belief in members if (error := belief.checked.size_error) is not None]
    return Tally(
        group=group,
        kind=kind,
        stated=len(members),
        true=sum(belief.checked.true for _, belief in members),
        direction=sum(belief.checked.direction_holds for _, belief in members),
        sized=len(errors),
        size_error=sum(errors) / len(errors) if errors else None,
        share=macro_interval(rows, confidence, resamples),
    )
