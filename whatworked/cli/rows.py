"""Printing rows that are mappings from column to value: as a table, JSON or CSV."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.wording import csv_lines, fixed

Command = TypeVar("Command", bound=Callable[..., Any])


def format_option(command: Command) -> Command:
    """Options ``--json`` and ``--csv``; the command gets `output`: "table", "json" or "csv"."""
    command = click.option("--json", "output", flag_value="json", help="Print JSON.")(command)
    command = click.option("--csv", "output", flag_value="csv", help="Print CSV, all digits.")(command)
    return click.option("--table", "output", flag_value="table", default="table", hidden=True)(command)


def print_rows(rows: Sequence[Mapping[str, Any]], output: str, *, section: Sequence[str] = ()) -> None:
    """Print rows with the same columns.

    In the table, rows that agree in the columns `section` share a heading made of those, and columns without a value
    in any row of a section are left out.
    """
    if output == "json":
        print_json([dict(row) for row in rows])
    elif output == "csv":
        _print_csv(rows)
    elif not rows:
        echo("nothing to show")
    else:
        for number, (heading, members) in enumerate(_sections(rows, section).items()):
            if heading:
                print_text(("\n" if number else "") + ", ".join(f"{name} {value}" for name, value in heading))
            _print_section(members, [name for name in rows[0] if name not in section])


def _sections(
    rows: Sequence[Mapping[str, Any]], section: Sequence[str]
) -> dict[tuple[tuple[str, Any], ...], list[Mapping[str, Any]]]:
    found: dict[tuple[tuple[str, Any], ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(tuple((name, row[name]) for name in section), []).append(row)
    return found


def _print_section(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
    columns = [name for name in names if any(row[name] is not None for row in rows)]
    numeric = [place for place, name in enumerate(columns) if not isinstance(_first(rows, name), str)]
    heads = [name.split("_") for name in columns]
    height = max(map(len, heads))
    padded = [[""] * (height - len(words)) + words for words in heads]
    lines = [list(line) for line in zip(*padded, strict=True)]
    keys = min(numeric, default=1) or 1
    cells = zip(*(_column([row[name] for row in rows]) for name in columns), strict=True)
    print_table([*lines, *cells], right=numeric, keys=keys)


def _print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        echo(
            csv_lines(
                [
                    list(rows[0]),
                    *([str(cell) if isinstance(cell, bool) else cell for cell in row.values()] for row in rows),
                ]
            ),
            nl=False,
        )


def _first(rows: Sequence[Mapping[str, Any]], name: str) -> Any:
    return next(row[name] for row in rows if row[name] is not None)


def _column(values: Sequence[Any]) -> list[str]:
    """Cells of a column: numbers to four decimals, or none where every one is whole and some are above one."""
    numbers = [value for value in values if isinstance(value, float)]
    whole = all(value == round(value) for value in numbers) and any(abs(value) > 1 for value in numbers)
    return [_text(value, 0 if whole else 4) for value in values]


def _text(value: Any, digits: int) -> str:
    if value is None:
        return "-"
    return fixed(value, digits) if isinstance(value, float) else str(value)
