"""``whatworked compare``: runs side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from whatworked.cli import compare_details as details
from whatworked.cli.layout import say
from whatworked.cli.output import echo, print_json

if TYPE_CHECKING:
    from whatworked.comparing.answer import Answer
    from whatworked.comparing.collection import RunCollection
    from whatworked.comparing.comparison import MethodResult

Command = TypeVar("Command", bound=Callable[..., Any])


def comparison_options(command: Command) -> Command:
    """Options that `compare` and `report` share: runs, metric, baseline, intervals, reference tables."""
    resamples = click.IntRange(1, 1_000_000)
    for decorate in (
        click.option("--resamples", default=9999, show_default=True, type=resamples, help="Of the bootstrap."),
        click.option("--confidence", default=0.95, show_default=True, help="Of the bootstrap intervals."),
        click.option(
            "--references",
            type=click.Path(path_type=Path, file_okay=False),
            help="Other folder of reference tables, for packed runs.",
        ),
        click.option(
            "--baseline", metavar="NAME", help="Method, policy or estimator to compare with [RGP, else GP-E]."
        ),
        click.option(
            "--metric",
            default="recovery",
            show_default=True,
            metavar="NAME",
            help="Any quantity of a grade, such as effect-mae, interaction-mae, regret, exact or strict.",
        ),
        click.argument("runs", nargs=-1, required=True, metavar="RUN..."),
    ):
        command = decorate(command)
    return command


@click.command()
@comparison_options
@click.option("--track", "tracks", multiple=True, metavar="TRACK", help="Only this track; repeatable.")
@click.option("--budget", "budgets", multiple=True, type=int, help="Only this budget; repeatable.")
@click.option(
    "--method", "methods", multiple=True, metavar="NAME", help="Only this method, and its baseline; repeatable."
)
@click.option("--all-pairs", is_flag=True, help="Show every pair of methods under every budget, too.")
@click.option("--details", "detailed", is_flag=True, help="Show every table: counts, tolerances, costs, statements.")
@click.option("--sources", "by_source", is_flag=True, help="Show the paired difference of every source, too.")
@click.option("--statements", is_flag=True, help="Spell out what each comparison supports, however many there are.")
@click.option("--markdown", "output", flag_value="markdown", help="Print the rankings as Markdown.")
@click.option("--csv", "output", flag_value="csv", help="Print the rankings as CSV, all digits.")
@click.option("--latex", "output", flag_value="latex", help="Print the rankings as LaTeX.")
@click.option("--json", "output", flag_value="json", help="Print JSON.")
@click.option("--screen", "output", flag_value="screen", default="screen", hidden=True)
def compare(
    runs: tuple[str, ...],
    metric: str,
    baseline: str | None,
    references: Path | None,
    confidence: float,
    resamples: int,
    tracks: tuple[str, ...],
    budgets: tuple[int, ...],
    methods: tuple[str, ...],
    all_pairs: bool,
    detailed: bool,
    by_source: bool,
    statements: bool,
    output: str,
) -> None:
    """Say whether a method is better, against what, where, by how much, and how sure that is.

    RUN is the folder of a run, a packed file, or the name of a run or method on the leaderboard. Whole methods are
    ranked, one verdict above; --all-pairs, --sources and --details show the rest.

    Examples: whatworked compare bench-1 relevance; whatworked compare bench-1 bench-2 --metric effect-mae
    """
    from whatworked.comparing import compare_methods, uncompared
    from whatworked.comparing.answer import answer
    from whatworked.grading.score import score_named
    from whatworked.leaderboard.lookup import collect_named

    score = score_named(metric)
    collected = collect_named(runs, references).narrowed(tracks, budgets)
    results = compare_methods(collected, baseline, confidence, resamples, methods=methods, score=score)
    left_out = uncompared(collected.measured_by(score), results, baseline)
    collected = collected.narrowed(methods={result.standing.method for result in results})
    found = answer(collected, results, baseline, methods)
    if output != "screen":
        _print_as(output, found, collected, results, left_out)
        return
    _print_screen(found, collected, results, left_out)
    if detailed:
        _print_details(results)
    if by_source:
        details.print_sources(results, list(dict.fromkeys(row.source for row in collected.rows)))
    if all_pairs:
        from whatworked.comparing.ranking import all_pairs as pairs_of

        details.print_pairs(pairs_of(collected, results), results[0].standing.score.digits)
    if detailed or statements:
        details.print_statements(results, statements)


def _print_screen(
    found: Answer | None, runs: RunCollection, results: Sequence[MethodResult], left_out: Sequence[str]
) -> None:
    from whatworked.cli.compare_screen import print_answer
    from whatworked.comparing.findings import closing, notes

    score = results[0].standing.score
    said = [*notes(runs, score), *left_out]
    if found is None:
        for line in [*said, closing(results)]:
            say(line)
        details.print_scores(results)
    else:
        print_answer(found, said)
    details.print_failures(runs, score)


def _print_details(results: Sequence[MethodResult]) -> None:
    echo()
    details.print_overview(results, ())
    details.print_scores(results)
    details.print_against(results)
    details.print_robustness(results)
    details.print_profile(results)
    details.print_uncertainty(results)
    details.print_cost(results)


def _print_as(
    output: str,
    found: Answer | None,
    runs: RunCollection,
    results: Sequence[MethodResult],
    left_out: Sequence[str],
) -> None:
    from whatworked.wording import csv_lines, latex_table, markdown_table

    if output == "json":
        from whatworked.comparing.failures import failures

        content = {
            "answer": [] if found is None else list(found.sentences()),
            "rankings": [] if found is None else [row.to_dict() for r in found.rankings for row in r.methods],
            "figures": [result.to_dict() for result in results],
            "not_compared": list(left_out),
            "failures": list(failures(runs.rows)),
            "records": len(runs.rows),
        }
        print_json(content)
        return
    rows = [] if found is None else [row.to_dict() for ranking in found.rankings for row in ranking.methods]
    header, cells = list(rows[0]) if rows else [], [list(row.values()) for row in rows]
    writers = {"csv": lambda: csv_lines([header, *cells])}
    writers |= {"markdown": lambda: markdown_table(header, cells), "latex": lambda: latex_table(header, cells)}
    echo(writers[output](), nl=False)
