"""Delimited text: comma, tab or white space; with or without a header line."""

from __future__ import annotations

import csv
from collections.abc import Mapping

from whatworked.catalog.manifest_layout import TableReader
from whatworked.errors import RawDataError
from whatworked.sources.raw import RawBytes, RawTable
from whatworked.sources.readers import single


def read_table(reader: TableReader, files: Mapping[str, RawBytes]) -> RawTable:
    """Read delimited UTF-8 text into named columns of text cells; lines without any field are passed over.

    Raises
    ------
    RawDataError
        If the text is not UTF-8, a line has another number of fields than the columns, a column name stands twice,
        there is no row, or there is no column that labels are given for.
    """
    raw = single(files)
    rows = [row for row in _rows(reader, raw) if row]
    names = list(reader.columns) or [name.strip() for name in rows.pop(0)] if rows or reader.columns else []
    if not rows:
        raise RawDataError(f"{raw.origin}: no rows of data; fetch the file again")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise RawDataError(f"{raw.origin}: columns named more than once: {', '.join(repeated)}")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise RawDataError(
                f"{raw.origin}: data row {number} has {len(row)} fields, expected {len(names)} "
                f"({', '.join(names[:6])}, …); the file is cut short or of another layout"
            )
    columns = {name: [row[position].strip() for row in rows] for position, name in enumerate(names)}
    for name, official in reader.labels.items():
        if name not in columns:
            raise RawDataError(f"{raw.origin}: labels are given for column {name!r}, which it has not")
        columns[name] = [official.get(cell, cell) for cell in columns[name]]
    return RawTable(columns, len(rows), raw.origin)


def _rows(reader: TableReader, raw: RawBytes) -> list[list[str]]:
    lines = raw.data.decode("utf-8-sig").replace("\r\n", "\n").split("\n")[reader.skip_lines :]
    if not reader.delimiter:
        return [line.split() for line in lines]
    try:
        return list(csv.reader(lines, delimiter=reader.delimiter, strict=True))
    except csv.Error as error:
        raise RawDataError(f"{raw.origin}: not a table of fields separated by {reader.delimiter!r}: {error}") from error
