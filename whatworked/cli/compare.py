"""``whatworked compare``: runs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatworked.cli.layout import AVERAGED, averaged, counts, print_named, say
from whatworked.cli.output import echo, print_json
from whatworked.wording import counted, fixed, interval_text

if TYPE_CHECKING:
    from whatworked.comparing.collection import RunCollection
    from whatworked.comparing.comparison import MethodResult
    from whatworked.grading import Score
    from whatworked.statistics.paired import Omission

_FEW = 12
"""Comparisons that are spelled out without being asked for."""


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR...", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--baseline",
    metavar="NAME",
    help="Method, policy or estimator to compare with [the first of gp-effect, GP-E, gp that pairs].",
)
@click.option("--track", "tracks", multiple=True, metavar="TRACK", help="Only this track; repeatable.")
@click.option("--budget", "budgets", multiple=True, type=int, help="Only this budget; repeatable.")
@click.option(
    "--method", "methods", multiple=True, metavar="NAME", help="Only this method, and its baseline; repeatable."
)
@click.option("--confidence", default=0.95, show_default=True, help="Of the bootstrap intervals.")
@click.option(
    "--resamples", default=9999, show_default=True, type=click.IntRange(1, 1_000_000), help="Of the bootstrap."
)
@click.option("--sources", "by_source", is_flag=True, help="Show the paired difference of every source, too.")
@click.option("--statements", is_flag=True, help="Spell out what each comparison supports, however many there are.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(
    folders: tuple[Path, ...],
    baseline: str | None,
    tracks: tuple[str, ...],
    budgets: tuple[int, ...],
    methods: tuple[str, ...],
    confidence: float,
    resamples: int,
    by_source: bool,
    statements: bool,
    as_json: bool,
) -> None:
    """Compare the methods of one or several runs, and say what the comparison supports.

    By track and budget: family-macro recovery with bootstrap intervals, paired differences to the baseline with wins,
    ties and losses and their range when any one source is left out, exact and strict counts, the tolerance profile,
    and costs.

    Examples: whatworked compare bench-1 bench-2 --baseline gp-effect; whatworked compare bench-1 --track four
    """
    from whatworked.comparing import collect_folders, compare_methods, uncompared

    runs = collect_folders(folders).narrowed(tracks, budgets)
    results = compare_methods(runs, baseline, confidence, resamples, methods=methods)
    left_out = uncompared(runs, results, baseline)
    runs = runs.narrowed(methods={result.standing.method for result in results})
    if as_json:
        from whatworked.comparing.failures import failures

        content = [result.to_dict() for result in results]
        broken = list(failures(runs.rows))
        print_json({"figures": content, "not_compared": list(left_out), "failures": broken, "records": len(runs.rows)})
        return
    _print_overview(results, left_out)
    _print_scores(results)
    _print_against(results)
    _print_robustness(results)
    if by_source:
        _print_sources(results, list(dict.fromkeys(row.source for row in runs.rows)))
    _print_profile(results)
    _print_cost(results)
    _print_failures(runs, results[0].standing.score)
    _print_statements(results, statements)


def _print_overview(results: Sequence[MethodResult], left_out: Sequence[str]) -> None:
    from whatworked.comparing.findings import closing, overviews

    echo("What the comparison supports")
    for line in [*(sentence for sentence, _ in overviews(results)), *left_out, closing(results)]:
        say(line, "  ")


def _print_scores(results: Sequence[MethodResult]) -> None:
    score = results[0].standing.score
    strict, exact = [result.standing.strict for result in results], [result.standing.exact for result in results]
    rows = [
        (
            *_place(result),
            f"{result.interval.estimate:.3f}",
            interval_text(result.interval.low, result.interval.high),
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


def _print_against(results: Sequence[MethodResult]) -> None:
    compared = [(result, result.against) for result in results if result.against is not None]
    if not compared:
        return
    single = _single([against.baseline for _, against in compared])
    rows = [
        (
            *_place(result),
            *(() if single else (against.baseline,)),
            fixed(against.interval.estimate, 3, signed=True),
            interval_text(against.interval.low, against.interval.high, signed=True),
            f"{against.paired.better}/{against.paired.equal}/{against.paired.worse}",
            against.statement.verdict,
        )
        for result, against in compared
    ]
    header = ("track", "B", "method", *(() if single else ("against",)), "diff.", "interval", "+/=/-", "verdict")
    echo()
    title = f"Paired differences to {single}" if single else "Paired differences"
    print_named(title, header, rows, ("track", "method", "against", "verdict"))


def _print_robustness(results: Sequence[MethodResult]) -> None:
    ranges = [(result.omission, result.against and result.against.paired.macro_omission) for result in results]
    if not any(map(any, ranges)):  # with a single source the median is the difference
        return
    rows = [
        (
            *_place(result),
            "-" if result.omission is None else interval_text(result.omission.low, result.omission.high),
            "-" if result.against is None else fixed(result.against.paired.median, 3, signed=True),
            "-" if result.against is None else _omission(result.against.paired.macro_omission),
        )
        for result in results
    ]
    echo()
    title = "Range when any one source is left out, and median of the paired differences"
    print_named(title, ("track", "B", "method", results[0].standing.score.label, "median", "difference"), rows)


def _print_sources(results: Sequence[MethodResult], sources: Sequence[str]) -> None:
    compared = [(result, result.against) for result in results if result.against is not None]
    single = _single([against.baseline for _, against in compared])
    rows = [
        (*_place(result), *(() if single else (against.baseline,)), source, fixed(difference, 3, signed=True))
        for result, against in compared
        for source, difference in sorted(against.paired.differences.items(), key=lambda pair: sources.index(pair[0]))
    ]
    if rows:
        echo()
        header = ("track", "B", "method", *(() if single else ("against",)), "source", "diff.")
        title = "Paired differences by source" + (f", to {single}" if single else "")
        print_named(title, header, rows, ("track", "method", "against", "source"))


def _print_profile(results: Sequence[MethodResult]) -> None:
    tolerances = list(results[0].standing.profile)
    columns = [[result.standing.profile[name] for result in results] for name in tolerances]
    shown = list(zip(*(counts(column) for column in columns), strict=True))
    rows = [(*_place(result), *cells) for result, cells in zip(results, shown, strict=True)]
    note = ", mean over seeds" if averaged(*columns) else ""
    echo()
    title = f"Strict sources by tolerance (share of the range of the truth{note})"
    print_named(title, ("track", "B", "method", *tolerances), rows)


def _print_cost(results: Sequence[MethodResult]) -> None:
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


def _print_failures(runs: RunCollection, score: Score) -> None:
    from whatworked.comparing.failures import listed_failures

    lines = listed_failures(runs.rows)
    if lines:
        verbs = "is missing and counts" if runs.missing == 1 else "are missing and count"
        echo(f"\n{runs.missing} of {counted(len(runs.rows), 'delivery', 'deliveries')} {verbs} as {score.label} 0")
    for line in lines:
        say(line, "  ")


def _print_statements(results: Sequence[MethodResult], every: bool) -> None:
    against = [result.against for result in results if result.against is not None]
    if not against:
        return
    if not every and len(against) > _FEW:
        echo("\n--statements spells out what each comparison supports")
        return
    echo("\nComparison by comparison")
    for pair in against:
        say(str(pair.statement), "  ", "- ")


def _single(names: Sequence[str]) -> str | None:
    return names[0] if len(set(names)) == 1 else None


def _place(result: MethodResult) -> tuple[str, str, str]:
    return result.standing.track, str(result.standing.budget), result.standing.method


def _omission(omission: Omission | None) -> str:
    return "-" if omission is None else interval_text(omission.low, omission.high, signed=True)
