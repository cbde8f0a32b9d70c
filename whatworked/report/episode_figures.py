"""Drawings of one episode of ``effects``: when what was called, which masks were bought, effects told and true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from whatworked.report.svg import SERIES, Scale, axes, element, marker, picture, text_of, title
from whatworked.surfaces.edges import edges
from whatworked.surfaces.masks import FloatArray, mask_string

LANES = ("measured", "calculated", "noted", "handed in", "refused")
"""Rows of the timeline, from the top; each has the series of its place."""
_TICKS = (5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400)
_MOST_TICKS = 8


@dataclass(frozen=True)
class Moment:
    """One call on the timeline.

    Attributes
    ----------
    lane : str
        Of `LANES`.
    elapsed : float
        Seconds since the opening.
    text : str
        What it was.
    """

    lane: str
    elapsed: float
    text: str


def timeline(moments: Sequence[Moment], deadline: float, width: float) -> str:
    """Calls by time, a lane each for what kind they were."""
    last = max((moment.elapsed for moment in moments), default=0.0)
    end = max(last * 1.02, 1.0)
    left = 84.0
    height = 34.0 * len(LANES) + 46.0
    x = Scale(0.0, end, left, width - 14.0)
    parts = []
    for row, lane in enumerate(LANES):
        y = 18.0 + 34.0 * row
        parts.append(element("line", x1=left, x2=width - 14.0, y1=y, y2=y, class_="grid"))
        parts.append(element("text", text_of(lane), x=left - 10, y=y + 4, class_="label end"))
        marks = [
            marker(row, x(moment.elapsed), y, f"{moment.elapsed:.1f} s: {moment.text}")
            for moment in moments
            if moment.lane == lane
        ]
        parts.append(element("g", "".join(marks), class_=f"series s{row % SERIES}"))
    bottom = 18.0 + 34.0 * len(LANES) - 10
    step = next((tick for tick in _TICKS if end / tick <= _MOST_TICKS * width / 1160 + 2), _TICKS[-1])
    for tick in range(0, int(end) + 1, step):
        parts.append(element("line", x1=x(tick), x2=x(tick), y1=bottom, y2=bottom + 4, class_="axis"))
        parts.append(element("text", f"{tick}", x=x(tick), y=bottom + 16, class_="tick middle"))
    parts.append(element("line", x1=left, x2=width - 14.0, y1=bottom, y2=bottom, class_="axis"))
    parts.append(element("text", "seconds", x=(left + width) / 2, y=bottom + 32, class_="label middle"))
    about = f"{len(moments)} calls in {last:.0f} of {deadline:.0f} seconds."
    return picture(width, height, "".join(parts), "Calls by time", about)


def purchase_map(bought: Sequence[int], measured: Sequence[int], d: int) -> str:
    """The cube as a square of masks; a bought one holds its place in the order of purchase."""
    rows_bits = d // 2
    columns_bits = d - rows_bits
    size = 32.0
    left, top = 12.0 + 7.0 * rows_bits, 12.0 + 7.0 * columns_bits
    order = {rank: place for place, rank in enumerate(bought, start=1)}
    parts = [
        element(
            "text", text_of(mask_string(row, rows_bits)), x=left - 4, y=top + size * (row + 0.5) + 4, class_="tick end"
        )
        for row in range(1 << rows_bits if rows_bits else 0)
    ]
    parts += [
        element(
            "text",
            text_of(mask_string(column, columns_bits)),
            transform=f"translate({left + size * (column + 0.5) + 4:.1f} {top - 5:.1f}) rotate(-90)",
            class_="tick",
        )
        for column in range(1 << columns_bits)
    ]
    for rank in range(1 << d):
        row, column = rank >> columns_bits, rank & ((1 << columns_bits) - 1)
        place, mask = order.get(rank), mask_string(rank, d)
        anchor = place is None and rank in measured
        shade = "anchor" if anchor else "h0" if place is None else f"h{1 + round(3 * place / max(1, len(bought)))}"
        fate = "measured for free" if anchor else f"bought as {place}" if place else "not bought"
        box = element(
            "rect",
            title(f"{mask}: {fate}"),
            x=left + size * column + 1,
            y=top + size * row + 1,
            width=size - 2,
            height=size - 2,
            rx=3,
            class_=f"cell {shade}",
        )
        number = "" if place is None else str(place)
        label = element(
            "text",
            number,
            x=left + size * (column + 0.5),
            y=top + size * (row + 0.5) + 4,
            class_=f"middle order o{shade}",
        )
        parts.append(box + (label if number else ""))
    name = "Masks in the order of purchase"
    first = ", ".join(mask_string(rank, d) for rank in list(bought)[:8]) or "none"
    width, height = left + size * (1 << columns_bits) + 4, top + size * (1 << rows_bits) + 4
    return picture(width, height, "".join(parts), name, f"{len(bought)} bought, the first: {first}.")


def effect_scatter(
    truth: FloatArray, told: FloatArray, known: Sequence[int], letters: Sequence[str], size: float
) -> str:
    """Effects of a table against the true ones, a series for each option; hollow where both ends were measured."""
    d, seen = len(letters), set(known)
    start, end = edges(d)
    option = np.repeat(np.arange(d), len(start) // d)
    true, said = truth[end] - truth[start], told[end] - told[start]
    extent = 1.05 * max(0.01, float(np.abs(true).max()), float(np.abs(said).max()))
    x, y = Scale(-extent, extent, 48.0, size - 10.0), Scale(-extent, extent, size - 44.0, 26.0)
    ticks = _round_ticks(extent)
    parts = [axes(x, y, ticks, ticks, "true effect", "effect in the table")]
    line = {"x1": x(-extent), "x2": x(extent), "y1": y(-extent), "y2": y(extent)}
    parts.append(element("line", **line, class_="diagonal"))
    for place in range(d):
        marks = []
        for k in np.flatnonzero(option == place):
            low, high = int(start[k]), int(end[k])
            both = low in seen and high in seen
            tip = f"{letters[place]} at {mask_string(low, d)}: true {true[k]:+.4f}, in the table {said[k]:+.4f}"
            dot = element(
                "circle", title(tip), cx=x(true[k]), cy=y(said[k]), r=3.2, class_="point known" if both else "point"
            )
            marks.append(dot)
        parts.append(element("g", "".join(marks), class_=f"series s{place % SERIES}"))
    error = float(np.abs(said - true).mean())
    about = f"{len(start)} effects, mean error {error:.4f}, mean size {float(np.abs(true).mean()):.4f}."
    return picture(size, size, "".join(parts), "Effects in the table against true effects", about)


def _round_ticks(extent: float) -> list[float]:
    step = 10.0 ** np.floor(np.log10(extent))
    step = step if extent / step >= 2 else step / 2 if extent / step >= 1.2 else step / 5
    count = int(extent / step)
    count = min(count, 4) if count <= 4 else 2 * (count // 4)
    return [round(k * step, 6) for k in range(-count, count + 1, max(1, count // 2))]
