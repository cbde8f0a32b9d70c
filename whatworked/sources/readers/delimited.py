"""Delimited text: comma, tab or white space; with or without a header line."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from whatworked.catalog.manifest_layout import TableReader
from whatworked.errors import RawDataError
from whatworked.sources.raw import RawBytes, RawTable
from whatworked.sources.readers import single
from whatworked.wording import first_few


def read_table(reader: TableReader, files: Mapping[str, RawBytes]) -> RawTable:
    """Read delimited UTF-8 text into named columns of text cells.

    Lines without any character are passed over; not so between the rows of a table of one column, where such a line
    may mean a missing value.

    Raises
    ------
    RawDataError
        If the text is not UTF-8, a line has another number of fields than the columns or only empty ones, a column has
        no name or one that stands twice, there is no row, or there is no column that labels are given for.
    """
    raw = single(files)
    rows = _without_final_blanks(list(_rows(reader, raw)))
    names = list(reader.columns) or _header(rows, raw.origin)
    if len(names) > 1:
        rows = [row for row in rows if row]
    if not rows:
        raise RawDataError(f"{raw.origin}: no rows of data; fetch the file again")
    for number, row in enumerate(rows, start=1):
        _check_row(number, row, names, raw.origin)
    columns = {name: [row[position].strip() for row in rows] for position, name in enumerate(names)}
    for name, official in reader.labels.items():
        if name not in columns:
            raise RawDataError(f"{raw.origin}: labels are given for column {name!r}, which it has not")
        columns[name] = [official.get(cell, cell) for cell in columns[name]]
    return RawTable(columns, len(rows), raw.origin)


def _rows(reader: TableReader, raw: RawBytes) -> Iterator[list[str]]:
    # Universal newlines that are not translated: an end of line inside quotes is part of its cell.
    lines = io.StringIO(raw.data.decode("utf-8-sig"), newline="")
    for _ in range(reader.skip_lines):
        next(lines, None)
    if not reader.delimiter:
        yield from (line.split() for line in lines)
        return
    try:
        yield from csv.reader(lines, delimiter=reader.delimiter, strict=True)
    except csv.Error as error:
        raise RawDataError(f"{raw.origin}: not a table of fields separated by {reader.delimiter!r}: {error}") from error


def _without_final_blanks(rows: list[list[str]]) -> list[list[str]]:
    last = max((number for number, row in enumerate(rows, start=1) if row), default=0)
    return rows[:last]


def _header(rows: list[list[str]], origin: str) -> list[str]:
    """Names of the columns from the first line with any field, which is taken out of `rows`."""
    while rows and not rows[0]:
        del rows[0]
    names = [name.strip() for name in rows.pop(0)] if rows else []
    repeated = sorted(name for name, count in Counter(names).items() if name and count > 1)
    if repeated:
        raise RawDataError(f"{origin}: columns named more than once: {', '.join(repeated)}")
    if "" in names:
        raise RawDataError(
            f"{origin}: column {names.index('') + 1} has no name in the header; name it, or skip the header with "
            "skip_lines and list all columns in the manifest's reader"
        )
    return names


def _check_row(number: int, row: Sequence[str], names: Sequence[str], origin: str) -> None:
    if len(row) != len(names) and (row or len(names) > 1):
        raise RawDataError(
            f"{origin}: data row {number} has {len(row)} fields, expected {len(names)} "
            f"({first_few(names, 6)}); the file is cut short or of another layout"
        )
    if not any(cell.strip() for cell in row) and (len(names) > 1 or not row):
        raise RawDataError(f"{origin}: data row {number} is empty; take it out, or write the missing cells as they are")
