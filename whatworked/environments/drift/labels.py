"""Hidden labels: four coordinates over alphabets of 3, 3, 4 and 4 letters, packed into one number."""

from __future__ import annotations

from collections.abc import Sequence

ALPHABETS = (3, 3, 4, 4)
"""How many values each coordinate takes."""
_STRIDES = (48, 16, 4, 1)
COUNT = 144
"""How many labels there are."""


def pack(coordinates: Sequence[int]) -> int:
    """The number of a label.

    Examples
    --------
    >>> pack((1, 2, 3, 1)), unpack(93)
    (93, (1, 2, 3, 1))
    """
    return sum(value * stride for value, stride in zip(coordinates, _STRIDES, strict=True))


def unpack(label: int) -> tuple[int, int, int, int]:
    """The four coordinates of a label's number."""
    a, b, c, d = (label // stride % size for stride, size in zip(_STRIDES, ALPHABETS, strict=True))
    return a, b, c, d


def with_value(label: int, coordinate: int, value: int) -> int:
    """The label with one coordinate set.

    Examples
    --------
    >>> unpack(with_value(pack((1, 2, 3, 1)), 2, 0))
    (1, 2, 0, 1)
    """
    return label + (value - label // _STRIDES[coordinate] % ALPHABETS[coordinate]) * _STRIDES[coordinate]


def next_label(label: int, coordinate: int) -> int:
    """The label with one coordinate one step further round its alphabet.

    Examples
    --------
    >>> unpack(next_label(pack((1, 2, 3, 1)), 1))
    (1, 0, 3, 1)
    """
    value = label // _STRIDES[coordinate] % ALPHABETS[coordinate]
    return with_value(label, coordinate, (value + 1) % ALPHABETS[coordinate])
