"""The tables of ``whatworked compare --details``: every figure, section by section."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from whatworked.cli.layout import AVERAGED, averaged, counts, print_named, say
from whatworked.cli.output import echo
from whatworked.wording import counted, fixed, interval_text

if TYPE_CHECKING:
    from whatworked.comparing.collection import RunCollection
    from whatworked.comparing.comparison import MethodResult, PairedResult
    from whatworked.comparing.ranking import Place
    from whatworked.grading import Score
    from whatworked.statistics.paired import Omission

_FEW = 12
"""Comparisons that are spelled out without being asked for."""


def print_overview(results: Sequence[MethodResult], left_out: Sequence[str]) -> None:
    """A sentence for each pair, and what limits all of them."""
    from whatworked.comparing.findings import closing, overviews

    echo("What the comparison supports")
    for line in [*(sentence for sentence, _ in overviews(results)), *left_out, closing(results)]:
        say(line, "  ")


def print_scores(results: Sequence[MethodResult]) -> None:
    """Scores with intervals, strict and exact counts."""
    score = results[0].standing.score
    strict, exact = [result.standing.strict for result in results], [result.standing.exact for result in results]
    rows = [
        (
            *_place(result),
            fixed(result.interval.estimate, score.digits),
            interval_text(result.interval.low, result.interval.high, score.digits),
            *shown,
            str(result.standing.sources),
        )
        for result, *shown in zip(results, counts(strict), counts(exact), strict=True)
    ]
    header = ("track", "B", "method", score.label, f"{results[0].interval.confidence:.0%} interval")
    echo()
    print_named(f"Family-macro {score.phrase}", (*header, "strict", "exact", "of"), rows)
    if averaged(strict, exact):
        echo(AVERAGED)


def print_against(results: Sequence[MethodResult]) -> None:
    """Paired differences to the baseline."""
    compared = [(result, result.against) for result in results if result.against is not None]
    if not compared:
        return
    single = _single([against.baseline for _, against in compared])
    digits = results[0].standing.score.digits
    rows = [
        (
            *_place(result),
            *(() if single else (against.baseline,)),
            fixed(against.interval.estimate, digits, signed=True),
            interval_text(against.interval.low, against.interval.high, digits, signed=True),
            f"{against.paired.better}/{against.paired.equal}/{against.paired.worse}",
            against.statement.verdict,
        )
        for result, against in compared
    ]
    header = ("track", "B", "method", *(() if single else ("against",)), "diff.", "interval", "+/=/-", "verdict")
    echo()
    title = f"Paired differences to {single}" if single else "Paired differences"
    print_named(title, header, rows, ("track", "method", "against", "verdict"))


def print_robustness(results: Sequence[MethodResult]) -> None:
    """Ranges when any one source is left out."""
    ranges = [(result.omission, result.against and result.against.paired.macro_omission) for result in results]
    if not any(map(any, ranges)):  # with a single source the median is the difference
        return
    digits = results[0].standing.score.digits
    rows = [
        (
            *_place(result),
            "-" if result.omission is None else interval_text(result.omission.low, result.omission.high, digits),
            "-" if result.against is None else fixed(result.against.paired.median, digits, signed=True),
            "-" if result.against is None else _omission(result.against.paired.macro_omission, digits),
        )
        for result in results
    ]
    echo()
    title = "Range when any one source is left out, and median of the paired differences"
    print_named(title, ("track", "B", "method", results[0].standing.score.label, "median", "difference"), rows)


def print_sources(results: Sequence[MethodResult], sources: Sequence[str]) -> None:
    """Paired differences of every source."""
    compared = [(result, result.against) for result in results if result.against is not None]
    single = _single([against.baseline for _, against in compared])
    digits = results[0].standing.score.digits
    rows = [
        (*_place(result), *(() if single else (against.baseline,)), source, fixed(difference, digits, signed=True))
        for result, against in compared
        for source, difference in sorted(against.paired.differences.items(), key=lambda pair: sources.index(pair[0]))
    ]
    if rows:
        echo()
        header = ("track", "B", "method", *(() if single else ("against",)), "source", "diff.")
        title = "Paired differences by source" + (f", to {single}" if single else "")
        print_named(title, header, rows, ("track", "method", "against", "source"))


def print_profile(results: Sequence[MethodResult]) -> None:
    """Strict sources by tolerance."""
    tolerances = list(results[0].standing.profile)
    columns = [[result.standing.profile[name] for result in results] for name in tolerances]
    shown = list(zip(*(counts(column) for column in columns), strict=True))
    rows = [(*_place(result), *cells) for result, cells in zip(results, shown, strict=True)]
    note = ", mean over seeds" if averaged(*columns) else ""
    echo()
    title = f"Strict sources by tolerance (share of the range of the truth{note})"
    print_named(title, ("track", "B", "method", *tolerances), rows)


def print_uncertainty(results: Sequence[MethodResult]) -> None:
    """Grades of stated uncertainty, of the methods that state any."""
    from whatworked.grading.uncertainty import RATE_KEYS

    stated = [(result, result.standing.stated) for result in results if result.standing.stated]
    for prefix, what in (("", "effects"), ("cell_", "cells")):
        names = [f"{prefix}{name}" for name in ("log_score", "crps", "sharpness")]
        names += [f"{prefix}coverage_{key}" for key in RATE_KEYS]
        rows = [
            (*_place(result), *(fixed(values[name], 3) if name in values else "-" for name in names))
            for result, values in stated
            if f"{prefix}crps" in values
        ]
        if rows:
            echo()
            title = f"Stated uncertainty of {what} not known: scores, 90% width, coverage at stated rates"
            print_named(title, ("track", "B", "method", "log score", "CRPS", "width", *RATE_KEYS), rows)


def print_cost(results: Sequence[MethodResult]) -> None:
    """Mean cost per record."""
    costed = [(result, result.cost) for result in results if result.cost is not None]
    columns = [
        counts([result.standing.spent for result, _ in costed]),
        counts([cost.asks for _, cost in costed]),
        counts([cost.fits for _, cost in costed]),
    ]
    rows = [
        (*_place(result), *cells, f"{cost.policy_seconds:.4f}", f"{cost.fit_seconds:.4f}")
        for (result, cost), *cells in zip(costed, *columns, strict=True)
    ]
    if rows:
        header = ("track", "B", "method", "credits", "asks", "fits", "policy s", "fit s")
        echo()
        print_named("Mean cost per record (seconds are of the machine that ran it)", header, rows)


def print_failures(runs: RunCollection, score: Score) -> None:
    """Missing deliveries with their causes."""
    from whatworked.comparing.failures import listed_failures

    lines = listed_failures(runs.rows)
    if lines:
        verbs = "is missing and counts" if runs.missing == 1 else "are missing and count"
        echo(f"\n{runs.missing} of {counted(len(runs.rows), 'delivery', 'deliveries')} {verbs} as {score.label} 0")
    for line in lines:
        say(line, "  ")


def print_statements(results: Sequence[MethodResult], every: bool) -> None:
    """What each comparison supports, spelled out."""
    against = [result.against for result in results if result.against is not None]
    if not against:
        return
    if not every and len(against) > _FEW:
        echo("\n--statements spells out what each comparison supports")
        return
    echo("\nComparison by comparison")
    for pair in against:
        say(str(pair.statement), "  ", "- ")


def print_pairs(pairs: Sequence[tuple[Place, str, PairedResult]], digits: int) -> None:
    """Every pair of methods at every track and budget."""
    rows = [
        (
            track,
            str(budget),
            method,
            pair.baseline,
            fixed(pair.interval.estimate, digits, signed=True),
            interval_text(pair.interval.low, pair.interval.high, digits, signed=True),
            f"{pair.paired.better}/{pair.paired.equal}/{pair.paired.worse}",
            pair.statement.verdict,
        )
        for (track, budget), method, pair in pairs
    ]
    header = ("track", "B", "method", "against", "diff.", "interval", "+/=/-", "verdict")
    echo()
    print_named("Every pair of methods", header, rows, ("track", "method", "against", "verdict"))


def _single(names: Sequence[str]) -> str | None:
    return names[0] if len(set(names)) == 1 else None


def _place(result: MethodResult) -> tuple[str, str, str]:
    return result.standing.track, str(result.standing.budget), result.standing.method


def _omission(omission: Omission | None, digits: int) -> str:
    return "-" if omission is None else interval_text(omission.low, omission.high, digits, signed=True)
