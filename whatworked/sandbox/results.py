"""What a program delivered: bytes that it may have written as it liked, taken only if they are JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from whatworked.storage.json_text import parse_json

MOST_VALUES = 1 << 20


def check_result(content: bytes, most: int) -> tuple[str | None, str | None]:
    """The text of a delivered result, or why it is not given; neither if nothing was delivered.

    Parameters
    ----------
    content : bytes
        What was written, at most one byte more than `most`.
    most : int
        Bytes that are allowed.

    Returns
    -------
    text, problem : str or None
        At least one of them is None.

    Examples
    --------
    >>> check_result(b'{"0101": 0.5}', 100)
    ('{"0101": 0.5}', None)
    >>> check_result(b"[NaN]", 100)
    (None, 'the result is not given: it holds NaN, which is no number')
    """
    if not content:
        return None, None
    if len(content) > most:
        return None, f"the result is not given: it has more than the {most} bytes allowed"
    try:
        value = parse_json(content, MOST_VALUES, MOST_VALUES)
    except ValueError as error:
        return None, f"the result is not given: {error}"
    if not all(math.isfinite(number) for number in _floats(value)):
        return None, "the result is not given: it holds a number too large for a float"
    return content.decode(), None


def _floats(value: Any) -> Iterator[float]:
    """All floats in a value, at any depth, without recursion."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, float):
            yield item
        elif isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
