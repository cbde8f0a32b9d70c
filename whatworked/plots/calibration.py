"""Calibration plot: how often intervals hold the truth, against how often they should."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from whatworked.plots.labels import plain_label
from whatworked.plots.library import load_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = ("#888888", "#0072B2", "#D55E00", "#009E73")
_MARKERS = ("o", "s", "^", "D")


def draw_calibration(levels: Sequence[float], curves: Mapping[str, Sequence[float]]) -> Figure:
    """Draw coverage against stated rate.

    Parameters
    ----------
    levels : sequence of float
        Stated rates.
    curves : mapping of str to sequence of float
        Label to coverage at each of the levels; at most four.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    load_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 5.2), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="black", linewidth=0.8, linestyle="--", label="as stated")
    for (label, values), colour, marker in zip(curves.items(), _COLOURS, _MARKERS, strict=False):
        axes.plot(levels, values, color=colour, marker=marker, linewidth=1.4, label=plain_label(label))
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_aspect("equal")
    axes.set_xlabel("stated rate of the interval")
    axes.set_ylabel("share of unknown effects inside")
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left", frameon=False)
    return figure
