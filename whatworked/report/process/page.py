"""Putting the page about a run together."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from string import Template

from whatworked import __version__
from whatworked.errors import RecordError
from whatworked.process.graph import Graph
from whatworked.process.measures import Scores, measure
from whatworked.process.records import Record, record_bytes
from whatworked.report.process.axes import axis_cards, opportunity_lists
from whatworked.report.process.places import quote_places
from whatworked.report.process.steps import record_steps
from whatworked.report.process.timeline import timeline
from whatworked.report.shell import whole_page
from whatworked.report.svg import element, text_of
from whatworked.storage.canonical import sha256
from whatworked.wording import printable


def render(graph: Graph, record: Record | None) -> str:
    """The page as text.

    Parameters
    ----------
    graph : Graph
        Of the run.
    record : Record or None
        The run itself.

    Returns
    -------
    str

    Raises
    ------
    RecordError
        If the graph is of another record.
    """
    if record is not None and sha256(record_bytes(record)) != graph.record:
        raise RecordError(
            f"the graph of run {graph.run} was made from a record with digest {graph.record[:12]}, and this one has "
            f"{sha256(record_bytes(record))[:12]}; give the record that was scored"
        )
    scores = measure(graph)
    places = quote_places(graph, scores)
    linked = record is not None
    missing = element("p", "The record was not given, so quotes are shown alone.", class_="note")
    title = printable(f"Process of {graph.run}")
    body = Template(_asset("page.html")).substitute(
        title=text_of(title),
        version=text_of(__version__),
        script=_asset("process.js"),
        told=_told(graph, scores),
        warnings=_warnings(graph),
        competence=axis_cards(scores, "competence"),
        traits=axis_cards(scores, "trait"),
        opportunities=opportunity_lists(scores, graph, places, linked),
        timeline=timeline(graph, places, linked),
        abstentions=_abstentions(scores),
        counts=_counts(graph),
        record=missing if record is None else record_steps(record, places),
    )
    return whole_page(title, _asset("process.css"), body, scripts=True)


def _asset(name: str) -> str:
    return (files("whatworked.report.process") / "assets" / name).read_text(encoding="utf-8")


def _told(graph: Graph, scores: Scores) -> str:
    facts = {
        "model": graph.model or "not recorded",
        "task": graph.world.task or "not recorded",
        "judge": graph.judge,
        "scorer": graph.scorer,
        "steps": str(graph.steps),
        "acts": str(len(graph.acts)),
        "propositions": str(len(graph.propositions)),
        "ideas": str(len(graph.ideas)),
        "graph": scores.graph[:12],
    }
    return "".join(
        element("div", element("dt", name) + element("dd", text_of(printable(value)))) for name, value in facts.items()
    )


def _warnings(graph: Graph) -> str:
    lines = []
    if graph.cheap:
        lines.append("One pass and one vote made this graph; another run of the judge may give other scores.")
    if graph.unfinished:
        lines.append("Not finished: some questions got no answer yet. What rests on them abstains.")
    return "".join(element("p", line, class_="warning") for line in lines)


def _abstentions(scores: Scores) -> str:
    rows = [(entry.axis, entry.id, entry.abstains) for entry in scores.measures if entry.abstains is not None]
    if not rows:
        return element("p", "No measure abstains.")
    return element(
        "ul",
        "".join(
            element(
                "li",
                f"{text_of(axis)} {element('a', text_of(name.replace('_', ' ')), href=f'#m-{name}')}: {text_of(why)}",
            )
            for axis, name, why in rows
        ),
    )


def _counts(graph: Graph) -> str:
    put = {name: number for name, number in graph.asked.items() if number}
    blocks: list[tuple[str, Mapping[str, int]]] = [
        ("Offered by the judge and not taken", graph.dropped),
        ("Questions that were put", put),
        ("Questions whose votes did not decide", graph.undecided),
        ("Questions without an answer", graph.unfinished),
    ]
    return "".join(
        element("h3", title)
        + element("ul", "".join(element("li", text_of(f"{number} {what}")) for what, number in counts.items()))
        if counts
        else element("h3", title) + element("p", "None.", class_="note")
        for title, counts in blocks
    )
