"""How numbers and lists are put into words: the same on the terminal, in reports and in messages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from html import escape

_EMPTY_CELL = '""'
"""A row of one empty cell; without the quotes it would be no row."""
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Fillers and joiners that count as letters or marks, but show nothing."""


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, which takes an s (or its `plural`) unless there is exactly one.

    Examples
    --------
    >>> counted(1, "record"), counted(0, "record"), counted(2, "code-equivalence class")
    ('1 record', '0 records', '2 code-equivalence classes')
    """
    return f"{number} {_inflected(number, noun, plural)}"


def listed(names: Sequence[object], noun: str, plural: str | None = None) -> str:
    """Names behind what they are.

    Examples
    --------
    >>> listed([4], "budget"), listed(["gp", "mean"], "estimator")
    ('budget 4', 'estimators gp, mean')
    """
    return f"{_inflected(len(names), noun, plural)} {', '.join(map(str, names))}"


def first_few(names: Sequence[str], most: int = 5) -> str:
    """The first names of a list, with a mark if there are more.

    Examples
    --------
    >>> first_few(["a", "b", "c"]), first_few(["a", "b", "c"], most=2)
    ('a, b, c', 'a, b, …')
    """
    return ", ".join([*names[:most], *(["…"] if len(names) > most else [])])


def printable(text: str, keep: str = "") -> str:
    r"""Text of others as it may be shown: what steers a terminal, turns its direction or shows nothing is escaped.

    Letters of every script stay as they are.

    Parameters
    ----------
    text : str
        From a file, a plug-in or a server.
    keep : str
        Characters to leave as they are, such as a line break.

    Returns
    -------
    str
        The text with the others in the escapes of Python and JSON (``\x1b``, ``\u202e``).

    Examples
    --------
    >>> print(printable("\x1b[2Jnaïve\rΔ…"))
    \x1b[2Jnaïve\rΔ…
    """
    if text.isprintable() and text.isascii():
        return text
    return "".join(letter if letter in keep or is_shown(letter) else _escape(letter) for letter in text)


def csv_lines(rows: Iterable[Iterable[object]]) -> str:
    r"""Rows as CSV text: texts by `csv_text`, floats with all their digits, booleans as 0 and 1, None empty.

    Unlike the standard library's writer, it also quotes a text with a carriage return, which would end the row.

    Examples
    --------
    >>> csv_lines([["name", "value"], ["=a, b", -0.5], [None, True]])
    'name,value\n"\'=a, b",-0.5\n,1\n'
    """
    return "".join(f"{line or _EMPTY_CELL}\n" for line in (",".join(map(_csv_cell, row)) for row in rows))


def markdown_table(header: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    r"""Rows as a table in Markdown; floats to four decimals, None as a dash.

    Examples
    --------
    >>> print(markdown_table(["method", "recovery"], [["a|b", 0.5]]), end="")
    | method | recovery |
    | --- | --- |
    | a\|b | 0.5000 |
    """
    escaped = [[_plain_cell(cell).replace("|", "\\|") for cell in row] for row in (header, *rows)]
    lines = [f"| {' | '.join(row)} |" for row in escaped]
    return "\n".join([lines[0], f"| {' | '.join('---' for _ in header)} |", *lines[1:]]) + "\n"


def latex_table(header: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    r"""Rows as a LaTeX tabular; floats to four decimals, None as a dash, special characters escaped.

    Examples
    --------
    >>> print(latex_table(["method"], [["a_b"]]), end="")
    \begin{tabular}{l}
    method \\ \hline
    a\_b \\
    \end{tabular}
    """
    lines = [" & ".join(map(_latex_cell, row)) for row in (header, *rows)]
    body = "".join(f"{line} \\\\\n" for line in lines[1:])
    return f"\\begin{{tabular}}{{{'l' * len(header)}}}\n{lines[0]} \\\\ \\hline\n{body}\\end{{tabular}}\n"


def html_table(header: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Rows as an HTML table; floats to four decimals, None as a dash.

    Examples
    --------
    >>> html_table(["method"], [["a<b"]])
    '<table><tr><th>method</th></tr><tr><td>a&lt;b</td></tr></table>'
    """
    lines = [("th", list[object](header)), *(("td", list(row)) for row in rows)]
    cells = ("".join(f"<{tag}>{escape(_plain_cell(cell))}</{tag}>" for cell in line) for tag, line in lines)
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in cells)}</table>"


def _plain_cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = fixed(value, 4) if isinstance(value, float) else str(value)
    return " ".join(printable(text).split())


def _latex_cell(value: object) -> str:
    named = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(named.get(letter, f"\\{letter}" if letter in "&%$#_{}" else letter) for letter in _plain_cell(value))


def _csv_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        text = csv_text(value)
        return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\n\r') else text
    if isinstance(value, bool):
        return str(int(value))
    return repr(float(value)) if isinstance(value, float) else str(value)


def csv_text(text: str) -> str:
    """A text as a cell of a CSV file, which a spreadsheet must not take for a formula.

    One that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break gets an apostrophe in front, unless it is a
    number. So does one that begins with apostrophes before one of these; `from_csv_text` takes one away again.

    Examples
    --------
    >>> csv_text("=1+1"), csv_text("-0.5"), csv_text("'=1"), csv_text("wine")
    ("'=1+1", '-0.5', "''=1", 'wine')
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def from_csv_text(cell: str) -> str:
    """The text that `csv_text` made a cell of.

    Examples
    --------
    >>> from_csv_text("'=1+1"), from_csv_text("''=1"), from_csv_text("'quoted'")
    ('=1+1', "'=1", "'quoted'")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def is_shown(letter: str) -> bool:
    """Whether a character is seen where it is printed, and does nothing else there."""
    return (
        (letter.isprintable() or unicodedata.category(letter) == "Zs")
        and letter not in _UNSEEN
        and not _is_selector(letter)
    )


def _is_selector(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(("VARIATION SELECTOR", "MONGOLIAN FREE VARIATION"))


def _escape(letter: str) -> str:
    code = ord(letter)
    if letter in "\t\n\r":
        return repr(letter)[1:-1]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def formatted(value: float, form: str) -> str:
    """A number in a form of `format`; what rounds to zero has no sign.

    Examples
    --------
    >>> formatted(-0.0004, ".3f"), formatted(0.25, "+.3f")
    ('0.000', '+0.250')
    """
    text = format(value, form)
    return text.lstrip("+-") if float(text) == 0.0 else text


def fixed(value: float, digits: int, *, signed: bool = False) -> str:
    """A number with a fixed number of decimals; what rounds to zero has no sign.

    Examples
    --------
    >>> fixed(-0.0004, 3), fixed(0.0004, 3, signed=True), fixed(0.25, 3, signed=True)
    ('0.000', '0.000', '+0.250')
    """
    return formatted(value, f"{'+' if signed else ''}.{digits}f")


def interval_text(low: float | None, high: float | None, digits: int = 3, *, signed: bool = False) -> str:
    """An interval to a number of decimals; a dash where there is none.

    Examples
    --------
    >>> interval_text(0.25, 0.5), interval_text(-0.0001, 0.5, signed=True), interval_text(None, None)
    ('0.250 to 0.500', '0.000 to +0.500', '-')
    """
    if low is None or high is None:
        return "-"
    return f"{fixed(low, digits, signed=signed)} to {fixed(high, digits, signed=signed)}"


def count_form(values: Iterable[float]) -> str:
    """Form of a column of counts: one decimal for all of them if any is a mean over seeds.

    Examples
    --------
    >>> count_form([3.0, 12.0]), count_form([1 / 3, 12.0])
    ('.0f', '.1f')
    """
    return ".1f" if any(value != round(value) for value in values) else ".0f"


def _inflected(number: int, noun: str, plural: str | None) -> str:
    if number == 1:
        return noun
    return plural or noun + ("es" if noun.endswith("s") else "s")
