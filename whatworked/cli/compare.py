"""``whatworked compare``: runs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatworked.cli.layout import AVERAGED, averaged, counts, print_named, say
from whatworked.cli.output import print_json
from whatworked.wording import counted, fixed, interval_text

if TYPE_CHECKING:
    from whatworked.comparing.comparison import Figure
    from whatworked.comparing.pool import Pool
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
@click.option("--resamples", default=9999, show_default=True, help="Of the bootstrap.")
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
    from whatworked.comparing.comparison import compare_methods
    from whatworked.comparing.findings import uncompared
    from whatworked.comparing.pool import read_pool

    pool = read_pool(folders).narrowed(tracks, budgets)
    figures = compare_methods(pool, baseline, confidence, resamples, methods=methods)
    left_out = uncompared(pool, figures, baseline)
    pool = pool.narrowed(methods={one.standing.method for one in figures})
    if as_json:
        from whatworked.comparing.summary import failures

        content = [figure.to_dict() for figure in figures]
        broken = list(failures(pool.rows))
        print_json({"figures": content, "not_compared": list(left_out), "failures": broken, "records": len(pool.rows)})
        return
    _print_overview(figures, left_out)
    _print_recovery(figures)
    _print_against(figures)
    _print_robustness(figures)
    if by_source:
        _print_sources(figures, list(dict.fromkeys(row["source"] for row in pool.rows)))
    _print_profile(figures)
    _print_cost(figures)
    _print_failures(pool)
    _print_statements(figures, statements)


def _print_overview(figures: Sequence[Figure], left_out: Sequence[str]) -> None:
    from whatworked.comparing.findings import closing, overviews

    click.echo("What the comparison supports")
    for line in [*(sentence for sentence, _ in overviews(figures)), *left_out, closing(figures)]:
        say(line, "  ")


def _print_recovery(figures: Sequence[Figure]) -> None:
    strict, exact = [one.standing.strict for one in figures], [one.standing.exact for one in figures]
    rows = [
        (
            *_place(one),
            f"{one.interval.estimate:.3f}",
            interval_text(one.interval.low, one.interval.high),
            *shown,
            str(one.standing.sources),
        )
        for one, *shown in zip(figures, counts(strict), counts(exact), strict=True)
    ]
    header = ("track", "B", "method", "recovery", f"{figures[0].interval.confidence:.0%} interval")
    click.echo()
    print_named("Family-macro effect recovery", (*header, "strict", "exact", "of"), rows)
    if averaged(strict, exact):
        click.echo(AVERAGED)


def _print_against(figures: Sequence[Figure]) -> None:
    compared = [(one, one.against) for one in figures if one.against is not None]
    if not compared:
        return
    single = _single([against.baseline for _, against in compared])
    rows = [
        (
            *_place(one),
            *(() if single else (against.baseline,)),
            fixed(against.interval.estimate, 3, signed=True),
            interval_text(against.interval.low, against.interval.high, signed=True),
            f"{against.paired.better}/{against.paired.equal}/{against.paired.worse}",
            against.statement.verdict,
        )
        for one, against in compared
    ]
    header = ("track", "B", "method", *(() if single else ("against",)), "diff.", "interval", "+/=/-", "verdict")
    click.echo()
    title = f"Paired differences to {single}" if single else "Paired differences"
    print_named(title, header, rows, ("track", "method", "against", "verdict"))


def _print_robustness(figures: Sequence[Figure]) -> None:
    ranges = [(one.omission, one.against and one.against.paired.macro_omission) for one in figures]
    if not any(map(any, ranges)):  # a single source: the median is the difference
        return
    rows = [
        (
            *_place(one),
            "-" if one.omission is None else interval_text(one.omission.low, one.omission.high),
            "-" if one.against is None else fixed(one.against.paired.median, 3, signed=True),
            "-" if one.against is None else _omission(one.against.paired.macro_omission),
        )
        for one in figures
    ]
    click.echo()
    title = "Range when any one source is left out, and median of the paired differences"
    print_named(title, ("track", "B", "method", "recovery", "median", "difference"), rows)


def _print_sources(figures: Sequence[Figure], sources: Sequence[str]) -> None:
    compared = [(one, one.against) for one in figures if one.against is not None]
    single = _single([against.baseline for _, against in compared])
    rows = [
        (*_place(one), *(() if single else (against.baseline,)), source, fixed(difference, 3, signed=True))
        for one, against in compared
        for source, difference in sorted(against.paired.differences.items(), key=lambda one: sources.index(one[0]))
    ]
    if rows:
        click.echo()
        header = ("track", "B", "method", *(() if single else ("against",)), "source", "diff.")
        title = "Paired differences by source" + (f", to {single}" if single else "")
        print_named(title, header, rows, ("track", "method", "against", "source"))


def _print_profile(figures: Sequence[Figure]) -> None:
    tolerances = list(figures[0].standing.profile)
    columns = [[one.standing.profile[name] for one in figures] for name in tolerances]
    shown = list(zip(*(counts(column) for column in columns), strict=True))
    rows = [(*_place(one), *cells) for one, cells in zip(figures, shown, strict=True)]
    note = ", mean over seeds" if averaged(*columns) else ""
    click.echo()
    title = f"Strict sources by tolerance (share of the range of the truth{note})"
    print_named(title, ("track", "B", "method", *tolerances), rows)


def _print_cost(figures: Sequence[Figure]) -> None:
    costed = [(one, one.cost) for one in figures if one.cost is not None]
    columns = [
        counts([one.standing.spent for one, _ in costed]),
        counts([cost.asks for _, cost in costed]),
        counts([cost.fits for _, cost in costed]),
    ]
    rows = [
        (*_place(one), *cells, f"{cost.policy_seconds:.4f}", f"{cost.fit_seconds:.4f}")
        for (one, cost), *cells in zip(costed, *columns, strict=True)
    ]
    if rows:
        header = ("track", "B", "method", "credits", "asks", "fits", "policy s", "fit s")
        click.echo()
        print_named("Mean cost per record (seconds are of the machine that ran it)", header, rows)


def _print_failures(pool: Pool) -> None:
    from whatworked.comparing.summary import listed_failures

    lines = listed_failures(pool.rows)
    if lines:
        verbs = "is missing and counts" if pool.missing == 1 else "are missing and count"
        click.echo(f"\n{pool.missing} of {counted(len(pool.rows), 'delivery', 'deliveries')} {verbs} as recovery 0")
    for line in lines:
        say(line, "  ")


def _print_statements(figures: Sequence[Figure], every: bool) -> None:
    against = [one.against for one in figures if one.against is not None]
    if not against:
        return
    if not every and len(against) > _FEW:
        click.echo("\n--statements spells out what each comparison supports")
        return
    click.echo("\nComparison by comparison")
    for one in against:
        say(str(one.statement), "  ", "- ")


def _single(names: Sequence[str]) -> str | None:
    return names[0] if len(set(names)) == 1 else None


def _place(one: Figure) -> tuple[str, str, str]:
    return one.standing.track, str(one.standing.budget), one.standing.method


def _omission(omission: Omission | None) -> str:
    return "-" if omission is None else interval_text(omission.low, omission.high, signed=True)
