"""What ``whatworked compare`` shows first: the verdict, the ranking, and where it holds, on one screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from whatworked.cli.layout import say, shortened
from whatworked.cli.output import echo, output_width, print_table
from whatworked.wording import counted, fixed, interval_text

if TYPE_CHECKING:
    from whatworked.comparing.answer import Answer
    from whatworked.comparing.ranking import RankedMethod, Ranking

MOST_ROWS = 10
"""Methods that a ranking shows; the reference and the method in question are always among them."""
MOST_PLACES = 5
"""Tracks and budgets that one table shows side by side."""
_NAME = 26
"""Characters of a method's name."""
_MARKS = {"ahead": "+", "behind": "-", "same": "="}


def print_answer(answer: Answer, notes: Sequence[str]) -> None:
    """Print the answer: sentences, ranking, other budgets, families."""
    for sentence in (*answer.sentences(), *notes):
        say(sentence)
    rows = _chosen(answer)
    names = _names(row.method for row in answer.ranking.methods)
    echo()
    _print_ranking(answer, rows, names)
    _print_places(answer, [row.method for row in rows], names)
    _print_families(answer)
    for name, shown in names.items():
        if shown != name and any(row.method == name for row in rows):
            echo(f"  {shown} = {name}")


def _chosen(answer: Answer) -> list[RankedMethod]:
    ranking = answer.ranking
    if len(ranking.methods) <= MOST_ROWS:
        return list(ranking.methods)
    kept = {answer.subject, answer.opponent, answer.reference}
    free = MOST_ROWS - len(kept)
    for row in ranking.methods:
        if row.method not in kept and free > 0:
            kept.add(row.method)
            free -= 1
    return [row for row in ranking.methods if row.method in kept]


def _names(methods: object) -> dict[str, str]:
    names = list(methods)  # type: ignore[call-overload]
    return shortened(names, _NAME) if output_width() else {name: name for name in names}


def _print_ranking(answer: Answer, rows: Sequence[RankedMethod], names: dict[str, str]) -> None:
    ranking = answer.ranking
    score = ranking.best.result.standing.score
    track, budget = ranking.place
    sources = ranking.best.result.standing.sources
    say(
        f"Ranked by {score.phrase}, {track} track, B = {budget}, {counted(sources, 'source')}; differences to "
        f"{ranking.reference}"
    )
    unfloored = any(
        row.result.unfloored is not None and abs(row.result.unfloored - row.result.standing.value) >= 5e-4
        for row in ranking.methods
    )
    header = [
        "#",
        "method",
        score.label,
        *(["unfloored"] if unfloored else []),
        "diff.",
        "interval",
        "+/=/-",
        "verdict",
    ]
    cells = [_cells(row, names[row.method], unfloored=unfloored) for row in rows]
    last = len(header) - 1
    right = [0, *range(2, last)]
    print_table([header, *cells], right=right, drop=[last - 1, *([3] if unfloored else [])], keys=2)
    if len(rows) < len(ranking.methods):
        echo(f"… {len(ranking.methods) - len(rows)} more; --all-pairs and --details show all")
    if any(row.verdict.endswith("*") for row in rows):
        say(f"* for this pair alone, not when {counted(len(ranking.methods), 'method')} are ranked (Holm)")


def _cells(row: RankedMethod, name: str, *, unfloored: bool) -> list[str]:
    pair, result = row.against, row.result
    digits = result.standing.score.digits
    raw = [] if not unfloored else ["-" if result.unfloored is None else fixed(result.unfloored, digits)]
    head = [str(row.rank), name, fixed(result.standing.value, digits), *raw]
    if pair is None:
        return [*head, "-", "-", "-", "-"]
    return [
        *head,
        fixed(pair.interval.estimate, digits, signed=True),
        interval_text(pair.interval.low, pair.interval.high, digits, signed=True),
        f"{pair.paired.better}/{pair.paired.equal}/{pair.paired.worse}",
        row.verdict,
    ]


def _print_places(answer: Answer, methods: Sequence[str], names: dict[str, str]) -> None:
    if len(answer.rankings) < 2:
        return
    score = answer.ranking.best.result.standing.score
    single = len({ranking.place[0] for ranking in answer.rankings}) == 1
    places = _first_places(answer)
    heads = [_place_head(ranking, single=single) for ranking in places]
    rows = [[names[method], *(_mark(ranking, method) for ranking in places)] for method in methods]
    echo()
    say(f"{score.title} under {_extent(answer, places)} (+ ahead of {answer.reference}, - behind, ~ undecided)")
    print_table([["method", *heads], *rows], right=range(1, len(heads) + 1))


def _first_places(answer: Answer) -> list[Ranking]:
    """Those of the track shown first, and of each other track the largest budgets, as many as fit."""
    track = answer.place[0]
    ours = [ranking for ranking in answer.rankings if ranking.place[0] == track]
    others = [ranking for ranking in answer.rankings if ranking.place[0] != track]
    chosen = (ours + sorted(others, key=lambda ranking: -ranking.place[1]))[:MOST_PLACES]
    return [ranking for ranking in answer.rankings if ranking in chosen]


def _extent(answer: Answer, places: Sequence[Ranking]) -> str:
    if len(places) == len(answer.rankings):
        return "every budget"
    return f"{len(places)} of {len(answer.rankings)} budgets and tracks, --track chooses others"


def _place_head(ranking: Ranking, *, single: bool) -> str:
    track, budget = ranking.place
    return f"B={budget}  " if single else f"{track} {budget}  "


def _mark(ranking: Ranking, method: str) -> str:
    row = ranking.of(method)
    if row is None:
        return "-  "
    mark = " " if row.against is None else _MARKS.get(row.verdict.rstrip("*").split()[0], "~")
    standing = row.result.standing
    return f"{fixed(standing.value, standing.score.digits)} {mark}"


def _print_families(answer: Answer) -> None:
    track = answer.place[0]
    pairs = {place: pair for place, pair in answer.pairs.items() if place[0] == track}
    if not pairs:
        return
    score = answer.ranking.best.result.standing.score
    families = list(dict.fromkeys(family for pair in pairs.values() for family in pair.families))
    rows = [
        [
            family,
            *(
                f"{fixed(pair.families[family], score.digits, signed=True)} {'{}/{}'.format(*pair.counts[family]):>5}"
                if family in pair.families
                else "-"
                for pair in pairs.values()
            ),
        ]
        for family in families
    ]
    echo()
    say(f"Where: {answer.subject} less {answer.opponent}, {score.label} by family, and sources on which it is better")
    print_table([["family", *(f"B={budget}" for _, budget in pairs)], *rows], right=range(1, len(pairs) + 1))
    if line := answer.sources():
        say(f"At B = {answer.place[1]} {line}")
