"""``whatworked process score``: a judge is asked about runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatworked.cli.judging import (
    LISTED,
    JudgingOptions,
    asked_judge,
    judging_options,
    print_estimates,
    print_secrets,
    sharing_caps,
    spent_text,
)
from whatworked.cli.output import echo, print_table, print_text
from whatworked.wording import counted

if TYPE_CHECKING:
    from whatworked.judging import Estimate, Judge, Prices
    from whatworked.process.graph import Graph
    from whatworked.process.juries import Scoring
    from whatworked.process.records import Run


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path))
@click.option("--task", metavar="NAME", help="Name of the task of all these runs [the digest of its prompt].")
@click.option("--cheap", is_flag=True, help="One pass and one vote; results say so.")
@judging_options("process-scores", "graphs", "; or rules, for games of players that speak")
def score(paths: tuple[Path, ...], task: str | None, cheap: bool, judging: JudgingOptions) -> None:
    """Ask a judge about runs, and measure what it finds.

    PATH is a record (NAME.record.jsonl, with NAME.world.json beside it), a log, or a folder of either. For each run
    NAME.graph.json and a journal of calls are written to --out; a run that was interrupted goes on from its journal,
    and with --replay everything is answered from there. Caps hold for all runs together. The exit code is 1 if no run
    could be scored or one is not finished.

    Examples: whatworked process score records --judge openai/gpt-5 --dry-run; whatworked process score records --replay
    --judge openai/gpt-5
    """
    from whatworked.errors import InvalidOptionError
    from whatworked.process.records import find_runs
    from whatworked.storage.files import user_path

    given = [user_path(path) for path in paths]
    missing = [str(path) for path in given if not path.exists()]
    if missing:
        raise InvalidOptionError(f"there is no {', no '.join(missing)}; give records, logs, or folders of them")
    priced = judging.prices()
    runs = find_runs(given)
    if judging.dry_run:
        _print_estimates(list(runs), cheap=cheap, prices=priced, judge=judging.judge)
        return
    if not _score_all(runs, _judge(judging), judging, task, cheap, priced):
        click.get_current_context().exit(1)


def _judge(judging: JudgingOptions) -> Judge:
    from whatworked.process.testbed import RULES, rule_judge

    return rule_judge() if judging.named() == RULES and not judging.replay else asked_judge(judging)


def _score_all(
    runs: Iterable[Run],
    judge: Judge,
    judging: JudgingOptions,
    task: str | None,
    cheap: bool,
    prices: Prices | None,
) -> bool:
    """Score runs one after another; whether all that could be judged are finished."""
    from whatworked.judging import same_model_warning
    from whatworked.process.graph import write_graph
    from whatworked.process.juries import estimate_score, score
    from whatworked.progress import progress

    out = judging.out
    caps = judging.caps
    graphs: dict[str, Graph] = {}
    finished = True
    for run in runs:
        if run.record is None or run.world is None or run.refused is not None:
            print_text(f"{run.source}: {run.refused}")
            continue
        warning = same_model_warning(judge.name, run.record.header.model)
        if warning is not None:
            print_text(f"{run.name}: {warning}", errors=True)
        expected = sum(part.calls.expected for part in estimate_score(run.record, run.world, cheap=cheap).values())
        out.mkdir(parents=True, exist_ok=True)
        with (
            progress(round(expected), "vote", label=run.name) as bar,
            sharing_caps(run.name, "runs", caps, judging.caps),
        ):
            scoring = score(
                run.record, run.world, judge, task=task, journal=out / f"{run.name}.calls", jobs=judging.jobs,
                cheap=cheap, caps=caps, prices=prices, progress=bar,
            )  # fmt: skip
        caps = caps.after(scoring.spent, scoring.money)
        path = out / f"{run.name}.graph.json"
        write_graph(path, scoring.graph)
        graphs[run.name] = scoring.graph
        finished = finished and scoring.finished
        _print_scoring(scoring, path, prices)
    if len(graphs) > 1:
        _print_axes(graphs)
    return bool(graphs) and finished


def _print_scoring(scoring: Scoring, path: Path, prices: Prices | None) -> None:
    from whatworked.process.measures import measure, measure_rows

    graph = scoring.graph
    echo(f"\n{graph.run}: {path}")
    print_table(measure_rows(measure(graph)), right=[3], keys=2)
    replies = ", ".join(f"{number} {kind}" for kind, number in scoring.kinds.items())
    print_text(
        f"votes: {replies}; {spent_text(scoring.spent, scoring.money, prices)}"
        + ("; one vote each" if graph.cheap else "")
    )
    for reason, number in list(scoring.lost.items())[:LISTED]:
        print_text(f"lost: {counted(number, 'vote')}, {reason}", indent=4)
    for title, counts in (("dropped", graph.dropped), ("undecided", graph.undecided), ("no answer", graph.unfinished)):
        if counts:
            print_text(f"{title}: " + ", ".join(f"{number} {what}" for what, number in counts.items()), indent=4)
    if graph.unfinished:
        print_text("not finished: run the same command again when the judge can be reached")
    print_secrets(scoring.secrets)


def _print_axes(graphs: Mapping[str, Graph]) -> None:
    from whatworked.process.measures import AXES, measure
    from whatworked.wording import fixed

    rows = [["run", *(axis.id for axis in AXES)]]
    for name, graph in graphs.items():
        scores = [axis.score for axis in measure(graph).axes]
        rows.append([name, *("-" if value is None else fixed(value, 2) for value in scores)])
    echo()
    print_table(rows, right=range(1, len(AXES) + 1), keys=1)


def _print_estimates(runs: Sequence[Run], *, cheap: bool, prices: Prices | None, judge: str | None) -> None:
    from whatworked.judging import total
    from whatworked.process.juries import estimate_score

    found: list[tuple[list[str], Estimate]] = []
    for run in runs:
        if run.record is None or run.world is None or run.refused is not None:
            print_text(f"{run.source}: {run.refused}")
            continue
        parts = total(estimate_score(run.record, run.world, cheap=cheap).values())
        found.append(([run.name, str(len(run.record.steps))], parts))
    if not found:
        click.get_current_context().exit(1)
    print_estimates(found, ["run", "steps"], prices, judge)
    print_text(
        "Expected, with the least and the most. Windows of extraction are counted exactly; how many acts, beliefs and "
        "ideas a run holds is not known before it is read. Nothing was sent."
    )
