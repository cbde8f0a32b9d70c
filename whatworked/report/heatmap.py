"""What each policy bought: a square of masks, darker where it was bought in more runs."""

from __future__ import annotations

from whatworked.report.figures import PurchaseCounts
from whatworked.report.svg import element, picture, text_of, title
from whatworked.surfaces.masks import anchors, mask_string

_STEPS = 6
"""Shades in the style sheet, h0 (never) to h6 (always)."""


def heatmap(bought: PurchaseCounts) -> str:
    """SVG of one policy under one budget: rows are the first half of a mask's bits, columns the second.

    Of more options than can be shown mask by mask, two rows of bars: how often each option is on in what was bought,
    and how many options are.
    """
    return _cells(bought) if bought.counts else _sums(bought)


def _sums(bought: PurchaseCounts) -> str:
    size, height = 16.0, 60.0
    groups = (("options on", "ABCDEFGHIJKLMNOPQRST", bought.options), ("number on", None, bought.sizes))
    parts = []
    for row, (label, letters, shares) in enumerate(groups):
        base = (row + 1) * (height + 34.0) - 18.0
        most = max(shares) or 1.0
        parts.append(element("text", label, x=0, y=base - height - 4, class_="tick small"))
        for place, share in enumerate(shares):
            name = letters[place] if letters else str(place)
            tip = title(f"{name}: {share:.0%} of what was bought")
            top = base - height * share / most
            box = {"x": size * place + 1, "y": top, "width": size - 2, "height": base - top}
            parts.append(element("rect", tip, **box, class_="cell h4"))
            parts.append(element("text", name, x=size * (place + 0.5), y=base + 11, class_="tick small middle"))
    favourite = "ABCDEFGHIJKLMNOPQRST"[max(range(bought.d), key=bought.options.__getitem__)]
    return picture(
        size * (bought.d + 1),
        2 * (height + 34.0),
        "".join(parts),
        f"What {bought.policy} bought, {bought.track} track, B = {bought.budget}, summed over masks",
        f"Option {favourite} is on most often, in {max(bought.options):.0%} of the masks; {bought.runs} runs.",
    )


def _cells(bought: PurchaseCounts) -> str:
    rows_bits = bought.d // 2
    columns_bits = bought.d - rows_bits
    size = 16.0 if bought.d > 4 else 32.0
    left, top = 8.0 + 7.0 * rows_bits, 8.0 + 7.0 * columns_bits
    width, height = left + size * (1 << columns_bits) + 2, top + size * (1 << rows_bits) + 2
    cells = [_cell(bought, rank, left, top, size, columns_bits) for rank in range(1 << bought.d)]
    labels = [
        element(
            "text",
            text_of(mask_string(row, rows_bits)) if rows_bits else "",
            x=left - 4,
            y=top + size * (row + 0.5) + 3,
            class_="tick small end",
        )
        for row in range(1 << rows_bits)
    ]
    labels += [
        element(
            "text",
            text_of(mask_string(column, columns_bits)),
            transform=f"translate({left + size * (column + 0.5) + 3:.1f} {top - 4:.1f}) rotate(-90)",
            class_="tick small",
        )
        for column in range(1 << columns_bits)
    ]
    most = sorted(range(1 << bought.d), key=lambda rank: -bought.counts[rank])[:3]
    favourites = ", ".join(f"{mask_string(rank, bought.d)} in {_share(bought, rank):.0%}" for rank in most)
    return picture(
        width,
        height,
        "".join([*labels, *cells]),
        f"Masks bought by {bought.policy}, {bought.track} track, B = {bought.budget}",
        f"Most often: {favourites} of {bought.runs} runs.",
    )


def _cell(bought: PurchaseCounts, rank: int, left: float, top: float, size: float, columns_bits: int) -> str:
    row, column = rank >> columns_bits, rank & ((1 << columns_bits) - 1)
    mask, share = mask_string(rank, bought.d), _share(bought, rank)
    anchor = rank in anchors(bought.d)
    shade = "anchor" if anchor else f"h{0 if not share else max(1, round(share * _STEPS))}"
    tip = f"{mask}: measured for free" if anchor else f"{mask}: bought in {bought.counts[rank]} of {bought.runs} runs"
    return element(
        "rect",
        title(tip),
        x=left + size * column + 1,
        y=top + size * row + 1,
        width=size - 2,
        height=size - 2,
        rx=2,
        class_=f"cell {shade}",
    )


def _share(bought: PurchaseCounts, rank: int) -> float:
    return bought.counts[rank] / bought.runs
