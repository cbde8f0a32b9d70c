"""``whatworked compare``: runs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatworked.cli.tables import print_json, print_table

if TYPE_CHECKING:
    from whatworked.runs.comparison import Figure
    from whatworked.runs.pool import Pool

_FEW = 12
"""Comparisons that are spelled out without being asked for."""


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR...", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--baseline",
    metavar="NAME",
    help="Method, policy or estimator to compare with [the first of gp-effect, GP-E, gp that pairs].",
)
@click.option("--confidence", default=0.95, show_default=True, help="Of the bootstrap intervals.")
@click.option("--resamples", default=9999, show_default=True, help="Of the bootstrap.")
@click.option("--sources", "by_source", is_flag=True, help="Show the paired difference of every source, too.")
@click.option("--statements", is_flag=True, help="Spell out what each comparison supports, however many there are.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(
    folders: tuple[Path, ...],
    baseline: str | None,
    confidence: float,
    resamples: int,
    by_source: bool,
    statements: bool,
    as_json: bool,
) -> None:
    """Compare the methods of one or several runs, and say what the numbers allow one to say.

    By track and budget: family-macro recovery with bootstrap intervals, paired differences to the baseline with wins,
    ties and losses and their range when any one source is left out, exact and strict counts, the tolerance profile,
    and costs.

    Example: whatworked compare bench-1 bench-2 --baseline gp-effect
    """
    from whatworked.runs.comparison import compare_methods
    from whatworked.runs.pool import read_pool

    pool = read_pool(folders)
    figures = compare_methods(pool, baseline, confidence, resamples)
    if as_json:
        from whatworked.runs.summary import failures

        content = [figure.to_dict() for figure in figures]
        print_json({"figures": content, "failures": list(failures(pool.rows)), "records": len(pool.rows)})
        return
    _print_recovery(figures)
    _print_against(figures)
    if by_source:
        _print_sources(figures)
    _print_profile(figures)
    _print_cost(figures)
    _print_failures(pool)
    _print_statements(figures, statements)


def _print_recovery(figures: Sequence[Figure]) -> None:
    confidence = figures[0].interval.confidence
    header = (
        "track",
        "B",
        "method",
        "recovery",
        f"{confidence:.0%} interval",
        "one source out",
        "strict",
        "exact",
        "of",
    )
    rows = [
        (
            *_place(one),
            f"{one.interval.estimate:.3f}",
            f"{one.interval.low:.3f} to {one.interval.high:.3f}",
            "-" if one.omission is None else f"{one.omission.low:.3f} to {one.omission.high:.3f}",
            f"{one.standing.strict:.4g}",
            f"{one.standing.exact:.4g}",
            str(one.standing.sources),
        )
        for one in figures
    ]
    click.echo("Family-macro effect recovery")
    print_table([header, *rows], right=(1, 3, 4, 5, 6, 7, 8))


def _print_against(figures: Sequence[Figure]) -> None:
    rows = [
        (
            *_place(one),
            against.baseline,
            f"{against.interval.estimate:+.3f}",
            f"{against.interval.low:+.3f} to {against.interval.high:+.3f}",
            f"{against.paired.median:+.3f}",
            f"{against.paired.better}/{against.paired.equal}/{against.paired.worse}",
            _omission(against.paired.macro_omission),
            against.statement.verdict,
        )
        for one in figures
        if (against := one.against) is not None
    ]
    if rows:
        header = (
            "track",
            "B",
            "method",
            "baseline",
            "difference",
            "interval",
            "median",
            "+/=/-",
            "one source out",
            "verdict",
        )
        click.echo("\nPaired differences")
        print_table([header, *rows], right=(1, 4, 5, 6, 7, 8))


def _print_sources(figures: Sequence[Figure]) -> None:
    rows = [
        (*_place(one), one.against.baseline, source, f"{difference:+.3f}")
        for one in figures
        if one.against is not None
        for source, difference in one.against.paired.differences.items()
    ]
    if rows:
        click.echo("\nPaired differences by source")
        print_table([("track", "B", "method", "baseline", "source", "difference"), *rows], right=(1, 5))


def _print_profile(figures: Sequence[Figure]) -> None:
    tolerances = list(figures[0].standing.profile)
    rows = [(*_place(one), *(f"{one.standing.profile[name]:.4g}" for name in tolerances)) for one in figures]
    click.echo("\nStrict sources by tolerance (share of the range of the truth)")
    print_table([("track", "B", "method", *tolerances), *rows], right=(1, *range(3, 3 + len(tolerances))))


def _print_cost(figures: Sequence[Figure]) -> None:
    rows = [
        (
            *_place(one),
            f"{one.standing.spent:.4g}",
            f"{one.cost.asks:.4g}",
            f"{one.cost.fits:.4g}",
            f"{one.cost.policy_seconds:.4f}",
            f"{one.cost.fit_seconds:.4f}",
        )
        for one in figures
        if one.cost is not None
    ]
    if rows:
        header = ("track", "B", "method", "credits", "asks", "fits", "policy s", "fit s")
        click.echo("\nCost per record (seconds are of the machine that ran it)")
        print_table([header, *rows], right=(1, 3, 4, 5, 6, 7))


def _print_failures(pool: Pool) -> None:
    from whatworked.runs.summary import failures

    broken = list(failures(pool.rows))
    if broken:
        click.echo(f"\n{pool.missing} of {len(pool.rows)} deliveries are missing and count as recovery 0")
    for entry in broken:
        budgets = ",".join(map(str, entry["budgets"]))
        click.echo(f"  {entry['method']} on {entry['condition']}, budgets {budgets}: {entry['cause']}")


def _print_statements(figures: Sequence[Figure], every: bool) -> None:
    from whatworked.runs.statement import ALWAYS, multiplicity, overview

    against = [(one.standing.method, one.against) for one in figures if one.against is not None]
    if not against:
        return
    click.echo("\nWhat the numbers allow one to say")
    for method, baseline in dict.fromkeys((method, one.baseline) for method, one in against):
        verdicts = [one.statement.verdict for name, one in against if (name, one.baseline) == (method, baseline)]
        click.echo(f"  {overview(method, baseline, verdicts)}")
    if every or len(against) <= _FEW:
        for _, one in against:
            click.echo(f"  - {one.statement}")
    else:
        click.echo("  (--statements spells out each comparison)")
    click.echo(f"  {multiplicity(len(against), figures[0].interval.confidence)}\n  {ALWAYS}")


def _place(one: Figure) -> tuple[str, str, str]:
    return one.standing.track, str(one.standing.budget), one.standing.method


def _omission(omission: object) -> str:
    from whatworked.paired import Omission

    return f"{omission.low:+.3f} to {omission.high:+.3f}" if isinstance(omission, Omission) else "-"
