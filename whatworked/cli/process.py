"""``whatworked process``: agents' records."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.lazy import LazyGroup
from whatworked.cli.output import print_json, print_table, print_text
from whatworked.wording import counted

if TYPE_CHECKING:
    from whatworked.process.records import Conversion


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--from", "format_name", metavar="FORMAT", help="Format of the logs; otherwise told by their content.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder to write records and world manifests to."
)
@click.option(
    "--mapping",
    type=click.Path(path_type=Path, dir_okay=False),
    help="TOML file that says where things stand in JSON of your own.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def convert(
    paths: tuple[Path, ...], format_name: str | None, out: Path | None, mapping: Path | None, as_json: bool
) -> None:
    """Convert logs of agents' runs, files or folders of them, to records.

    Prints a row a run: its steps, actions, results that are recorded, and why it cannot be judged where that is so.
    Without --out nothing is written. The exit code is 1 if no run could be converted.

    Examples: whatworked process convert logs/; whatworked process convert run.jsonl --from claude-code --out records
    """
    from whatworked.errors import InvalidOptionError
    from whatworked.process import records
    from whatworked.process.records.mapped import mapped_reader
    from whatworked.storage.files import user_path

    if mapping is not None and format_name is not None:
        raise InvalidOptionError("--from and --mapping both say how to read the logs; give one of them")
    missing = [str(path) for path in paths if not user_path(path).exists()]
    if missing:
        raise InvalidOptionError(f"there is no {', no '.join(missing)}; give files or folders that exist")
    using = mapped_reader(user_path(mapping)) if mapping is not None else format_name
    given = [user_path(path) for path in paths]
    found = records.convert(given, using)
    written = ((row, None) for row in found) if out is None else records.write_conversions(user_path(out), found)
    rows = list(_rows(written, given))
    if as_json:
        print_json([dataclasses.asdict(row) for row in rows])
    else:
        _print(rows, named=len(paths) == 1 and not given[0].is_dir())
    if not any(row.refused is None for row in rows):
        click.get_current_context().exit(1)


@dataclasses.dataclass(frozen=True)
class _Row:
    """What is shown of a run; the record itself is let go, for a folder may hold more than fits into memory."""

    source: str
    format: str | None
    run: str | None
    counts: dict[str, Any] | None
    spoken: int | None
    not_recorded: list[str] | None
    notes: list[str] | None
    refused: str | None
    file: str | None


def _rows(written: Iterable[tuple[Conversion, Path | None]], given: Sequence[Path]) -> Iterator[_Row]:
    """Rows of runs as they are converted, with progress over the files."""
    import msgspec

    from whatworked.progress import progress

    files = sum(sum(below.is_file() for below in path.rglob("*")) if path.is_dir() else 1 for path in given)
    before = None
    with progress(files, "file", label="converting") as bar:
        for row, file in written:
            header = None if row.record is None else row.record.header
            if row.source != before:
                bar.set_postfix_str(row.source)
                bar.update(1 if header is None else len(header.sources))
            before = row.source
            said = [step for step in row.record.steps if step.words is not None] if row.record is not None else []
            yield _Row(
                source=row.source,
                format=row.format,
                run=row.run,
                counts=None if header is None else msgspec.to_builtins(header.counts),
                spoken=None if header is None else sum(step.actor in ("agent", "subagent") for step in said),
                not_recorded=None if header is None else list(header.not_recorded),
                notes=None if header is None else list(header.notes),
                refused=row.refused,
                file=None if file is None else str(file),
            )


def _print(rows: Sequence[_Row], *, named: bool) -> None:
    known = [row for row in rows if row.format is not None]
    strangers = [row for row in rows if row.format is None]
    if known:
        header = ["source", "run", "format", "steps", "actions", "observed", "words", "refused"]
        print_table([header, *map(_cells, known)], right=[3, 4, 5, 6], drop=[1], keys=1)
    _print_counts("unknown events", known, "unknown")
    _print_counts("tools in no table, kept as kind other", known, "unknown_tools")
    _print_counts("answers left out", known, "stripped")
    _print_counts("known and left out", known, "dropped")
    _print_strangers(strangers, looked=named or not known)
    good = [row for row in known if row.refused is None]
    steps = sum(row.counts["steps"] for row in good if row.counts is not None)
    print_text(
        f"{len(good)} of {counted(len(known), 'run')} can be judged, {counted(steps, 'step')}; "
        f"no known format: {counted(len(strangers), 'file')}"
    )
    files = [row.file for row in rows if row.file is not None]
    if files:
        print_text(f"written: {counted(len(files), 'record')} below {Path(files[0]).parent}")


def _cells(row: _Row) -> list[str]:
    run = "" if row.run in (None, row.source) else str(row.run)
    if row.counts is None:
        return [row.source, run, row.format or "", "-", "-", "-", "-", row.refused or ""]
    numbers = [str(row.counts[name]) for name in ("steps", "actions", "observed")]
    return [row.source, run, row.format or "", *numbers, str(row.spoken), row.refused or ""]


def _print_counts(title: str, rows: Iterable[_Row], name: str) -> None:
    total: Counter[str] = Counter()
    for row in rows:
        if row.counts is not None:
            total.update({f"{row.format}: {what}": number for what, number in row.counts[name].items()})
    if total:
        print_text(f"\n{title}:")
        for what, number in sorted(total.items()):
            print_text(f"  {number} {what}", indent=4)


def _print_strangers(strangers: Sequence[_Row], *, looked: bool) -> None:
    if not strangers:
        return
    print_text("\nnot read:")
    for row in strangers:
        print_text(f"  {row.source}: {row.refused}", indent=4)
    if looked:
        from whatworked.process.records import reader, reader_names

        print_text("looked for:")
        for name in reader_names():
            print_text(f"  {name}: {reader(name).looks_for}", indent=4)


@click.group(
    cls=LazyGroup,
    lazy={
        "convert": (f"{__name__}:convert", "Convert logs of agents' runs, files or folders of them, to records."),
        "score": ("whatworked.cli.process_score:score", "Ask a judge about runs, and measure what it finds."),
        "measure": ("whatworked.cli.process_measures:measure", "Measure graphs of runs again, without a judge."),
        "page": ("whatworked.cli.process_measures:page", "Write one HTML page about a run, from graph and record."),
        "compare": ("whatworked.cli.process_measures:compare", "Compare two groups of runs on every axis."),
        "calibrate": ("whatworked.cli.process_calibrate:calibrate", "Try a judge on games whose answers are known."),
        "truth": (
            "whatworked.cli.process_truth:truth",
            "Put what was believed in games of `effects` beside what is true.",
        ),
    },
)
def process() -> None:
    """Process scoring: records of agents' runs."""
