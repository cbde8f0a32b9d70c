"""A complete table of settings and results from elsewhere as a response surface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from whatworked.campaigns.scale import Direction, Scale
from whatworked.campaigns.tables import one_each, options_of, read_rows, results_of, value_column
from whatworked.errors import InvalidOptionError, InvalidSurfaceError
from whatworked.surfaces.exports import LabelledSurface
from whatworked.surfaces.masks import mask_strings
from whatworked.surfaces.surface import ResponseSurface
from whatworked.wording import counted

if TYPE_CHECKING:
    from whatworked.campaigns.options import Option

_NAMED = 3
"""Settings that a message names."""


def read_surface(
    path: Path, value: str | None = None, direction: Direction | None = None
) -> tuple[LabelledSurface, str]:
    """The response surface of a CSV file that has a result for every setting.

    Parameters
    ----------
    path : Path
        With a column for each option, of two levels each, and one for results.
    value : str, optional
        The column of results; by default the last.
    direction : {"maximize", "minimize"}, optional
        Which results are good; by default large ones.

    Returns
    -------
    surface : LabelledSurface
        Results from 0 to 1 of which large ones are good are utilities as they are. Others are mapped in a straight line
        to 0 to 1.
    note : str
        The map in words.

    Raises
    ------
    InvalidOptionError
        If the file is no such table, or a setting stands twice with two results.
    InvalidSurfaceError
        If settings are missing or have no result.
    StorageError
        If the file cannot be read.
    """
    rows = read_rows(path)
    column = value_column(rows, value)
    options = options_of(rows, column)
    found = one_each(results_of(rows, options, column))
    masks = mask_strings(len(options))
    _check_complete(path, options, masks, found)
    values = np.array([found[mask] for mask in masks], dtype=np.float64)
    scale = Scale(direction or "maximize")
    if refused := [mask for mask, result in zip(masks, values.tolist(), strict=True) if scale.refusal(result)]:
        raise InvalidOptionError(f"{path}: the result of setting {refused[0]} is no finite number; correct it")
    if direction != "minimize" and values.min() >= 0.0 and values.max() <= 1.0:
        utilities, note = values, f"utility is {column}, as it stands in {path.name}"
    else:
        unit_map = scale.fitted(values)
        # Within rounding of the ends, and without a negative zero.
        utilities = np.clip(unit_map.utilities(values), 0.0, 1.0) + 0.0
        low, high = (unit_map.high, unit_map.low) if direction == "minimize" else (unit_map.low, unit_map.high)
        note = (
            f"utility runs in a straight line from 0 at {column} {low:g} to 1 at {high:g}: "
            f"an effect of +0.1 is {unit_map.change_text(0.1)}"
        )
    names = tuple(f"{option.label(0)} / {option.label(1)}" for option in options)
    surface = ResponseSurface(tuple(option.name for option in options), utilities, name=path.name)
    return LabelledSurface(surface, "", path.name, "", names), note


def _check_complete(
    path: Path, options: Sequence[Option], masks: Sequence[str], found: Mapping[str, float | str]
) -> None:
    missing = [mask for mask in masks if not isinstance(found.get(mask), float)]
    if not missing:
        return
    settings = [
        ", ".join(f"{option.name}={option.label(int(bit))}" for option, bit in zip(options, mask, strict=True))
        for mask in missing[:_NAMED]
    ]
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    raise InvalidSurfaceError(
        f"{path} has no result for {counted(len(missing), 'setting')} of {len(masks)}: {'; '.join(settings)}{more}. "
        "Run them, or estimate effects from what is there with `whatworked measure tell DIR --file FILE`"
    )
