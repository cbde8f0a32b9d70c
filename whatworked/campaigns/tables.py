"""Results from elsewhere: a CSV file with a column for each option, of two levels each, and one of results."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from whatworked.campaigns.coding import Coding, inputs_of
from whatworked.campaigns.options import Option, read_options
from whatworked.errors import InvalidOptionError
from whatworked.storage.files import read_file
from whatworked.wording import counted

_LARGEST = 50_000_000
_PAIRS = (("0", "1"), ("off", "on"), ("false", "true"), ("no", "yes"))


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file with a header; raises `InvalidOptionError` for one that has no rows or uneven ones."""
    try:
        text = read_file(path, _LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidOptionError(f"{path} is not UTF-8: {error}; save it as UTF-8") from None
    reader = csv.DictReader(io.StringIO(text), strict=True)
    try:
        rows = [_checked(row, reader.line_num, path) for row in reader]
    except csv.Error as error:
        raise InvalidOptionError(f"{path}, line {reader.line_num}: {error}; correct it") from None
    if not rows:
        raise InvalidOptionError(f"{path} has no rows behind its header; give one for each setting")
    return rows


def _checked(row: Mapping[str | Any, str | Any], line: int, path: Path) -> dict[str, str]:
    # The reader puts what is too much under None, and None where something is missing.
    if None in row or None in row.values():
        raise InvalidOptionError(f"{path}, line {line} has another number of cells than the header; correct it")
    return {name.strip(): cell.strip() for name, cell in row.items()}


def options_of(rows: Sequence[dict[str, str]], value: str) -> tuple[Option, ...]:
    """Options of the columns besides the results; levels in the order of 0/1, off/on, no/yes, numbers or rows."""
    levels: dict[str, tuple[str, ...]] = {}
    for name in rows[0]:
        if name == value:
            continue
        found = tuple(dict.fromkeys(row[name] for row in rows))
        if len(found) != 2:
            raise InvalidOptionError(
                f"column {name!r} has {counted(len(found), 'level')}; an option has two. Take other columns out of the "
                "file, or name the options of a campaign with --option"
            )
        levels[name] = _ordered(found)
    return read_options(levels)


def _ordered(levels: tuple[str, ...]) -> tuple[str, ...]:
    for pair in _PAIRS:
        if {level.lower() for level in levels} == set(pair):
            return tuple(sorted(levels, key=lambda level: pair.index(level.lower())))
    try:
        return tuple(sorted(levels, key=float))
    except ValueError:
        return levels


def value_column(rows: Sequence[dict[str, str]], name: str | None) -> str:
    """The column of results: the one named, or the last."""
    chosen = name or list(rows[0])[-1]
    if chosen not in rows[0]:
        raise InvalidOptionError(f"there is no column {chosen!r}; there are {', '.join(rows[0])}")
    return chosen


def results_of(
    rows: Sequence[dict[str, str]], options: Sequence[Option], value: str, codings: Sequence[Coding] = ()
) -> list[tuple[str, float | str]]:
    """Masks and results. A cell that is no number is the reason of a hole; an empty one is not taken in."""
    found: list[tuple[str, float | str]] = []
    for number, row in enumerate(rows, 2):
        bits: dict[str, int] = {}
        for place in inputs_of(options, codings):
            bits |= _coded(place, row) if isinstance(place, Coding) else {place.name: _bit(place, row, number)}
        mask = "".join(str(bits[option.name]) for option in options)
        if not (cell := row[value]):
            continue
        found.append((mask, number_or_reason(cell)))
    return found


def one_each(results: Sequence[tuple[str, float | str]]) -> dict[str, float | str]:
    """Results by mask; raises `InvalidOptionError` where a setting has two that differ."""
    found: dict[str, float | str] = {}
    for mask, result in results:
        held = found.setdefault(mask, result)
        if held is not result and held != result:  # what is no number differs from itself
            raise InvalidOptionError(
                f"setting {mask} has the results {found[mask]} and {result}; leave one of them, or measure with noise, "
                "where repeats count"
            )
    return found


def number_or_reason(text: str) -> float | str:
    """A told result: a number, or the reason why there is none."""
    try:
        return float(text)
    except ValueError:
        return text


def _coded(coding: Coding, row: dict[str, str]) -> dict[str, int]:
    if coding.name not in row:
        raise InvalidOptionError(f"there is no column {coding.name!r}; there are {', '.join(row)}")
    return coding.bits(coding.number_of(row[coding.name]))


def _bit(option: Option, row: dict[str, str], number: int) -> int:
    if option.name not in row:
        raise InvalidOptionError(f"there is no column {option.name!r}; there are {', '.join(row)}")
    cell = row[option.name].lower()
    labels = [option.label(bit).lower() for bit in (0, 1)]
    if cell in labels:
        return labels.index(cell)
    if labels == ["off", "on"]:
        for pair in _PAIRS:
            if cell in pair:
                return pair.index(cell)
    raise InvalidOptionError(
        f"row {number}: option {option.name!r} is {row[option.name]!r}; its levels are {' and '.join(labels)}"
    )
