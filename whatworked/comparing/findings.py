"""What a comparison of methods found, in sentences for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whatworked.comparing.baseline import partners
from whatworked.comparing.comparison import Figure
from whatworked.comparing.pool import Pool
from whatworked.comparing.statements import (
    ALWAYS,
    Statement,
    multiplicity,
    nothing_shared,
    overview,
    without_counterpart,
    without_pairs,
)


def overviews(figures: Sequence[Figure]) -> Iterator[tuple[str, list[Statement]]]:
    """A sentence for each pair of methods over its tracks and budgets, with the statements behind it."""
    pairs: dict[tuple[str, str], list[tuple[tuple[str, int], Statement]]] = {}
    for one in figures:
        if one.against is not None:
            place = one.standing.track, one.standing.budget
            pairs.setdefault((one.standing.method, one.against.baseline), []).append((place, one.against.statement))
    for (method, baseline), members in pairs.items():
        places, statements = [place for place, _ in members], [said for _, said in members]
        yield overview(method, baseline, [said.verdict for said in statements], places), statements


def closing(figures: Sequence[Figure]) -> str:
    """What limits all of a comparison, or why there is none."""
    compared = [one.against for one in figures if one.against is not None]
    if not compared:
        return without_pairs(len({one.standing.method for one in figures}))
    intervals = sum(one.interval.low is not None for one in compared)
    return f"{multiplicity(intervals, compared[0].interval.confidence)} {ALWAYS}"


def uncompared(pool: Pool, figures: Sequence[Figure], baseline: str | None = None) -> tuple[str, ...]:
    """Sentences on methods that stand in no comparison, or in none in some places.

    Parameters
    ----------
    pool : Pool
        The results.
    figures : sequence of Figure
        Their comparison, made with the same `baseline`.
    baseline : str, optional
        See `whatworked.comparing.baseline.partners`.

    Returns
    -------
    tuple of str
        Empty if every method is compared or a baseline, and if nothing is compared at all.
    """
    partner = partners(pool.methods, baseline)
    used = [one.against.baseline for one in figures if one.against]
    places: dict[str, list[tuple[str, int]]] = {}
    for one in figures:
        if used and one.role == "not compared":
            places.setdefault(one.standing.method, []).append((one.standing.track, one.standing.budget))
    lone = [method for method in places if method not in partner]
    said = [without_counterpart(lone, (lone[0], used[0]))] if lone else []
    said += [nothing_shared(method, partner[method], where) for method, where in places.items() if method in partner]
    return tuple(said)
