"""Reading the table of costs. It is volatile: what cannot be read leaves a run without costs, not without results."""

from __future__ import annotations

import csv
import io
import logging
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from whatworked.errors import StorageError
from whatworked.grading.record import Key, place_of
from whatworked.runs.description import RecordCost
from whatworked.runs.tidy import COST_COLUMNS
from whatworked.storage.files import read_file
from whatworked.wording import from_csv_text

_log = logging.getLogger(__name__)
LARGEST = 1 << 30
"""Bytes that the table may have: ten million records take less."""
_LATER = {"fits"}
"""Columns that runs made before them lack."""


def read_costs(path: Path, keys: Sequence[Key]) -> tuple[RecordCost, ...]:
    """The costs of the records with `keys`; if they are damaged, none, with a warning that names file and cause.

    Parameters
    ----------
    path : Path
        The table; without it there are no costs, and no warning.
    keys : sequence of tuple
        Condition, method, budget and seed of every record.

    Returns
    -------
    tuple of RecordCost
        One per record, or none.
    """
    if not path.exists() and not path.is_symlink():
        return ()
    try:
        if not path.is_file():
            raise ValueError("it is not a regular file")
        costs = tuple(_rows(read_file(path, LARGEST).decode("utf-8-sig")))
        _check(costs, keys)
    except (OSError, StorageError, ValueError, csv.Error) as error:
        _log.warning(
            "%s is left out, so no seconds are shown: %s. Results do not depend on it; put the file back, or run the "
            "bench command again with --fresh",
            path,
            _cause(error),
        )
        return ()
    return costs


def _cause(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "its text is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)


def _rows(text: str) -> Iterator[RecordCost]:
    # CSV holds texts, so numbers are read from texts. An empty cell is a count that was not made.
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    header = reader.fieldnames or []
    lacking = [name for name in COST_COLUMNS if name not in header and name not in _LATER]
    if lacking or set(header) - set(COST_COLUMNS) or len(set(header)) < len(header):
        raise ValueError(f"its first line is not {','.join(COST_COLUMNS)}")
    for row in reader:
        cells = {name: from_csv_text(cell) if isinstance(cell, str) else cell for name, cell in row.items() if cell}
        if not cells:
            continue
        if None in row or None in row.values():
            raise ValueError(f"line {reader.line_num} has not one cell per column")
        try:
            cost = msgspec.convert(cells, RecordCost, strict=False)
        except msgspec.ValidationError as error:
            raise ValueError(f"line {reader.line_num}: {error}") from None
        numbers = (cost.asks, cost.fits or 0, cost.policy_seconds, cost.fit_seconds)
        if not all(math.isfinite(number) and number >= 0 for number in numbers):
            raise ValueError(f"line {reader.line_num} has a cost that is negative or not finite")
        yield cost


def _check(costs: Sequence[RecordCost], keys: Sequence[Key]) -> None:
    found = [cost.key for cost in costs]
    if len(set(found)) < len(found):
        raise ValueError("a record stands in it twice")
    if foreign := set(found) - set(keys):
        raise ValueError(f"the run has no record {place_of(min(foreign))}")
    if lost := set(keys) - set(found):
        raise ValueError(f"it lacks {place_of(min(lost))}")
