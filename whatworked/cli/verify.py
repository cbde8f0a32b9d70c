"""``whatworked verify``: recompute records and say how each compares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.absences import Obstacle, print_obstacles
from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.cli.workers import recompute_options
from whatworked.wording import counted

if TYPE_CHECKING:
    from whatworked.catalog.catalog import Condition
    from whatworked.execution.verifying import ConditionVerdict, VerifyReport

SHOWN = 10


@click.command()
@click.argument("names", nargs=-1, metavar="[CONDITION]...")
@recompute_options
@click.option("--sample", default=1.0, show_default=True, metavar="F", help="Share of each condition's records.")
@click.option("--seed", default=0, show_default=True, help="Which records a sample holds.")
@click.option(
    "--references",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder of tables to check; default: those that come with the package.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def verify(context: click.Context, /, names: tuple[str, ...], as_json: bool, folder: Path | None, **how: Any) -> None:
    """Recompute records of the named conditions, or of all, and compare each with its reference table.

    A record is identical (every field), equal (utility and prediction fingerprint within the family's tolerance),
    different, or failed. Where records are not identical, the first difference in input, packages or processor that may
    explain it is named. So is a table whose header says something else about its condition (options, metric, cost
    scale) than a rebuild would. Exit code 1 for that, if any record is different or failed, or if a condition that was
    named could not be checked.

    Examples: whatworked verify --sample 0.1; whatworked verify wine__d6 --cold
    """
    from whatworked import references
    from whatworked.catalog.catalog import select
    from whatworked.execution.verifying import VerifyRequest
    from whatworked.execution.verifying import verify as run
    from whatworked.sources.library import Library
    from whatworked.workflows import get

    request = VerifyRequest(
        conditions=select(names, how["families"]),
        folder=folder or references.folder(),
        sample=how["sample"],
        seed=how["seed"],
        jobs=how["jobs"],
        backend=how["backend"],
        cold=how["cold"],
    )
    library = Library(how["cache"], how["mirror"], how["offline"])
    library.probe({condition.source for condition in request.conditions})
    report = run(request, library.prepared, get)
    if as_json:
        print_json({"conditions": [result.to_dict() for result in report.results]})
    else:
        _print_report(report, request.conditions)
    # Asked for by name, a condition that was not checked is not a success.
    unchecked = bool(names) and any(result.skipped for result in report.results)
    context.exit(max(report.exit_code, int(unchecked)))


def _print_report(report: VerifyReport, conditions: Sequence[Condition]) -> None:
    from whatworked.execution.differences import VERDICTS
    from whatworked.statistics.agreement import in_words

    reasons = {result.condition: (result.skipped, result.absence) for result in report.results if result.skipped}

    checked = [result for result in report.results if not result.skipped]
    if checked:
        rows = [(result.condition, *(str(result.count(verdict)) for verdict in VERDICTS)) for result in checked]
        print_table([("condition", *VERDICTS), *rows], right=range(1, 1 + len(VERDICTS)))
        totals = in_words({verdict: report.count(verdict) for verdict in VERDICTS})
        records = counted(sum(len(result.records) for result in checked), "record")
        echo()
        print_text(f"{records} of {counted(len(checked), 'condition')}: {totals}")
    else:
        echo("No record was checked.")
    for result in checked:
        _print_differences(result)
    obstacles = [
        Obstacle(condition.id, condition.source, *reasons[condition.id])
        for condition in conditions
        if condition.id in reasons
    ]
    print_obstacles(obstacles, "not checked")


def _print_differences(result: ConditionVerdict) -> None:
    notable = [record for record in result.records if record.verdict != "identical"]
    notable.sort(key=lambda record: (record.verdict == "equal", record.mask))
    for record in notable[:SHOWN]:
        print_text(f"- {result.condition} {record.mask} {record.verdict}: {record.detail}", indent=2)
    if len(notable) > SHOWN:
        echo(f"- {result.condition}: {len(notable) - SHOWN} more; --json lists all")
    for note in result.header:
        print_text(f"- {result.condition} header: {note}", indent=2)
    if notable or result.header:
        reasons = "; ".join(result.explanations) or "no difference in input, packages or processor is known"
        print_text(f"  may be explained by: {reasons}", indent=2)
