"""``whatworked process``: agents' records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.lazy import Group
from whatworked.cli.output import print_json, print_table, print_text

if TYPE_CHECKING:
    from whatworked.process.records import Conversion


@click.group(cls=Group)
def process() -> None:
    """Process scoring: records of agents' runs."""


@process.command()
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
    found = records.convert(map(user_path, paths), using)
    rows: list[tuple[Conversion, Path | None]]
    rows = [(row, None) for row in found] if out is None else list(records.write_conversions(user_path(out), found))
    if as_json:
        print_json([_as_json(row, file) for row, file in rows])
    else:
        _print(rows, named=len(paths) == 1 and not paths[0].is_dir())
    if not any(row.refused is None for row, _ in rows):
        click.get_current_context().exit(1)


def _as_json(row: Conversion, file: Path | None) -> dict[str, Any]:
    import msgspec

    counts = None if row.record is None else msgspec.to_builtins(row.record.header.counts)
    lacking = None if row.record is None else list(row.record.header.not_recorded)
    notes = None if row.record is None else list(row.record.header.notes)
    return {"source": row.source, "format": row.format, "run": row.run, "counts": counts, "not_recorded": lacking,
            "notes": notes, "refused": row.refused, "file": None if file is None else str(file)}  # fmt: skip


def _print(rows: Sequence[tuple[Conversion, Path | None]], *, named: bool) -> None:
    known = [row for row, _ in rows if row.format is not None]
    strangers = [row for row, _ in rows if row.format is None]
    if known:
        header = ["source", "run", "format", "steps", "actions", "observed", "words", "refused"]
        print_table([header, *map(_cells, known)], right=[3, 4, 5, 6], drop=[1], keys=1)
    _print_counts("unknown events", ((row, "unknown") for row in known))
    _print_counts("tools in no table, kept as kind other", ((row, "unknown_tools") for row in known))
    _print_counts("answers left out", ((row, "stripped") for row in known))
    _print_counts("known and left out", ((row, "dropped") for row in known))
    _print_strangers(strangers, looked=named or not known)
    good = sum(row.refused is None for row in known)
    steps = sum(row.record.header.counts.steps for row in known if row.record is not None and row.refused is None)
    print_text(
        f"{good} of {len(known)} runs can be judged, {steps} steps; {len(strangers)} files are of no known format"
    )
    written = [str(file) for _, file in rows if file is not None]
    if written:
        print_text(f"written: {len(written)} records below {Path(written[0]).parent}")


def _cells(row: Conversion) -> list[str]:
    run = "" if row.run in (None, row.source) else str(row.run)
    if row.record is None:
        return [row.source, run, row.format or "", "-", "-", "-", "-", row.refused or ""]
    counts = row.record.header.counts
    spoken = sum(step.words is not None and step.actor in ("agent", "subagent") for step in row.record.steps)
    numbers = [str(number) for number in (counts.steps, counts.actions, counts.observed, spoken)]
    return [row.source, run, row.format or "", *numbers, row.refused or ""]


def _print_counts(title: str, counted: Iterable[tuple[Conversion, str]]) -> None:
    total: Counter[str] = Counter()
    for row, name in counted:
        if row.record is not None:
            found: Mapping[str, int] = getattr(row.record.header.counts, name)
            total.update({f"{row.format}: {what}": number for what, number in found.items()})
    if total:
        print_text(f"\n{title}:")
        for what, number in sorted(total.items()):
            print_text(f"  {number} {what}", indent=4)


def _print_strangers(strangers: Sequence[Conversion], *, looked: bool) -> None:
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
