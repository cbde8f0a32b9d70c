"""Reading TOML that others wrote: bounded, and with one kind of error."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from whatworked.storage.files import read_file

Content = TypeVar("Content")

LARGEST = 16 << 20
"""Bytes that a file of settings may have."""


def read_toml(path: Path, form: type[Content]) -> Content:
    """The content of a TOML file.

    Parameters
    ----------
    path : Path
        The file.
    form : type
        What it must hold.

    Returns
    -------
    object
        Of the type `form`.

    Raises
    ------
    StorageError
        If it cannot be read, is no regular file or too large.
    ValueError
        If it is no TOML, or holds something else.
    """
    return parse_toml(read_file(path, LARGEST), form)


def parse_toml(text: bytes | str, form: type[Content]) -> Content:
    """The content of a TOML text.

    Parameters
    ----------
    text : bytes or str
        The text.
    form : type
        What it must hold.

    Returns
    -------
    object
        Of the type `form`.

    Raises
    ------
    ValueError
        If it is no TOML or not UTF-8, is nested too deeply, has a number of too many digits, or holds something else.

    Examples
    --------
    >>> parse_toml("budgets = [4, 8]", dict)
    {'budgets': [4, 8]}
    """
    try:
        return msgspec.toml.decode(text, type=form)
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
