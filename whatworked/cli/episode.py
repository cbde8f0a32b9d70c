"""``whatworked episode``: what became of episodes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.episode_after import import_, infer, pack, page, verify
from whatworked.cli.lazy import Group
from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.cli.rows import format_option, print_rows
from whatworked.wording import counted, fixed

if TYPE_CHECKING:
    from whatworked.episodes.folding import Entry
    from whatworked.episodes.records import Record
    from whatworked.episodes.rules import Setup

_LONGEST_CELL = 100


@click.group(cls=Group)
def episode() -> None:
    """Show, grade and replay episodes; put many into a table.

    All of it from their journals and the sealed instances alone.
    """


def _folder(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))(command)


def _rules(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("--salt", type=click.Path(path_type=Path, dir_okay=False), help="Its private salt.")(command)
    return click.option(
        "--environment", metavar="NAME", help="Its rules, where the journal's name does not find them."
    )(command)


_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@episode.command()
@_folder
@_json_option
def show(folder: Path, as_json: bool) -> None:
    """Say what an episode is of and how far it has come; it may be going on."""
    from whatworked.episodes.records import read_record

    record = read_record(folder)
    content = _shown(record)
    if as_json:
        print_json(content)
        return
    print_table([(name.replace("_", " "), _cell(value)) for name, value in content.items()])


@episode.command()
@_folder
@_json_option
def log(folder: Path, as_json: bool) -> None:
    """List the calls of an episode, refused ones included, with what the world did; --json prints them whole."""
    from whatworked.episodes.records import read_record

    record = read_record(folder)
    if as_json:
        print_json([_whole(entry) for entry in record.entries])
        return
    for entry in record.entries:
        _print_entry(entry)
    echo(f"{counted(len(record.entries), 'call')} in {fixed(record.elapsed, 1)} seconds")


@episode.command()
@_folder
@_rules
@_json_option
def grade(folder: Path, environment: str | None, salt: Path | None, as_json: bool) -> None:
    """Score an episode from its journal and the instance, whether it was delivered or not."""
    import msgspec

    from whatworked.episodes.records import score_of

    record, setup = _read(folder, environment, salt)
    score = score_of(record, setup)
    if as_json:
        print_json(msgspec.to_builtins(score))
        return
    if not score.delivered:
        echo("nothing was delivered")
    print_table([(name, _number(value)) for name, value in score.values.items()], right=[1])


@episode.command()
@_folder
@_rules
@_json_option
def replay(folder: Path, environment: str | None, salt: Path | None, as_json: bool) -> int:
    """Judge every call again and compare the results byte for byte; exit code 1 if one comes out otherwise.

    Tables of helpers are fitted again and compared to 1e-6.
    """
    from whatworked.episodes.records import replay as replayed

    found = replayed(*_read(folder, environment, salt))
    difference = found.difference
    if as_json:
        stated = None if difference is None else vars(difference)
        print_json({"events": found.events, "closed": found.closed, "difference": stated})
    elif difference is None:
        echo(f"{counted(found.events, 'call')} replayed, every byte the same")
    else:
        print_text(f"{counted(found.events, 'call')} replayed; {difference}", indent=2)
    return int(difference is not None)


@episode.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, file_okay=False))
@_rules
@click.option("--each", is_flag=True, help="One row an episode instead of one a player.")
@format_option
def table(paths: tuple[Path, ...], environment: str | None, salt: Path | None, each: bool, output: str) -> None:
    """Put many episodes into a table; missing deliveries stand in every denominator.

    PATHS are folders of episodes, or folders that hold some. Means are over families, then instances, then repetitions,
    with 95% bootstrap intervals.
    """
    from whatworked.episodes.registry import environment_of
    from whatworked.episodes.standings import find_episodes, read_rows, standings

    rules = None if environment is None else environment_of(environment)
    rows = read_rows(find_episodes(paths), rules, salt)
    if each:
        print_rows([_flat(row.content(), output) for row in rows], output)
    else:
        print_rows([standing.content() for standing in standings(rows)], output)


def _read(folder: Path, environment: str | None, salt: Path | None) -> tuple[Record, Setup]:
    from whatworked.episodes.records import read_record, setup_of
    from whatworked.episodes.registry import environment_of

    record = read_record(folder)
    rules = None if environment is None else environment_of(environment)
    return record, setup_of(record, rules, salt=salt)


def _shown(record: Record) -> dict[str, Any]:
    from datetime import UTC, datetime

    from whatworked.episodes.about import read_about

    terms, about = record.terms, read_about(record.folder)
    used: dict[str, int] = {}
    for event in record.events:
        for name, units in event.charges.items():
            used[name] = used.get(name, 0) + units
    return {
        "environment": f"{terms.environment}, version {terms.environment_version}, engine {terms.engine_version}",
        "instance": terms.instance,
        "instance_digest": terms.instance_digest,
        "options": dict(terms.options),
        "salt": terms.salt or "none",
        "player": about.player or "not stated",
        "opened": datetime.fromtimestamp(record.opened, UTC).isoformat(timespec="seconds"),
        "budgets": {name: f"{used.get(name, 0)} of {limit} used" for name, limit in terms.budgets.items()}
        | (
            {"seconds": f"{record.elapsed:.0f} of {terms.budgets['seconds']} used"}
            if "seconds" in terms.budgets
            else {}
        ),
        "calls": len(record.entries),
        "refused": sum(event.refusal is not None for event in record.events),
    }


def _whole(entry: Entry) -> dict[str, Any]:
    return {**json.loads(entry.body), "times": dict(entry.times)}


def _print_entry(entry: Entry) -> None:
    event = entry.event
    head = f"{event.number}. {event.call.tool or '(no call)'} {_cell(event.call.arguments)}"
    print_text(f"{head}  [{fixed(entry.times['elapsed'], 1)} s]", indent=4)
    if event.refusal is not None:
        print_text(f"   refused ({event.refusal.code}): {event.refusal.message}", indent=6)
    if event.result:
        print_text(f"   {_cell(event.result)}", indent=6)
    if event.charges:
        print_text(f"   charged {', '.join(_units(*charge) for charge in event.charges.items())}", indent=6)
    for world in event.events:
        print_text(f"   world: {world.kind} {_cell(world.facts)}", indent=6)


def _units(name: str, units: int) -> str:
    """Units of a budget, whose name is a plural where it is a noun: 1 credit, 2 credits, 1 paid."""
    return f"{units} {name.removesuffix('s') if units == 1 else name}"


def _flat(row: Mapping[str, Any], output: str) -> dict[str, Any]:
    if output == "json":
        return dict(row)
    flat = {name: value for name, value in row.items() if name not in ("options", "values", "used", "failure")}
    return {**flat, **{f"used_{name}": units for name, units in row["used"].items()}}


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}…"


def _number(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    return fixed(value, 4) if isinstance(value, float) else str(value)


for _command in (infer, page, import_, pack, verify):
    episode.add_command(_command)
