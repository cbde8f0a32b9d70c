"""The report of a campaign: sentences and tables, and the same as plain text and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whatworked.campaigns.asking import Ask
from whatworked.campaigns.estimates import LEVEL, OptionEffect
from whatworked.inference.family import SHARE
from whatworked.surfaces.masks import mask_rank
from whatworked.wording import counted, first_few, markdown_table, printable

if TYPE_CHECKING:
    from whatworked.campaigns.findings import Findings


@dataclass(frozen=True)
class Block:
    """A part of the report.

    Attributes
    ----------
    title : str
        Heading; may be empty.
    sentences : tuple of str
        One paragraph each.
    header, rows : tuples of str
        A table; empty if there is none.
    right : tuple of int
        Columns of numbers.
    """

    title: str
    sentences: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    right: tuple[int, ...] = ()


def blocks(found: Findings) -> tuple[Block, ...]:
    """The whole report.

    Parameters
    ----------
    found : Findings
        What a campaign knows.

    Returns
    -------
    tuple of Block
    """
    return tuple(block for block in _blocks(found) if block.sentences or block.rows)


def _blocks(found: Findings) -> Iterator[Block]:
    yield Block("", _opening(found))
    if found.unit_map is not None:
        yield _effects(found)
        yield Block("Best setting", _best(found))
    yield _upcoming(found)
    yield _holes(found)
    yield _measured(found)


def _opening(found: Findings) -> tuple[str, ...]:
    results = len(found.runs) - len(found.holes)
    settings = f"{len(found.plan.allowed)} of {1 << found.plan.d} settings may run"
    lines = [
        f"{counted(len(found.runs), 'run')}: {counted(results, 'result')}, {counted(len(found.holes), 'hole')}. "
        f"{counted(found.plan.d, 'option')}; {settings}."
    ]
    lines += [coding.sentence() for coding in found.plan.codings]
    if found.plan.costs:
        spent = sum(found.plan.cost(mask_rank(run.mask)) for run in found.runs)
        lines.append(f"These runs cost {spent:g}.")
    if found.stopped:
        lines.append(f"Stopped: {found.stopped}.")
    if found.unit_map is None:
        return (*lines, "Nothing can be said of effects before two settings have a result.")
    lines.append(found.unit_map.sentence())
    if not any(_is_sure(effect) for effect in found.effects):
        lines.append("No effect has a sure sign yet: the budget was too small for that, or the options do nothing.")
    elif results <= found.plan.d:
        lines.append(
            "With no more results than options, much of this rests on what is usual, not on what was measured."
        )
    lines += _noise(found)
    lines += _experience(found)
    if len(found.plan.allowed) < 1 << found.plan.d:
        lines.append(
            "Settings that must not run have no part in effects: each is averaged over the pairs of settings that both "
            "may run, so that effects of two options can rest on different settings of the others."
        )
    if found.contexts < len(found.plan.allowed) - len(found.holes):
        lines.append(f"Effects and the best setting rest on a sample of {found.contexts} settings.")
    return tuple(lines)


def _noise(found: Findings) -> list[str]:
    noise, unit_map = found.noise, found.unit_map
    if noise is None or unit_map is None:
        return []
    # Without the sign: these are sizes.
    text = [unit_map.change_text(abs(size)).lstrip("+") for size in (noise.sd, noise.low, noise.high, noise.pair)]
    source = "estimated" if found.plan.noise is None else "stated"
    below = [effect.option for effect in found.effects if effect.pairs and abs(effect.mean) < noise.effect]
    lines = [
        f"Noise ({source}): a result varies by {text[0]} (one standard deviation; {LEVEL:.0%} interval {text[1]} to "
        f"{text[2]}). A difference below {text[3]} between two single runs can be noise alone. With these "
        f"{len(found.runs) - len(found.holes)} results no average effect can be known better than to "
        f"±{unit_map.change_text(noise.effect).lstrip('+')}."
    ]
    if below:
        lines.append(f"Below that floor: {', '.join(below)}.")
    return lines


def _experience(found: Findings) -> list[str]:
    if found.plan.experience is None or found.leaning is None:
        return []
    surfaces = found.plan.experience.surfaces
    return [
        f"Experience: {counted(len(surfaces), 'earlier table')} ({first_few([one.source for one in surfaces])}). By "
        f"what was measured here, this pipeline is like them with a probability of {found.leaning:.2f}; beforehand it "
        f"was {SHARE:g}."
    ]


def _is_sure(effect: OptionEffect) -> bool:
    return effect.pairs > 0 and (effect.low > 0 or effect.high < 0)


def _effects(found: Findings) -> Block:
    header = ("option", "from", "to", "effect", f"{LEVEL:.0%} interval", "sure of sign", "helps in", "depends most on")
    return Block(
        "Effects, averaged over the settings of the other options",
        header=header,
        rows=tuple(_effect(found, effect) for effect in found.effects),
        right=(3, 5),
    )


def _effect(found: Findings, effect: OptionEffect) -> tuple[str, ...]:
    option = next(option for option in found.plan.options if option.name == effect.option)
    head = (option.name, option.label(0), option.label(1))
    if found.unit_map is None or not effect.pairs:
        return (*head, "-", "-", "-", "no two settings that can run differ in it alone", "")
    text = found.unit_map.change_text
    ends = [effect.low, effect.high]
    if found.unit_map.scale.direction == "minimize":
        ends.reverse()
    depends = ""
    if effect.depends_on:
        other = next(option for option in found.plan.options if option.name == effect.depends_on)
        depends = (
            f"{other.name}: {text(effect.when_off)} at {other.label(0)}, {text(effect.when_on)} at {other.label(1)}"
        )
    return (
        *head,
        text(effect.mean),
        f"{text(ends[0])} to {text(ends[1])}",
        f"{effect.sure:.0%}",
        f"{effect.helps} of {effect.pairs}" + (", surely flips" if effect.flips else ""),
        depends,
    )


def _best(found: Findings) -> tuple[str, ...]:
    best, unit_map = found.best, found.unit_map
    if best is None or unit_map is None:
        return ()
    words = found.plan.words(mask_rank(best.mask))
    if best.measured and found.noise is not None:
        value = f"run; expected {best.value:.4g}, {LEVEL:.0%} interval {best.low:.4g} to {best.high:.4g}"
    elif best.measured:
        value = f"measured: {best.value:.6g}"
    else:
        value = f"not run yet; expected {best.value:.4g}, {LEVEL:.0%} interval {best.low:.4g} to {best.high:.4g}"
    return (
        f"{best.mask} ({words}), {value}.",
        f"Probability that no setting is better: {best.probability:.0%}. Expected distance from the true best: "
        f"{unit_map.change_text(-best.shortfall)}.",
    )


def _upcoming(found: Findings) -> Block:
    rows = tuple(
        (_again(ask), found.plan.words(mask_rank(ask.mask)), "-" if ask.teaches is None else f"{ask.teaches:.0%}")
        for ask in found.asks
    )
    if not rows:
        return Block("To run next", ("Every setting that may run has been run.",))
    return Block(
        "To run next",
        header=("mask", "setting", "would take away of what is unknown about effects"),
        rows=rows,
        right=(2,),
    )


def _again(ask: Ask) -> str:
    return f"{ask.mask} again" if ask.repeat else ask.mask


def _holes(found: Findings) -> Block:
    rows = tuple((run.mask, found.plan.words(mask_rank(run.mask)), run.reason) for run in found.holes)
    return Block("Holes: runs without a result", header=("mask", "setting", "reason") if rows else (), rows=rows)


def _measured(found: Findings) -> Block:
    rows = tuple(
        (run.mask, found.plan.words(mask_rank(run.mask)), f"{run.value:.6g}", _seconds(run.seconds))
        for run in found.runs
        if run.value is not None
    )
    return Block(
        "Measured, in order", header=("mask", "setting", "value", "seconds") if rows else (), rows=rows, right=(2, 3)
    )


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.2f}"


def as_text(found: Findings) -> str:
    """The report as plain text.

    Parameters
    ----------
    found : Findings
        What a campaign knows.

    Returns
    -------
    str
    """
    parts = []
    for block in blocks(found):
        lines = [block.title] if block.title else []
        lines += block.sentences
        parts.append("\n".join(lines + _aligned(block)))
    return "\n\n".join(parts) + "\n"


def _aligned(block: Block) -> list[str]:
    if not block.rows:
        return []
    table = [[printable(cell) for cell in row] for row in (block.header, *block.rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place in block.right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def as_markdown(found: Findings) -> str:
    """The report in Markdown.

    Parameters
    ----------
    found : Findings
        What a campaign knows.

    Returns
    -------
    str
    """
    parts = []
    for block in blocks(found):
        parts += [f"## {block.title}"] if block.title else []
        parts += [printable(sentence) for sentence in block.sentences]
        parts += [markdown_table(block.header, block.rows).rstrip("\n")] if block.rows else []
    return "\n\n".join(parts) + "\n"
