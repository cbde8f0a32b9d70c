"""The record on the page: every step, with its quotes marked in place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from whatworked.process.graph import Quote, step_text
from whatworked.process.graph.model import Field
from whatworked.process.records import Record, Step
from whatworked.report.process.places import step_place
from whatworked.report.svg import element, text_of
from whatworked.wording import counted, printable

_CONTEXT = 1_500
"""Characters on either side of a quote that are shown, and at the ends of a text."""
_WHOLE = 6_000
"""Longest text that is shown whole."""
_TITLES: Mapping[Field, str] = {"words": "words", "action": "action", "observation": "result"}


def record_steps(record: Record, places: Mapping[Quote, str]) -> str:
    """Every step, open where something of it is quoted.

    Parameters
    ----------
    record : Record
        The run.
    places : mapping of Quote to str
        Anchors of quotes.

    Returns
    -------
    str
        Markup. Long texts are shown around their quotes, and it is said how much is left out.
    """
    by_text: dict[tuple[int, str], list[Quote]] = {}
    for quote in places:
        by_text.setdefault((quote.step, quote.field), []).append(quote)
    return "".join(_step(step, by_text, places) for step in record.steps)


def _step(step: Step, by_text: Mapping[tuple[int, str], Sequence[Quote]], places: Mapping[Quote, str]) -> str:
    parts = []
    number = 0
    for field, name in _TITLES.items():
        text = step_text(step, field)
        if text is None or not text.strip():
            continue
        quotes = by_text.get((step.id, field), ())
        number += len(quotes)
        parts.append(element("h4", name) + element("pre", _marked(text, quotes, places), tabindex="0"))
    who = step.actor if step.name is None else f"{step.actor} {step.name}"
    tool = f", {step.tool}" if step.tool else ""
    told = f", {counted(number, 'quote')}" if number else ""
    head = element(
        "summary", f"{element('b', f'Step {step.id}')} {text_of(printable(f'{who}, {step.kind}{tool}{told}'))}"
    )
    return element(
        "details",
        head + "".join(parts),
        id=step_place(step.id),
        class_="step",
        open="open" if number else None,
    )


def _marked(text: str, quotes: Sequence[Quote], places: Mapping[Quote, str]) -> str:
    """A text with its quotes marked; where marks overlap, each position belongs to the quote that began last."""
    shown = _shown(len(text), quotes)
    found = []
    end_before = 0
    for start, end in shown:
        if start > end_before:
            found.append(element("i", f"… {start - end_before:,} characters …", class_="cut"))
        found.append(_marked_span(text, start, end, quotes, places))
        end_before = end
    if end_before < len(text):
        found.append(element("i", f"… {len(text) - end_before:,} characters …", class_="cut"))
    return "".join(found)


def _marked_span(text: str, start: int, end: int, quotes: Sequence[Quote], places: Mapping[Quote, str]) -> str:
    inside = [quote for quote in quotes if quote.start < end and quote.end > start]
    edges = sorted({start, end, *(quote.start for quote in inside), *(quote.end for quote in inside)})
    found = []
    for low, high in pairwise(edges):
        piece = text_of(printable(text[low:high], keep="\n\t"))
        anchors = "".join(element("a", "", id=places[quote]) for quote in inside if quote.start == low)
        marked = any(quote.start <= low and high <= quote.end for quote in inside)
        found.append(anchors + (element("mark", piece) if marked else piece))
    return "".join(found)


def _shown(length: int, quotes: Sequence[Quote]) -> list[tuple[int, int]]:
    """Parts of a text that are shown, in order."""
    if length <= _WHOLE:
        return [(0, length)]
    wanted = [(0, _CONTEXT), (length - _CONTEXT, length)]
    wanted += [(quote.start - _CONTEXT, quote.end + _CONTEXT) for quote in quotes]
    return list(_joined(sorted((max(0, low), min(length, high)) for low, high in wanted)))


def _joined(spans: Sequence[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    low, high = spans[0]
    for start, end in spans[1:]:
        if start > high:
            yield low, high
            low, high = start, end
        high = max(high, end)
    yield low, high
