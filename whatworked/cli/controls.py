"""``whatworked controls``: run, verify and tabulate the study of the reference methods."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from whatworked.cli.lazy import Group
from whatworked.cli.output import echo, print_json
from whatworked.cli.rows import format_option, print_rows
from whatworked.cli.surfaces import references_option
from whatworked.cli.workers import pool_options
from whatworked.wording import counted

if TYPE_CHECKING:
    from whatworked.catalog.catalog import Condition
    from whatworked.controls.verify import Verification
    from whatworked.grading.record import Record
    from whatworked.surfaces.equivalence import Equivalence

Command = TypeVar("Command", bound=Callable[..., Any])

_SECTION = ("conditions", "budget")


def study_option(command: Command) -> Command:
    """The option that names another folder of study records."""
    return click.option(
        "--study",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder with study records. Default: those of the package.",
    )(command)


def table_options(command: Command) -> Command:
    """What the commands that print a table under one budget have in common.

    The command gets `records`, those that the filters leave, instead of the filters and the folder of the study.
    """

    @functools.wraps(command)
    def narrowed(
        study: Path | None, names: tuple[str, ...], families: tuple[str, ...], without: tuple[str, ...], **given: Any
    ) -> Any:
        return command(records=_narrowed(_records(study), names, families, without), **given)

    options = (
        click.option("--without", multiple=True, metavar="FAMILY", help="Without this family; repeatable."),
        click.option("--family", "families", multiple=True, metavar="FAMILY", help="Only this family; repeatable."),
        click.option("--condition", "names", multiple=True, metavar="ID", help="Only this condition; repeatable."),
        format_option,
        study_option,
        click.option("--budget", required=True, type=int, help="Credits."),
    )
    wrapped: Any = narrowed
    for option in options:
        wrapped = option(wrapped)
    return cast("Command", wrapped)


def _narrowed(
    records: tuple[Record, ...], names: tuple[str, ...], families: tuple[str, ...], without: tuple[str, ...]
) -> tuple[Record, ...]:
    """Records of the conditions that the filters leave."""
    from whatworked.catalog.catalog import conditions, select
    from whatworked.errors import InvalidOptionError

    kept = {condition.id for condition in (select(names, families) if names or families else conditions())}
    kept -= {condition.id for condition in select((), without)} if without else set()
    found = tuple(record for record in records if record.condition in kept)
    if not found:
        raise InvalidOptionError("the study has no record of all the given conditions and families; leave some out")
    return found


def _chosen(names: tuple[str, ...], families: tuple[str, ...], where: Path | None) -> tuple[Condition, ...]:
    """The named conditions; by default all of the catalog that have a reference table."""
    from whatworked import references
    from whatworked.catalog import TRACKS
    from whatworked.catalog.catalog import select

    present = references.conditions(where)
    if not present:
        raise references.no_tables(where)
    chosen = select(names, families)
    if names or families:
        return chosen
    return tuple(condition for condition in chosen if condition.id in present and condition.track in TRACKS)


def _records(study: Path | None) -> tuple[Record, ...]:
    from whatworked.controls.store import read_records

    return read_records(study)


@click.group(cls=Group)
def controls() -> None:
    """Run, verify and tabulate the control study: ridge, Gaussian process, designs, code equivalence.

    The study has 4,206 records, computed from the reference tables alone. Exit code 2 on a wrong argument.
    """


@controls.command()
@click.argument("names", nargs=-1, metavar="[CONDITION]...")
@click.option("--family", "families", multiple=True, metavar="FAMILY", help="This family; repeatable.")
@pool_options
@click.option(
    "--resume/--fresh",
    default=True,
    help="Keep what an earlier run into the folder finished (default), or compute everything again.",
)
@click.option(
    "--out",
    default="out/controls",
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write.",
)
@references_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def run(
    names: tuple[str, ...],
    families: tuple[str, ...],
    jobs: int,
    backend: str,
    resume: bool,
    out: Path,
    where: Path | None,
    as_json: bool,
) -> None:
    """Compute the records of the named conditions, or of all, from the reference tables.

    Files have the same bytes for any number of jobs. What has finished is kept when the run is interrupted, and taken
    over when the command is repeated, unless tables or software changed.

    Examples: whatworked controls run; whatworked controls run wine__d6 --fresh --out out/controls
    """
    from whatworked.controls.study import run_study

    report = run_study(
        _chosen(names, families, where), out, jobs=jobs, resume=resume, references=where, backend=backend
    )
    if as_json:
        print_json(report.to_dict())
        return
    kept = f", {report.kept} kept from an earlier run" if report.kept else ""
    conditions = counted(report.conditions, "condition")
    echo(f"{counted(report.made, 'record')} of {conditions} made{kept}, in {out}")
    echo(f"In {report.near_ties} of those made, a choice lay within rounding of a tie.")
    for note in report.unpinned:
        echo(f"Not pinned on this machine: {note}")


@controls.command()
@click.argument("names", nargs=-1, metavar="[CONDITION]...")
@click.option("--family", "families", multiple=True, metavar="FAMILY", help="This family; repeatable.")
@pool_options
@study_option
@references_option
@click.option("--ties", is_flag=True, help="List the records with a choice within rounding of a tie, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def verify(
    context: click.Context,
    names: tuple[str, ...],
    families: tuple[str, ...],
    jobs: int,
    backend: str,
    study: Path | None,
    where: Path | None,
    ties: bool,
    as_json: bool,
) -> None:
    """Replay the recorded study and say how every record compares.

    Also checks that the masks of each code-equivalence class have one prediction digest in the reference tables, and
    that the recorded ridge designs are what the formulas give. Exit code 1 if anything differs that no tie explains.
    """
    from whatworked.controls.verify import verify_study

    found = verify_study(_chosen(names, families, where), study, jobs=jobs, references=where, backend=backend)
    if as_json:
        print_json(found.to_dict())
    else:
        _print_verification(found, ties)
    context.exit(0 if found.passed else 1)


def _print_verification(found: Verification, ties: bool) -> None:
    from whatworked.statistics.agreement import Verdict, in_words

    echo(f"{counted(len(found.records), 'record')}: {in_words(found.counts)}")
    for check in found.records:
        if check.verdict.severity > Verdict.EQUAL.severity:
            echo(f"- {check.verdict}: {check.name}: {check.detail}")
    classes = sum(found.classes.values())
    echo(
        f"{counted(classes, 'code-equivalence class')} in {counted(len(found.classes), 'condition')}: "
        f"{len(found.class_faults) or 'none'} with more than one prediction"
    )
    six = {name: count for name, count in found.classes.items() if name.endswith("__d6")}
    if six:
        echo("Classes of six options: " + ", ".join(f"{name} {count}" for name, count in six.items()))
    for fault in (*found.class_faults, *found.design_faults):
        echo(f"- differs: {fault}")
    echo(f"Recorded ridge designs: {len(found.design_faults) or 'none'} differ from their formula")
    hint = " (--ties lists them)" if found.near_ties and not ties else ""
    echo(f"Records with a choice within rounding of a tie: {len(found.near_ties) or 'none'}{hint}")
    for line in _grouped(found.near_ties) if ties else ():
        echo(f"- {line}")
    for note in found.unpinned:
        echo(f"Not pinned on this machine: {note}")


def _grouped(names: tuple[str, ...]) -> list[str]:
    """One line per condition, method and seed, with all budgets."""
    budgets: dict[str, list[str]] = {}
    for name in names:
        start, _, budget = name.rpartition(" budget ")
        budgets.setdefault(start, []).append(budget)
    return [f"{start} budget {', '.join(found)}" for start, found in budgets.items()]


@controls.command()
@table_options
def table(budget: int, records: tuple[Record, ...], output: str) -> None:
    """Recovery by family and family-macro, exact choices and strict successes under one budget."""
    from whatworked.controls.results import recovery_table

    print_rows(recovery_table(records, budget), output, section=_SECTION)


@controls.command()
@table_options
@references_option
def matrix(budget: int, records: tuple[Record, ...], output: str, where: Path | None) -> None:
    """Recovery of every estimator on the observations of every acquisition policy."""
    from whatworked.controls.shared_observations import acquisition_matrix
    from whatworked.references import load_surface

    print_rows(acquisition_matrix(records, budget, lambda name: load_surface(name, where)), output, section=_SECTION)


@controls.command()
@table_options
def tolerance(budget: int, records: tuple[Record, ...], output: str) -> None:
    """Share of records that meet the strict criterion, by tolerance."""
    from whatworked.controls.results import tolerance_profile

    print_rows(tolerance_profile(records, budget), output, section=_SECTION)


@controls.command()
@table_options
def native(budget: int, records: tuple[Record, ...], output: str) -> None:
    """Effect errors in native units, where a cost was mapped to utility."""
    from whatworked.controls.results import native_table

    print_rows(native_table(records, budget), output, section=_SECTION)


@controls.command()
@table_options
@click.option("--left", help="Method, for instance GP-E; with --right instead of the usual pairs.")
@click.option("--right", help="Method subtracted.")
def omission(budget: int, records: tuple[Record, ...], output: str, left: str | None, right: str | None) -> None:
    """Paired differences in recovery between methods, and their range when each source is left out."""
    from whatworked.controls.methods import method
    from whatworked.controls.results import PAIRS, omission_table
    from whatworked.errors import InvalidOptionError

    if (left is None) != (right is None):
        raise InvalidOptionError(
            "a comparison needs both --left and --right; give both, or neither for the usual pairs"
        )
    pairs = PAIRS if left is None or right is None else ((method(left).label, method(right).label),)
    print_rows(omission_table(records, budget, pairs), output, section=_SECTION)


@controls.command()
@table_options
@references_option
def coverage(budget: int, records: tuple[Record, ...], output: str, where: Path | None) -> None:
    """Share of effects measured outright, error on the others, and what mean completion reaches."""
    from whatworked.controls.shared_observations import coverage_table
    from whatworked.references import load_surface

    print_rows(coverage_table(records, budget, lambda name: load_surface(name, where)), output, section=_SECTION)


@controls.command()
@table_options
def exact(budget: int, records: tuple[Record, ...], output: str) -> None:
    """Counts of strict records by tolerance, of exact ones, of exact but not strict ones, and recovery given exact."""
    from whatworked.controls.printed import exact_table

    print_rows(exact_table(records, budget), output, section=_SECTION)


@controls.command("native-macro")
@table_options
@references_option
def native_macro(budget: int, records: tuple[Record, ...], output: str, where: Path | None) -> None:
    """Family-macro recovery and strict share in utilities and in native units."""
    from whatworked.controls.printed import native_macro_table
    from whatworked.references import load_surface

    print_rows(native_macro_table(records, budget, lambda name: load_surface(name, where)), output, section=_SECTION)


@controls.command("by-source")
@table_options
def by_source(budget: int, records: tuple[Record, ...], output: str) -> None:
    """Recovery of every method on every condition, seeds averaged."""
    from whatworked.controls.printed import by_source_table

    print_rows(by_source_table(records, budget), output, section=_SECTION)


@controls.command()
@table_options
@references_option
def projection(budget: int, records: tuple[Record, ...], output: str, where: Path | None) -> None:
    """Differences between predictions of equal programs, and recovery after class projection.

    Class projection gives a class that holds a measured mask its value, and any other the mean of its predictions.
    """
    from whatworked.controls.projection import projection_table
    from whatworked.references import load_surface

    rows = projection_table(records, budget, functools.cache(lambda name: load_surface(name, where)), _classes_of)
    print_rows(rows, output, section=_SECTION)


def _classes_of(name: str) -> Equivalence:
    """Code-equivalence classes of a condition, by its id."""
    from whatworked.catalog.catalog import condition
    from whatworked.workflows import get

    found = condition(name)
    return get(found.family).equivalence(found.dimensions)


@controls.command()
@study_option
@format_option
def counts(study: Path | None, output: str) -> None:
    """How many records the study has, by group of conditions."""
    from whatworked.controls.printed import counts_table

    print_rows(counts_table(_records(study)), output)


@controls.command("class-gain")
@study_option
@format_option
def class_gain(study: Path | None, output: str) -> None:
    """What knowing the code-equivalence classes gains, by condition, method and budget."""
    from whatworked.controls.results import class_gain as gains

    print_rows(gains(_records(study)), output, section=("condition",))
