"""``whatworked report``: one self-contained HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from whatworked.cli.output import echo


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR...", type=click.Path(path_type=Path, file_okay=False))
@click.option("--out", default="report.html", show_default=True, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--title", help="Heading of the page [methods, conditions and budgets].")
@click.option(
    "--baseline",
    metavar="NAME",
    help="Method, policy or estimator to compare with [the first of gp-effect, GP-E, gp that pairs].",
)
@click.option("--confidence", default=0.95, show_default=True, help="Of the bootstrap intervals.")
@click.option(
    "--resamples", default=9999, show_default=True, type=click.IntRange(1, 1_000_000), help="Of the bootstrap."
)
def report(
    folders: tuple[Path, ...], out: Path, title: str | None, baseline: str | None, confidence: float, resamples: int
) -> None:
    """Write one HTML page about one or several runs: curves, comparison, conditions, effects, purchases, manifest.

    The file holds all of its data and fetches nothing; every figure's numbers can be saved from it as CSV.

    Example: whatworked report bench-1 bench-2 --out report.html
    """
    from whatworked.comparing import collect_folders
    from whatworked.report import write_report

    write_report(collect_folders(folders), out, title, baseline, confidence, resamples)
    echo(f"{out} ({out.stat().st_size / 1e6:.1f} MB)")
