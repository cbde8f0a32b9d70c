"""Tables whose values go by masks, whatever their order: mappings, and what has an index, as a pandas Series does."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from whatworked.wording import first_few


def values_by_mask(values: object) -> Mapping[Any, Any] | None:
    """Values by mask, if that is how they are given; None where they go by their order.

    A mapping is by mask. So is what has an index, as a pandas Series, if its index holds text. Taken for an array, such
    a Series would be read in its own order, whatever its index says.

    Raises
    ------
    ValueError
        If an index holds a label twice, or holds neither text nor labels in ascending order: then it says another order
        than the values have. The message goes on after "they are", for callers that raise an error of their own.

    Examples
    --------
    >>> values_by_mask({"1": 0.5, "0": 0.25}), values_by_mask([0.25, 0.5])
    ({'1': 0.5, '0': 0.25}, None)
    """
    if isinstance(values, Mapping):
        return values
    keys, items = getattr(values, "keys", None), getattr(values, "items", None)
    if not callable(keys) or not callable(items):
        return None
    return dict(items()) if _are_masks(keys()) else None


def rows_by_mask(frame: object) -> list[Mapping[Any, Any]] | None:
    """Rows of a table with a named column for each mask, as a pandas DataFrame; None for anything else.

    Raises
    ------
    ValueError
        As `values_by_mask`, of the names of the columns.
    """
    columns, rows = getattr(frame, "columns", None), getattr(frame, "itertuples", None)
    if columns is None or not callable(rows) or not _are_masks(columns):
        return None
    return [dict(zip(columns, row, strict=True)) for row in rows(index=False, name=None)]


def _are_masks(labels: Iterable[Any]) -> bool:
    """Whether labels are text; otherwise they must be in order, since they are not looked at again."""
    known = list(labels)
    if len(set(known)) < len(known):
        twice = next(label for label in known if known.count(label) > 1)
        raise ValueError(f"given for {twice!r} more than once in its index; give each mask once")
    if any(isinstance(label, str) for label in known):
        return True
    try:
        ordered = all(before < after for before, after in itertools.pairwise(known))
    except TypeError:
        ordered = False
    if not ordered:
        shown = first_few([repr(label) for label in known], 3)
        raise ValueError(f"indexed by {shown}, which are neither masks nor in order; give masks as the index")
    return False
