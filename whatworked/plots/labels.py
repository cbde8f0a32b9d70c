"""Names as labels of a figure: shown as they stand, in one line."""

from __future__ import annotations

LONGEST = 48
"""Characters of a name that a figure shows."""


def plain_label(text: str, longest: int = LONGEST) -> str:
    r"""A text as a label that matplotlib draws as it stands.

    White space becomes one space. Control characters, and what UTF-8 lacks, which no SVG may hold, become escapes.
    Dollar signs, between which matplotlib reads formulas, are escaped. What is too long is cut.

    Examples
    --------
    >>> print(plain_label("price in $ or $_{EUR}$"))
    price in \$ or \$_{EUR}\$
    >>> print(plain_label("two\nlines"), plain_label("bell\a"))
    two lines bell\x07
    """
    line = " ".join(text.split())
    shown = "".join(character if _can_stand(character) else ascii(character)[1:-1] for character in line)
    cut = shown if len(shown) <= longest else f"{shown[: longest - 1]}…"
    # A label of a legend that begins with an underscore would be left out of it.
    hidden = "\u200b" if cut.startswith("_") else ""
    return hidden + cut.replace("$", r"\$")


def _can_stand(character: str) -> bool:
    """Whether a character may stand in XML: no control character, no half of a pair, no non-character."""
    code = ord(character)
    return not (code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 or code & 0xFFFE == 0xFFFE)
