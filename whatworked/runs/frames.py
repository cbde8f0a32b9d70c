"""Results as data frames of pandas, which is imported only here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from whatworked.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd


def frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a data frame.

    Parameters
    ----------
    rows : sequence of mapping of str to object
        With the same columns.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    MissingExtraError
        If pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError(
            "data frames need pandas; install it with: pip install pandas, or use rows(), which needs nothing"
        ) from error
    return pd.DataFrame([dict(row) for row in rows])
