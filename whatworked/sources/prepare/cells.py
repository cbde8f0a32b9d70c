"""Cells of a table as numbers and as class labels: read as they are meant, or refused with their row."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from whatworked.errors import RawDataError
from whatworked.sources.raw import RawTable
from whatworked.surfaces.masks import FloatArray, IntArray
from whatworked.wording import first_few

MISSING = frozenset(
    (
        *(
            "",
            "?",
            ".",
            "nan",
            "-nan",
            "+nan",
            "na",
            "n/a",
            "n.a.",
            "<na>",
            "null",
            "nil",
            "none",
            "missing",
            "undefined",
        ),
        *("#n/a", "#n/a n/a", "#na", "#null!", "#value!", "#ref!", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan", "nat"),
    )
)
"""What stands for no value in the files of common programs, in lower case; never a class."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INTEGER = re.compile(r"[+-]?0*([0-9]*)")
"""The group is the digits that count: of thousands of zeros before them Python makes no int."""


def numbers(raw: RawTable, name: str, empty: float | None = None) -> FloatArray:
    """Column `name` as float64 of shape (rows,); an empty cell becomes `empty` if that is given.

    Decimal numbers alone are read, with a point and without marks between digits. Python reads more: ``1_000``,
    ``nan``, ``inf``, digits of other scripts.

    Raises
    ------
    RawDataError
        If there is no such column, or a cell is no finite number, or one that float64 cannot hold.
    """
    require_columns(raw, [name])
    cells = enumerate(raw.columns[name], start=1)
    values = [_number(raw, name, row, cell) if cell or empty is None else empty for row, cell in cells]
    return np.array(values, dtype=np.float64)


def class_codes(raw: RawTable, name: str) -> IntArray:
    """Column `name` as numbers of its labels in their sorted order, int64 of shape (rows,).

    Raises
    ------
    RawDataError
        If there is no such column, a label stands for a missing value, cannot be printed, or differs from another in
        nothing but case, white space, quotes or the way a number is written.
    """
    require_columns(raw, [name])
    labels = raw.columns[name]
    first = {label: row for row, label in reversed(list(enumerate(labels, start=1)))}
    alike: dict[str, str] = {}
    for label, row in sorted(first.items(), key=lambda item: item[1]):
        where = f"{raw.origin}: column {name!r}, row {row}: class label {label!r}"
        if label.casefold() in MISSING:
            raise RawDataError(f"{where} stands for a missing value; leave the row out, or give it a name with labels")
        if not label.isprintable():
            raise RawDataError(f"{where} holds characters that cannot be printed; give it a name with labels")
        other = alike.setdefault(_essence(label), label)
        if other != label:
            raise RawDataError(
                f"{where} is {other!r} of row {first[other]} but for case, spacing or the way it is written; if they "
                "are one class write them alike, else give them names with labels"
            )
    codes = {label: code for code, label in enumerate(sorted(first))}
    return np.array([codes[label] for label in labels], dtype=np.int64)


def require_columns(raw: RawTable, names: Sequence[str]) -> None:
    """`RawDataError` naming the columns that are not there, and those that are."""
    missing = [name for name in names if name not in raw.columns]
    if missing:
        there = first_few(list(raw.columns), 12)
        raise RawDataError(f"{raw.origin}: missing column {', '.join(map(repr, missing))}; it has {there}")


def _number(raw: RawTable, name: str, row: int, cell: str) -> float:
    if not _NUMBER.fullmatch(cell):
        raise RawDataError(f"{raw.origin}: column {name!r}, row {row}: {cell!r} is no finite number{_advice(cell)}")
    value = float(cell)
    digits = re.split("[eE]", cell)[0]
    if not np.isfinite(value) or (value == 0.0 and digits.strip("+-.0")):
        raise RawDataError(f"{raw.origin}: column {name!r}, row {row}: {cell!r} is no finite number of 64 bits")
    whole = _INTEGER.fullmatch(cell)
    if whole and len(whole[1]) > 15 and int(whole[1]) != abs(int(value)):
        raise RawDataError(
            f"{raw.origin}: column {name!r}, row {row}: {cell!r} has more digits than a number of 64 bits keeps; drop "
            "the column if it is an identifier"
        )
    return value


def _advice(cell: str) -> str:
    if re.fullmatch(r"[+-]?[0-9]+(?:[,' _\u00a0\u202f.][0-9]+)+", cell):
        return "; write it with a decimal point and without marks between thousands, as 1234.5"
    return ""


def _essence(label: str) -> str:
    """What is left of a label without case, spacing, quotes, invisible characters and ways to write a number."""
    plain = unicodedata.normalize("NFKC", label).casefold()
    shown = "".join(character for character in plain if unicodedata.category(character) not in ("Cf", "Cc"))
    text = " ".join(shown.strip("\"'").split())
    return repr(float(text) + 0.0) if _NUMBER.fullmatch(text) else text
