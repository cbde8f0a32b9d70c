"""``whatworked verify``: recompute records and say how each compares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.absences import Unrun, print_unrun
from whatworked.cli.output import print_json, print_table, print_text
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
    explain it is named. A table that describes its condition otherwise than a rebuild would (options, metric, cost
    scale) is named, too. Exit code 1 for that, if any record is different or failed, or if a condition that was
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
    library.probe({one.source for one in request.conditions})
    report = run(request, library.prepared, get)
    if as_json:
        print_json({"conditions": [one.to_dict() for one in report.results]})
    else:
        _print_report(report, request.conditions)
    # Asked for by name, a condition that was not checked is not a success.
    unchecked = bool(names) and any(one.skipped for one in report.results)
    context.exit(max(report.exit_code, int(unchecked)))


def _print_report(report: VerifyReport, conditions: Sequence[Condition]) -> None:
    from whatworked.execution.agreement import VERDICTS
    from whatworked.statistics.agreement import in_words

    reasons = {one.condition: (one.skipped, one.absence) for one in report.results if one.skipped}

    checked = [one for one in report.results if not one.skipped]
    if checked:
        rows = [(one.condition, *(str(one.count(verdict)) for verdict in VERDICTS)) for one in checked]
        print_table([("condition", *VERDICTS), *rows], right=range(1, 1 + len(VERDICTS)))
        totals = in_words({verdict: report.count(verdict) for verdict in VERDICTS})
        records = counted(sum(len(one.records) for one in checked), "record")
        click.echo()
        print_text(f"{records} of {counted(len(checked), 'condition')}: {totals}")
    else:
        click.echo("No record was checked.")
    for one in checked:
        _print_differences(one)
    unrun = [Unrun(one.id, one.source, *reasons[one.id]) for one in conditions if one.id in reasons]
    print_unrun(unrun, "not checked")


def _print_differences(one: ConditionVerdict) -> None:
    notable = [record for record in one.records if record.verdict != "identical"]
    notable.sort(key=lambda record: (record.verdict == "equal", record.mask))
    for record in notable[:SHOWN]:
        print_text(f"- {one.condition} {record.mask} {record.verdict}: {record.detail}", indent=2)
    if len(notable) > SHOWN:
        click.echo(f"- {one.condition}: {len(notable) - SHOWN} more; --json lists all")
    for note in one.header:
        print_text(f"- {one.condition} header: {note}", indent=2)
    if notable or one.header:
        reason = one.explanations[0] if one.explanations else "no difference in input, packages or processor is known"
        print_text(f"  may be explained by: {reason}", indent=2)
