"""What every page stands in: one file that fetches nothing, and runs no script but its own."""

from __future__ import annotations

from string import Template

from whatworked import __version__
from whatworked.report.parts import asset
from whatworked.report.svg import text_of


def whole_page(title: str, style: str, body: str, *, scripts: bool = False) -> str:
    """A page as text.

    Parameters
    ----------
    title : str
        As plain text.
    style : str
        Its style sheet.
    body : str
        Markup of all that it shows, and of its scripts.
    scripts : bool
        Whether it has some.

    Returns
    -------
    str
    """
    return Template(asset("shell.html")).substitute(
        scripts="script-src 'unsafe-inline'; " if scripts else "",
        version=text_of(__version__),
        title=text_of(title),
        style=style,
        body=body.removesuffix("\n"),
    )
