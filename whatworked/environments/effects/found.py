"""How what a player sent is named in an answer: short, on one line, whatever it is."""

from __future__ import annotations

from whatworked.wording import printable

_LONGEST = 40
_DIGITS = 10**18


def found(value: object) -> str:
    r"""A value in a few words.

    Examples
    --------
    >>> found(1010), found("0b1010"), found([1, [2]]), found(None)
    ('the number 1010', "the text '0b1010'", 'a list of 2', 'null')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = printable(value[: _LONGEST + 1])
        return f"the text '{text if len(value) <= _LONGEST else f'{text[:_LONGEST]}…'}'"
    if isinstance(value, int):
        # Python refuses to write numbers of more than 4300 digits.
        return f"the number {value}" if abs(value) < _DIGITS else "a number of more than 18 digits"
    if isinstance(value, float):
        return f"the number {value!r}"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object with {len(value)} entries"
    return f"a {type(value).__name__}"


def named(value: object) -> str:
    """A name that a player gave, behind the word for what it should name.

    Examples
    --------
    >>> named("x"), named(3)
    ("'x'", 'the number 3')
    """
    return found(value).removeprefix("the text ") if isinstance(value, str) else found(value)
