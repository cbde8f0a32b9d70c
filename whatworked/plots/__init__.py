"""Figures of one condition: effects by background, main effects, interactions, spectrum (extra ``report``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whatworked.arguments import instance
from whatworked.errors import InvalidOptionError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from whatworked.surfaces import ResponseSurface
    from whatworked.surfaces.exports import LabelledSurface

KINDS = ("overview", "effects", "main", "interactions", "spectrum")
"""What can be drawn: everything on one page, or one panel."""
FORMATS = ("png", "svg")
"""File formats, by suffix."""
LARGEST = 10
"""Largest number of options drawn: a heat map of 10 options has 512 backgrounds."""


def draw(surface: LabelledSurface | ResponseSurface, kind: str = "overview") -> Figure:
    """Draw a condition.

    Parameters
    ----------
    surface : LabelledSurface or ResponseSurface
        The surface, with labels or without, at most `LARGEST` options.
    kind : {"overview", "effects", "main", "interactions", "spectrum"}
        What to draw. Main effects and interactions need nothing more; interactions need two options.

    Returns
    -------
    matplotlib.figure.Figure
        Independent of pyplot and of any window system.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    InvalidSurfaceError
        If it is no surface.
    InvalidOptionError
        For an unknown kind, or a surface that has too many options or, for interactions, only one.
    """
    from whatworked.surfaces.exports import labelled as with_labels

    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidOptionError(f"kind of figure is {kind!r}; allowed are {', '.join(KINDS)}")
    labelled = with_labels(surface)
    if labelled.surface.d > LARGEST:
        raise InvalidOptionError(
            f"{labelled.surface.name} has {labelled.surface.d} options; figures are drawn for up to {LARGEST}: "
            "restrict it first"
        )
    if kind == "interactions" and labelled.surface.d == 1:
        raise InvalidOptionError(
            f"{labelled.surface.name} has one option, so no interactions; allowed are the other kinds"
        )
    from whatworked.plots.library import load_matplotlib, missing_extra, plain_settings

    load_matplotlib()
    try:
        from whatworked.plots import figures
    except ImportError as error:
        raise missing_extra() from error
    with plain_settings():
        return figures.draw(labelled, kind)


def render(figure: Figure, form: str) -> bytes:
    """Bytes of a figure as ``"png"`` (150 dots per inch) or ``"svg"``; equal figures give equal bytes.

    Raises
    ------
    InvalidOptionError
        For another format, or what is no figure.
    """
    import io

    from whatworked.plots.library import load_matplotlib, plain_settings

    if not isinstance(form, str) or form not in FORMATS:
        raise InvalidOptionError(f"figure format is {form!r}; allowed are {', '.join(FORMATS)}")
    load_matplotlib()
    import matplotlib as mpl
    from matplotlib.figure import Figure

    instance(figure, Figure, "the figure", "draw returns one")
    stream = io.BytesIO()
    # A fixed salt and no date: otherwise an SVG differs from run to run.
    with plain_settings(), mpl.rc_context({"svg.hashsalt": "whatworked", "svg.fonttype": "none"}):
        figure.savefig(stream, format=form, dpi=150, metadata={"Date": None} if form == "svg" else None)
    return stream.getvalue()
