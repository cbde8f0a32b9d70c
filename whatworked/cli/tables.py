"""Printing aligned columns, JSON and counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from whatworked.cli.streams import says_anything


def print_table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """Print rows of equal length in columns, the ones numbered in `right` flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if position in right else cell.ljust(width)
            for position, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())


def counted(number: int, noun: str) -> str:
    """A number with its noun, which takes an s unless there is exactly one.

    Examples
    --------
    >>> counted(1, "record"), counted(0, "record"), counted(2, "code-equivalence class")
    ('1 record', '0 records', '2 code-equivalence classes')
    """
    ending = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number} {noun}{ending}"


def print_json(value: Any) -> None:
    """Print a value as indented JSON, with escapes where the output's encoding may lack a character."""
    import json
    import sys

    click.echo(json.dumps(value, indent=2, ensure_ascii=not says_anything(sys.stdout)))
