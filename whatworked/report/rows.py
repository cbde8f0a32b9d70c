"""The page's tables. Every cell of text is escaped; columns of numbers carry the number they are sorted by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from whatworked.comparing.comparison import Figure
from whatworked.comparing.pool import Pool
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


def standings_table(figures: Sequence[Figure]) -> str:
    """Recovery with intervals, verdicts and differences, counts; a track that is the only one stands in the caption."""
    baselines = {one.against.baseline for one in figures if one.against is not None}
    single = next(iter(baselines)) if len(baselines) == 1 else None
    named = len(baselines) > 1
    tracks = {one.standing.track for one in figures}
    strict, exact = ([getattr(one.standing, name) for one in figures] for name in ("strict", "exact"))
    forms = count_form(strict), count_form(exact)
    rows = [
        [
            one.standing.method,
            *([one.standing.track] if len(tracks) > 1 else []),
            number(one.standing.budget, "d"),
            number(one.interval.estimate),
            _between(one.interval.low, one.interval.high),
            *_against(one, named),
            number(one.standing.strict, forms[0]),
            number(one.standing.exact, forms[1]),
            number(one.standing.sources, "d"),
            number(one.standing.missing, "d"),
        ]
        for one in figures
    ]
    confidence = f"{figures[0].interval.confidence:.0%}" if figures else ""
    header = (
        "method",
        *(("track",) if len(tracks) > 1 else ()),
        "B",
        "recovery",
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
    caption = "Family-macro effect recovery by method, track and budget"
    if len(tracks) == 1:
        caption = f"Family-macro effect recovery by method and budget, {next(iter(tracks))} track"
    caption += f"; verdicts and differences against {single}" if single else ""
    caption += "; strict and exact are numbers of sources" + (", mean over seeds" if ".1f" in forms else "")
    return table(caption, header, rows, class_="standings")


def _against(one: Figure, named: bool) -> list[Cell | str]:
    if one.against is None:
        blank = [Cell("–", "")] if named else []
        return [Cell(one.role, ""), *blank, number(None), number(None), number(None)]
    paired, interval = one.against.paired, one.against.interval
    return [
        Cell(one.against.statement.verdict, one.against.statement.verdict, str(one.against.statement)),
        *([Cell(one.against.baseline, one.against.baseline, kind="name")] if named else []),
        number(interval.estimate, "+.3f"),
        _between(interval.low, interval.high, "+.3f"),
        Cell(f"{paired.better} / {paired.equal} / {paired.worse}", float(paired.better - paired.worse)),
    ]


def _between(low: float | None, high: float | None, form: str = ".3f") -> Cell:
    if low is None or high is None:
        return number(None)
    return Cell(f"{formatted(low, form)} to {formatted(high, form)}", low)


def source_table(track: str, budget: int, rows: Sequence[dict[str, Any]], methods: Sequence[str]) -> str:
    """Recovery of every method on every condition of one track under one budget; s = strict, e = exact choice.

    A family that is the only one stands in the caption.
    """
    places: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        if (row["track"], row["budget"]) == (track, budget):
            places.setdefault(row["condition"], {})[row["method"]] = row
    shown = [method for method in methods if any(method in found for found in places.values())]
    families = {condition: next(iter(found.values()))["family"] for condition, found in places.items()}
    several = len(set(families.values())) > 1
    body = [
        [
            condition,
            *([families[condition]] if several else []),
            *[_recovery(found.get(method)) for method in shown],
        ]
        for condition, found in places.items()
    ]
    only = "" if several else "".join(f", {family}" for family in set(families.values()))
    return table(
        f"Effect recovery by condition, {track} track{only}, B = {budget}",
        ["condition", *(["family"] if several else []), *shown],
        body,
        class_="pivot",
    )


def _recovery(row: dict[str, Any] | None) -> Cell:
    if row is None:
        return number(None, tip="not run")
    marks = "".join(_mark(letter, row[name], row["seeds"]) for letter, name in (("s", "strict"), ("e", "exact")))
    missing = f", {row['missing']} of {row['seeds']} deliveries missing" if row["missing"] else ""
    tip = f"{row['method']}: recovery {row['effect_recovery']:.4f}, {row['spent']:g} credits spent{missing}"
    lost = " ✗" if row["missing"] else ""
    return Cell(f"{row['effect_recovery']:.3f}{marks}{lost}", row["effect_recovery"], tip)


def _mark(letter: str, share: float, seeds: int) -> str:
    if not share:
        return ""
    return f" {letter}" if share == 1 or seeds == 1 else f" {letter}{share:.0%}"


def catalog_table(pool: Pool) -> str:
    """The conditions of the runs: groups, size, what there is to find, and the reference table's digest."""
    facts = {entry["condition"]: entry for run in pool.runs for entry in run.description["conditions"]}
    scale = {row["condition"]: row for row in pool.rows}
    rows = [
        [
            name,
            entry["source"],
            entry["family"],
            entry["track"],
            number(entry["dimensions"], "d"),
            number(scale[name]["utility_range"], ".4f") if name in scale else number(None),
            number(scale[name]["mean_absolute_effect"], ".4f") if name in scale else number(None),
            Cell(entry["table"][:12], entry["table"], entry["table"]),
        ]
        for name, entry in facts.items()
    ]
    header = ("condition", "source", "family", "track", "d", "range of utility", "mean |effect|", "reference table")
    return table("Conditions", header, rows)
