"""The page's tables. Every cell of text is escaped; columns of numbers carry the number they are sorted by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from whatworked.comparing.collection import RunCollection
from whatworked.comparing.comparison import MethodResult
from whatworked.grading.score import PRIMARY, Score
from whatworked.grading.uncertainty import RATE_KEYS
from whatworked.report.figures import SourceResult
from whatworked.report.svg import element, text_of
from whatworked.wording import count_form, formatted


@dataclass(frozen=True)
class Cell:
    """One cell: what is shown, what it is sorted by (a number or the text), a tooltip, and a class of the style sheet.

    Without a class of its own a cell is of class ``number`` or ``text``, by what it is sorted by.
    """

    shown: str
    value: float | str | None = None
    tip: str | None = None
    kind: str | None = None


def number(value: float | None, form: str = ".3f", tip: str | None = None) -> Cell:
    """A number, or a dash that sorts last."""
    return Cell("–", float("-inf"), tip) if value is None else Cell(formatted(value, form), value, tip)


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[Cell | str]], **attributes: object) -> str:
    """A sortable table: the header cells hold buttons, the first column heads its row."""
    heads = "".join(
        element("th", element("button", text_of(name), type="button"), scope="col", aria_sort="none") for name in header
    )
    body = "".join(element("tr", _row(row)) for row in rows)
    content = element("caption", text_of(caption)) + element("thead", element("tr", heads)) + element("tbody", body)
    return element(
        "div", element("table", content, **attributes), class_="scroll", tabindex="0", role="region", aria_label=caption
    )


def _row(row: Sequence[Cell | str]) -> str:
    cells = [cell if isinstance(cell, Cell) else Cell(cell, cell) for cell in row]
    first = element("th", text_of(cells[0].shown), scope="row", data_sort=_sort_value(cells[0]))
    return first + "".join(_data(cell) for cell in cells[1:])


def _data(cell: Cell) -> str:
    kind = cell.kind or ("number" if isinstance(cell.value, float | int) else "text")
    return element("td", text_of(cell.shown), class_=kind, title=cell.tip, data_sort=_sort_value(cell))


def _sort_value(cell: Cell) -> str:
    return repr(float(cell.value)) if isinstance(cell.value, float | int) else str(cell.value or cell.shown)


def standings_table(results: Sequence[MethodResult]) -> str:
    """Scores with intervals, verdicts and differences, counts; a track that is the only one stands in the caption."""
    score = results[0].standing.score if results else PRIMARY
    baselines = {result.against.baseline for result in results if result.against is not None}
    single = next(iter(baselines)) if len(baselines) == 1 else None
    named = len(baselines) > 1
    tracks = {result.standing.track for result in results}
    strict, exact = ([getattr(result.standing, name) for result in results] for name in ("strict", "exact"))
    forms = count_form(strict), count_form(exact)
    rows = [
        [
            result.standing.method,
            *([result.standing.track] if len(tracks) > 1 else []),
            number(result.standing.budget, "d"),
            number(result.interval.estimate, f".{score.digits}f"),
            _between(result.interval.low, result.interval.high, f".{score.digits}f"),
            *_against(result, named),
            number(result.standing.strict, forms[0]),
            number(result.standing.exact, forms[1]),
            number(result.standing.sources, "d"),
            number(result.standing.missing, "d"),
        ]
        for result in results
    ]
    confidence = f"{results[0].interval.confidence:.0%}" if results else ""
    header = (
        "method",
        *(("track",) if len(tracks) > 1 else ()),
        "B",
        score.label,
        f"{confidence} interval",
        "verdict",
        *(("against",) if named else ()),
        "difference",
        f"{confidence} interval",
        "+ / = / −",
        "strict",
        "exact",
        "sources",
        "missing",
    )
    caption = f"Family-macro {score.phrase} by method, track and budget"
    if len(tracks) == 1:
        caption = f"Family-macro {score.phrase} by method and budget, {next(iter(tracks))} track"
    caption += f"; verdicts and differences against {single}" if single else ""
    caption += "; strict and exact are numbers of sources" + (", mean over seeds" if ".1f" in forms else "")
    return table(caption, header, rows, class_="standings")


def _against(result: MethodResult, named: bool) -> list[Cell | str]:
    if result.against is None:
        blank = [Cell("–", "")] if named else []
        return [Cell(result.role, ""), *blank, number(None), number(None), number(None)]
    paired, interval = result.against.paired, result.against.interval
    form = f"+.{result.standing.score.digits}f"
    return [
        Cell(result.against.statement.verdict, result.against.statement.verdict, str(result.against.statement)),
        *([Cell(result.against.baseline, result.against.baseline, kind="name")] if named else []),
        number(interval.estimate, form),
        _between(interval.low, interval.high, form),
        Cell(f"{paired.better} / {paired.equal} / {paired.worse}", float(paired.better - paired.worse)),
    ]


def _between(low: float | None, high: float | None, form: str) -> Cell:
    if low is None or high is None:
        return number(None)
    return Cell(f"{formatted(low, form)} to {formatted(high, form)}", low)


def source_table(
    track: str, budget: int, results: Sequence[SourceResult], methods: Sequence[str], score: Score = PRIMARY
) -> str:
    """Score of every method on every condition of one track under one budget; s = strict, e = exact choice.

    A family that is the only one stands in the caption.
    """
    by_condition: dict[str, dict[str, SourceResult]] = {}
    for result in results:
        if (result.track, result.budget) == (track, budget):
            by_condition.setdefault(result.condition, {})[result.method] = result
    shown = [method for method in methods if any(method in found for found in by_condition.values())]
    families = {condition: next(iter(found.values())).family for condition, found in by_condition.items()}
    several = len(set(families.values())) > 1
    body: list[list[Cell | str]] = [
        [
            condition,
            *([families[condition]] if several else []),
            *[_value(found.get(method), score) for method in shown],
        ]
        for condition, found in by_condition.items()
    ]
    only = "" if several else "".join(f", {family}" for family in set(families.values()))
    return table(
        f"{score.title} by condition, {track} track{only}, B = {budget}",
        ["condition", *(["family"] if several else []), *shown],
        body,
        class_="pivot",
    )


def _value(result: SourceResult | None, score: Score) -> Cell:
    if result is None:
        return number(None, tip="not run")
    marks = _mark("s", result.strict, result.seeds) + _mark("e", result.exact, result.seeds)
    missing = f", {result.missing} of {result.seeds} deliveries missing" if result.missing else ""
    tip = f"{result.method}: {score.label} {result.value:.4f}, {result.spent:g} credits spent{missing}"
    lost = " ✗" if result.missing else ""
    return Cell(f"{result.value:.{score.digits}f}{marks}{lost}", result.value, tip)


def _mark(letter: str, share: float, seeds: int) -> str:
    if not share:
        return ""
    return f" {letter}" if share == 1 or seeds == 1 else f" {letter}{share:.0%}"


def cost_table(results: Sequence[MethodResult]) -> str:
    """Mean cost per record of every method, track and budget; dashes where no costs were kept."""
    rows: list[list[Cell | str]] = [
        [
            result.standing.method,
            result.standing.track,
            number(result.standing.budget, "d"),
            number(result.standing.spent, ".1f"),
            number(None if cost is None else cost.policy_seconds + cost.fit_seconds, ".4f"),
            number(None if cost is None else cost.policy_seconds, ".4f"),
            number(None if cost is None else cost.fit_seconds, ".4f"),
            number(None if cost is None else cost.asks, ".1f"),
            number(None if cost is None else cost.fits, ".1f"),
        ]
        for result in results
        for cost in (result.cost,)
    ]
    header = ("method", "track", "B", "credits", "seconds", "policy s", "fit s", "asks", "fits")
    return table("Mean cost per record; seconds are of the machine that ran it", header, rows, class_="costs")


def uncertainty_table(results: Sequence[MethodResult]) -> str:
    """Grades of stated uncertainty of effects, of the methods that state any; empty where none does."""
    stated = [result for result in results if "crps" in result.standing.stated]
    rows: list[list[Cell | str]] = [
        [
            result.standing.method,
            result.standing.track,
            number(result.standing.budget, "d"),
            number(result.standing.stated.get("log_score")),
            number(result.standing.stated["crps"], ".4f"),
            number(result.standing.stated["sharpness"], ".4f"),
            *(number(result.standing.stated[f"coverage_{key}"]) for key in RATE_KEYS),
        ]
        for result in stated
    ]
    header = ("method", "track", "B", "log score", "CRPS", "90% width", *(f"in {float(key):.0%}" for key in RATE_KEYS))
    caption = "Stated uncertainty of effects not known: scores (less is better), width, coverage at stated rates"
    return table(caption, header, rows, class_="uncertainty") if rows else ""


def catalog_table(runs: RunCollection) -> str:
    """The conditions of the runs: groups, size, what there is to find, and the reference table's digest."""
    conditions = {name: condition for run in runs.runs for name, condition in run.description.by_condition.items()}
    grades = {row.condition: row.grade for row in runs.rows}
    rows: list[list[Cell | str]] = [
        [
            name,
            condition.source,
            condition.family,
            condition.track,
            number(condition.dimensions, "d"),
            number(grades[name].utility_range if name in grades else None, ".4f"),
            number(grades[name].mean_absolute_effect if name in grades else None, ".4f"),
            Cell(condition.table[:12], condition.table, condition.table),
        ]
        for name, condition in conditions.items()
    ]
    header = ("condition", "source", "family", "track", "d", "range of utility", "mean |effect|", "reference table")
    return table("Conditions", header, rows)
