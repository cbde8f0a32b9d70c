"""``whatworked report``: one self-contained HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from whatworked.cli.compare import comparison_options
from whatworked.cli.output import echo


@click.command()
@comparison_options
@click.option("--out", default="report.html", show_default=True, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--title", help="Heading of the page [methods, conditions and budgets].")
def report(
    runs: tuple[str, ...],
    metric: str,
    baseline: str | None,
    references: Path | None,
    confidence: float,
    resamples: int,
    out: Path,
    title: str | None,
) -> None:
    """Write one HTML page about one or several runs: verdict, differences, curves, conditions, purchases, manifest.

    RUN is the folder of a run, a packed file, or the name of a run or method on the leaderboard. The file holds all of
    its data and fetches nothing; every figure's numbers can be saved from it as CSV.

    Example: whatworked report bench-1 relevance --out report.html
    """
    from whatworked.leaderboard.lookup import collect_named
    from whatworked.report import write_report

    write_report(collect_named(runs, references), out, title, baseline, confidence, resamples, metric)
    echo(f"{out} ({out.stat().st_size / 1e6:.1f} MB)")
