"""Parts that pages about episodes share: drawings for two widths, tables of texts, texts of players cut to a length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.resources import files

from whatworked.report.svg import element, text_of
from whatworked.wording import printable

LONGEST = 4000
"""Characters of a text of the player that are shown; the journal has all of it."""
_WIDE, _NARROW = 1160.0, 390.0


def asset(name: str) -> str:
    """A file of the pages: a template or a style sheet."""
    return (files("whatworked.report") / "assets" / name).read_text(encoding="utf-8")


def two_widths(draw: Callable[[float], str]) -> str:
    """A drawing for wide windows and one for narrow ones, since its text scales with it."""
    wide = element("div", draw(_WIDE), class_="for-wide")
    return element("figure", wide + element("div", draw(_NARROW), class_="for-narrow"), class_="large")


def cut(text: str, most: int = LONGEST) -> str:
    """A text of the player as it is shown: its beginning, without characters that show nothing."""
    shown = printable(text[:most], keep="\n\t")
    return shown if len(text) <= most else f"{shown}… ({len(text)} characters in all)"


def short(text: str, most: int = 160) -> str:
    """The beginning of a text on one line."""
    return printable(text if len(text) <= most else f"{text[:most]}…")


def plain_table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "plain") -> str:
    """A table of texts; numbers are told by their look."""
    numeric = [all(_is_number(row[column]) for row in rows) and bool(rows) for column in range(len(head))]
    kinds = ["text", *("number" if number else "text" for number in numeric[1:])]
    heads = "".join(
        element("th", text_of(name), scope="col", class_=kind) for name, kind in zip(head, kinds, strict=True)
    )
    body = "".join(
        element(
            "tr",
            element("th", text_of(row[0]), scope="row")
            + "".join(element("td", text_of(cell), class_=kind) for cell, kind in zip(row[1:], kinds[1:], strict=True)),
        )
        for row in rows
    )
    content = element("caption", text_of(caption)) + element("thead", element("tr", heads)) + element("tbody", body)
    table = element("table", content, class_=kind)
    return element("div", table, class_="scroll", tabindex="0", role="region", aria_label=caption)


def _is_number(text: str) -> bool:
    return text.replace("–", "").replace(".", "").lstrip("+-").isdigit() or text == "–"
