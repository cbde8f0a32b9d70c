"""Reading JSON that others wrote: what it would take in memory is bounded before it is parsed.

Two characters of text can make an object of a hundred bytes and more, so the length of a text bounds nothing. What
counts is how many values and containers there are, which is seen from the text without parsing it.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

CONTAINERS = 1 << 20
"""Arrays and objects that a text may have. One takes up to 232 bytes, so all of them take 0.25 GB at most."""
VALUES = 1 << 23
"""Values that a text may have. A number takes up to 32 bytes in a list, so all of them take 0.27 GB at most."""


def parse_json(text: bytes, containers: int = CONTAINERS, values: int = VALUES, *, constants: bool = False) -> Any:
    """The value of a JSON text in UTF-8, read strictly and within bounded memory.

    Parameters
    ----------
    text : bytes
        The text; the caller bounds its length.
    containers, values : int
        How many arrays and objects, and how many values, it may have.
    constants : bool
        Whether NaN and infinities come through, for a caller who names them himself.

    Returns
    -------
    object

    Raises
    ------
    ValueError
        For what is no JSON, is nested too deeply, has too many values, a number of too many digits, NaN or an infinity,
        half a surrogate pair, or a key twice in one object. It says which.

    Examples
    --------
    >>> parse_json(b'{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    """
    check_amount(text, containers, values)
    try:
        content = json.loads(
            text.decode("utf-8"), object_pairs_hook=_distinct, parse_constant=None if constants else _no_constant
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError as error:
        # Python's own words for it advise to change a setting of the interpreter.
        if "set_int_max_str_digits" in str(error):
            raise ValueError("it has a number of too many digits") from None
        raise
    return content


def check_amount(text: bytes, containers: int, values: int) -> None:
    """Raise ValueError for a text with more arrays and objects, or more values, than are allowed.

    Brackets and commas inside strings count as well.
    """
    if (found := text.count(b"[") + text.count(b"{")) > containers:
        raise ValueError(f"it has {found} arrays and objects, more than the {containers} allowed")
    if (found := text.count(b",") + 1) > values:
        raise ValueError(f"it has {found} values, more than the {values} allowed")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        (repeated, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"it has the key {repeated[:40]!r} more than once in one object")
    return content


def _no_constant(name: str) -> float:
    raise ValueError(f"it holds {name}, which is no number")
