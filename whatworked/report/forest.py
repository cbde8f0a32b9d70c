"""Paired differences as a forest plot: for each track, budget and baseline, one line a method.

Drawn with boxes placed by percentages, so that names, numbers and lines keep their size in a narrow window.
"""

from __future__ import annotations

from collections.abc import Sequence

from whatworked.comparing.answer import Answer
from whatworked.comparing.baseline import PREFERRED
from whatworked.comparing.collection import RunCollection
from whatworked.comparing.comparison import MethodResult
from whatworked.comparing.ranking import Pairs, RankedMethod, Ranking, rank_methods
from whatworked.comparing.statements import HERE
from whatworked.report.svg import element, marker, series_class, text_of
from whatworked.wording import counted, fixed, interval_text

MOST_BASELINES = 8
"""Methods that the plot can be switched to compare with."""


def forest(runs: RunCollection, results: Sequence[MethodResult], found: Answer) -> str:
    """The plot for every track, budget and baseline; one is shown at a time.

    Parameters
    ----------
    runs : RunCollection
        The results.
    results : sequence of MethodResult
        Their comparison.
    found : Answer
        Which place and baseline come first.

    Returns
    -------
    str
        Markup.
    """
    methods = list(runs.methods)
    offered = baselines(found, methods)
    pairs = Pairs(runs, results)
    rankings = [ranking for name in offered for ranking in rank_methods(runs, results, name, pairs=pairs)]
    places = list(dict.fromkeys(ranking.place for ranking in rankings))
    place_names = [f"{track}, B = {budget}" for track, budget in places]
    controls = _select("place", "Track and budget", place_names, place_names[places.index(found.place)])
    controls += _select("baseline", "Compared with", offered, found.reference)
    blocks = [
        element(
            "div",
            _heading(ranking) + "".join(_lines(ranking, methods)),
            class_="forest",
            data_place=place_names[places.index(ranking.place)],
            data_baseline=ranking.reference,
            data_first="yes" if (ranking.place, ranking.reference) == (found.place, found.reference) else None,
        )
        for ranking in rankings
    ]
    return element("div", controls, class_="controls") + "".join(blocks)


def baselines(found: Answer, methods: Sequence[str]) -> list[str]:
    """Methods that the plot can be switched to: all of a few, else the reference, the best and the usual ones."""
    if len(methods) <= MOST_BASELINES:
        return list(methods)
    likely = [found.reference, found.subject, found.opponent, found.ranking.best.method, *PREFERRED]
    ranked = [row.method for row in found.ranking.methods]
    return [name for name in dict.fromkeys([*likely, *ranked]) if name in methods][:MOST_BASELINES]


def _select(name: str, label: str, values: Sequence[str], first: str) -> str:
    options = "".join(
        element("option", text_of(value), value=value, selected="selected" if value == first else None)
        for value in values
    )
    return element("label", f"{text_of(label)} {element('select', options, id=f'forest-{name}')}", class_="control")


def _heading(ranking: Ranking) -> str:
    track, budget = ranking.place
    sources = counted(ranking.best.result.standing.sources, "source")
    label = ranking.best.result.standing.score.label
    text = f"{track} track, B = {budget}, {sources}: {label} less that of {ranking.reference}"
    starred = any(row.verdict.endswith("*") for row in ranking.methods)
    few = any(row.verdict.rstrip("*").endswith(" here") for row in ranking.methods)
    notes = [
        *([f"* for this pair alone, not when {len(ranking.methods)} methods are ranked (Holm)."] if starred else []),
        *([f"{HERE[:1].upper()}{HERE[1:]}."] if few else []),
    ]
    return element("h4", text_of(text)) + "".join(element("p", text_of(note), class_="note") for note in notes)


def _lines(ranking: Ranking, methods: Sequence[str]) -> list[str]:
    ends = [0.0]
    for row in ranking.methods:
        if row.against is not None:
            interval = row.against.interval
            ends += [interval.estimate, interval.low or 0.0, interval.high or 0.0]
    low, high = min(ends), max(ends)
    margin = 0.04 * ((high - low) or 1.0)
    scale = low - margin, high + margin
    digits = ranking.best.result.standing.score.digits - 1
    return [*(_line(row, methods.index(row.method), scale) for row in ranking.methods), _axis(low, high, scale, digits)]


def _axis(low: float, high: float, scale: tuple[float, float], digits: int) -> str:
    """Where the ends of the intervals lie, and 0 where there is room for it."""
    room = 0.12 * (scale[1] - scale[0])
    ends = [end for end in (low, high) if abs(end) > room]
    ticks = "".join(
        element("span", text_of(fixed(value, digits, signed=True)), class_="tick", style=f"left:{_share(value, scale)}")
        for value in sorted([0.0, *ends])
    )
    drawn = element("span", ticks, class_="strip", aria_hidden="true")
    return element("div", element("span", "") + element("span", "") + drawn, class_="forest-line axis-line")


def _line(row: RankedMethod, series: int, scale: tuple[float, float]) -> str:
    result, pair = row.result, row.against
    sample = element(
        "svg", marker(series, 7, 7, row.method), viewBox="0 0 14 14", width=14, height=14, aria_hidden="true"
    )
    value = fixed(result.standing.value, result.standing.score.digits)
    name = element("span", f"{sample} {text_of(row.method)}", class_="who")
    number = element("span", text_of(f"{row.rank}. {value}"), class_="score")
    drawn = element("span", "", class_="strip") if pair is None else _track(row, scale)
    said = "what the others are compared with" if pair is None else row.verdict
    figures = "" if pair is None else _figures(row)
    verdict = element(
        "span",
        element("strong", text_of(said)) + (f" {text_of(figures)}" if figures else ""),
        class_=f"says {_tone(row)}",
    )
    return element(
        "div",
        name + number + drawn + verdict,
        class_=f"forest-line series {series_class(series)}",
        data_method=row.method,
        title=None if pair is None else str(pair.statement),
    )


def _figures(row: RankedMethod) -> str:
    pair, cost = row.against, row.result.cost
    if pair is None:
        return ""
    interval, paired = pair.interval, pair.paired
    digits = row.result.standing.score.digits
    between = "" if interval.low is None else f" [{interval_text(interval.low, interval.high, digits, signed=True)}]"
    wins = f"{paired.better} of {paired.sources.count} sources better, {paired.worse} worse"
    detectable = "" if pair.detectable is None else f"; smallest shown {fixed(pair.detectable, digits)}"
    spent = f"; {row.result.standing.spent:g} credits"
    seconds = "" if cost is None else f", {cost.policy_seconds + cost.fit_seconds:.2g} s"
    return f"{fixed(interval.estimate, digits, signed=True)}{between}; {wins}{detectable}{spent}{seconds}"


def _tone(row: RankedMethod) -> str:
    """Class by verdict: better, worse or neither."""
    word = row.verdict.rstrip("*").split()[0]
    return {"ahead": "better", "behind": "worse"}.get(word, "neither")


def _track(row: RankedMethod, scale: tuple[float, float]) -> str:
    pair = row.against
    if pair is None:
        return ""
    interval = pair.interval
    parts = [element("i", "", class_="zero", style=f"left:{_share(0.0, scale)}")]
    if interval.low is not None and interval.high is not None:
        width = (interval.high - interval.low) / (scale[1] - scale[0])
        style = f"left:{_share(interval.low, scale)};width:{100.0 * width:.2f}%"
        parts.append(element("i", "", class_="bar", style=style))
    parts.append(element("i", "", class_="dot", style=f"left:{_share(interval.estimate, scale)}"))
    label = f"{row.method}: {_figures(row)}, {row.verdict}"
    return element("span", "".join(parts), class_="strip", role="img", aria_label=label)


def _share(value: float, scale: tuple[float, float]) -> str:
    return f"{100.0 * (value - scale[0]) / (scale[1] - scale[0]):.2f}%"
