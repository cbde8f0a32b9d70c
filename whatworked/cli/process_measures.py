"""``whatworked process measure``, ``page`` and ``compare``: what follows from graphs, without a judge."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.wording import fixed, interval_text

if TYPE_CHECKING:
    from whatworked.process.comparison import AxisComparison
    from whatworked.process.measures import Scores

_PATHS = click.Path(path_type=Path)
_TRAIT_WORDS = {"ahead": "higher", "behind": "lower"}
"""Verdicts on habits, of which no end is better."""


@click.command()
@click.argument("graphs", nargs=-1, required=True, metavar="GRAPH...", type=_PATHS)
@click.option("--opportunities", is_flag=True, help="List every opportunity, taken or not, with its reason.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def measure(graphs: tuple[Path, ...], opportunities: bool, as_csv: bool, as_json: bool) -> None:
    """Measure graphs of runs again, without a judge.

    GRAPH is a file that `whatworked process score` wrote, or a folder of them.

    Example: whatworked process measure process-scores --csv
    """
    import msgspec

    from whatworked.errors import InvalidOptionError
    from whatworked.process.measures import measure_rows, scores_csv

    if as_csv and as_json:
        raise InvalidOptionError("--csv and --json are two forms; give one of them")
    scores = _scores(graphs)
    if as_json:
        print_json([msgspec.to_builtins(entry) for entry in scores])
    elif as_csv:
        echo(scores_csv(scores), nl=False)
    else:
        for place, entry in enumerate(scores):
            echo(("\n" if place else "") + f"{entry.run} (model {entry.model}, judge {entry.judge}, {entry.scorer})")
            print_table(measure_rows(entry), right=[3], keys=2)
            if opportunities:
                _print_opportunities(entry)


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="GRAPH [RECORD]", type=_PATHS)
@click.option("-o", "--out", default="process.html", show_default=True, type=click.Path(path_type=Path, dir_okay=False))
def page(paths: tuple[Path, ...], out: Path) -> None:
    """Write one HTML page about a run, from graph and record.

    It shows axes with intervals, every opportunity, the graph over time, abstentions with reasons, and, where the
    record is given too, the quotes in place. The file fetches nothing. A page holds texts of the record: treat it as
    one.

    Example: whatworked process page run.graph.json run.record.jsonl -o run.html
    """
    from whatworked.errors import InvalidOptionError
    from whatworked.process.graph import read_graph
    from whatworked.process.records import is_record, read_record
    from whatworked.report.process import write_process_page
    from whatworked.storage.files import user_path

    given = [user_path(path) for path in paths]
    records = [path for path in given if is_record(path)]
    graphs = [path for path in given if path not in records]
    if len(graphs) != 1 or len(records) > 1:
        raise InvalidOptionError(
            f"a page is about one graph and at most one record; here are {len(graphs)} and {len(records)}"
        )
    record = read_record(records[0]) if records else None
    write_process_page(read_graph(graphs[0]), record, user_path(out))
    echo(f"{out} ({out.stat().st_size / 1e6:.1f} MB)")


@click.command()
@click.argument("left", metavar="A", type=_PATHS)
@click.argument("right", metavar="B", type=_PATHS)
@click.option("--name", "names", nargs=2, metavar="A B", help="What to call the groups [the names of the paths].")
@click.option("--models", nargs=2, metavar="A B", help="Of each path, only runs of this model.")
@click.option("--confidence", default=0.95, show_default=True, help="Of the bootstrap intervals.")
@click.option(
    "--resamples", default=9999, show_default=True, type=click.IntRange(1, 1_000_000), help="Of the bootstrap."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(
    left: Path,
    right: Path,
    names: tuple[str, str] | None,
    models: tuple[str, str] | None,
    confidence: float,
    resamples: int,
    as_json: bool,
) -> None:
    """Compare two groups of runs on every axis.

    A and B are graphs or folders of them. They are compared task by task: runs of one task are its repetitions, and
    only tasks of both groups count. Scores of two versions of the scorer, or of two judges, are refused.

    Examples: whatworked process compare scores/model-a scores/model-b; whatworked process compare scores scores
    --models gpt-x gpt-y
    """
    from whatworked.process.comparison import compare_groups

    groups = [_scores([path]) for path in (left, right)]
    if models is not None:
        groups = [_of_model(group, model) for group, model in zip(groups, models, strict=True)]
    called = names or models or (left.name, right.name)
    found = compare_groups(groups[0], groups[1], called, confidence=confidence, resamples=resamples)
    if as_json:
        print_json([_comparison_json(entry) for entry in found])
        return
    print_table(
        [["axis", *called, "difference", "interval", "tasks", "verdict"], *map(_comparison_row, found)],
        right=[1, 2, 3, 5],
        keys=1,
    )
    for entry in found:
        if entry.statement is not None and not entry.trait:
            print_text(f"\n{entry.axis} {entry.name}: {entry.statement}")
        if any(entry.undefined):
            print_text(
                f"{entry.axis}: {entry.undefined[0]} and {entry.undefined[1]} runs have no score and are left out"
            )


def _scores(paths: Sequence[Path]) -> list[Scores]:
    from whatworked.errors import InvalidOptionError
    from whatworked.process.graph import read_graph
    from whatworked.process.measures import measure as measured
    from whatworked.storage.files import user_path

    files: list[Path] = []
    for path in map(user_path, paths):
        below = sorted(path.rglob("*.graph.json")) if path.is_dir() else [path]
        if not below:
            raise InvalidOptionError(
                f"{path} holds no *.graph.json; give a folder that `whatworked process score` wrote"
            )
        files += below
    return [measured(read_graph(file)) for file in files]


def _of_model(scores: Sequence[Scores], model: str) -> list[Scores]:
    from whatworked.errors import unknown_name

    found = [entry for entry in scores if entry.model == model]
    if not found:
        raise unknown_name("model", model, sorted({entry.model for entry in scores if entry.model is not None}))
    return found


def _print_opportunities(scores: Scores) -> None:
    for entry in scores.measures:
        if entry.opportunities:
            echo(f"\n{entry.axis} {entry.id}")
            rows = [["taken" if item.taken else "not taken", item.node, item.why] for item in entry.opportunities]
            print_table(rows)


def _comparison_row(entry: AxisComparison) -> list[str]:
    values = ["-" if value is None else fixed(value, 3) for value in (entry.left, entry.right)]
    name = f"{entry.axis} {entry.name}"
    if entry.interval is None or entry.statement is None:
        return [name, *values, "-", "-", "0", "not compared"]
    difference = fixed(entry.interval.estimate, 3, signed=True)
    interval = interval_text(entry.interval.low, entry.interval.high, signed=True)
    verdict = _TRAIT_WORDS.get(entry.statement.verdict, "") if entry.trait else ""
    said = verdict or entry.statement.verdict.replace("source", "task")
    return [name, *values, difference, interval, str(len(entry.tasks)), said]


def _comparison_json(entry: AxisComparison) -> dict[str, Any]:
    interval = entry.interval
    return {
        "axis": entry.axis,
        "left": entry.left,
        "right": entry.right,
        "tasks": list(entry.tasks),
        "left_out": list(entry.left_out),
        "undefined": list(entry.undefined),
        "difference": None if interval is None else interval.estimate,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "verdict": None if entry.statement is None else entry.statement.verdict,
        "statement": None if entry.statement is None else str(entry.statement),
    }
