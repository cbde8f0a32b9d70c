"""The text form of one reference table: a header line of JSON, then one line per mask.

The bytes are a function of the values alone: floats are written with all their digits (``repr``), nothing depends on
the time, the machine or the order in which the configurations ran.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from whatworked.errors import ReferenceTableError
from whatworked.storage.canonical import canonical_json
from whatworked.surfaces.masks import mask_strings
from whatworked.wording import first_few

SCHEMA = 1
"""Version of the table format; a reader refuses any other."""

COLUMNS = ("mask", "utility", "native", "prediction", "warnings", "fingerprint", "sensitivity")

_TITLE = "# whatworked reference table "
_EMPTY = "-"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What one configuration gave.

    Attributes
    ----------
    mask : str
        The configuration, option A leftmost.
    utility : float
        Score in [0, 1].
    native : float
        The metric in its own unit.
    prediction : str
        SHA-256 of the prediction.
    warnings : tuple of str
        Category of each warning raised, in the order of raising.
    fingerprint : dict
        A few numbers computed from the prediction, by which another machine tells "same up to rounding" from
        "different"; see `whatworked.declaration.fingerprint`.
    sensitivity : dict of str to float
        Further scores of the same prediction, by name (for instance event F1 under other tolerances).
    """

    mask: str
    utility: float
    native: float
    prediction: str
    warnings: tuple[str, ...] = ()
    fingerprint: dict[str, Any] = msgspec.field(default_factory=dict)
    sensitivity: dict[str, float] = msgspec.field(default_factory=dict)


class OptionNote(msgspec.Struct, frozen=True):
    """One option as the table states it: letter, name, and its settings for bit 0 and bit 1."""

    letter: str
    name: str
    off: str
    on: str


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the table is about.

    Attributes
    ----------
    schema : int
        Version of this format.
    condition, family, source : str
        Names of the catalog.
    options : tuple of OptionNote
        The d options, A first; each has `letter`, `name`, and its settings `off` and `on`.
    metric, unit : str
        Name and unit of the native value.
    cost_scale : float or None
        Scale s of the map u = 1 / (1 + c / s) from native cost to utility; None where the native value is the utility.
    """

    schema: int
    condition: str
    family: str
    source: str
    options: tuple[OptionNote, ...]
    metric: str
    unit: str
    cost_scale: float | None = None

    @property
    def d(self) -> int:
        """Number of options."""
        return len(self.options)


class Table(msgspec.Struct, frozen=True):
    """A complete reference table.

    Attributes
    ----------
    header : Header
        What the table is about.
    rows : tuple of Row, length 2**d
        One per mask, in canonical order.
    """

    header: Header
    rows: tuple[Row, ...]


def render(table: Table) -> bytes:
    """Bytes of `table`, the same on every machine for the same values.

    Raises
    ------
    ReferenceTableError
        If the rows are not one per mask in canonical order, or a utility is not in [0, 1].
    """
    _check(table)
    lines = [_TITLE + canonical_json(msgspec.to_builtins(table.header)).decode(), "\t".join(COLUMNS)]
    lines += ["\t".join(_fields(row)) for row in table.rows]
    return ("\n".join(lines) + "\n").encode()


def parse(data: bytes, name: str) -> Table:
    """Read the bytes of a table back; `name` is what error messages call it.

    Raises
    ------
    ReferenceTableError
        If the bytes are not a table of this schema, complete and in canonical order.
    """
    try:
        title, _, rest = data.decode().partition("\n")
        columns, _, body = rest.partition("\n")
        if not title.startswith(_TITLE):
            raise ValueError("the first line is not the header of a reference table")
        _check_schema(msgspec.json.decode(title.removeprefix(_TITLE)))
        header = msgspec.json.decode(title.removeprefix(_TITLE), type=Header)
        if tuple(columns.split("\t")) != COLUMNS:
            raise ValueError(f"columns are {columns.split()}; expected {list(COLUMNS)}")
        table = Table(header, tuple(_row(line) for line in body.removesuffix("\n").split("\n")))
    except (ValueError, msgspec.MsgspecError, RecursionError) as error:
        raise ReferenceTableError(
            f"{name} is not a reference table: {error}; rebuild it with `whatworked rebuild`"
        ) from error
    _check(table)
    return table


def _check_schema(header: Any) -> None:
    found = header.get("schema") if isinstance(header, dict) else None
    if found != SCHEMA:
        raise ValueError(f"its schema is {found!r} and this version reads schema {SCHEMA}")


def _check(table: Table) -> None:
    """Raise `ReferenceTableError` unless the rows are the whole cube in order with utilities in [0, 1]."""
    condition, masks = table.header.condition, mask_strings(table.header.d)
    found = tuple(row.mask for row in table.rows)
    if found != masks:
        missing = sorted(set(masks) - set(found))
        detail = f"missing {first_few(missing)}" if missing else "the masks are repeated, unknown or out of order"
        raise ReferenceTableError(f"table of {condition} has {len(found)} rows for {len(masks)} masks: {detail}")
    wrong = [row.mask for row in table.rows if not 0.0 <= row.utility <= 1.0 or not math.isfinite(row.native)]
    if wrong:
        raise ReferenceTableError(
            f"table of {condition}: utility outside [0, 1] or native value not finite at {first_few(wrong)}"
        )


def _fields(row: Row) -> tuple[str, ...]:
    return (
        row.mask,
        repr(row.utility),
        repr(row.native),
        row.prediction,
        _join(row.warnings),
        canonical_json(row.fingerprint).decode(),
        _join([f"{name}={value!r}" for name, value in sorted(row.sensitivity.items())]),
    )


def _row(line: str) -> Row:
    mask, utility, native, prediction, warnings, fingerprint, sensitivity = line.split("\t")
    pairs = (item.split("=") for item in _split(sensitivity))
    return Row(
        mask=mask,
        utility=float(utility),
        native=float(native),
        prediction=prediction,
        warnings=tuple(_split(warnings)),
        fingerprint=msgspec.json.decode(fingerprint, type=dict[str, Any]),
        sensitivity={name: float(value) for name, value in pairs},
    )


def _join(items: Sequence[str]) -> str:
    return ",".join(items) or _EMPTY


def _split(text: str) -> list[str]:
    return [] if text == _EMPTY else text.split(",")
