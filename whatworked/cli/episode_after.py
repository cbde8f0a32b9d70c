"""``whatworked episode infer``, ``page`` and ``import``: what follows an episode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.wording import counted, fixed

if TYPE_CHECKING:
    from whatworked.episodes.records import Record
    from whatworked.episodes.rules import Setup
    from whatworked.episodes.shared_inference import InferenceRow

_paths = click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, file_okay=False))
_folder = click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
_salt = click.option("--salt", type=click.Path(path_type=Path, dir_okay=False), help="Its private salt.")


@click.command()
@_paths
@click.option(
    "--estimator",
    "estimators",
    multiple=True,
    metavar="PLUGIN",
    help="An estimator, as for bench; repeatable [ridge-main, ridge-pair, gp, relevance-gp].",
)
@_salt
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def infer(paths: tuple[Path, ...], estimators: tuple[str, ...], salt: Path | None, as_json: bool) -> None:
    """Fit estimators to what episodes measured, and grade them beside what was delivered.

    The difference is what was lost between the measurements and the answer. PATHS are folders of episodes, or folders
    that hold some. Of several episodes means are printed: over families, then conditions, then episodes, missing
    deliveries among them.

    Example: whatworked episode infer episode-1 --estimator gp --estimator class-relevance-gp
    """
    from whatworked.episodes.shared_inference import DEFAULT, inferred_means
    from whatworked.episodes.shared_inference import infer as inferred
    from whatworked.episodes.standings import find_episodes

    found = []
    for folder in find_episodes(paths):
        record, setup = _read(folder, salt)
        found.append((setup.instance, inferred(record.events, setup.instance, estimators or DEFAULT)))
    if len(found) == 1:
        _print_inferred(found[0][1], as_json)
        return
    means = inferred_means(found)
    if as_json:
        print_json([mean.content() for mean in means])
        return
    head = ("answer", "episodes", "delivered", "recovery", "low", "high", "exact", "strict")
    cells = [
        (
            mean.label,
            str(mean.episodes),
            str(mean.delivered),
            fixed(mean.recovery.estimate, 3),
            _number(mean.recovery.low, 3),
            _number(mean.recovery.high, 3),
            str(mean.exact),
            str(mean.strict),
        )
        for mean in means
    ]
    print_table([head, *cells], right=[1, 2, 3, 4, 5, 6, 7])


def _print_inferred(rows: Sequence[InferenceRow], as_json: bool) -> None:
    if as_json:
        print_json([row.content() for row in rows])
        return
    head = ("answer", "recovery", "exact", "regret", "effect error", "strict")
    cells = [
        (
            row.label if row.form is None else f"{row.label} ({row.form})",
            fixed(row.grade.effect_recovery, 3),
            _word(row.grade.exact),
            _number(row.grade.regret),
            _number(row.grade.effect_mae),
            _word(row.grade.strict),
        )
        for row in rows
    ]
    print_table([head, *cells], right=[1, 3, 4])


@click.command()
@_folder
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="The file [episode.html in the folder].")
@click.option("--title", help="Heading of the page [what was played, and the budget].")
@_salt
def page(folder: Path, out: Path | None, title: str | None, salt: Path | None) -> None:
    """Write one HTML page about an episode.

    Of effects: purchases, notes, answer, effects, programs, calls. Of drift: every pass tick by tick, the first truth
    of each detector, notes, prediction, calls. The file holds all of its data, the truth included, and fetches nothing:
    do not give it to a player.
    """
    from whatworked.episodes.about import read_about

    record, setup = _read(folder, salt)
    write_page(out or folder / "episode.html", _page_of(record, setup, read_about(record.folder).player, title))


def write_page(target: Path, content: str) -> None:
    """Write the page of an episode, and say where."""
    from whatworked.storage.files import write_atomic

    # A text of a player may hold half of a surrogate pair, which UTF-8 lacks.
    written = content.encode("utf-8", "backslashreplace")
    write_atomic(target, written)
    echo(f"{target} ({len(written) / 1e3:.0f} kB)")


def _page_of(record: Record, setup: Setup, player: str, title: str | None) -> str:
    """The page of the record's environment."""
    from whatworked.environments.drift.finding import SealedWorld

    if isinstance(setup.instance, SealedWorld):
        from whatworked.report.drift import drift_page

        return drift_page(record, setup, player, title)
    from whatworked.report.episode import episode_page

    return episode_page(record, setup, player, title)


@click.command(name="import")
@_folder
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder of the episode.")
@click.option("--instance", metavar="NAME", help="Condition or file of its table [by the game's source and options].")
def import_(folder: Path, out: Path, instance: str | None) -> int:
    """Turn a game in the form of the first publication into an episode, call by call.

    Every call has to come out under these rules as it did then; otherwise nothing is written. Of a folder with several
    games each becomes a folder inside --out; those that cannot are named, and the exit code is 1.
    """
    from whatworked.episodes.published import is_published
    from whatworked.errors import EpisodeError, WhatWorkedError

    if is_published(folder):
        _import_one(folder, out, instance)
        return 0
    games = sorted(inside for inside in folder.iterdir() if is_published(inside))
    if not games:
        raise EpisodeError(f"{folder} holds no published game: a game is a folder with events.jsonl and evidence.json")
    failed = 0
    for game in games:
        try:
            _import_one(game, out / game.name, instance)
        except WhatWorkedError as error:
            failed += 1
            print_text(f"not imported: {game.name}: {error}", errors=True)
    echo(f"{out}: {len(games) - failed} of {counted(len(games), 'game')}; next: whatworked episode table {out}")
    return int(failed > 0)


def _import_one(folder: Path, out: Path, instance: str | None) -> None:
    from whatworked.episodes.importing import import_game

    game = import_game(folder, out, instance)
    if game.left_out:
        echo(f"left out: {', '.join(f'{count} {kind}' for kind, count in Counter(game.left_out).items())}", err=True)
    echo(f"{out}: {counted(len(game.calls), 'call')}; next: whatworked episode grade {out}")


def _read(folder: Path, salt: Path | None) -> tuple[Record, Setup]:
    from whatworked.episodes.records import read_record, setup_of

    record = read_record(folder)
    return record, setup_of(record, salt=salt)


def _number(value: float | None, digits: int = 4) -> str:
    return "-" if value is None else fixed(value, digits)


def _word(value: bool) -> str:
    return "yes" if value else "no"


@click.command()
@_paths
@click.option("--name", required=True, help="What the episodes are called together.")
@click.option("--note", default="", help="A sentence about them: which model, which settings.")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="File ending in .episodes.gz."
)
def pack(paths: tuple[Path, ...], name: str, note: str, out: Path) -> None:
    """Pack episodes of effects into one file, after replaying and grading each again.

    PATHS are folders of episodes, or folders that hold some. A folder of packed runs that the leaderboard is made of
    may hold such files as well; a player that played all conditions of a track under one budget stands beside the
    methods.
    """
    from whatworked.episodes.standings import find_episodes
    from whatworked.errors import InvalidOptionError
    from whatworked.leaderboard.agents import AGENTS_SUFFIX, pack_episodes, unpack_episodes, verified_episodes
    from whatworked.storage.files import write_atomic

    if not out.name.endswith(AGENTS_SUFFIX):
        raise InvalidOptionError(f"--out is {out}; the name ends in {AGENTS_SUFFIX}")
    data = pack_episodes(find_episodes(paths), name, note)
    rows = verified_episodes(unpack_episodes(data, str(out))).rows
    write_atomic(out, data)
    missing = sum(not row.delivered for row in rows)
    echo(f"{out} ({len(data) / 1e3:.0f} kB): {counted(len(rows), 'episode')} replayed, {missing} without a delivery")


@click.command(name="verify")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(file: Path, as_json: bool) -> None:
    """Replay packed episodes on the package's tables and grade them again; refuse them if anything does not match."""
    from whatworked.leaderboard.agents import LARGEST, unpack_episodes, verified_episodes
    from whatworked.storage.files import read_file

    found = verified_episodes(unpack_episodes(read_file(file, LARGEST), str(file)))
    if as_json:
        print_json({"name": found.name, "digest": found.digest, "rows": [row.to_dict() for row in found.rows]})
        return
    head = ("condition", "budget", "player", "seed", "recovery", "exact", "spent", "delivered")
    cells = [
        (
            row.condition,
            str(row.budget),
            row.method,
            str(row.seed),
            fixed(row.grade.effect_recovery, 3),
            _word(row.grade.exact),
            str(row.spent),
            _word(row.delivered),
        )
        for row in found.rows
    ]
    print_table([head, *cells], right=[1, 3, 4, 6])
