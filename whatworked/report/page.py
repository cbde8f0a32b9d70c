"""Putting the page together: one file, nothing fetched."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any

from whatworked import __version__
from whatworked.comparing.answer import Answer, answer
from whatworked.comparing.collection import RunCollection
from whatworked.comparing.comparison import MethodResult
from whatworked.comparing.failures import listed_failures
from whatworked.comparing.findings import closing, overviews
from whatworked.grading.score import PRIMARY, Score
from whatworked.report.curves import panels
from whatworked.report.figures import (
    MACRO,
    Point,
    PurchaseCounts,
    SourceResult,
    curve_points,
    predictions,
    purchases,
    source_results,
)
from whatworked.report.forest import forest
from whatworked.report.heading import default_title, summary, what_ran
from whatworked.report.heatmap import heatmap
from whatworked.report.parts import asset
from whatworked.report.rows import catalog_table, cost_table, source_table, standings_table, uncertainty_table
from whatworked.report.shell import whole_page
from whatworked.report.svg import element, marker, series_class, text_of
from whatworked.runs.description import to_json
from whatworked.wording import counted


@dataclass(frozen=True)
class Contents:
    """Everything the page shows."""

    runs: RunCollection
    results: tuple[MethodResult, ...]
    points: tuple[Point, ...]
    bought: tuple[PurchaseCounts, ...]
    sources: tuple[SourceResult, ...]
    methods: tuple[str, ...]
    score: Score

    @property
    def first_place(self) -> tuple[str, int]:
        """Track and budget shown first: the first track's largest budget that leaves something to infer."""
        rows = [row for row in self.runs.rows if row.track == self.runs.rows[0].track]
        open_budgets = [row.budget for row in rows if row.budget < row.largest_budget]
        return rows[0].track, max(open_budgets or [row.budget for row in rows])


def render(
    runs: RunCollection,
    results: tuple[MethodResult, ...],
    title: str | None,
    resamples: int,
    left_out: Sequence[str] = (),
    baseline: str | None = None,
) -> str:
    """The page as text.

    Parameters
    ----------
    runs : RunCollection
        Results.
    results : tuple of MethodResult
        The comparison of their methods.
    title : str, optional
        Heading; default: how many methods and conditions, and which budgets.
    resamples : int
        Of the bootstrap for the intervals per family.
    left_out : sequence of str
        Sentences on methods that are not compared.
    baseline : str, optional
        What the comparison was made with.
    """
    score = results[0].standing.score if results else PRIMARY
    shown = Contents(
        runs,
        results,
        curve_points(runs, results, resamples),
        purchases(runs),
        source_results(runs, score),
        tuple(runs.methods),
        score,
    )
    found = answer(runs, results, baseline) if results else None
    pair = [] if found is None else [found.subject, found.opponent]
    heading = title or default_title(runs)
    body = Template(asset("page.html")).substitute(
        title=text_of(heading),
        ran=text_of(what_ran(runs)),
        version=text_of(__version__),
        script=asset("report.js"),
        summary=summary(runs),
        answer=_verdict(found, results),
        forest="" if found is None else forest(runs, results, found),
        costs=cost_table(results) + uncertainty_table(results),
        verdicts=_verdicts(results, left_out),
        standings=standings_table(results),
        legend=_legend(shown.methods),
        curves=_curves(shown),
        against_budget=text_of(f"{'Recovery' if score == PRIMARY else score.title} against budget"),
        meaning=text_of(_meaning(score)),
        quantity=text_of(score.phrase),
        sources=_sources(shown),
        heatmaps=_heatmaps(shown),
        catalog=catalog_table(runs),
        manifest=_manifest(runs, score),
        data=_json(_data(shown) | {"pair": pair, "larger": score.larger_is_better, "digits": score.digits}),
    )
    return whole_page(heading, asset("report.css"), body, scripts=True)


def _json(value: Any) -> str:
    """JSON that may stand inside a script element, whatever text it holds."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _verdicts(results: Sequence[MethodResult], left_out: Sequence[str]) -> str:
    blocks = []
    for sentence, statements in overviews(results):
        details = "".join(element("li", text_of(statement)) for statement in statements)
        blocks.append(element("details", element("summary", text_of(sentence)) + element("ul", details)))
    blocks += [element("p", text_of(line)) for line in left_out]
    return "".join(blocks) + element("p", text_of(closing(results)), class_="note" if blocks else None)


def _verdict(found: Answer | None, results: Sequence[MethodResult]) -> str:
    if found is None:
        return element("p", text_of(closing(results)))
    verdict, *more = found.sentences()
    return element("p", text_of(verdict), class_="verdict") + "".join(element("p", text_of(line)) for line in more)


def _meaning(score: Score) -> str:
    if score == PRIMARY:
        return (
            "Effect recovery is 1 when every conditional effect is known exactly and 0 when the prediction is no "
            "better than assuming that nothing matters."
        )
    return f"{score.title}: {'more' if score.larger_is_better else 'less'} is better."


def _legend(methods: Sequence[str]) -> str:
    items = []
    for index, method in enumerate(methods):
        sample = element("line", x1=0, x2=34, y1=7, y2=7, class_="line") + marker(index, 17, 7, method)
        picture = element("svg", sample, viewBox="0 0 34 14", width=34, height=14, aria_hidden="true")
        box = element("input", type="checkbox", checked="checked", value=method)
        items.append(
            element(
                "label", f"{box}{picture} {element('span', text_of(method))}", class_=f"series {series_class(index)}"
            )
        )
    return "".join(items)


def _curves(shown: Contents) -> str:
    blocks = []
    for track, families in panels(shown.points, shown.methods, shown.score).items():
        small = "".join(
            element("figure", element("figcaption", text_of(family)) + svg)
            for family, svg in families.items()
            if family != MACRO
        )
        blocks.append(
            element(
                "section",
                element("h3", f"{text_of(track)} track")
                + element("figure", families[MACRO], class_="large")
                + element("div", small, class_="small-multiples"),
                class_="track",
            )
        )
    return "".join(blocks)


def _sources(shown: Contents) -> str:
    places = list(dict.fromkeys((result.track, result.budget) for result in shown.sources))
    tables = [source_table(track, budget, shown.sources, shown.methods, shown.score) for track, budget in places]
    return _switched("sources-place", places, tables, shown.first_place)


def _heatmaps(shown: Contents) -> str:
    places = list(dict.fromkeys((bought.track, bought.budget) for bought in shown.bought))
    blocks = [
        "".join(_heatmap(bought) for bought in shown.bought if (bought.track, bought.budget) == place)
        for place in places
    ]
    grids = [element("div", block, class_="heatmaps") for block in blocks]
    return _switched("purchases-place", places, grids, shown.first_place)


def _heatmap(bought: PurchaseCounts) -> str:
    return element(
        "figure",
        element("figcaption", f"{text_of(bought.policy)}, {counted(bought.runs, 'run')}") + heatmap(bought),
    )


def _switched(name: str, places: Sequence[tuple[str, int]], blocks: Sequence[str], first: tuple[str, int]) -> str:
    """Blocks by track and budget of which one is shown at a time; without JavaScript all are shown."""
    texts = [f"{track}, B = {budget}" for track, budget in places]
    options = "".join(
        element("option", text_of(text), value=index, selected="selected" if places[index] == first else None)
        for index, text in enumerate(texts)
    )
    control = element("label", f"Track and budget {element('select', options, data_switch=name)}", class_="control")
    parts = [
        element("div", element("h4", text_of(text)) + block, class_="switched", data_group=name, data_index=index)
        for index, (text, block) in enumerate(zip(texts, blocks, strict=True))
    ]
    return control + "".join(parts)


def _manifest(runs: RunCollection, score: Score) -> str:
    listed = "".join(element("li", text_of(line)) for line in listed_failures(runs.rows, named=None))
    missing = (
        element("h3", "Missing deliveries")
        + element("p", f"Each counts as {score.label} 0, not strict, not exact.")
        + element("ul", listed)
        if listed
        else element("p", "Every method delivered everywhere.")
    )
    blocks = []
    for run in runs.runs:
        text = json.dumps(to_json(run.manifest), indent=1, ensure_ascii=False, sort_keys=True)
        content = element("summary", f"Manifest of {text_of(run.name)}") + element("pre", text_of(text), tabindex="0")
        blocks.append(element("details", content))
    return missing + "".join(blocks)


def _data(shown: Contents) -> dict[str, Any]:
    """What the script draws the scatter from and makes CSV files of."""
    builders: Mapping[str, Callable[[], list[dict[str, Any]]]] = {
        "recovery": lambda: [point.to_dict(shown.score) for point in shown.points],
        "sources": lambda: [result.to_dict(shown.score) for result in shown.sources],
        "standings": lambda: [_flat(result) for result in shown.results],
    }
    tables = {name: _columns(build()) for name, build in builders.items()}
    tables["purchases"] = {
        "columns": ["track", "policy", "d", "budget", "runs", "counts"],
        "rows": [
            [bought.track, bought.policy, bought.d, bought.budget, bought.runs, list(bought.counts)]
            for bought in shown.bought
        ],
    }
    return {
        "tables": tables,
        "methods": list(shown.methods),
        "first": list(shown.first_place),
        "predictions": predictions(shown.runs),
    }


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    columns = list(rows[0]) if rows else []
    return {"columns": columns, "rows": [[_short(row[name]) for name in columns] for row in rows]}


def _short(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _flat(result: MethodResult) -> dict[str, Any]:
    against = result.against
    return {
        "track": result.standing.track,
        "budget": result.standing.budget,
        "method": result.standing.method,
        result.standing.score.label: result.interval.estimate,
        "low": result.interval.low,
        "high": result.interval.high,
        "strict": result.standing.strict,
        "exact": result.standing.exact,
        "sources": result.standing.sources,
        "missing": result.standing.missing,
        "role": result.role,
        "baseline": against.baseline if against else None,
        "difference": against.interval.estimate if against else None,
        "difference_low": against.interval.low if against else None,
        "difference_high": against.interval.high if against else None,
        "better": against.paired.better if against else None,
        "equal": against.paired.equal if against else None,
        "worse": against.paired.worse if against else None,
        "verdict": against.statement.verdict if against else None,
    }
