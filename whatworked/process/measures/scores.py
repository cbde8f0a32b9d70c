"""From a graph to the scores of a run: counts, intervals, abstentions, and the mean of an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from whatworked.process.graph.files import graph_digest
from whatworked.process.graph.model import Graph, Quote
from whatworked.process.measures.hacking import unseen
from whatworked.process.measures.intervals import holding, mean_interval, wilson
from whatworked.process.measures.registry import AXES, FLOOR, MEASURES, Axis, Measure
from whatworked.process.measures.view import Abstention, Item, View

SCHEMA = "whatworked-process-scores/1"
"""Name of the layout of a scores file."""


class Opportunity(msgspec.Struct, frozen=True):
    """One opportunity, or one instance.

    Attributes
    ----------
    node : str
        The node of the graph that makes it.
    taken : bool
        Whether the record shows the response.
    why : str
        What decided.
    quotes : tuple of Quote
        Where the record shows it.
    """

    node: str
    taken: bool
    why: str
    quotes: tuple[Quote, ...]


class MeasureScore(msgspec.Struct, frozen=True, kw_only=True):
    """What a measure says of a run.

    Attributes
    ----------
    id, axis, form : str
        Which measure.
    taken, offered : int
        Opportunities; of a count, instances and 1.
    score : float or None
        Taken of offered, or what the form says; None where nothing is said.
    low, high : float or None
        Wilson's 95 % interval of a rate; None for other forms.
    averaged : bool
        Whether it entered the mean of its axis.
    abstains : str or None
        Why it says nothing, or stays out of the mean.
    notes : tuple of str
        What a reader should know.
    opportunities : tuple of Opportunity
        Each of them.
    """

    id: str
    axis: str
    form: str
    taken: int
    offered: int
    score: float | None
    low: float | None
    high: float | None
    averaged: bool
    abstains: str | None
    notes: tuple[str, ...]
    opportunities: tuple[Opportunity, ...]


class AxisScore(msgspec.Struct, frozen=True, kw_only=True):
    """The mean of an axis.

    Attributes
    ----------
    id, name : str
        Which axis.
    score : float or None
        Mean of the measures that have enough opportunities, each counting once; None if none has.
    low, high : float or None
        95 % interval from draws by Jeffreys' prior, widened to hold the score. None for a count and a token share.
    published_low, published_high : float or None
        The interval as the paper makes it, which may exclude the score.
    abstains : str or None
        Why there is no score.
    """

    id: str
    name: str
    score: float | None
    low: float | None
    high: float | None
    published_low: float | None
    published_high: float | None
    abstains: str | None


class Scores(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said of a run.

    Attributes
    ----------
    schema : str
        `SCHEMA`.
    scorer, judge : str
        Version of the scorer and who answered. Scores of two versions are not compared.
    cheap : bool
        Whether one pass and one vote made them.
    graph, record : str
        Digests of what they were made from.
    run : str
        Name of the run.
    model, task : str or None
        Who acted, on what.
    axes : tuple of AxisScore
        In order.
    measures : tuple of MeasureScore
        In order.
    """

    schema: str
    scorer: str
    judge: str
    cheap: bool
    graph: str
    record: str
    run: str
    model: str | None
    task: str | None
    axes: tuple[AxisScore, ...]
    measures: tuple[MeasureScore, ...]


def measure(graph: Graph) -> Scores:
    """Everything that is said of a run.

    Parameters
    ----------
    graph : Graph
        Of the run.

    Returns
    -------
    Scores
        The same for the same graph, without any call.
    """
    view = View(graph)
    scored = tuple(_scored(view, entry) for entry in MEASURES)
    return Scores(
        schema=SCHEMA,
        scorer=graph.scorer,
        judge=graph.judge,
        cheap=graph.cheap,
        graph=graph_digest(graph),
        record=graph.record,
        run=graph.run,
        model=graph.model,
        task=graph.world.task,
        axes=tuple(_mean(axis, [entry for entry in scored if entry.axis == axis.id]) for axis in AXES),
        measures=scored,
    )


def _scored(view: View, entry: Measure) -> MeasureScore:
    reason = _unanswered(view.graph, entry)
    if reason is not None:
        return _result(entry, (), None, reason)
    items = entry.items(view)
    if entry.form == "rate":
        return _rate(view, entry, items)
    value = entry.score(view) if entry.score is not None else Abstention("nothing is counted")
    if isinstance(value, Abstention):
        return _result(entry, items, None, value.reason)
    return _result(entry, items, value, None, notes=unseen(view) if entry.form == "count" else ())


def _unanswered(graph: Graph, entry: Measure) -> str | None:
    open_questions = [name for name in entry.needs if graph.unfinished.get(name, 0)]
    if open_questions:
        return (
            f"not finished: no answer yet to {_counts(graph, open_questions)}; `whatworked process score` goes on from "
            "there"
        )
    unasked = [name for name in entry.needs if name not in graph.asked]
    if unasked:
        return f"not asked: {', '.join(unasked)}"
    # A judge that gives no answers must not make a run look as if there were nothing to find.
    lost = [name for name in entry.needs if 2 * graph.undecided.get(name, 0) > graph.asked[name]]
    return f"left undecided: {', '.join(_share(graph, name) for name in lost)}" if lost else None


def _share(graph: Graph, name: str) -> str:
    return f"{graph.undecided[name]} of {graph.asked[name]} of the questions {name}"


def _counts(graph: Graph, names: Sequence[str]) -> str:
    return ", ".join(f"{graph.unfinished[name]} of the questions {name}" for name in names)


def _rate(view: View, entry: Measure, items: tuple[Item, ...]) -> MeasureScore:
    if not items:
        return _result(entry, items, None, "the run offers no opportunity", notes=_notes(view, items))
    taken = sum(item.taken for item in items)
    few = f"{len(items)} of the {FLOOR} opportunities that a mean needs" if len(items) < FLOOR else None
    return _result(entry, items, taken / len(items), few, wilson(taken, len(items)), _notes(view, items))


def _notes(view: View, items: Sequence[Item]) -> tuple[str, ...]:
    strange = {act.step for act in view.graph.acts if act.kind == "other"}
    other = sum(any(quote.field != "words" and quote.step in strange for quote in item.quotes) for item in items)
    return (f"{other} of them rest on steps of tools that no table holds",) if other else ()


def _result(
    entry: Measure,
    items: tuple[Item, ...],
    score: float | None,
    abstains: str | None,
    interval: tuple[float, float] | None = None,
    notes: tuple[str, ...] = (),
) -> MeasureScore:
    return MeasureScore(
        id=entry.id,
        axis=entry.axis,
        form=entry.form,
        taken=sum(item.taken for item in items),
        offered=len(items) if entry.form == "rate" else int(score is not None),
        score=score,
        low=None if interval is None else interval[0],
        high=None if interval is None else interval[1],
        averaged=entry.averaged and score is not None and abstains is None,
        abstains=abstains if abstains is not None or entry.averaged else "shown beside, never averaged",
        notes=notes,
        opportunities=tuple(Opportunity(item.node, item.taken, item.why, item.quotes) for item in items),
    )


def _mean(axis: Axis, scored: Sequence[MeasureScore]) -> AxisScore:
    kept = [entry for entry in scored if entry.averaged and entry.score is not None]
    if not kept:
        reasons = [f"{entry.id}: {entry.abstains}" for entry in scored if entry.abstains is not None]
        return _axis(axis, None, abstains="; ".join(reasons))
    score = math.fsum(entry.score for entry in kept if entry.score is not None) / len(kept)
    counts = [(entry.taken, entry.offered) for entry in kept if entry.form == "rate"]
    if len(counts) < len(kept):
        return _axis(axis, score)
    return _axis(axis, score, holding(mean_interval(counts, 0.5), score), mean_interval(counts, 1.0))


def _axis(
    axis: Axis,
    score: float | None,
    interval: tuple[float, float] | None = None,
    published: tuple[float, float] | None = None,
    abstains: str | None = None,
) -> AxisScore:
    return AxisScore(
        id=axis.id,
        name=axis.name,
        score=score,
        low=None if interval is None else interval[0],
        high=None if interval is None else interval[1],
        published_low=None if published is None else published[0],
        published_high=None if published is None else published[1],
        abstains=abstains,
    )
