"""The panels, drawn with matplotlib; imported by `whatworked.plots.draw` only.

Colours are Okabe and Ito's palette and the diverging map PuOr (orange below zero, purple above), distinguishable with
the common forms of colour blindness; sign is also told by position or by the printed number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from whatworked.plots.labels import plain_label
from whatworked.surfaces.edges import pairs
from whatworked.surfaces.masks import FloatArray, mask_strings
from whatworked.surfaces.reversals import SMALLEST_FLOOR

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from whatworked.surfaces import ResponseSurface
    from whatworked.surfaces.exports import LabelledSurface

HELPS, HURTS, NEUTRAL = "#5E3C99", "#E66101", "#888888"
DIVERGING = "PuOr"
ORDER_COLOURS = ("#000000", "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
SHOWN_COEFFICIENTS = 14
NUMBERED_COLUMNS = 8
LABELLED_COLUMNS = 64
LONGEST_LETTER = 16
"""Characters shown of an option's own name, which is mostly a letter."""


def draw(labelled: LabelledSurface, kind: str) -> Figure:
    """Draw one panel, or all of them on a page."""
    panels = {"effects": effects, "main": main_effects, "interactions": interactions, "spectrum": spectrum}
    if kind != "overview":
        width = 12.0 if kind == "effects" else 7.0
        figure = Figure(figsize=(width, 1.6 + 0.5 * max(labelled.surface.d, 6)), layout="constrained")
        panels[kind](labelled, figure.add_subplot())
        figure.suptitle(_title(labelled), fontsize=11)
        return figure
    figure = Figure(figsize=(13.0, 9.5), layout="constrained")
    # Separate halves: the long labels above would otherwise narrow the panels below.
    halves: Any = figure.subfigures(2, 1, height_ratios=(1.0, 1.2), hspace=0.03)
    above, below = halves
    effects(labelled, above.add_subplot())
    left, middle, right = below.subplots(1, 3)
    main_effects(labelled, left)
    if labelled.surface.d > 1:
        interactions(labelled, middle)
    else:
        middle.set_axis_off()
    spectrum(labelled, right)
    figure.suptitle(_title(labelled), fontsize=13)
    return figure


def _title(labelled: LabelledSurface) -> str:
    surface = labelled.surface
    family = f" ({plain_label(labelled.family.replace('_', ' '))})" if labelled.family else ""
    return (
        f"{plain_label(surface.name or 'surface')}{family}: {1 << surface.d} configurations, "
        f"utility {surface.utilities.min():.3f} to {surface.utilities.max():.3f}"
    )


def _labels(labelled: LabelledSurface) -> list[str]:
    return [
        plain_label(option) if name == option else f"{plain_label(option)}  {plain_label(name)}"
        for option, name in labelled.names.items()
    ]


def _letters(surface: ResponseSurface) -> list[str]:
    """Names of the options where there is little room."""
    return [plain_label(option, LONGEST_LETTER) for option in surface.options]


def _limit(values: FloatArray) -> float:
    """Half-width of a scale around zero; a surface without effects still gets one."""
    return float(np.abs(values).max()) or 1e-3


def effects(labelled: LabelledSurface, axes: Axes) -> None:
    """Heat map: effect of each option (rows) in each background (columns)."""
    values = labelled.surface.effects()
    image = _heat(axes, values, _limit(values))
    axes.set_aspect("auto")
    axes.set_yticks(range(labelled.surface.d), _labels(labelled))
    columns = values.shape[1]
    if columns <= LABELLED_COLUMNS and labelled.surface.d > 1:
        upright = columns > NUMBERED_COLUMNS
        names = mask_strings(labelled.surface.d - 1)
        axes.set_xticks(range(columns), names, rotation=90 if upright else 0, family="monospace", fontsize=8)
    else:
        axes.set_xticks([])
    axes.set_xlabel("background: settings of the other options, in their order (0 off, 1 on)")
    axes.set_title("Conditional effects: change of utility when the option is switched on", fontsize=11)
    if columns <= NUMBERED_COLUMNS:
        _numbers(axes, values)
    _bar(axes, image, "change of utility")


def main_effects(labelled: LabelledSurface, axes: Axes) -> None:
    """Every conditional effect of each option as a dot, their mean as a diamond."""
    surface = labelled.surface
    for row, values in enumerate(surface.effects()):
        # Spread the dots a little, in order of background, so that equal effects do not hide each other.
        heights = row + np.linspace(-0.25, 0.25, values.size) if values.size > 1 else np.array([float(row)])
        colours = np.where(values > SMALLEST_FLOOR, HELPS, np.where(values < -SMALLEST_FLOOR, HURTS, NEUTRAL))
        axes.scatter(values, heights, c=colours.tolist(), s=16, alpha=0.75, linewidths=0)
    axes.scatter(surface.mean_effects(), range(surface.d), marker="D", s=44, c="black", zorder=3, label="mean effect")
    for label, colour in (("helps", HELPS), ("hurts", HURTS), ("no effect", NEUTRAL)):
        axes.scatter([], [], c=colour, s=16, label=label)
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_yticks(range(surface.d), _letters(surface))
    axes.set_ylim(surface.d - 0.5, -0.5)
    axes.set_ylabel("option")
    axes.set_xlabel("change of utility")
    axes.set_title("Main effects, with the effect in each background", fontsize=11)
    axes.grid(axis="x", alpha=0.3)
    _legend_below(axes, columns=4)


def interactions(labelled: LabelledSurface, axes: Axes) -> None:
    """Mean pair interactions as a triangle of numbers."""
    surface = labelled.surface
    matrix = np.full((surface.d, surface.d), np.nan)
    values = surface.interactions()
    for (left, right), value in zip(pairs(surface.d), values.tolist(), strict=True):
        matrix[right, left] = value
    shown = matrix[1:, :-1]
    image = _heat(axes, shown, _limit(values))
    axes.set_aspect("equal")
    axes.set_xticks(range(surface.d - 1), _letters(surface)[:-1])
    axes.set_yticks(range(surface.d - 1), _letters(surface)[1:])
    axes.set_xlabel("option")
    axes.set_ylabel("option")
    axes.set_title("Mean pair interactions", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    _numbers(axes, shown)
    _bar(axes, image, "u(11) - u(10) - u(01) + u(00), in utility", orientation="horizontal")


def spectrum(labelled: LabelledSurface, axes: Axes) -> None:
    """Largest Walsh-Hadamard coefficients by size, coloured by interaction order, with the shares of variance."""
    surface = labelled.surface
    coefficients = surface.spectrum()
    ranks = [int(rank) for rank in np.argsort(-np.abs(coefficients), kind="stable") if rank][:SHOWN_COEFFICIENTS]
    shares = surface.order_shares()
    colours = [_order_colour(rank.bit_count()) for rank in ranks]
    places = range(len(ranks))
    axes.barh(places, np.abs(coefficients[ranks]), color=colours)
    axes.set_yticks(places, [_subset(rank, _letters(surface)) for rank in ranks])
    axes.set_ylim(len(ranks) - 0.4, -0.6)
    for order in range(1, surface.d + 1):
        axes.barh([0], [0], color=_order_colour(order), label=f"order {order}: {shares[order]:.1%}")
    axes.set_xlabel("|Walsh-Hadamard coefficient| (utility)")
    axes.set_ylabel("set of options")
    axes.set_title("Spectrum, and share of variance by order", fontsize=11)
    _legend_below(axes, columns=3)
    axes.locator_params(axis="x", nbins=4)
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)


def _legend_below(axes: Axes, columns: int) -> None:
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -0.12),
        ncols=columns,
        fontsize=8,
        frameon=False,
        handletextpad=0.4,
        columnspacing=1.2,
    )


def _order_colour(order: int) -> str:
    return ORDER_COLOURS[min(order, len(ORDER_COLOURS) - 1)]


def _subset(rank: int, options: Sequence[str]) -> str:
    names = [option for place, option in enumerate(options) if rank >> (len(options) - 1 - place) & 1]
    return ("" if all(len(option) == 1 for option in options) else " ").join(names)


def _heat(axes: Axes, values: FloatArray, limit: float) -> Any:
    return axes.imshow(values, cmap=DIVERGING, vmin=-limit, vmax=limit, interpolation="nearest")


def _bar(axes: Axes, image: Any, label: str, orientation: str = "vertical") -> None:
    axes.figure.colorbar(image, ax=axes, label=label, shrink=0.9, pad=0.02, orientation=orientation)


def _numbers(axes: Axes, values: FloatArray) -> None:
    limit = _limit(values[np.isfinite(values)])
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            # White on the dark ends of the diverging map, black in between.
            colour = "white" if abs(value) > 0.65 * limit else "black"
            text = "0" if abs(value) <= SMALLEST_FLOOR else f"{value:+.3f}"
            axes.text(column, row, text, ha="center", va="center", fontsize=8, color=colour)
