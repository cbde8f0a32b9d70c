"""``whatworked effects``: which options help, hurt and reverse, and in which backgrounds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.cli.surfaces import references_option, surface_or_table, table_options
from whatworked.errors import unknown_name
from whatworked.wording import counted, fixed

if TYPE_CHECKING:
    from whatworked.surfaces.exports import LabelledSurface
    from whatworked.surfaces.reversals import OptionSigns
    from whatworked.surfaces.surface import EdgeEffect, ResponseSurface


@click.command()
@click.argument("condition")
@click.option("--option", "letter", metavar="LETTER", help="List every effect of one option, for instance A.")
@click.option("--sort", is_flag=True, help="Largest first, instead of the order of options and masks.")
@click.option(
    "--floor",
    default="1e-12",
    show_default=True,
    type=click.Choice(["1e-12", "1%", "5%", "10%"]),
    help="Effects up to this size count as none: absolute, or a share of the utility range.",
)
@references_option
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def effects(
    condition: str,
    letter: str | None,
    sort: bool,
    floor: str,
    where: Path | None,
    column: str | None,
    direction: str | None,
    as_json: bool,
) -> None:
    """Show what switching on each option of CONDITION does to utility.

    CONDITION may be a CSV file with a column for each option, of two levels each, and one of results for all settings.

    A background is the setting of the other options, written as a mask with "-" at the option itself: -01101 is option
    A in the background B=0, C=1, D=1, E=0, F=1. An option reverses if it helps in one background and hurts in another.

    Examples: whatworked effects scifact__d6; whatworked effects scifact__d6 --option C --sort
    """
    from whatworked.surfaces.reversals import floor_of

    labelled, note = surface_or_table(condition, where, column, direction)
    if letter is not None and letter not in labelled.surface.options:
        raise unknown_name("option", letter, labelled.surface.options)
    size = floor_of(labelled.surface, floor)
    if as_json:
        print_json(_json(labelled, size, sort) if letter is None else _option_json(labelled, letter, size, sort))
        return
    for line in (*_heading(labelled, size), *([note] if note else [])):
        print_text(line)
    if letter is None:
        _print_overview(labelled, size, sort)
    else:
        _print_option(labelled, letter, size, sort)


def _signs(surface: ResponseSurface, floor: float, sort: bool) -> list[OptionSigns]:
    from whatworked.surfaces.reversals import option_signs

    signs = list(option_signs(surface, floor))
    return sorted(signs, key=lambda entry: -entry.mean) if sort else signs


def _edges(surface: ResponseSurface, letter: str, sort: bool) -> list[EdgeEffect]:
    edges = [edge for edge in surface.effect_table() if edge.option == letter]
    return sorted(edges, key=lambda edge: -edge.effect) if sort else edges


def _verdict(signs: OptionSigns) -> str:
    if signs.reverses:
        return "reverses"
    if signs.helps:
        return "helps"
    return "hurts" if signs.hurts else "no effect"


def _background(surface: ResponseSurface, edge: EdgeEffect) -> str:
    place = surface.options.index(edge.option)
    return f"{edge.mask[:place]}-{edge.mask[place + 1 :]}"


def _are_letters(surface: ResponseSurface) -> bool:
    """Whether the options are called A, B, C, … as in the catalog."""
    return all(len(option) == 1 for option in surface.options)


def _signed(effect: float) -> str:
    return fixed(effect, 4, signed=True)


def _heading(labelled: LabelledSurface, floor: float) -> list[str]:
    surface = labelled.surface
    low, high = surface.utilities.min(), surface.utilities.max()
    place = f"{labelled.family}, source {labelled.source}, " if labelled.family else ""
    return [
        f"{surface.name}: {place}{counted(surface.d, 'option')}, {1 << surface.d} masks",
        f"utility {low:.4f} to {high:.4f} (range {surface.range:.4f}), best mask {surface.best}; "
        f"mean |effect| {surface.mean_absolute_effect:.4f}; floor {floor:.3g}",
        'backgrounds are masks with "-" in the place of the option in question',
    ]


def _print_overview(labelled: LabelledSurface, floor: float, sort: bool) -> None:
    surface, names = labelled.surface, labelled.names
    signs = _signs(surface, floor, sort)
    header = ("option", "verdict", "mean", "helps", "hurts", "none", "largest effect", "smallest effect")
    rows = [
        (
            f"{entry.option} {names[entry.option]}",
            _verdict(entry),
            _signed(entry.mean),
            *(str(count) for count in (entry.helps, entry.hurts, entry.neutral)),
            *(f"{_signed(edge.effect)} at {_background(surface, edge)}" for edge in (entry.largest, entry.smallest)),
        )
        for entry in signs
    ]
    echo()
    print_table([header, *rows], right=range(2, 8))
    for line in (*_reversal_lines(surface, signs, floor), *_interaction_lines(surface)):
        print_text(line, indent=5 if line.startswith(" ") else 0)


def _reversal_lines(surface: ResponseSurface, signs: list[OptionSigns], floor: float) -> list[str]:
    from whatworked.surfaces.reversals import sign_split

    lines = []
    for entry in signs:
        split = sign_split(surface, entry.option, floor) if entry.reverses else None
        if split is not None:
            lines.append(
                f"  {split.option}: with {split.other}=0 helps in {split.helps_off} and hurts in {split.hurts_off}, "
                f"with {split.other}=1 helps in {split.helps_on} and hurts in {split.hurts_on}, of "
                f"{split.backgrounds} each"
            )
    if not lines:
        return ["", "No option changes its sign."]
    return ["", "Where the reversing options change sign, by the other option that splits it best:", *lines]


def _interaction_lines(surface: ResponseSurface) -> list[str]:
    ranked = sorted(zip(surface.pairs, surface.interactions().tolist(), strict=True), key=lambda item: -abs(item[1]))
    between = "" if _are_letters(surface) else " and "
    pairs = ", ".join(f"{left}{between}{right} {_signed(value)}" for (left, right), value in ranked[:5])
    shares = surface.order_shares().tolist()
    orders = [f"order {order} {share:.1%}" for order, share in enumerate(shares[:3]) if order]
    if surface.d > 2:
        orders.append(f"order 3 and up {sum(shares[3:]):.1%}")
    lines = ["", f"Strongest mean pair interactions: {pairs}"] if ranked else [""]
    return [*lines, f"Share of variance: {', '.join(orders)}"]


def _print_option(labelled: LabelledSurface, letter: str, floor: float, sort: bool) -> None:
    surface = labelled.surface
    entry = next(signs for signs in _signs(surface, floor, sort) if signs.option == letter)
    print_text(
        f"option {letter}, {labelled.names[letter]}: {_verdict(entry)}; mean {_signed(entry.mean)}; "
        f"helps in {counted(entry.helps, 'background')}, hurts in {entry.hurts}, no effect in {entry.neutral}"
    )
    others = "background"
    if _are_letters(surface):
        others = "".join(option if option != letter else "-" for option in surface.options)
    rows = [(others, "off", "on", "effect", "")]
    for edge in _edges(surface, letter, sort):
        off = surface[edge.mask]
        sign = "helps" if edge.effect > floor else "hurts" if edge.effect < -floor else ""
        values = (fixed(off, 4), fixed(off + edge.effect, 4), _signed(edge.effect))
        rows.append((_background(surface, edge), *values, sign))
    echo()
    print_table(rows, right=(1, 2, 3))


def _json(labelled: LabelledSurface, floor: float, sort: bool) -> dict[str, Any]:
    surface, names = labelled.surface, labelled.names
    return {
        **_json_heading(labelled, floor),
        "options": [
            {
                "option": entry.option,
                "name": names[entry.option],
                "verdict": _verdict(entry),
                "mean_effect": entry.mean,
                "helps": entry.helps,
                "hurts": entry.hurts,
                "neutral": entry.neutral,
                "largest": _edge_json(surface, entry.largest),
                "smallest": _edge_json(surface, entry.smallest),
            }
            for entry in _signs(surface, floor, sort)
        ],
        "interactions": [
            {"options": list(pair), "interaction": value}
            for pair, value in zip(surface.pairs, surface.interactions().tolist(), strict=True)
        ],
        "variance_share_by_order": surface.order_shares().tolist(),
    }


def _option_json(labelled: LabelledSurface, letter: str, floor: float, sort: bool) -> dict[str, Any]:
    edges = _edges(labelled.surface, letter, sort)
    return {
        **_json_heading(labelled, floor),
        "option": letter,
        "name": labelled.names[letter],
        "effects": [_edge_json(labelled.surface, edge) for edge in edges],
    }


def _json_heading(labelled: LabelledSurface, floor: float) -> dict[str, Any]:
    surface = labelled.surface
    return {
        "condition": surface.name,
        "family": labelled.family,
        "source": labelled.source,
        "dimensions": surface.d,
        "floor": floor,
        "utility_min": float(surface.utilities.min()),
        "utility_max": float(surface.utilities.max()),
        "best_mask": surface.best,
        "mean_absolute_effect": surface.mean_absolute_effect,
    }


def _edge_json(surface: ResponseSurface, edge: EdgeEffect) -> dict[str, Any]:
    return {"mask": edge.mask, "background": _background(surface, edge), "effect": edge.effect}
