"""Printing aligned columns, prose and JSON within the width of the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import click

from whatworked.cli.streams import says_anything
from whatworked.wording import is_shown, printable

GAP = "  "
NARROW = 14
"""Columns of words are not made narrower than this; a table that needs it is printed in parts instead."""


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text as it may be shown on a terminal; every command prints by way of it.

    Names and causes come from files, plug-ins and servers of others, whose control characters could wipe or forge what
    a command says. So they are escaped, line breaks aside; see `whatworked.wording.printable`.

    Parameters
    ----------
    text : str
        One or more lines.
    err : bool
        Whether it goes to standard error.
    nl : bool
        Whether a line break follows.
    """
    click.echo(printable(text, keep="\n"), err=err, nl=nl)


def output_width(*, errors: bool = False) -> int | None:
    """Columns of the terminal that the output or the errors go to; None for a file or a pipe, where no line is cut."""
    import shutil
    import sys

    return shutil.get_terminal_size().columns if (sys.stderr if errors else sys.stdout).isatty() else None


def print_text(text: str, *, indent: int = 0, errors: bool = False) -> None:
    """Print prose, broken between words where the terminal is too narrow; later lines are indented."""
    width = output_width(errors=True) if errors else output_width()
    lines = [text] if width is None else _wrapped(text, width, indent)
    echo("\n".join(lines), err=errors)


def print_table(
    rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), drop: Sequence[int] = (), keys: int = 1
) -> None:
    """Print rows of equal length in columns.

    Where the terminal is too narrow, the columns in `drop` are left out one after another, then words are put below
    each other within their column, then columns are printed as further tables below.

    Parameters
    ----------
    rows : sequence of rows
        Cells as text.
    right : sequence of int
        Columns that stand flush right, and are never broken.
    drop : sequence of int
        Columns that a narrow table can do without, the most dispensable first.
    keys : int
        How many first columns are repeated in each part of a table that is printed in parts.
    """
    rows = [[printable(cell) for cell in row] for row in rows]  # a line break in a cell would make a row of its own
    width = output_width()
    shown = list(range(len(rows[0])))
    dispensable = list(drop)
    while width is not None and dispensable and _total(_widths(rows, shown)) > width:
        shown.remove(dispensable.pop(0))
    parts = [shown] if width is None else _parts(rows, shown, right, keys, width)
    for number, columns in enumerate(parts):
        if number:
            echo()
        _print_part(rows, columns, right, width)


def print_json(value: Any) -> None:
    """Print a value as indented JSON, with escapes for what steers a terminal or the output's encoding may lack."""
    import json
    import sys

    text = json.dumps(value, indent=2, ensure_ascii=not says_anything(sys.stdout))
    # Only texts in it hold anything but line breaks and what is shown; there an escape means the same.
    click.echo("".join(letter if letter == "\n" or is_shown(letter) else json.dumps(letter)[1:-1] for letter in text))


def _wrapped(text: str, width: int, indent: int = 0) -> list[str]:
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )
    return [line for part in text.split("\n") for line in wrapper.wrap(part) or [""]]


def _widths(rows: Sequence[Sequence[str]], columns: Sequence[int]) -> list[int]:
    return [max(len(row[column]) for row in rows) for column in columns]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _least(rows: Sequence[Sequence[str]], columns: Sequence[int], right: Sequence[int]) -> list[int]:
    """How narrow each column can be made: to its longest word with the indent, but not below `NARROW`."""
    words = [max((len(word) + 2 for row in rows for word in row[column].split()), default=0) for column in columns]
    return [
        full if column in right else min(full, max(word, NARROW))
        for column, full, word in zip(columns, _widths(rows, columns), words, strict=True)
    ]


def _parts(
    rows: Sequence[Sequence[str]], columns: Sequence[int], right: Sequence[int], keys: int, width: int
) -> list[list[int]]:
    """Columns in as many parts as are needed for each to fit, each with the first `keys` columns."""
    parts: list[list[int]] = []
    part = list(columns[:keys])
    for column in columns[keys:]:
        if len(part) > keys and _total(_least(rows, [*part, column], right)) > width:
            parts.append(part)
            part = list(columns[:keys])
        part.append(column)
    return [*parts, part]


def _print_part(rows: Sequence[Sequence[str]], columns: Sequence[int], right: Sequence[int], width: int | None) -> None:
    widths, least = _widths(rows, columns), _least(rows, columns, right)
    while width is not None and _total(widths) > width and widths != least:
        # The widest column that can still give way is the one that gives.
        place = max((place for place in range(len(widths)) if widths[place] > least[place]), key=widths.__getitem__)
        widths[place] -= 1
    for row in rows:
        cells = [
            _wrapped(row[column], size, 2 if column == 0 else 0) if len(row[column]) > size else [row[column]]
            for column, size in zip(columns, widths, strict=True)
        ]
        for line in range(max(map(len, cells))):
            texts = [cell[line] if line < len(cell) else "" for cell in cells]
            if not any(texts):  # the upper line of headings that stand in another part
                continue
            padded = (
                text.rjust(size) if column in right else text.ljust(size)
                for text, size, column in zip(texts, widths, columns, strict=True)
            )
            echo(GAP.join(padded).rstrip())
