"""Axes and measures on the page: a bar each, and behind each measure its opportunities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whatworked.process.graph import Graph, Quote
from whatworked.process.measures import AXES, AxisScore, MeasureScore, Opportunity, Scores, measure_named
from whatworked.report.svg import Scale, element, picture, text_of
from whatworked.wording import counted, fixed, interval_text

_WIDTH, _HEIGHT = 240, 34
_LONGEST = 400
"""Characters of a quote that are shown in a list; all of it stands in its place."""


def axis_cards(scores: Scores, kind: str) -> str:
    """A card for each axis of a kind, with its measures.

    Parameters
    ----------
    scores : Scores
        Of the run.
    kind : {"competence", "trait"}
        Which axes.

    Returns
    -------
    str
        Markup.
    """
    axes = {axis.id: axis for axis in AXES if axis.kind == kind}
    cards = []
    for score in scores.axes:
        if score.id in axes:
            members = [entry for entry in scores.measures if entry.axis == score.id]
            cards.append(_card(score, axes[score.id].asks, members))
    return "".join(cards)


def opportunity_lists(scores: Scores, graph: Graph, places: Mapping[Quote, str], linked: bool) -> str:
    """Every measure with its opportunities, taken or not, and their quotes.

    Parameters
    ----------
    scores : Scores
        Of the run.
    graph : Graph
        Of the run.
    places : mapping of Quote to str
        Anchors of quotes.
    linked : bool
        Whether the record is on the page, so that quotes can lead into it.

    Returns
    -------
    str
        Markup.
    """
    names = {idea.id: idea.name for idea in graph.ideas}
    return "".join(_measure(entry, names, places, linked) for entry in scores.measures)


def _card(score: AxisScore, asks: str, members: Sequence[MeasureScore]) -> str:
    number = element("span", "-" if score.score is None else fixed(score.score, 2), class_="score")
    head = element("h3", f"{text_of(score.id)} {text_of(score.name)}") + number
    interval = ""
    if score.low is not None and score.high is not None:
        interval = element(
            "p",
            f"95 % interval {interval_text(score.low, score.high)}; as published "
            f"{interval_text(score.published_low, score.published_high)}",
            class_="note",
        )
    bar = _bar(score.score, score.low, score.high, f"{score.id} {score.name}")
    rows = "".join(_measure_line(entry) for entry in members)
    why = element("p", "No score: no measure has enough to say.", class_="note") if score.score is None else ""
    return element(
        "section",
        element("div", head, class_="head")
        + element("p", text_of(asks), class_="asks")
        + bar
        + interval
        + why
        + element("ul", rows, class_="measures"),
        class_="axis" if score.score is not None else "axis silent",
    )


def _measure_line(entry: MeasureScore) -> str:
    name = element("a", text_of(entry.id.replace("_", " ")), href=f"#m-{entry.id}")
    if entry.score is None:
        return element("li", f"{name} {element('span', 'abstains', class_='abstains')}")
    counts = f"{entry.taken} of {entry.offered}" if entry.form == "rate" else entry.form
    if entry.form == "count":
        counts = counted(entry.taken, "instance")
    outside = "" if entry.averaged else element("span", "not in the mean", class_="abstains")
    value = element("span", f"{fixed(entry.score, 2)} ({counts})", class_="value")
    return element("li", f"{name} {value} {outside}", class_="in" if entry.averaged else "out")


def _bar(score: float | None, low: float | None, high: float | None, name: str) -> str:
    scale = Scale(0.0, 1.0, 8.0, _WIDTH - 8.0)
    parts = [element("line", x1=scale(0), x2=scale(1), y1=14, y2=14, class_="axis-line")]
    for tick in (0.0, 0.5, 1.0):
        parts.append(element("line", x1=scale(tick), x2=scale(tick), y1=11, y2=17, class_="axis-line"))
        parts.append(element("text", f"{tick:g}", x=scale(tick), y=30, class_="middle"))
    if low is not None and high is not None:
        parts.append(element("line", x1=scale(low), x2=scale(high), y1=14, y2=14, class_="interval"))
    if score is not None:
        parts.append(element("circle", cx=scale(score), cy=14, r=5, class_="dot"))
    said = "no score" if score is None else f"score {fixed(score, 2)}, interval {interval_text(low, high)}"
    return picture(_WIDTH, _HEIGHT, "".join(parts), name, said)


def _measure(entry: MeasureScore, names: Mapping[str, str], places: Mapping[Quote, str], linked: bool) -> str:
    measure = measure_named(entry.id)
    score = "abstains" if entry.score is None else fixed(entry.score, 2)
    counts = f"{entry.taken} of {entry.offered} taken" if entry.form == "rate" else entry.form
    if entry.low is not None:
        counts += f", 95 % interval {interval_text(entry.low, entry.high)}"
    title = f"{entry.axis} {entry.id.replace('_', ' ')}"
    head = element(
        "summary",
        f"{element('span', text_of(title), class_='name')} {element('span', score, class_='value')} "
        f"{element('span', text_of(counts), class_='note')}",
    )
    told = element(
        "dl",
        element("dt", "Opportunity")
        + element("dd", text_of(measure.opportunity))
        + element("dt", "Taken")
        + element("dd", text_of(measure.taken)),
    )
    notes = [line for line in (entry.abstains, *entry.notes) if line]
    said = "".join(element("p", text_of(line), class_="note") for line in notes)
    items = "".join(_item(item, names, places, linked) for item in entry.opportunities)
    listing = element("ol", items, class_="items") if items else ""
    return element("details", head + told + said + listing, id=f"m-{entry.id}", class_="measure")


def _item(item: Opportunity, names: Mapping[str, str], places: Mapping[Quote, str], linked: bool) -> str:
    flag = element("span", "taken" if item.taken else "not taken", class_="flag")
    name = names.get(item.node)
    node = element("code", text_of(item.node)) + (f" {text_of(name)}" if name else "")
    why = element("span", text_of(item.why), class_="why")
    quotes = "".join(_quoted(quote, places, linked) for quote in item.quotes)
    return element("li", f"{flag} {node}: {why}{quotes}", class_="taken" if item.taken else "missed")


def _quoted(quote: Quote, places: Mapping[Quote, str], linked: bool) -> str:
    where = f"step {quote.step}, {quote.field}"
    link = element("a", where, href=f"#{places[quote]}") if linked else where
    text = quote.text if len(quote.text) <= _LONGEST else f"{quote.text[:_LONGEST]} …"
    return element("blockquote", f"{element('q', text_of(text))} {element('cite', link)}")
