"""Masks and the geometry of the cube {0, 1}^d.

A mask is one setting of all d options. It has three equivalent forms: a 0/1 string with option A leftmost (``"0110"``,
what people and files see), its rank in canonical order (``6``, ascending binary), and a row of bits (``[0, 1, 1, 0]``,
what estimators see). Arrays over a whole cube are always in canonical order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from whatworked.arguments import is_several, shown
from whatworked.errors import InvalidMaskError
from whatworked.surfaces.keyed import values_by_mask
from whatworked.wording import first_few

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BitArray = npt.NDArray[np.int8] | npt.NDArray[np.float64]
"""Rows of 0 and 1: int8 inside the package, float64 where plug-ins get them, since products of int8 wrap at 127."""

MAX_OPTIONS = 20
"""Largest number of options the mathematics is built and measured for."""


def real_numbers(values: npt.ArrayLike) -> FloatArray:
    """A copy of an array-like of any shape as float64, which need not be finite.

    Raises
    ------
    ValueError
        If it is ragged, holds text, booleans, complex numbers or objects, or has masked cells. The message goes on
        after "they are", for callers that raise an error of their own.

    Examples
    --------
    >>> real_numbers([0, 0.5]).tolist()
    [0.0, 0.5]
    >>> real_numbers([True, False])
    Traceback (most recent call last):
        ...
    ValueError: of type bool, not real numbers
    """
    # np.asarray drops the mask of a masked array and hands over what lies under it.
    if isinstance(values, np.ma.MaskedArray) and (hidden := int(np.ma.getmaskarray(values).sum())):
        raise ValueError(f"not complete: {hidden} masked")
    try:
        given = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"not a table: {error}") from error
    # numpy would turn flags and digits in quotes into numbers. Both are mistakes of whoever made the table.
    if given.dtype.kind not in "iuf":
        raise ValueError(f"of type {given.dtype}, not real numbers")
    # Of flags among numbers, numpy makes numbers before it can be asked.
    if isinstance(values, list | tuple) and any(isinstance(value, bool | np.bool_) for value in values):
        raise ValueError("of type bool in places, not real numbers")
    return given.astype(np.float64)


def check_dimensions(d: int) -> int:
    """Return `d` if it is a supported number of options, else raise `InvalidMaskError`."""
    # True is an integer to Python, and would pass for one option.
    if isinstance(d, bool) or not isinstance(d, int | np.integer) or not 1 <= d <= MAX_OPTIONS:
        raise InvalidMaskError(f"number of options is {shown(d)}; allowed are the integers 1 to {MAX_OPTIONS}")
    return int(d)


def dimensions_of(cells: int) -> int:
    """Number of options of a table with `cells` cells; raises `InvalidMaskError` unless that is 2**d, 1 <= d <= 20."""
    d = int(cells).bit_length() - 1
    if d < 1 or 1 << d != cells or d > MAX_OPTIONS:
        raise InvalidMaskError(f"a table has {cells} cells; a complete cube has 2**d of them, 1 <= d <= {MAX_OPTIONS}")
    return d


def cube_table(values: npt.ArrayLike) -> tuple[FloatArray, int]:
    """A copy of a complete table in canonical order as float64, shape (2**d,), and its number of options d.

    Raises
    ------
    InvalidMaskError
        If it is not one row of 2**d numbers, 1 <= d <= 20.
    """
    try:
        table = real_numbers(in_canonical_order(values))
    except ValueError as error:
        raise InvalidMaskError(
            f"the values of a table are {error}; give one number for each mask, in canonical order"
        ) from error
    if table.ndim != 1:
        raise InvalidMaskError(f"a table has shape {table.shape}; give one row of 2**d values in canonical order")
    return table, dimensions_of(table.size)


def in_canonical_order(values: npt.ArrayLike, d: int | None = None) -> npt.ArrayLike:
    """The values of a table of `d` options in canonical order, if they are given by mask; otherwise as they are.

    Raises
    ------
    ValueError
        If the masks are not those of the cube. The message goes on after "they are".
    """
    by_mask = values_by_mask(values)
    if by_mask is None:
        return values
    masks = mask_strings(len(by_mask).bit_length() - 1 if d is None else d) if by_mask else ()
    if set(by_mask) != set(masks):
        raise ValueError(f"not those of the {len(masks)} masks of a cube; give each mask exactly once")
    return [by_mask[mask] for mask in masks]


def mask_string(rank: int, d: int) -> str:
    """Mask of a canonical rank as a string.

    Parameters
    ----------
    rank : int
        From 0 to 2**d - 1; not checked.
    d : int
        Number of options.

    Returns
    -------
    str

    Examples
    --------
    >>> mask_string(6, 4)
    '0110'
    """
    if isinstance(rank, bool) or not isinstance(rank, int | np.integer):
        raise InvalidMaskError(f"the rank of a mask is {shown(rank)}; it must be a whole number")
    return format(int(rank), f"0{d if type(d) is int and 0 <= d <= MAX_OPTIONS else check_dimensions(d)}b")


def mask_strings(d: int) -> tuple[str, ...]:
    """All 2**d masks in canonical (lexical) order.

    Parameters
    ----------
    d : int
        Number of options, 1 to 20.

    Returns
    -------
    tuple of str, length 2**d

    Raises
    ------
    InvalidMaskError
        For another number of options.

    Examples
    --------
    >>> mask_strings(2)
    ('00', '01', '10', '11')
    """
    return _mask_strings(check_dimensions(d))


@lru_cache(maxsize=32)
def _mask_strings(d: int) -> tuple[str, ...]:
    return tuple(mask_string(rank, d) for rank in range(1 << d))


def mask_rank(mask: str, d: int | None = None) -> int:
    """Canonical rank of a mask string.

    Parameters
    ----------
    mask : str
        For instance ``"0110"``, option A leftmost.
    d : int, optional
        Number of options that the mask must have; default: as many as it has, up to 20.

    Returns
    -------
    int
        From 0 to 2**d - 1.

    Raises
    ------
    InvalidMaskError
        If `mask` is not a string of 0 and 1, or is not of length `d` when `d` is given.

    Examples
    --------
    >>> mask_rank("0110")
    6
    """
    # int(mask, 2) alone takes "0b1", "1_0" and " 1" as well.
    if not isinstance(mask, str) or not mask or set(mask) - {"0", "1"} or len(mask) > MAX_OPTIONS:
        raise InvalidMaskError(
            f"{shown(mask)} is not a mask; a mask is a string of {shown(d) if d is not None else 'd'} characters 0 or 1"
        )
    if d is not None and len(mask) != (d if type(d) is int else check_dimensions(d)):
        raise InvalidMaskError(
            f"mask {mask!r} has length {len(mask)}; this cube has {d} options, so its masks have {d}"
        )
    return int(mask, 2)


def any_mask_rank(mask: object, d: int) -> int:
    """Canonical rank of a mask in any of its three forms.

    Parameters
    ----------
    mask : str, int, or sequence of d bits
        For instance ``"0110"``, ``6`` or ``(0, 1, 1, 0)``; numpy's integers and arrays as well.
    d : int
        Number of options.

    Returns
    -------
    int
        From 0 to 2**d - 1.

    Raises
    ------
    InvalidMaskError
        If it is none of them: another length, a rank outside the cube, bits other than 0 and 1, a bool.

    Examples
    --------
    >>> any_mask_rank("0110", 4), any_mask_rank(6, 4), any_mask_rank((0, 1, 1, 0), 4)
    (6, 6, 6)
    """
    d = d if type(d) is int else check_dimensions(d)
    if isinstance(mask, str):
        return mask_rank(mask, d)
    flags = isinstance(mask, list | tuple) and any(isinstance(bit, bool | np.bool_) for bit in mask)
    if not flags and (isinstance(mask, list | tuple) or hasattr(mask, "__array__")):
        form = np.asarray(mask)
        numeric = form.dtype.kind in "iuf"
        if numeric and form.shape == (d,) and np.isin(form, (0, 1)).all():
            return int(ranks_of(form[np.newaxis])[0])
        mask = form.item() if numeric and form.ndim == 0 else mask
    # True is an integer to Python, and would pass for rank 1.
    if isinstance(mask, int) and not isinstance(mask, bool) and 0 <= mask < 1 << d:
        return mask
    raise InvalidMaskError(
        f"{shown(mask)} is no mask of {d} options; give a string of {d} characters 0 or 1, a rank from 0 to "
        f"{(1 << d) - 1}, or a sequence of {d} bits 0 or 1"
    )


def mask_ranks(masks: Iterable[str], d: int) -> IntArray:
    """Ranks of many mask strings; raises `InvalidMaskError` naming every offender (first five shown)."""
    d = d if type(d) is int else check_dimensions(d)
    if not is_several(masks):
        raise InvalidMaskError(f"masks are {shown(masks)}; give several, as in ['{'0' * d}']")
    ranks, offenders = [], []
    for mask in masks:
        try:
            ranks.append(mask_rank(mask, d))
        except InvalidMaskError:
            offenders.append(mask)
    if offenders:
        few = first_few([shown(mask) for mask in offenders])
        raise InvalidMaskError(f"{len(offenders)} of the masks are not strings of {d} characters 0 or 1: {few}")
    return np.array(ranks, dtype=np.int64)


def bits_of(ranks: npt.ArrayLike, d: int) -> BitArray:
    """Bits of masks given by rank.

    Parameters
    ----------
    ranks : array-like of int, shape (n,)
        Canonical ranks, from 0 to 2**d - 1; not checked.
    d : int
        Number of options.

    Returns
    -------
    ndarray of int8, shape (n, d)
        Column i is option i, A first.

    Examples
    --------
    >>> bits_of([6, 15], 4).tolist()
    [[0, 1, 1, 0], [1, 1, 1, 1]]
    """
    shifts = np.arange(check_dimensions(d) - 1, -1, -1)
    try:
        with np.errstate(invalid="ignore"):
            places = np.asarray(ranks, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        places = np.empty((0, 0), dtype=np.int64)
    if places.ndim != 1:
        raise InvalidMaskError(f"ranks of masks are {shown(ranks)}; give a list of whole numbers")
    return ((places[:, None] >> shifts) & 1).astype(np.int8)


def ranks_of(bits: npt.ArrayLike) -> IntArray:
    """Canonical ranks of masks given as rows of bits.

    Parameters
    ----------
    bits : array-like of 0 and 1, shape (n, d)
        Column i is option i, A first.

    Returns
    -------
    ndarray of int64, shape (n,)

    Raises
    ------
    InvalidMaskError
        If the array has another number of axes or holds anything but 0 and 1.

    Examples
    --------
    >>> ranks_of([[0, 1, 1, 0], [1, 1, 1, 1]]).tolist()
    [6, 15]
    """
    try:
        rows = np.asarray(bits)
    except ValueError as error:
        raise InvalidMaskError(f"masks are not rows of one length: {shown(bits)}; expected shape (n, d)") from error
    if rows.ndim != 2:
        raise InvalidMaskError(f"masks have shape {rows.shape}; expected (n, d)")
    if not np.isin(rows, (0, 1)).all():
        raise InvalidMaskError("masks hold values other than 0 and 1")
    weights = 1 << np.arange(rows.shape[1] - 1, -1, -1, dtype=np.int64)
    return np.asarray(rows.astype(np.int64) @ weights, dtype=np.int64)


def all_bits(d: int) -> BitArray:
    """Bits of the whole cube in canonical order.

    Parameters
    ----------
    d : int
        Number of options, 1 to 20.

    Returns
    -------
    ndarray of int8, shape (2**d, d)

    Raises
    ------
    InvalidMaskError
        For another number of options.
    """
    return bits_of(np.arange(1 << check_dimensions(d)), d)


def anchors(d: int) -> tuple[int, int]:
    """Ranks of the two masks that are measured for free: all options off, all options on.

    Parameters
    ----------
    d : int
        Number of options, 1 to 20.

    Returns
    -------
    (int, int)
        0 and 2**d - 1.

    Raises
    ------
    InvalidMaskError
        For another number of options.

    Examples
    --------
    >>> anchors(4)
    (0, 15)
    """
    return 0, (1 << check_dimensions(d)) - 1


def option_letters(d: int) -> tuple[str, ...]:
    """Letters of the options in the order of the mask.

    Parameters
    ----------
    d : int
        Number of options, 1 to 20.

    Returns
    -------
    tuple of str, length d

    Raises
    ------
    InvalidMaskError
        For another number of options.

    Examples
    --------
    >>> option_letters(4)
    ('A', 'B', 'C', 'D')
    """
    return tuple("ABCDEFGHIJKLMNOPQRST"[: check_dimensions(d)])


def edge_starts(d: int, option: int) -> IntArray:
    """Ranks, ascending, of the 2**(d-1) masks with `option` (0 = A) switched off."""
    ranks: IntArray = np.arange(1 << d, dtype=np.int64)
    starts: IntArray = ranks[(ranks >> (d - 1 - option)) & 1 == 0]
    return starts


def distances(left: npt.ArrayLike, right: npt.ArrayLike) -> IntArray:
    """Hamming distances between masks given by rank, shape (len(left), len(right))."""
    differing = np.asarray(left, dtype=np.int64)[:, None] ^ np.asarray(right, dtype=np.int64)[None, :]
    counts: IntArray = np.bitwise_count(differing).astype(np.int64)
    return counts


def as_strings(ranks: Sequence[int] | IntArray, d: int) -> tuple[str, ...]:
    """Mask strings of many ranks."""
    return tuple(mask_string(int(rank), d) for rank in ranks)
