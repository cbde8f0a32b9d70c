"""The score against budget: one panel per track, and small ones per family."""

from __future__ import annotations

import math
from collections.abc import Sequence

from whatworked.grading.score import PRIMARY, Score
from whatworked.report.figures import MACRO, Point
from whatworked.report.svg import Scale, axes, element, marker, picture, polyline, series_class
from whatworked.wording import counted

_WIDE, _NARROW, _SMALL = (1160.0, 400.0), (380.0, 330.0), (236.0, 176.0)
_DODGE = 0.005
"""Share of the width between the points of neighbouring methods, so that intervals do not cover one another."""
_STEPS = 5
"""Steps of an axis, about."""
_MARGIN = 0.06
"""Share of the range of budgets that is left free on either side."""


def panels(points: Sequence[Point], methods: Sequence[str], score: Score = PRIMARY) -> dict[str, dict[str, str]]:
    """SVG of every panel by track and family, the one over all families first."""
    made: dict[str, dict[str, str]] = {}
    for point in points:
        made.setdefault(point.track, {}).setdefault(point.family, "")
    for track, families in made.items():
        levels = _levels([point for point in points if point.track == track], score)
        for family in families:
            members = [point for point in points if (point.track, point.family) == (track, family)]
            if family == MACRO:
                # Text of a drawing scales with it, so a narrow window is given a drawing of its own.
                families[family] = element(
                    "div", _panel(track, family, members, methods, _WIDE, score, levels), class_="for-wide"
                )
                narrow = _panel(track, family, members, methods, _NARROW, score, levels)
                families[family] += element("div", narrow, class_="for-narrow")
            else:
                families[family] = _panel(track, family, members, methods, _SMALL, score, levels)
    return made


def _levels(points: Sequence[Point], score: Score) -> list[float]:
    """Round values for the axis of a track, evenly spaced, that hold all values; of a share those from 0 to 1."""
    values = [value for point in points for value in (point.value, point.low, point.high) if value is not None]
    low, high = min(0.0, *values), max(0.0, *values)
    if score.larger_is_better and low == 0.0 and high <= 1.0:
        return [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    rough = ((high - low) or 1.0) / _STEPS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor >= rough * (1.0 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{step * at:.12g}") for at in range(first, max(last, first + 1) + 1)]


def _panel(
    track: str,
    family: str,
    points: Sequence[Point],
    methods: Sequence[str],
    size: tuple[float, float],
    score: Score,
    levels: Sequence[float],
) -> str:
    large = family == MACRO
    width, height = size
    budgets = sorted({point.budget for point in points})
    margin = _MARGIN * (budgets[-1] - budgets[0]) or 1.0
    x = Scale(budgets[0] - margin, budgets[-1] + margin, 34.0, width - 8.0)
    y = Scale(levels[0], levels[-1], height - (42.0 if large else 26.0), 26.0 if large else 12.0)
    ticks = levels if large else [levels[0], (levels[0] + levels[-1]) / 2, levels[-1]]
    frame = axes(x, y, budgets, ticks, "budget (credits)" if large else "", score.phrase if large else "")
    series = [
        _series(index, method, [point for point in points if point.method == method], x, y, len(methods))
        for index, method in enumerate(methods)
    ]
    name = f"{score.title} against budget, {track} track, {family}"
    return picture(width, height, frame + "".join(series), name, _describe(points, budgets[-1]))


def _series(index: int, method: str, points: Sequence[Point], x: Scale, y: Scale, count: int) -> str:
    if not points:
        return ""
    span = x.end - x.start
    shift = (index - (count - 1) / 2) * min(max(1.5, _DODGE * span), 0.08 * span / max(1, count))
    placed = [(x(point.budget) + shift, point) for point in sorted(points, key=_by_budget)]
    whiskers = [
        element("line", x1=at, x2=at, y1=y(point.low), y2=y(point.high), class_="whisker")
        for at, point in placed
        if point.low is not None and point.high is not None and point.high > point.low
    ]
    marks = [
        marker(
            index,
            at,
            y(point.value),
            f"{method}, B = {point.budget}: {point.value:.3f}{_interval(point)}, {counted(point.sources, 'source')}",
        )
        for at, point in placed
    ]
    line = polyline((at, y(point.value)) for at, point in placed)
    return element("g", "".join([*whiskers, line, *marks]), class_=f"series {series_class(index)}", data_method=method)


def _interval(point: Point) -> str:
    return "" if point.low is None or point.high is None else f" ({point.low:.3f} to {point.high:.3f})"


def _by_budget(point: Point) -> int:
    return point.budget


def _describe(points: Sequence[Point], budget: int) -> str:
    last = sorted((point for point in points if point.budget == budget), key=lambda point: -point.value)
    return f"At B = {budget}: " + ", ".join(f"{point.method} {point.value:.2f}" for point in last[:12]) + "."
