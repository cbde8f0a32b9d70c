"""``whatworked leaderboard``: recorded results side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatworked.cli.layout import AVERAGED, averaged, counts, say
from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.wording import counted, fixed, interval_text

if TYPE_CHECKING:
    from whatworked.grading.score import Score
    from whatworked.leaderboard.board import LeaderboardEntry

_COLUMNS = 12
"""Tracks and budgets that the overview shows side by side."""


@click.command()
@click.option("--track", "tracks", multiple=True, metavar="TRACK", help="four, paired or added; repeatable.")
@click.option("--budget", "budgets", multiple=True, type=int, help="Only this budget; repeatable.")
@click.option("--method", "methods", multiple=True, metavar="NAME", help="Only this method; repeatable.")
@click.option("--run", "runs", multiple=True, metavar="NAME", help="Only this run; repeatable.")
@click.option("--rules/--no-rules", "rules", default=None, help="Only runs with, or without, rules.")
@click.option("--metric", default="recovery", show_default=True, metavar="NAME", help="Any quantity of a grade.")
@click.option("--details", is_flag=True, help="Every entry with interval and counts, also without a filter.")
@click.option("--results", type=click.Path(path_type=Path, file_okay=False), help="Folder of packed runs to verify.")
@click.option("--update", is_flag=True, help="Write leaderboard.json into the --results folder.")
@click.option("--markdown", "output", flag_value="markdown", help="Print Markdown.")
@click.option("--csv", "output", flag_value="csv", help="Print CSV, all digits.")
@click.option("--latex", "output", flag_value="latex", help="Print LaTeX.")
@click.option("--json", "output", flag_value="json", help="Print JSON.")
@click.option("--table", "output", flag_value="table", default="table", hidden=True)
def leaderboard(
    tracks: tuple[str, ...],
    budgets: tuple[int, ...],
    methods: tuple[str, ...],
    runs: tuple[str, ...],
    rules: bool | None,
    metric: str,
    details: bool,
    results: Path | None,
    update: bool,
    output: str,
) -> None:
    """Show the recorded results, or those of a folder of packed runs after verifying each.

    Without a filter: one row a method, one column a track and budget. With one: every entry with its interval.

    Examples: whatworked leaderboard --track paired --budget 20; whatworked leaderboard --results results --update
    """
    from whatworked.errors import InvalidOptionError
    from whatworked.grading.score import PRIMARY, score_named
    from whatworked.leaderboard.board import BOARD, board_of, encode_board, is_board, recorded_board, why_empty
    from whatworked.storage.files import write_atomic
    from whatworked.storage.foreign import refuse_foreign

    score = score_named(metric)
    if update and results is None:
        raise InvalidOptionError("--update needs the folder of packed runs; give it with --results")
    if update and score != PRIMARY:
        raise InvalidOptionError("--update writes the board of recovery; leave out --metric")
    entries = recorded_board(score) if results is None else board_of(results, score)
    if update and results is not None:
        refuse_foreign({results / BOARD: is_board}, "whatworked leaderboard")
        write_atomic(results / BOARD, encode_board(entries))
    chosen = _chosen(entries, {"track": tracks, "budget": budgets, "method": methods, "submission": runs})
    chosen = [entry for entry in chosen if rules is None or entry.rules == rules]
    filtered = bool(tracks or budgets or methods or runs or rules is not None)
    if results is not None and not entries:
        print_text(f"no results: {why_empty(results)}", errors=output != "table")
    if entries or output != "table" or results is None:
        _print(chosen, score, output, whole=details or filtered)
    if update and results is not None:
        echo(f"{results / BOARD} written: {counted(len(entries), 'entry', 'entries')}", err=output != "table")


def _chosen(
    entries: Sequence[LeaderboardEntry], wanted: dict[str, tuple[str, ...] | tuple[int, ...]]
) -> list[LeaderboardEntry]:
    """Entries of the names given; a name that none has is refused."""
    from whatworked.catalog import TRACKS
    from whatworked.errors import unknown_name

    for field, names in wanted.items():
        held = dict.fromkeys([*(TRACKS if field == "track" else ()), *(getattr(entry, field) for entry in entries)])
        for name in names:
            if entries and name not in held:
                raise unknown_name("run" if field == "submission" else field, str(name), [str(known) for known in held])
    return [
        entry
        for entry in entries
        if all(not names or getattr(entry, field) in names for field, names in wanted.items())
    ]


def _print(entries: Sequence[LeaderboardEntry], score: Score, output: str, *, whole: bool) -> None:
    from whatworked.runs.description import to_json
    from whatworked.wording import csv_lines, latex_table, markdown_table

    if output == "json":
        print_json([to_json(entry) for entry in entries])
    elif output != "table":
        header, rows = _flat(entries, score)
        writers = {"markdown": markdown_table, "latex": latex_table}
        echo(csv_lines([header, *rows]) if output == "csv" else writers[output](header, rows), nl=False)
    elif not entries:
        echo("no results")
    elif whole:
        _print_entries(entries, score)
    else:
        _print_overview(entries, score)


def _flat(entries: Sequence[LeaderboardEntry], score: Score) -> tuple[list[str], list[list[object]]]:
    header = ["track", "budget", "rules", "method", score.label, "low", "high", "strict", "exact", "sources", "run"]
    rows: list[list[object]] = [
        [
            entry.track,
            entry.budget,
            entry.rules,
            entry.method,
            entry.recovery,
            entry.low,
            entry.high,
            entry.strict,
            entry.exact,
            entry.sources,
            entry.submission,
        ]
        for entry in entries
    ]
    return header, rows


def _print_overview(entries: Sequence[LeaderboardEntry], score: Score) -> None:
    places = list(dict.fromkeys((entry.track, entry.budget) for entry in entries))[:_COLUMNS]
    values: dict[tuple[bool, str, str], dict[tuple[str, int], float]] = {}
    for entry in entries:
        key = entry.rules, entry.method, entry.submission
        values.setdefault(key, {})[entry.track, entry.budget] = score.gain(entry.recovery)
    ordered = sorted(values, key=lambda key: (key[0], -sum(values[key].values()) / len(values[key])))
    repeated = len({key[:2] for key in values}) < len(values)
    tracks = [track if not at or places[at - 1][0] != track else "" for at, (track, _) in enumerate(places)]
    rows = [
        [
            f"{method} ({run})" if repeated else method,
            "with" if rules else "",
            *(_cell(values[rules, method, run].get(place), score) for place in places),
        ]
        for rules, method, run in ordered
    ]
    say(f"Family-macro {score.phrase} by track and budget; filters such as --track show intervals, counts and runs")
    right = range(2, len(places) + 2)
    heads = ["method", "rules", *(str(budget) for _, budget in places)]
    print_table([["", "", *tracks], heads, *rows], right=right, keys=2)


def _cell(gain: float | None, score: Score) -> str:
    return "-" if gain is None else fixed(score.gain(gain), score.digits - 1)


def _print_entries(entries: Sequence[LeaderboardEntry], score: Score) -> None:
    strict, exact = [entry.strict for entry in entries], [entry.exact for entry in entries]
    rows = [
        (
            entry.track,
            str(entry.budget),
            "with" if entry.rules else "without",
            entry.method,
            fixed(entry.recovery, score.digits),
            interval_text(entry.low, entry.high, score.digits),
            *shown,
            str(entry.sources),
            entry.submission,
        )
        for entry, *shown in zip(entries, counts(strict), counts(exact), strict=True)
    ]
    header = ("track", "B", "rules", "method", score.label, "95% interval", "strict", "exact", "of", "run")
    print_table([header, *rows], right=(1, 4, 5, 6, 7, 8))
    if averaged(strict, exact):
        echo(AVERAGED)
