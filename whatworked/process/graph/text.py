r"""Texts of a step as every question shows them: what a terminal would show, and otherwise as they were logged.

Progress bars overwrite their own line, and colours are codes between characters. A judge that is shown them raw quotes
what no person saw. Positions of quotes are positions in the text that is shown; a text without such codes is unchanged.
"""

from __future__ import annotations

import re

from whatworked.process.graph.model import Field
from whatworked.process.records import Step

_STEERING = re.compile(r"[\x08\r\x1b]")
# An operating-system command ends with a bell or ESC \; what else begins with ESC is a CSI or a short code.
_PART = re.compile(
    r"(?P<erase>\x1b\[[02]?K)|(?P<code>\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)?|\[[0-?]*[ -/]*[@-~]?|[@-Z\\-_]?))|."
)


def shown_text(text: str) -> str:
    r"""A text as a terminal shows it.

    Parameters
    ----------
    text : str
        As it was logged.

    Returns
    -------
    str
        Carriage returns and backspaces overwrite, colours and other codes are left out. Line ends of Windows become
        plain ones. Other texts are returned as they are.

    Examples
    --------
    >>> shown_text("loss 0.9\rloss 0.5\n\x1b[31mred\x1b[0m")
    'loss 0.5\nred'
    >>> shown_text("100 %\r9")
    '900 %'
    """
    if not _STEERING.search(text):
        return text
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(_shown_line(line) if _STEERING.search(line) else line for line in lines)


def _shown_line(line: str) -> str:
    cells: list[str] = []
    place = 0
    for part in _PART.finditer(line):
        if part["erase"] is not None:
            del cells[place:]
        elif part["code"] is not None:
            continue
        elif part[0] == "\r":
            place = 0
        elif part[0] == "\x08":
            place = max(0, place - 1)
        else:
            cells[place : place + 1] = [part[0]]
            place += 1
    return "".join(cells)


def step_text(step: Step, field: Field) -> str | None:
    """A text of a step as it is shown.

    Parameters
    ----------
    step : Step
        A step of a record.
    field : {"words", "action", "observation"}
        Which text.

    Returns
    -------
    str or None
        None where it is not recorded.
    """
    text: str | None = getattr(step, field)
    return None if text is None else shown_text(text)
