"""Points of two figures, in series, with a tooltip each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from whatworked.report.svg import SERIES, Scale, axes, element, picture, title

MOST_POINTS = 2_000
"""Points of one drawing; of more, evenly chosen ones are drawn."""


@dataclass(frozen=True)
class Dot:
    """One point.

    Attributes
    ----------
    x, y : float
        Where.
    series : int
        Its colour.
    tip : str
        What it is.
    hollow : bool
        Whether it is drawn as a ring.
    """

    x: float
    y: float
    series: int
    tip: str
    hollow: bool = False


@dataclass(frozen=True)
class Frame:
    """What points are drawn in.

    Attributes
    ----------
    x_label, y_label : str
        What the axes are.
    x_range, y_range : (float, float)
        Their ends.
    diagonal : bool
        Whether the line on which both are equal is drawn.
    """

    x_label: str
    y_label: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    diagonal: bool


def scatter(dots: Sequence[Dot], frame: Frame, name: str, size: float) -> str:
    """Points of two figures as a square drawing.

    Parameters
    ----------
    dots : sequence of Dot
        Any number.
    frame : Frame
        Axes.
    name : str
        What the drawing is called.
    size : float
        Its width and height.

    Returns
    -------
    str
        Markup.
    """
    x = Scale(*frame.x_range, 44.0, size - 12.0)
    y = Scale(*frame.y_range, size - 44.0, 26.0)
    parts = [axes(x, y, _ticks(*frame.x_range), _ticks(*frame.y_range), frame.x_label, frame.y_label)]
    if frame.diagonal:
        low, high = max(frame.x_range[0], frame.y_range[0]), min(frame.x_range[1], frame.y_range[1])
        parts.append(element("line", x1=x(low), x2=x(high), y1=y(low), y2=y(high), class_="diagonal"))
    chosen = dots
    if len(dots) > MOST_POINTS:
        chosen = [dots[place] for place in np.linspace(0, len(dots) - 1, MOST_POINTS).astype(int)]
    for series in sorted({dot.series for dot in chosen}):
        marks = "".join(
            element(
                "circle",
                title(dot.tip),
                cx=x(dot.x),
                cy=y(dot.y),
                r=3.4,
                class_="point known" if dot.hollow else "point",
            )
            for dot in chosen
            if dot.series == series
        )
        parts.append(element("g", marks, class_=f"series s{series % SERIES}"))
    return picture(size, size, "".join(parts), name, f"{len(dots)} points.")


def _mark(dot: Dot, x: float, y: float) -> str:
    return element("circle", title(dot.tip), cx=x, cy=y, r=3.4, class_="point known" if dot.hollow else "point")


def _ticks(low: float, high: float) -> list[float]:
    """Round values in a range, about five of them."""
    step = 10.0 ** np.floor(np.log10(high - low))
    step = next(step * part for part in (0.2, 0.5, 1.0, 2.0) if (high - low) / (step * part) <= 6)
    first = int(np.ceil(low / step - 1e-9))
    return [round(place * step, 10) for place in range(first, int(np.floor(high / step + 1e-9)) + 1)]
