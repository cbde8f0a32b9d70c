"""Series: columns unrolled, gaps filled forward."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import numpy as np

from whatworked.catalog.manifest_layout import Manifest, SeriesPreparation
from whatworked.declaration.prepared import PreparedInput
from whatworked.errors import RawDataError
from whatworked.sources.prepare.cells import numbers, require_columns
from whatworked.sources.raw import RawTable
from whatworked.surfaces.masks import FloatArray

TIMES = ("date", "datetime", "ds", "time", "timestamp", "year")
"""Names, whatever their case, of a column that is taken for the time where the manifest names none."""


def prepare_series(manifest: Manifest, how: SeriesPreparation, raw: RawTable) -> PreparedInput:
    """One series of shape (rows times columns,), row after row; `cut` = floor(train fraction times length).

    A missing value takes the latest preceding one. Rows must stand in the order of their time, if a column says it.

    Raises
    ------
    RawDataError
        If a column is missing, a cell is neither empty nor a number, the first value is missing, or a time stands twice
        or out of order.
    """
    _check_times(how, raw)
    series = np.column_stack([numbers(raw, name, empty=math.nan) for name in how.columns]).ravel()
    if math.isnan(series[0]):
        raise RawDataError(
            f"{raw.origin}: the first value is missing, so nothing can fill it; start at the first known"
        )
    cut = how.cut(len(series))
    return PreparedInput(manifest.id, manifest.family, {"series": _filled(series)}, {"cut": cut})


def _filled(series: FloatArray) -> FloatArray:
    known = np.where(np.isnan(series), 0, np.arange(len(series)))
    return series[np.maximum.accumulate(known)]


def _check_times(how: SeriesPreparation, raw: RawTable) -> None:
    name = how.time or _time_column(how, raw)
    if not name:
        return
    require_columns(raw, [name])
    cells = raw.columns[name]
    times = [_moment(cell) for cell in cells]
    unknown = next((row for row, time in enumerate(times, start=1) if time is None), None)
    if unknown is not None and how.time:
        raise RawDataError(
            f"{raw.origin}: column {name!r}, row {unknown}: {cells[unknown - 1]!r} is no time; write a number or a "
            "date as 2026-09-07"
        )
    _check_unique(name, raw)
    if unknown is not None:
        return
    known = np.array(times, dtype=np.float64)
    if (backward := np.flatnonzero(np.diff(known) <= 0)).size:
        row = int(backward[0]) + 2
        raise RawDataError(
            f"{raw.origin}: column {name!r}, row {row}: {cells[row - 1]!r} comes after {cells[row - 2]!r}; sort the "
            "rows by time, or name the column that holds it with time in the manifest's preparation"
        )


def _check_unique(name: str, raw: RawTable) -> None:
    first: dict[str, int] = {}
    for row, cell in enumerate(raw.columns[name], start=1):
        if first.setdefault(cell, row) != row:
            raise RawDataError(
                f"{raw.origin}: column {name!r}, row {row}: {cell!r} stands twice, first in row {first[cell]}; keep "
                "one row for each time, or name the column that holds it with time in the manifest's preparation"
            )


def _time_column(how: SeriesPreparation, raw: RawTable) -> str:
    """The one column that is called like a time; none if there are several, or it is part of the series."""
    named = [name for name in raw.columns if name.casefold() in TIMES]
    return named[0] if len(named) == 1 and named[0] not in how.columns else ""


def _moment(cell: str) -> float | None:
    """A number or an ISO date and time as a number; None for anything else."""
    try:
        return float(cell) if math.isfinite(float(cell)) else None
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(cell)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
