"""``whatworked process score``: a judge is asked about runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatworked.cli.output import echo, print_table, print_text
from whatworked.wording import counted

if TYPE_CHECKING:
    from whatworked.judging import Caps, Estimate, Judge, Prices
    from whatworked.process.graph import Graph
    from whatworked.process.juries import Scoring
    from whatworked.process.records import Run


_LISTED = 20
"""Secrets, and reasons of lost votes, that are listed one by one."""


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path))
@click.option("--judge", "judge_name", metavar="MODEL", help="Who is asked, by its name for Inspect: provider/model.")
@click.option("--base-url", metavar="URL", help="Where the judge's server is, if not its provider's own.")
@click.option("--replay", is_flag=True, help="Ask nobody: answer everything from the journals in --out.")
@click.option("--dry-run", is_flag=True, help="Say what it would cost, and send nothing.")
@click.option(
    "--out", default="process-scores", show_default=True, type=click.Path(path_type=Path, file_okay=False),
    help="Folder for graphs and journals of calls.",
)  # fmt: skip
@click.option("--task", metavar="NAME", help="Name of the task of all these runs [the digest of its prompt].")
@click.option("--cheap", is_flag=True, help="One pass and one vote; results say so.")
@click.option(
    "--jobs", default=6, show_default=True, type=click.IntRange(1, 256), help="Calls that are under way at once."
)
@click.option("--prices", type=click.Path(path_type=Path, dir_okay=False), help="TOML file with prices of judges.")
@click.option("--max-calls", type=click.IntRange(1), help="Stop before more calls than this are sent.")
@click.option("--max-tokens", type=click.IntRange(1), help="Likewise for tokens read and written.")
@click.option("--max-money", type=click.FloatRange(0, min_open=True), help="Likewise for money; needs --prices.")
def score(
    paths: tuple[Path, ...],
    judge_name: str | None,
    base_url: str | None,
    replay: bool,
    dry_run: bool,
    out: Path,
    task: str | None,
    cheap: bool,
    jobs: int,
    prices: Path | None,
    max_calls: int | None,
    max_tokens: int | None,
    max_money: float | None,
) -> None:
    """Ask a judge about runs, and measure what it finds.

    PATH is a record (NAME.record.jsonl, with NAME.world.json beside it), a log, or a folder of either. For each run
    NAME.graph.json and a journal of calls are written to --out; a run that was interrupted goes on from its journal,
    and with --replay everything is answered from there. The exit code is 1 if no run could be scored or one is not
    finished.

    Examples: whatworked process score records --judge openai/gpt-5 --dry-run; whatworked process score records --replay
    --judge openai/gpt-5
    """
    from whatworked.errors import InvalidOptionError
    from whatworked.judging import Caps, load_prices
    from whatworked.process.records import find_runs
    from whatworked.storage.files import user_path

    given = [user_path(path) for path in paths]
    missing = [str(path) for path in given if not path.exists()]
    if missing:
        raise InvalidOptionError(f"there is no {', no '.join(missing)}; give records, logs, or folders of them")
    priced = None if prices is None else load_prices(user_path(prices))
    runs = find_runs(given)
    if dry_run:
        _print_estimates(list(runs), cheap=cheap, prices=priced, judge=judge_name)
        return
    if judge_name is None:
        raise InvalidOptionError("nobody is named who should be asked; give --judge, or --dry-run to see what it costs")
    judge = _judge(judge_name, base_url, replay=replay)
    caps = Caps(calls=max_calls, tokens=max_tokens, money=max_money)
    if not _score_all(runs, judge, user_path(out), task, cheap, jobs, caps, priced):
        click.get_current_context().exit(1)


def _judge(name: str, base_url: str | None, *, replay: bool) -> Judge:
    from whatworked.judging import ReplayJudge, named_judge

    return ReplayJudge(name) if replay else named_judge(name, base_url=base_url)


def _score_all(
    runs: Iterable[Run],
    judge: Judge,
    out: Path,
    task: str | None,
    cheap: bool,
    jobs: int,
    caps: Caps,
    prices: Prices | None,
) -> bool:
    """Score runs one after another; whether all that could be judged are finished."""
    from whatworked.judging import same_model_warning
    from whatworked.process.graph import write_graph
    from whatworked.process.juries import estimate_score, score
    from whatworked.progress import progress

    graphs: list[Graph] = []
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
        with progress(round(expected), "vote", label=run.name) as bar:
            scoring = score(
                run.record, run.world, judge, task=task, journal=out / f"{run.name}.calls", jobs=jobs, cheap=cheap,
                caps=caps, prices=prices, progress=bar,
            )  # fmt: skip
        path = out / f"{run.name}.graph.json"
        write_graph(path, scoring.graph)
        graphs.append(scoring.graph)
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
    spent = scoring.spent
    cost = "" if scoring.money is None or prices is None else f", {scoring.money:.2f} {prices.currency}"
    print_text(
        f"votes: {replies}; {counted(spent.calls, 'call')} sent, {spent.replayed} from the journal, "
        f"{spent.input_tokens + spent.output_tokens:,} tokens{cost}" + ("; one vote each" if graph.cheap else "")
    )
    for reason, number in list(scoring.lost.items())[:_LISTED]:
        print_text(f"lost: {counted(number, 'vote')}, {reason}", indent=4)
    for title, counts in (("dropped", graph.dropped), ("undecided", graph.undecided), ("no answer", graph.unfinished)):
        if counts:
            print_text(f"{title}: " + ", ".join(f"{number} {what}" for what, number in counts.items()), indent=4)
    if graph.unfinished:
        print_text("not finished: run the same command again when the judge can be reached")
    if scoring.secrets:
        print_text(f"taken out before sending: {counted(len(scoring.secrets), 'secret')}")
        for secret in scoring.secrets[:_LISTED]:
            print_text(f"  {secret.kind}: {secret.place}", indent=4)
        if len(scoring.secrets) > _LISTED:
            print_text(f"  and {len(scoring.secrets) - _LISTED} more")


def _print_axes(graphs: Sequence[Graph]) -> None:
    from whatworked.process.measures import AXES, measure
    from whatworked.wording import fixed

    rows = [["run", *(axis.id for axis in AXES)]]
    for graph in graphs:
        scores = [axis.score for axis in measure(graph).axes]
        rows.append([graph.run, *("-" if value is None else fixed(value, 2) for value in scores)])
    echo()
    print_table(rows, right=range(1, len(AXES) + 1), keys=1)


def _print_estimates(runs: Sequence[Run], *, cheap: bool, prices: Prices | None, judge: str | None) -> None:
    from whatworked.judging import total
    from whatworked.process.juries import estimate_score

    rows = [["run", "steps", "calls", "characters", "tokens read", "tokens written", "money"]]
    found: list[Estimate] = []
    for run in runs:
        if run.record is None or run.world is None or run.refused is not None:
            print_text(f"{run.source}: {run.refused}")
            continue
        parts = total(estimate_score(run.record, run.world, cheap=cheap).values())
        found.append(parts)
        rows.append([run.name, str(len(run.record.steps)), *_estimate_cells(parts, prices, judge)])
    if len(found) > 1:
        rows.append(["all", "", *_estimate_cells(total(found), prices, judge)])
    if not found:
        click.get_current_context().exit(1)
    print_table(rows, right=range(1, 7), keys=1)
    print_text(
        "Expected, with the least and the most. Windows of extraction are counted exactly; how many acts, beliefs and "
        "ideas a run holds is not known before it is read. Nothing was sent."
    )


def _estimate_cells(parts: Estimate, prices: Prices | None, judge: str | None) -> list[str]:
    spans = [parts.calls, parts.characters, parts.input_tokens, parts.output_tokens]
    cells = [f"{span.expected:,.0f} ({span.low:,.0f} to {span.high:,.0f})" for span in spans]
    if prices is None or judge is None:
        return [*cells, "-"]
    price = prices.of(judge)
    money = [
        price.money(getattr(parts.input_tokens, end), getattr(parts.output_tokens, end))
        for end in ("expected", "low", "high")
    ]
    return [*cells, f"{money[0]:.2f} ({money[1]:.2f} to {money[2]:.2f}) {prices.currency}"]
