"""What functions take from users: counts, names and paths in the forms they come in, or an error that names the value.

numpy's scalars, arrays, pandas' series and indices, tuples and generators are as good as a plain int or list. A bool is
no number, and bytes are no text.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from whatworked.errors import InvalidOptionError, plain

Thing = TypeVar("Thing")


def whole_number(value: object, what: str, least: int | None = None) -> int:
    """A count as an int.

    Parameters
    ----------
    value : object
        What was given: an integer of Python or numpy, or an array of one without a dimension.
    what : str
        What it is called, for the error.
    least : int, optional
        The smallest that is allowed; default: any number.

    Returns
    -------
    int

    Raises
    ------
    InvalidOptionError
        For anything else; True is no number.

    Examples
    --------
    >>> whole_number(3, "seeds", 1)
    3
    >>> whole_number(True, "seeds", 1)
    Traceback (most recent call last):
        ...
    whatworked.errors.InvalidOptionError: seeds is True; it must be a whole number, at least 1
    """
    number = _as_int(value)
    if number is None or (least is not None and number < least):
        bound = "" if least is None else f", at least {least}"
        raise InvalidOptionError(f"{what} is {shown(value)}; it must be a whole number{bound}")
    return number


def whole_numbers(values: object, what: str, least: int | None = None) -> tuple[int, ...]:
    """One count or several, in the order given; raises `InvalidOptionError` as `whole_number`.

    Examples
    --------
    >>> whole_numbers(4, "budgets"), whole_numbers([4, 8], "budgets")
    ((4,), (4, 8))
    """
    if (number := _as_int(values)) is not None:
        return (whole_number(number, what, least),)
    # The columns of a table and the keys of a mapping are no counts, though they can be iterated over.
    if isinstance(values, Mapping) or hasattr(values, "columns") or not is_several(values):
        raise InvalidOptionError(f"{what} is {shown(values)}; give whole numbers, one or several, as in [4, 8]")
    given: Any = values
    return tuple(whole_number(value, f"one of the {what}", least) for value in given)


def names(values: object, what: str) -> tuple[str, ...]:
    """Names as several: a text is one name, not its letters.

    Parameters
    ----------
    values : object
        A text, or several in anything that can be iterated over.
    what : str
        What they are called, for the error.

    Returns
    -------
    tuple of str

    Raises
    ------
    InvalidOptionError
        If it is neither, or holds anything but texts.

    Examples
    --------
    >>> names("wine", "conditions"), names(["wine", "nile"], "conditions")
    (('wine',), ('wine', 'nile'))
    """
    if isinstance(values, str):
        return (plain(values),)
    if hasattr(values, "columns") or not is_several(values):
        raise InvalidOptionError(f"{what} are {shown(values)}; give a name, or several as in ['wine', 'nile']")
    given: Any = values
    several = tuple(given)
    if wrong := [value for value in several if not isinstance(value, str)]:
        raise InvalidOptionError(f"{what} hold {shown(wrong[0])}, which is no text; give names, as in ['wine', 'nile']")
    return tuple(plain(value) for value in several)


def real_number(value: object, what: str) -> float:
    """A number as a float.

    Raises
    ------
    InvalidOptionError
        For anything but one real number of Python or numpy; True is none, and a text is none.

    Examples
    --------
    >>> real_number(1, "confidence")
    1.0
    """
    # numpy's masked element would become NaN.
    hidden = type(value).__name__ == "MaskedConstant"
    single = not hidden and not isinstance(value, bool | str | bytes) and getattr(value, "shape", ()) == ()
    try:
        if single and hasattr(value, "__float__") and str(getattr(value, "dtype", "")) != "bool":
            number: Any = value
            return float(number)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InvalidOptionError(f"{what} is {shown(value)}; it must be a number")


def switch(value: object, what: str) -> bool:
    """A choice between yes and no.

    Raises
    ------
    InvalidOptionError
        For anything but True or False of Python or numpy: of another value it depends on the reader which is meant.

    Examples
    --------
    >>> switch(True, "again")
    True
    """
    if isinstance(value, bool) or (str(getattr(value, "dtype", "")) == "bool" and getattr(value, "shape", None) == ()):
        return bool(value)
    raise InvalidOptionError(f"{what} is {shown(value)}; it must be True or False")


def text(value: object, what: str) -> str:
    """A text.

    Raises
    ------
    InvalidOptionError
        For anything else.

    Examples
    --------
    >>> text("mine", "title")
    'mine'
    """
    if not isinstance(value, str):
        raise InvalidOptionError(f"{what} is {shown(value)}; it must be a text")
    return plain(value)


def instance(value: object, kind: type[Thing], what: str, hint: str) -> Thing:
    """The value, which must be of a class.

    Parameters
    ----------
    value : object
        What was given.
    kind : type
        The class.
    what, hint : str
        What the value is called, and where one comes from, for the error.

    Raises
    ------
    InvalidOptionError
        If it is of another class.

    Examples
    --------
    >>> instance(3, str, "the run", "read one with read_run")
    Traceback (most recent call last):
        ...
    whatworked.errors.InvalidOptionError: the run is 3; it must be a str: read one with read_run
    """
    if not isinstance(value, kind):
        raise InvalidOptionError(f"{what} is {shown(value)}; it must be a {kind.__name__}: {hint}")
    return value


def instances(values: object, kind: type[Thing], what: str, hint: str) -> Iterator[Thing]:
    """Several values, which must all be of a class; raises `InvalidOptionError` as `instance`.

    Examples
    --------
    >>> list(instances([1, 2], int, "one of the counts", "give whole numbers"))
    [1, 2]
    """
    if isinstance(values, Mapping) or hasattr(values, "columns") or not is_several(values):
        raise InvalidOptionError(f"{what} is {shown(values)}; give several of class {kind.__name__}: {hint}")
    given: Any = values
    return (instance(value, kind, what, hint) for value in given)


def path(value: object, what: str) -> Path:
    """A path given as a text or as any object that stands for one.

    Raises
    ------
    InvalidOptionError
        For anything else, and for a text with a null character, which no system takes.

    Examples
    --------
    >>> path("runs/mine", "out").name
    'mine'
    """
    place = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(place, str) or "\0" in plain(place):
        raise InvalidOptionError(f"{what} is {shown(value)}; give a path, as a text or a pathlib.Path")
    return Path(plain(place))


def is_several(value: object) -> bool:
    """Whether there are things to iterate over. A text is one thing, and so is an array without a dimension.

    Examples
    --------
    >>> is_several([1]), is_several("wine"), is_several(b"wine"), is_several(1)
    (True, False, False, False)
    """
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and getattr(value, "shape", True) != ()


def shown(value: object) -> str:
    """Anything in one short line.

    Examples
    --------
    >>> shown("a" * 200)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…"
    """
    try:
        whole = " ".join(repr(value).split())
    except Exception:  # a representation runs code of others
        whole = f"<{type(value).__name__} that cannot be shown>"
    return whole if len(whole) <= 80 else f"{whole[:79]}…"


def _as_int(value: object) -> int | None:
    """An integer of any kind; None for a bool and all else."""
    if isinstance(value, bool):
        return None
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None
    # A bool array without a dimension has an index, too.
    return None if str(getattr(value, "dtype", "")) == "bool" else number
