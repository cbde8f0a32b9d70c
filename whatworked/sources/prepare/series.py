"""Series: columns unrolled, gaps filled forward."""

from __future__ import annotations

import math

import numpy as np

from whatworked.catalog.manifest_layout import Manifest, SeriesPreparation
from whatworked.declaration.prepared import PreparedInput
from whatworked.errors import RawDataError
from whatworked.sources.prepare.features import numbers
from whatworked.sources.raw import RawTable
from whatworked.surfaces.masks import FloatArray


def prepare_series(manifest: Manifest, how: SeriesPreparation, raw: RawTable) -> PreparedInput:
    """One series of shape (rows times columns,), row after row; `cut` = floor(train fraction times length).

    A missing value takes the latest preceding one.

    Raises
    ------
    RawDataError
        If a column is missing, a cell is neither empty nor a number, or the first value is missing.
    """
    series = np.column_stack([numbers(raw, name, empty=math.nan) for name in how.columns]).ravel()
    if math.isnan(series[0]):
        raise RawDataError(f"{raw.origin}: the first value is missing, so nothing can fill it")
    cut = math.floor(how.train_fraction * len(series))
    return PreparedInput(manifest.id, manifest.family, {"series": _filled(series)}, {"cut": cut})


def _filled(series: FloatArray) -> FloatArray:
    known = np.where(np.isnan(series), 0, np.arange(len(series)))
    return series[np.maximum.accumulate(known)]
