"""A little SVG: escaping, elements, linear scales, axes. Colours come from the page's style sheet, by class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

SERIES = 9
"""Number of colours, and of markers. Each further round pairs the colours with other markers and dashes, so that no
two of 81 series look alike."""
_DASHES = 4
"""Number of dash patterns in the style sheet."""

_MARKERS = (
    "M-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0",
    "M-3 -3h6v6h-6z",
    "M0 -4l3.8 6.6h-7.6z",
    "M0 -4.2l4.2 4.2l-4.2 4.2l-4.2 -4.2z",
    "M-3.2 -3.2l6.4 6.4M3.2 -3.2l-6.4 6.4",
    "M0 -4v8M-4 0h8",
    "M0 4l3.8 -6.6h-7.6z",
    "M-4 -1.6h8v3.2h-8z",
    "M0 -4v8M-3.5 -2l7 4M3.5 -2l-7 4",
)


def element(name: str, content: str | None = None, /, **attributes: object) -> str:
    """One element; attribute names lose a trailing underscore, other underscores become hyphens, None leaves one out.

    `content` is markup and is not escaped; text goes through `text_of`.
    """
    parts = [
        f'{key.rstrip("_").replace("_", "-")}="{escape(_value(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    ]
    opening = " ".join([name, *parts])
    return f"<{opening}/>" if content is None else f"<{opening}>{content}</{name}>"


def text_of(value: object) -> str:
    """Text with markup characters escaped."""
    return escape(str(value), quote=False)


def title(value: object) -> str:
    """A tooltip for the enclosing element."""
    return element("title", text_of(value))


def _value(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Scale:
    """Linear map from values to pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Pixel of a value."""
        span = self.high - self.low or 1.0
        return self.start + (value - self.low) / span * (self.end - self.start)


def marker(series: int, x: float, y: float, tip: str) -> str:
    """The marker of a series at a point, with a tooltip."""
    shape = element("path", title(tip), d=_MARKERS[(series + series // SERIES) % SERIES])
    return element("g", shape, transform=f"translate({_value(x)} {_value(y)})", class_="marker")


def series_class(series: int) -> str:
    """Classes of the style sheet for a series: its colour, and from the second round on a dash pattern of its own."""
    turn = series // SERIES
    colour = f"s{series % SERIES}"
    return f"{colour} d{(series % SERIES + turn) % _DASHES}" if turn else colour


def polyline(points: Iterable[tuple[float, float]]) -> str:
    """A line through points."""
    return element("polyline", points=" ".join(f"{_value(x)},{_value(y)}" for x, y in points), class_="line")


def axes(x: Scale, y: Scale, x_ticks: Sequence[float], y_ticks: Sequence[float], x_label: str, y_label: str) -> str:
    """Grid lines, tick labels and axis labels. `y.start` is the bottom of the plot, `x.start` its left edge."""
    parts = []
    for tick in y_ticks:
        parts.append(element("line", x1=x.start, x2=x.end, y1=y(tick), y2=y(tick), class_="grid"))
        parts.append(element("text", f"{tick:g}", x=x.start - 6, y=y(tick) + 3.5, class_="tick end"))
    for tick in x_ticks:
        parts.append(element("line", x1=x(tick), x2=x(tick), y1=y.start, y2=y.start + 4, class_="axis"))
        parts.append(element("text", f"{tick:g}", x=x(tick), y=y.start + 16, class_="tick middle"))
    parts.append(element("line", x1=x.start, x2=x.end, y1=y.start, y2=y.start, class_="axis"))
    if x_label:
        middle = (x.start + x.end) / 2
        parts.append(element("text", text_of(x_label), x=middle, y=y.start + 32, class_="label middle"))
    if y_label:
        parts.append(element("text", text_of(y_label), x=x.start, y=y.end - 10, class_="label"))
    return "".join(parts)


def picture(width: float, height: float, content: str, name: str, description: str) -> str:
    """A whole SVG that scales with the page and that a screen reader can name and describe."""
    head = title(name) + element("desc", text_of(description))
    return element(
        "svg",
        head + content,
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        role="img",
        aria_label=f"{name}. {description}",
        xmlns="http://www.w3.org/2000/svg",
    )
