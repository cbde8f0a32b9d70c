"""Strict reading of a submitted prediction table: everything wrong with it is reported at once."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whatworked.errors import InvalidArtifactError
from whatworked.surfaces.masks import FloatArray, check_dimensions, mask_strings

NAMED = 3
"""Number of offending masks named for each kind of offence."""
_CHARACTERS_PER_MASK = 256
"""Text allowed for one mask and its number, several times what they need; keeps hostile texts from being parsed."""
_CONTAINERS = 1024
"""Arrays and objects allowed beyond one for each mask, and values beyond two; each takes far more memory than text."""
_PLURALS = {
    "that is not a number": "that are not numbers",
    "that is not finite": "that are not finite",
    "outside [0, 1]": "outside [0, 1]",
}
"""What may be wrong with one value, and how it is said of several."""


def read_artifact(artifact: str | bytes | Mapping[str, Any], d: int) -> FloatArray:
    """Turn a submitted table into predictions in canonical order.

    Parameters
    ----------
    artifact : str, bytes or mapping
        A JSON object, as text (UTF-8 if bytes) or already decoded, from each of the 2**d masks to a finite number in
        [0, 1]. Booleans are not numbers, and a key may appear only once in a text.
    d : int
        Number of options.

    Returns
    -------
    ndarray of float64, shape (2**d,)

    Raises
    ------
    InvalidArtifactError
        Listing every kind of offence with its count and the first few masks: duplicate, missing and unknown masks,
        values that are not numbers, not finite, or outside [0, 1]; or, alone, that the text is not a JSON object.

    Examples
    --------
    >>> read_artifact('{"0": 0.25, "1": 1}', 1).tolist()
    [0.25, 1.0]
    >>> read_artifact('{"0": 0.25, "0": true}', 1)
    Traceback (most recent call last):
        ...
    whatworked.errors.InvalidArtifactError: prediction table refused: 1 duplicate mask (0); 1 missing mask (1); \
1 value that is not a number (0: true); give each of the 2 masks of length 1 exactly once, with a finite number \
in [0, 1]
    """
    reading = read_entries(artifact, d)
    masks = mask_strings(d)
    if offences := reading.offences:
        raise InvalidArtifactError(
            f"prediction table refused: {'; '.join(offences)}; give each of the {len(masks)} masks of length {d} "
            "exactly once, with a finite number in [0, 1]"
        )
    return np.array([reading.fine[mask] for mask in masks])


@dataclass(frozen=True)
class Reading:
    """What a submitted table says, entry by entry.

    Attributes
    ----------
    fine : dict of str to float
        Values in [0, 1] of masks of the cube that stand in it once, in canonical order.
    missing : tuple of str
        Masks of the cube that it has not, in canonical order.
    duplicates, unknown : tuple of str
        Keys that stand in it more than once, and keys that are no mask of the cube; in short form.
    wrong : dict of str to dict of str to str
        By what is wrong with a value (``"that is not a number"``, ``"that is not finite"``, ``"outside [0, 1]"``): by
        mask, what was found, in short form.
    """

    fine: dict[str, float]
    missing: tuple[str, ...]
    duplicates: tuple[str, ...]
    unknown: tuple[str, ...]
    wrong: dict[str, dict[str, str]]

    @property
    def offences(self) -> tuple[str, ...]:
        """One phrase for each kind of offence, with its count and the first few masks."""
        found = (
            _offence("duplicate mask", self.duplicates),
            _offence("missing mask", self.missing),
            _offence("unknown mask", self.unknown),
            *(_offence("value", [f"{m}: {v}" for m, v in each.items()], kind) for kind, each in self.wrong.items()),
        )
        return tuple(offence for offence in found if offence)


def read_entries(artifact: str | bytes | Mapping[str, Any], d: int) -> Reading:
    """Every entry of a submitted table by itself, the good ones and the others.

    Parameters
    ----------
    artifact, d
        As for `read_artifact`.

    Raises
    ------
    InvalidArtifactError
        If it is not a JSON object at all.
    """
    masks = mask_strings(check_dimensions(d))
    known = set(masks)
    table: dict[str, Any] = {}
    repeated: dict[str, None] = {}
    for mask, value in _entries(artifact, d):
        if mask in table:
            repeated[mask] = None
        table[mask] = value
    present = {mask: table[mask] for mask in masks if mask in table}
    wrong = _wrong_values(present)
    bad = {mask for each in wrong.values() for mask in each}.union(repeated)
    return Reading(
        # Adding 0.0 turns -0.0 into 0.0.
        fine={mask: float(value) + 0.0 for mask, value in present.items() if mask not in bad},
        missing=tuple(mask for mask in masks if mask not in table),
        duplicates=tuple(_shown(mask) for mask in repeated),
        unknown=tuple(_shown(mask) for mask in table if mask not in known),
        wrong=wrong,
    )


def longest(d: int) -> int:
    """Characters that the text of a table of `d` options may have."""
    return _CHARACTERS_PER_MASK * (1 << d) + 1024


def _entries(artifact: object, d: int) -> Iterable[tuple[str, Any]]:
    if isinstance(artifact, Mapping):
        return artifact.items()
    if not isinstance(artifact, str | bytes):
        raise InvalidArtifactError(
            f"prediction table refused: it is a {type(artifact).__name__}; give a JSON object from masks to numbers"
        )
    allowed = longest(d)
    # Before parsing: a text of nested brackets costs far more memory than its length.
    if len(artifact) > allowed:
        raise InvalidArtifactError(
            f"prediction table refused: the text has {len(artifact)} characters, {1 << d} masks need at most {allowed}"
        )
    text = _text(artifact)
    try:
        _check_amount(text, d)
        # A dict would keep the last of several equal masks without a word. Integers are read as floats, since Python
        # refuses to convert more than 4300 digits; NaN and Infinity, which JSON has not, are kept to be named with
        # their masks.
        content = json.loads(text, object_pairs_hook=_Pairs, parse_int=float, parse_constant=float)
    except (ValueError, RecursionError) as error:
        raise InvalidArtifactError(f"prediction table refused: the text is not JSON ({error})") from error
    if not isinstance(content, _Pairs):
        raise InvalidArtifactError(
            "prediction table refused: the text is JSON but not an object; give an object from masks to numbers"
        )
    return content


def _check_amount(text: str, d: int) -> None:
    """Raise ValueError for a text with more values than could be offences worth naming."""
    containers, values = text.count("[") + text.count("{"), text.count(",") + 1
    if containers > _CONTAINERS + (1 << d) or values > _CONTAINERS + (2 << d):
        raise ValueError(f"it has {containers} arrays and objects and {values} values for {1 << d} masks")


def _text(artifact: str | bytes) -> str:
    try:
        text = artifact if isinstance(artifact, str) else artifact.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidArtifactError(
            f"prediction table refused: the text is not JSON: byte {error.start + 1} is not UTF-8; save it as UTF-8"
        ) from error
    if text.startswith("\ufeff"):
        raise InvalidArtifactError(
            "prediction table refused: the text is not JSON: it begins with a byte order mark (U+FEFF); save it as "
            "UTF-8 without one"
        )
    return text


class _Pairs(list[tuple[str, Any]]):
    """The members of a JSON object in order, duplicates included."""


def _as_float(value: Any) -> float:
    """A number as a float: an integer too large for one is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _wrong_values(table: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    kinds: dict[str, dict[str, str]] = {kind: {} for kind in _PLURALS}
    for mask, value in table.items():
        # True is an integer to Python; in a table of utilities it is a mistake.
        numeric = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if not numeric:
            kinds["that is not a number"][mask] = _shown(value)
        elif not math.isfinite(number := _as_float(value)):
            kinds["that is not finite"][mask] = f"{number}"
        elif not 0 <= number <= 1:
            kinds["outside [0, 1]"][mask] = f"{number!r}"
    return kinds


def _offence(what: str, found: Sequence[str], kind: str = "") -> str:
    if not found:
        return ""
    plural = "s" if len(found) > 1 else ""
    phrase = f"{len(found)} {what}{plural} {_PLURALS.get(kind, kind) if plural else kind}".rstrip()
    return f"{phrase} ({', '.join(found[:NAMED])}{', …' if len(found) > NAMED else ''})"


def _shown(value: object) -> str:
    """A short form of anything a player may send."""
    text = value if isinstance(value, str) and value.isalnum() else _json_like(value)
    return text if len(text) <= 40 else f"{text[:37]}…"


def _json_like(value: object) -> str:
    # The text of what is nested deeply cannot be made.
    if isinstance(value, _Pairs) or (isinstance(value, Mapping) and value):
        return "an object"
    if isinstance(value, list | tuple):
        return "an array"
    if value is None or isinstance(value, bool | str):
        return json.dumps(value)
    return " ".join(repr(value).split())
