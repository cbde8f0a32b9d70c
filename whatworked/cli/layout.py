"""Fitting what commands print into the width there is: prose wrapped at words, long names shortened."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

import click

from whatworked.cli import output
from whatworked.wording import count_form

AVERAGED = "strict, exact: number of sources, mean over seeds"
"""The note below a table whose counts are averages."""

_NARROWEST = 12
"""Characters that a name keeps at least, however narrow the terminal."""
_LONGEST = 32
"""Characters of a name that a terminal shows, the same in every table; a longer one is shortened and explained."""
_BESIDE = 20
"""Columns kept free next to a name."""


def width() -> int:
    """Columns of the terminal; 80 where there is none."""
    return shutil.get_terminal_size((80, 24)).columns


def say(text: str, indent: str = "", bullet: str = "") -> None:
    """Print a paragraph wrapped at words, further lines under the first one's text."""
    first = indent + bullet
    whole = text.replace("B = ", "B\u00a0=\u00a0")
    lines = click.wrap_text(whole, width(), initial_indent=first, subsequent_indent=" " * len(first))
    output.echo(lines.replace("\u00a0", " "))


def counts(values: Sequence[float]) -> list[str]:
    """Numbers of one column: whole ones as such, but all to one decimal if any is an average over seeds.

    Examples
    --------
    >>> counts([3.0, 12.0]), counts([1 / 3, 12.0])
    (['3', '12'], ['0.3', '12.0'])
    """
    form = count_form(values)
    return [format(value, form) for value in values]


def averaged(*columns: Sequence[float]) -> bool:
    """Whether any of the numbers is an average over seeds, and not a count."""
    return any(count_form(column) == ".1f" for column in columns)


def shortened(names: Sequence[str], room: int) -> dict[str, str]:
    """Names cut in the middle to `room` characters, still different from one another.

    Examples
    --------
    >>> shortened(["gp/random", "sklearn.svm-long/gp-effect"], 14)
    {'gp/random': 'gp/random', 'sklearn.svm-long/gp-effect': 'sklear…-effect'}
    """
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        short = _middle(name, room)
        if short in found.values():
            mark = f"{len(found) + 1}:"
            short = mark + _middle(name, room - len(mark))
        found[name] = short
    return found


def _middle(name: str, room: int) -> str:
    if len(name) <= room:
        return name
    tail = room // 2
    return f"{name[: room - tail - 1]}…{name[-tail:]}"


def print_named(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[str] = ("track", "method")
) -> None:
    """Print a table of methods: one track goes into the title, a terminal shows long names shortened and explained.

    What is too wide for the terminal is printed as further tables below, each with the names.

    Parameters
    ----------
    title : str
        Printed above; may be empty.
    header : sequence of str
        With a column ``method``.
    rows : sequence of sequence of str
        Cells.
    left : sequence of str
        Columns flush left.
    """
    names, table = list(header), [list(row) for row in rows]
    if "track" in names and len({row[names.index("track")] for row in table}) == 1:
        at = names.index("track")
        title = f"{title}, {table[0][at]} track" if title else f"{table[0][at]} track"
        names, table = names[:at] + names[at + 1 :], [row[:at] + row[at + 1 :] for row in table]
    held = [place for place, name in enumerate(names) if name in ("method", "against")]
    columns = output.output_width()
    room = max(_NARROWEST, min(_LONGEST, columns - _BESIDE)) if columns else sys.maxsize
    short = shortened([row[place] for row in table for place in held], room)
    for row in table:
        for place in held:
            row[place] = short[row[place]]
    if title:
        say(title)
    right = [place for place, name in enumerate(names) if name not in left]
    output.print_table([names, *table], right=right, keys=held[0] + 1)
    for name, shown in short.items():
        if shown != name:
            output.echo(f"  {shown} = {name}")
