"""``whatworked rebuild``: run configurations into reference tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.absences import Obstacle, print_obstacles
from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.cli.workers import recompute_options
from whatworked.wording import counted

if TYPE_CHECKING:
    from whatworked.execution.report import ConditionResult, RebuildReport


@click.command()
@click.argument("names", nargs=-1, metavar="[CONDITION]...")
@recompute_options
@click.option("--resume/--fresh", default=True, help="Go on from an earlier run in the folder (default), or anew.")
@click.option(
    "--out", default="out", show_default=True, type=click.Path(path_type=Path, file_okay=False), help="Folder to write."
)
@click.option("--strict", is_flag=True, help="Exit with 1 if a condition was skipped because its source is missing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def rebuild(context: click.Context, /, names: tuple[str, ...], as_json: bool, strict: bool, **how: Any) -> None:
    """Run the named conditions, or all of them, into hashed reference tables.

    What has finished is kept when the run is interrupted; the same command goes on from there. Tables have the same
    bytes for any number of jobs, staged or cold. A condition whose source is not on this machine is skipped with the
    reason. Exit code 1 if any configuration failed.

    Examples: whatworked rebuild; whatworked rebuild wine wine__d6 --out out; whatworked rebuild --family retrieval
    """
    from whatworked.catalog.catalog import select
    from whatworked.execution.rebuilding import RebuildRequest
    from whatworked.execution.rebuilding import rebuild as run
    from whatworked.sources.library import Library
    from whatworked.workflows import get

    conditions = select(names, how["families"])
    library = Library(how["cache"], how["mirror"], how["offline"])
    library.probe({condition.source for condition in conditions})
    request = RebuildRequest(
        conditions, how["out"], jobs=how["jobs"], backend=how["backend"], cold=how["cold"], fresh=not how["resume"]
    )
    report = run(request, library.prepared, get)
    if as_json:
        print_json(report.to_dict())
    else:
        _print_report(report, how["out"])
    context.exit(report.exit_code(strict=strict))


def _print_report(report: RebuildReport, out: Path) -> None:
    header = ("condition", "family", "records", "status", "table")
    rows = [
        (
            result.condition.id,
            result.condition.family,
            str(result.records or "-"),
            result.status,
            result.digest[:12] or "-",
        )
        for result in report.results
    ]
    print_table([header, *rows], right=(2,))
    echo()
    print_text(f"{_summary(report)} in {out}")
    for status, what in (("skipped", "skipped"), ("failed", "")):
        print_obstacles([_obstacle(result) for result in report.results if result.status == status], what)
    if report.log is not None:
        print_text(f"Tracebacks are in {report.log}; the same command tries again what failed.")
    if comparison := _comparison(report):
        print_text(comparison)
    for note in report.unpinned:
        print_text(f"Not pinned on this machine: {note}")


def _obstacle(result: ConditionResult) -> Obstacle:
    return Obstacle(result.condition.id, result.condition.source, _reason(result), result.absence)


def _reason(result: ConditionResult) -> str:
    """Why a condition was skipped or failed, and of what; causes that differ in numbers alone are one."""
    from whatworked.comparing.failures import count_causes

    causes = [f"{cause} ({count})" for cause, count in count_causes(result.causes).items()]
    return "; ".join([result.reason, *causes])


def _comparison(report: RebuildReport) -> str:
    """How many tables have the same bytes as the package's; empty if the package has none of them."""
    known = [result for result in report.results if result.as_shipped is not None]
    other = [result.condition.id for result in known if not result.as_shipped]
    if not known:
        return ""
    same = f"{len(known) - len(other)} of {counted(len(known), 'table')}"
    verb = "has" if len(known) == 1 else "have"
    text = f"{same} {verb} the same bytes as the package's"
    if not other:
        return text
    names = " ".join(other)
    return f"{text}; not {', '.join(other)}: `whatworked verify {names}` says if more than rounding differs"


def _summary(report: RebuildReport) -> str:
    good = [result for result in report.results if result.status in ("built", "unchanged")]
    parts = [f"{report.count(status)} {status}" for status in ("built", "unchanged", "skipped", "failed")]
    resumed = sum(result.resumed for result in report.results)
    taken = f" ({resumed} taken over from an earlier run)" if resumed else ""
    conditions = counted(len(report.results), "condition")
    records = counted(sum(result.records for result in good), "record")
    return f"{conditions}: {', '.join(parts)}; {records}{taken}"
