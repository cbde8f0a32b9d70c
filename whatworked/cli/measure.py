"""``whatworked measure``: measure a pipeline of one's own under a budget."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.lazy import Group
from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.errors import InvalidOptionError

if TYPE_CHECKING:
    from whatworked.campaigns import Campaign, Findings, Plan
    from whatworked.campaigns.measuring import Runner
    from whatworked.campaigns.options import Option
    from whatworked.campaigns.scale import Scale
    from whatworked.surfaces.experience import Experience

_RUN = "run"
_NOTHING_STATED = {
    "options": (),
    "excluded": (),
    "noise": 0.0,
    "costs": (),
    "effects_of": (),
    "codings": (),
    "experience": None,
}


class _MeasureGroup(Group):
    """What is no command of the group is the target of `run`, whose name can be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = [_RUN, *args]
        return super().parse_args(ctx, args)


# \b tells click to leave the lines after it as they are.
_HELP = """Measure a few settings of a pipeline; know what each switch does.

\b
whatworked measure ./mine.py:f --option amp --option cache --budget 10
whatworked measure --command "python train.py --lr {lr} {amp:--amp|}" \\
    --option lr=0.1,0.01 --option amp=off,on --read 'acc=([0-9.]+)'
whatworked measure ask bench -n 3 --option amp --option cache
whatworked measure tell bench 01=0.83
"""


@click.group(cls=_MeasureGroup, help=_HELP)
def measure() -> None:
    """Measure a few settings of a pipeline; know what each switch does."""


def _plan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(
        (
            click.option(
                "--option",
                "options",
                multiple=True,
                metavar="NAME[=LEVEL,LEVEL…]",
                help="A switch, or an option's levels; more than two are coded into switches NAME.1, NAME.2, ….",
            ),
            click.option(
                "--coding",
                multiple=True,
                metavar="NAME=steps|first",
                help="Effects of more than two levels: steps along them, or each against the first. [steps]",
            ),
            click.option("--direction", type=click.Choice(["maximize", "minimize"]), help="Good values. [maximize]"),
            click.option("--range", "limits", type=(float, float), help="Smallest and largest possible value."),
            click.option(
                "--scale", type=click.Choice(["linear", "log"]), help="Effects as differences or factors. [linear]"
            ),
            click.option(
                "--noise", metavar="SD|estimate", help="How much results vary when a setting is run again. [0]"
            ),
            click.option("--effects-of", multiple=True, metavar="NAME", help="Only effects of these options. [all]"),
            click.option(
                "--cost", multiple=True, metavar="NAME=NUMBER", help="What a second level adds to a run's cost of 1."
            ),
            click.option("--exclude", multiple=True, metavar="NAME=LEVEL,…", help="Levels that must not be combined."),
            click.option(
                "--experience",
                type=click.Path(path_type=Path),
                metavar="DIRECTORY",
                help="Earlier campaigns or CSV files of results of the same options, on other data.",
            ),
        )
    ):
        command = option(command)
    return command


def _report_options(command: Callable[..., Any]) -> Callable[..., Any]:
    path = click.Path(path_type=Path, dir_okay=False)
    for option in reversed(
        (
            click.option("--markdown", type=path, help="Also write the report as Markdown."),
            click.option("--page", type=path, help="Also write one self-contained HTML page."),
            click.option("--table", "table_file", type=path, help="Also write every setting and its value as CSV."),
            click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON."),
        )
    ):
        command = option(command)
    return command


@measure.command()
@click.argument("target", required=False, metavar="[FILE.py:FUNCTION]")
@click.option("--command", "template", help="A program and its arguments, with places for options.")
@_plan_options
@click.option("--budget", type=click.IntRange(1), default=10, show_default=True, help="Runs in all, or their cost.")
@click.option("--read", "pattern", help="Regular expression for the result. [the last line that is a number]")
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="Settings run at once.")
@click.option("--batch", type=click.IntRange(1, 256), default=2, show_default=True, help="Settings chosen at once.")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="Begin no run once all took this long.")
@click.option("--worth", type=click.FloatRange(0, min_open=True), help="Stop when no run makes effects surer by this.")
@click.option("--time-limit", type=click.FloatRange(0, min_open=True), help="Seconds for each run.")
@click.option("--backend", metavar="NAME", help="dask or dask:tcp://HOST:8786: run on a cluster. [this machine]")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default="campaign", show_default=True)
@click.option("--dry-run", is_flag=True, help="Print what would run next, and run nothing.")
@_report_options
def run(
    target: str | None,
    template: str | None,
    budget: int,
    pattern: str | None,
    jobs: int,
    batch: int,
    seconds: float | None,
    worth: float | None,
    time_limit: float | None,
    backend: str | None,
    out: Path,
    dry_run: bool,
    **more: Any,
) -> None:
    """Run a function or a command on the settings that tell most, and report.

    The function gets a dict of levels and returns a number; each call has a process of its own. Every run is in --out
    before the next begins: the same command goes on there, also with another budget. `run` can be left out.
    """
    from whatworked.campaigns import Campaign, Plan
    from whatworked.campaigns.measuring import Stop, carry_out

    if (target is None) == (template is None):
        raise InvalidOptionError("give either FILE.py:FUNCTION or --command, to say what is to be run")
    stated, name = _stated(more, out), _target_name(target, template, pattern)
    if not stated["options"]:
        raise InvalidOptionError("no option is given; name each with --option")
    plan = Plan(**stated, target=name)
    fill, reading = _program(plan, target, template, pattern)
    campaign = Campaign(plan, out)
    if dry_run:
        _show_next(campaign, fill, batch)
        return
    if jobs > batch:
        echo(f"at most {batch} settings run at a time; --batch {jobs} chooses as many at once as --jobs", err=True)
    with campaign, _runner(backend, plan, fill, reading, out / "logs", jobs, time_limit) as runner:
        stopped = carry_out(campaign, runner, Stop(budget, seconds, worth), batch)
        _report(campaign, **_shown(more), stopped=stopped)


@measure.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("-n", "number", type=click.IntRange(1), default=1, show_default=True, help="How many settings.")
@_plan_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def ask(folder: Path, number: int, as_json: bool, **more: Any) -> None:
    """Say which settings to run next. Asking again without telling gives the same.

    The first time, name the options; the campaign is then kept in FOLDER.
    """
    with _campaign(folder, _stated(more, folder)) as campaign:
        asks, plan = campaign.ask(number), campaign.plan
    settings = [(item, plan.setting(int(item.mask, 2)), plan.words(int(item.mask, 2))) for item in asks]
    if as_json:
        print_json([{"mask": item.mask, "setting": setting, "teaches": item.teaches} for item, setting, _ in settings])
    elif not settings:
        echo("every setting that may run has been run")
    else:
        print_table([["mask", "setting"], *([item.mask, words] for item, _, words in settings)])


@measure.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.argument("results", nargs=-1, metavar="[MASK=VALUE]...")
@click.option("--file", type=click.Path(path_type=Path), help="CSV: a column for each option, one of results.")
@click.option("--value", "column", help="The column of results. [the last one]")
@_plan_options
@_report_options
def tell(folder: Path, results: tuple[str, ...], file: Path | None, column: str | None, **more: Any) -> None:
    """Take in results, and report. A VALUE that is no number is the reason why there is none: 0110="out of memory".

    Without --option, a file names the options of a new campaign by its columns, of two levels each.
    """
    from whatworked.campaigns.tables import number_or_reason, options_of, read_rows, results_of, value_column

    stated = _stated(more, folder)
    rows = read_rows(file) if file else []
    column = value_column(rows, column) if rows else ""
    if rows and not stated["options"] and not _is_campaign(folder):
        stated["options"] = options_of(rows, column)
        stated["experience"] = _experience(more["experience"], stated["options"], stated["scale"], folder)
    with _campaign(folder, stated) as campaign:
        told: list[tuple[str, float | str]] = (
            results_of(rows, campaign.plan.options, column, campaign.plan.codings) if rows else []
        )
        for result in results:
            mask, equals, value = result.partition("=")
            if not equals or not value:
                raise InvalidOptionError(f"{result!r} is no result; write MASK=VALUE, as in 0110=0.83")
            told.append((mask, number_or_reason(value)))
        if not told:
            raise InvalidOptionError("nothing is told; give MASK=VALUE or --file")
        campaign.tell(told)
        _report(campaign, **_shown(more))


@measure.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@_report_options
def show(folder: Path, **more: Any) -> None:
    """Report on the campaign in a folder."""
    with _campaign(folder, {"options": ()}) as campaign:
        _report(campaign, **_shown(more))


def _is_campaign(folder: Path) -> bool:
    from whatworked.campaigns.campaign import PLAN

    return (folder / PLAN).is_file()


def _campaign(folder: Path, stated: dict[str, Any]) -> Campaign:
    """The campaign in a folder; a new one where options are named and none is there."""
    from whatworked.campaigns import Campaign, Plan, Scale, open_campaign

    if stated["options"]:
        return Campaign(Plan(**stated), folder)
    if {**_NOTHING_STATED, "scale": Scale()} != {**_NOTHING_STATED, "scale": Scale(), **stated}:
        raise InvalidOptionError(
            "direction, range, scale, noise, cost, exclude, effects-of and experience belong to a new campaign; name "
            "its options, too"
        )
    return open_campaign(folder)


def _stated(more: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Options, scale and exclusions of the command line, for the campaign in a folder."""
    from whatworked.campaigns.coding import expanded, read_coded, read_combinations
    from whatworked.campaigns.costs import read_costs
    from whatworked.campaigns.plan import read_noise
    from whatworked.campaigns.scale import Scale

    given = dict(_option(text) for text in more["options"])
    if len(given) < len(more["options"]):
        raise InvalidOptionError("an option is named twice; name each once")
    ways = dict(pair for text in more["coding"] for pair in _levels(text, "--coding"))
    options, codings = read_coded(given, ways) if given or ways else ((), ())
    excluded = read_combinations([dict(_levels(text)) for text in more["exclude"]], options, codings)
    scale = Scale(more["direction"] or "maximize", more["scale"] or "linear", more["limits"])
    noise = 0.0 if more["noise"] is None else read_noise(more["noise"])
    added = dict(pair for text in more["cost"] for pair in _levels(text, "--cost"))
    costs = read_costs({name: _level(cost) for name, cost in added.items()} or None, options, codings)
    return {
        "options": options,
        "scale": scale,
        "excluded": excluded,
        "noise": noise,
        "costs": costs,
        "effects_of": expanded(more["effects_of"], codings),
        "codings": codings,
        "experience": _experience(more["experience"], options, scale, folder),
    }


def _experience(folder: Path | None, options: Sequence[Option], scale: Scale, own: Path) -> Experience | Path | None:
    """What a folder shows of the options; the folder itself before they are known."""
    if folder is None or not options:
        return folder
    from whatworked.campaigns.experience import read_experience

    return read_experience(folder, options, scale.direction, own)


def _option(text: str) -> tuple[str, tuple[Any, ...]]:
    name, equals, levels = text.partition("=")
    return name.strip(), tuple(level.strip() for level in levels.split(",")) if equals else (False, True)


def _levels(text: str, option: str = "--exclude") -> list[tuple[str, str]]:
    pairs = [part.partition("=") for part in text.split(",")]
    if wrong := [name for name, equals, _ in pairs if not equals]:
        raise InvalidOptionError(f"{option} has {wrong[0]!r}; write NAME=VALUE, as in amp=on,cpu=on or large=2.5")
    return [(name.strip(), level.strip()) for name, _, level in pairs]


def _file_and_name(target: str) -> tuple[Path, str]:
    from whatworked.storage.files import user_path

    place, colon, name = target.rpartition(":")
    file = user_path(place)
    if not colon or not name.isidentifier() or not file.is_file():
        raise InvalidOptionError(f"{target!r} names no function in a file; write ./mine.py:f")
    return file, name


def _target_name(target: str | None, template: str | None, pattern: str | None) -> str:
    """What is run, with the digest of a function's file: results of two programs are never mixed."""
    from whatworked.storage.canonical import sha256
    from whatworked.storage.files import read_file

    if target is None:
        return f"command {template} read {pattern}"
    file, name = _file_and_name(target)
    return f"function {file.name}:{name} {sha256(read_file(file, 10_000_000))}"


def _program(
    plan: Plan, target: str | None, template: str | None, pattern: str | None
) -> tuple[Callable[[str], list[str]], Callable[[str], float | str]]:
    """From a mask to the program and its arguments, and from what it printed to its result."""
    from whatworked.campaigns import calling
    from whatworked.campaigns.commands import Reading, Template

    if template is not None:
        filled = Template.read(template, plan.options, plan.codings)
        return partial(filled.fill, plan), Reading.of(pattern)
    if pattern is not None:
        raise InvalidOptionError("--read is for --command; a function returns its result")
    file, name = _file_and_name(target or "")

    def call(mask: str) -> list[str]:
        levels = {option: _level(level) for option, level in plan.setting(int(mask, 2)).items()}
        return [sys.executable, "-m", "whatworked.campaigns.calling", str(file), name, json.dumps(levels)]

    return call, calling.read_result


@contextlib.contextmanager
def _runner(
    backend: str | None,
    plan: Plan,
    fill: Callable[[str], list[str]],
    reading: Callable[[str], float | str],
    logs: Path,
    jobs: int,
    time_limit: float | None,
) -> Iterator[Runner]:
    """What runs settings: processes of this machine, or those of a cluster."""
    from whatworked.campaigns.commands import command_runner

    if backend is None:
        yield command_runner(plan, fill, reading, logs, jobs, time_limit)
        return
    from whatworked.campaigns.cluster import cluster_runner
    from whatworked.workers.cluster import dask_client, is_dask

    if not is_dask(backend):
        raise InvalidOptionError(f"backend {backend!r} cannot be used here; write dask, or dask:tcp://HOST:8786")
    # No variables: what is measured runs as it would outside, not under the numeric profile of the tables.
    with dask_client(backend, jobs, {}) as client:
        yield cluster_runner(plan, fill, reading, logs, client, time_limit)


def _level(level: Any) -> Any:
    """A level of the command line as a function gets it: numbers as numbers."""
    for kind in (int, float):
        try:
            return kind(level) if isinstance(level, str) else level
        except ValueError:
            continue
    return level


def _show_next(campaign: Campaign, show: Callable[[str], list[str]], number: int) -> None:
    if campaign.folder is not None and _is_campaign(campaign.folder):
        with campaign:
            asks = campaign.ask(number)
    else:
        asks = campaign.ask(number)
    for item in asks:
        echo(f"{item.mask}  {shlex.join(show(item.mask))}")
    echo("nothing was run; which settings follow depends on these results", err=True)


def _shown(more: dict[str, Any]) -> dict[str, Any]:
    return {name: more[name] for name in ("markdown", "page", "table_file", "as_json")}


def _report(
    campaign: Campaign,
    markdown: Path | None,
    page: Path | None,
    table_file: Path | None,
    as_json: bool,
    stopped: str = "",
) -> None:
    from whatworked.campaigns import find
    from whatworked.campaigns.words import blocks
    from whatworked.storage.files import write_atomic

    found = replace(find(campaign), stopped=stopped)
    if markdown is not None:
        write_atomic(markdown, found.markdown().encode())
    if page is not None:
        from whatworked.report.campaign import write_campaign_page

        write_campaign_page(found, page)
    if table_file is not None:
        write_atomic(table_file, _table(found).encode())
    if as_json:
        print_json(found.to_dict())
        return
    for number, block in enumerate(blocks(found)):
        if number:
            echo()
        if block.title:
            echo(block.title)
        for sentence in block.sentences:
            print_text(sentence)
        if block.rows:
            print_table([block.header, *block.rows], right=block.right)


def _table(found: Findings) -> str:
    from whatworked.campaigns.coding import inputs_of
    from whatworked.surfaces.masks import mask_rank
    from whatworked.wording import csv_lines

    names = [place.name for place in inputs_of(found.plan.options, found.plan.codings)]
    head = ["mask", *names, "kind", "value", "low", "high"]
    rows = [
        [
            row.mask,
            *found.plan.labels(mask_rank(row.mask)).values(),
            row.kind,
            row.value,
            row.low,
            row.high,
        ]
        for row in found.table()
    ]
    return csv_lines([head, *rows])
