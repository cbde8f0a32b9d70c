"""What a comparison of methods found, in sentences for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whatworked.arguments import instances
from whatworked.comparing.baseline import partners
from whatworked.comparing.collection import RunCollection, collection_of
from whatworked.comparing.comparison import MethodResult
from whatworked.comparing.rules import ignoring_rules
from whatworked.comparing.statements import (
    ALWAYS,
    Statement,
    multiplicity,
    nothing_shared,
    overview,
    without_counterpart,
    without_pairs,
)
from whatworked.grading.score import Score
from whatworked.wording import counted, first_few


def overviews(results: Sequence[MethodResult]) -> Iterator[tuple[str, list[Statement]]]:
    """A sentence for each pair of methods over its tracks and budgets, with the statements behind it."""
    pairs: dict[tuple[str, str], list[tuple[tuple[str, int], Statement]]] = {}
    for result in results:
        if result.against is not None:
            place = result.standing.track, result.standing.budget
            pair = result.standing.method, result.against.baseline
            pairs.setdefault(pair, []).append((place, result.against.statement))
    for (method, baseline), members in pairs.items():
        places, statements = [place for place, _ in members], [statement for _, statement in members]
        yield overview(method, baseline, [statement.verdict for statement in statements], places), statements


def closing(results: Sequence[MethodResult]) -> str:
    """What limits all of a comparison, or why there is none."""
    compared = [result.against for result in results if result.against is not None]
    if not compared:
        return without_pairs(len({result.standing.method for result in results}))
    intervals = sum(pair.interval.low is not None for pair in compared)
    return f"{multiplicity(intervals, compared[0].interval.confidence)} {ALWAYS}"


def notes(runs: RunCollection, score: Score) -> tuple[str, ...]:
    """Sentences on what a person would take for granted: that rules changed something, that nothing was left out."""
    found = []
    if idle := ignoring_rules(runs):
        names = first_few(idle, 4)
        found.append(f"Run with rules, which {names} {'ignores' if len(idle) == 1 else 'ignore'}: the same as without.")
    undefined = [row for row in runs.rows if score.of(row.grade) is None]
    if undefined:
        methods = first_few(list(dict.fromkeys(row.method for row in undefined if not row.delivered)), 4)
        missing = sum(not row.delivered for row in undefined)
        why = f", {missing} of them missing deliveries of {methods}" if missing else ""
        found.append(f"{counted(len(undefined), 'record')} without {score.phrase} left out{why}.")
    return tuple(found)


def uncompared(runs: RunCollection, results: Sequence[MethodResult], baseline: str | None = None) -> tuple[str, ...]:
    """Sentences on methods that are not compared, or not everywhere.

    Parameters
    ----------
    runs : RunCollection
        The results.
    results : sequence of MethodResult
        Their comparison, made with the same `baseline`.
    baseline : str, optional
        See `whatworked.comparing.baseline.partners`.

    Returns
    -------
    tuple of str
        Empty if every method is compared or a baseline, and if nothing is compared at all.
    """
    partner = partners(collection_of(runs).methods, baseline)
    results = list(instances(results, MethodResult, "a result", "compare_methods returns them"))
    used = [result.against.baseline for result in results if result.against]
    places: dict[str, list[tuple[str, int]]] = {}
    for result in results:
        if used and result.role == "not compared":
            places.setdefault(result.standing.method, []).append((result.standing.track, result.standing.budget))
    lone = [method for method in places if method not in partner]
    sentences = [without_counterpart(lone, (lone[0], used[0]))] if lone else []
    sentences += [
        nothing_shared(method, partner[method], where) for method, where in places.items() if method in partner
    ]
    return tuple(sentences)
