"""One self-contained page about a campaign."""

from __future__ import annotations

from pathlib import Path
from string import Template

from whatworked.campaigns.estimates import LEVEL
from whatworked.campaigns.findings import Findings
from whatworked.campaigns.words import Block, blocks
from whatworked.report.parts import asset
from whatworked.report.shell import whole_page
from whatworked.report.svg import Scale, axes, element, marker, picture, polyline, text_of
from whatworked.storage.files import write_atomic
from whatworked.wording import counted, printable

_ROW = 26
_WIDTH = 640
_NAMES = 150


def campaign_page(found: Findings) -> str:
    """The page as text.

    Parameters
    ----------
    found : Findings
        What a campaign knows.

    Returns
    -------
    str
        HTML that fetches nothing.
    """
    first, *rest = blocks(found)
    body = [_block(first), _forest(found), *(_block(block) for block in rest), _curve(found)]
    title = f"{counted(found.plan.d, 'option')}, {counted(len(found.runs), 'run')}"
    content = Template(asset("campaign.html")).substitute(
        title=text_of(title), body="\n".join(part for part in body if part)
    )
    return whole_page(title, f"{asset('report.css')}\n{asset('campaign.css')}", content)


def write_campaign_page(found: Findings, out: Path) -> None:
    """Write the page; raises `StorageError` where that is not possible."""
    write_atomic(out, campaign_page(found).encode("utf-8", "backslashreplace"))


def _block(block: Block) -> str:
    parts = [element("h2", text_of(block.title))] if block.title else []
    parts += [element("p", text_of(printable(sentence))) for sentence in block.sentences]
    if block.rows:
        head = element("tr", "".join(_head(block, *cell) for cell in enumerate(block.header)))
        rows = "".join(element("tr", "".join(_cell(block, *cell) for cell in enumerate(row))) for row in block.rows)
        table = element("table", element("thead", head) + element("tbody", rows))
        parts.append(element("div", table, class_="scroll", tabindex="0"))
    return element("section", "".join(parts))


def _head(block: Block, place: int, text: str) -> str:
    return element("th", text_of(text), scope="col", class_="number" if place in block.right else None)


def _cell(block: Block, place: int, text: str) -> str:
    return element("td", text_of(printable(text)), class_="number" if place in block.right else None)


def _forest(found: Findings) -> str:
    """Effects with their intervals, the largest on top."""
    effects = [effect for effect in found.effects if effect.pairs]
    if found.unit_map is None or not effects:
        return ""
    ends = [0.0, *(end for effect in effects for end in (effect.low, effect.high))]
    bottom = _ROW * len(effects)
    x = Scale(min(ends), max(ends), _NAMES, _WIDTH - 20)
    parts = [element("line", x1=x(0.0), x2=x(0.0), y1=0, y2=bottom, class_="axis")]
    for row, effect in enumerate(effects):
        y = _ROW * (row + 0.5)
        change = found.unit_map.change_text
        tip = f"{printable(effect.option)}: {change(effect.mean)}"
        line = element("line", x1=x(effect.low), x2=x(effect.high), y1=y, y2=y, class_="line")
        parts.append(element("text", text_of(printable(effect.option)), x=0, y=y + 4, class_="tick"))
        parts.append(element("g", line + marker(0, x(effect.mean), y, tip), class_="series s0"))
    least, most = (text_of(found.unit_map.change_text(end)) for end in (min(ends), max(ends)))
    parts.append(element("text", f"hurts, {least}", x=_NAMES, y=bottom + 16, class_="tick"))
    parts.append(element("text", f"helps, {most}", x=_WIDTH - 20, y=bottom + 16, class_="tick end"))
    told = f"Average effect of each option, with its {LEVEL:.0%} interval"
    return element("figure", picture(_WIDTH, bottom + 24, "".join(parts), "Effects", told))


def _curve(found: Findings) -> str:
    """How uncertain effects were after each number of results."""
    if len(found.knowledge) < 2:
        return ""
    counts, spreads = zip(*found.knowledge, strict=True)
    x = Scale(counts[0], counts[-1], 60, _WIDTH - 20)
    y = Scale(0.0, max(spreads) or 1.0, 180, 20)
    frame = axes(x, y, counts, [0.0, round(max(spreads), 3)], "results", "")
    line = element("g", polyline((x(count), y(spread)) for count, spread in found.knowledge), class_="series s0")
    told = "Typical uncertainty of an effect after each number of results, as a share of the range of values"
    head = element("h2", "What is known, by number of results") + element("p", f"{told}.")
    return element("section", head + element("figure", picture(_WIDTH, 220, frame + line, "Knowledge", told)))
