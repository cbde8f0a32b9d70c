"""``whatworked process truth``: what was believed beside what is true, and process beside knowledge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.output import echo, print_json, print_table, print_text
from whatworked.wording import counted, fixed, interval_text

if TYPE_CHECKING:
    from whatworked.process.truth import Relation, Tally, TruthGame, TruthGames

_PATHS = click.Path(path_type=Path)
_SHOWN = 20
"""Games that are listed on the screen; --csv games lists all."""
_VERDICTS = {"rises": "rise together", "falls": "one falls", "open": "open", "untold": "-"}


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="FOLDER...", type=_PATHS)
@click.option("--csv", "table", type=click.Choice(["beliefs", "games", "relations"]), help="Print one table as CSV.")
@click.option("--json", "as_json", is_flag=True, help="Print all tables as JSON.")
@click.option("--page", type=click.Path(path_type=Path, dir_okay=False), help="Write one HTML page, too.")
@click.option("--salt", type=click.Path(path_type=Path, dir_okay=False), help="File of the episodes' private salt.")
@click.option("--confidence", default=0.95, show_default=True, help="Of the bootstrap intervals.")
@click.option(
    "--resamples", default=9999, show_default=True, type=click.IntRange(1, 1_000_000), help="Of the bootstrap."
)
def truth(
    paths: tuple[Path, ...],
    table: str | None,
    as_json: bool,
    page: Path | None,
    salt: Path | None,
    confidence: float,
    resamples: int,
) -> None:
    """Put what was believed in games of `effects` beside what is true.

    FOLDER holds episodes, or the graphs that `whatworked process score` made of them; both are needed. Every stated
    effect is read from the beliefs of a graph, checked against the reference surface, and told measured or not. Then
    process measures stand beside effect recovery, over games of one instance with equal purchases.

    Examples: whatworked process score games --judge openai/gpt-5 --out scores; whatworked process truth games scores
    --page truth.html
    """
    from whatworked.errors import InvalidOptionError
    from whatworked.process.truth import read_games, relations, tallies
    from whatworked.storage.files import user_path

    if table is not None and as_json:
        raise InvalidOptionError("--csv and --json are two forms; give one of them")
    given = [user_path(path) for path in paths]
    missing = [str(path) for path in given if not path.exists()]
    if missing:
        raise InvalidOptionError(f"there is no {', no '.join(missing)}; give folders of episodes and of their graphs")
    found = read_games(given, None if salt is None else user_path(salt))
    settings: dict[str, Any] = {"confidence": confidence, "resamples": resamples}
    if page is not None:
        from whatworked.report.process import write_truth_page

        write_truth_page(found, user_path(page), **settings)
    if table is not None:
        _print_csv(table, found, settings)
        return
    related, kinds = relations(found.games, **settings), tallies(found.games, **settings)
    if as_json:
        print_json(_content(found, kinds, related))
        return
    _print_games(found)
    _print_kinds(kinds)
    _print_relations(related)
    if page is not None:
        echo(f"\n{page} ({page.stat().st_size / 1e6:.1f} MB)")


def _print_csv(table: str, found: TruthGames, settings: Mapping[str, Any]) -> None:
    from whatworked.process.truth import belief_row, game_row, relation_row, relations, rows_csv
    from whatworked.process.truth.tables import BELIEF_COLUMNS, GAME_COLUMNS, RELATION_COLUMNS

    if table == "beliefs":
        rows = [belief_row(game, belief) for game in found.games for belief in game.beliefs]
        echo(rows_csv(BELIEF_COLUMNS, rows), nl=False)
    elif table == "games":
        echo(rows_csv(GAME_COLUMNS, map(game_row, found.games)), nl=False)
    else:
        echo(rows_csv(RELATION_COLUMNS, map(relation_row, relations(found.games, **settings))), nl=False)


def _content(found: TruthGames, kinds: Sequence[Tally], related: Sequence[Relation]) -> dict[str, Any]:
    import dataclasses

    from whatworked.process.truth import belief_row, game_row, limits_of, relation_row, relation_sentence

    return {
        "beliefs": [belief_row(game, belief) for game in found.games for belief in game.beliefs],
        "games": [game_row(game) for game in found.games],
        "kinds": [dataclasses.asdict(tally) for tally in kinds],
        "relations": [{**relation_row(entry), "sentence": relation_sentence(entry)} for entry in related],
        "limits": list(limits_of(related)),
        "without_graph": list(found.unscored),
        "without_episode": list(found.unplayed),
    }


def _print_games(found: TruthGames) -> None:
    rows = [["game", "instance", "player", "bought", "recovery", "stated", "true", "measured"]]
    rows += [_game_cells(game) for game in found.games[:_SHOWN]]
    print_table(rows, right=[3, 4, 5, 6, 7], keys=1)
    more = len(found.games) - _SHOWN
    if more > 0:
        print_text(f"and {counted(more, 'game')} more; --csv games lists all")
    for judge in sorted({f"{game.scores.judge}, scorer {game.scores.scorer}" for game in found.games}):
        print_text(f"judge: {judge}")
    if found.unscored:
        print_text(f"left out, without a graph: {counted(len(found.unscored), 'episode')}")
    if found.unplayed:
        print_text(f"left out, without an episode: {counted(len(found.unplayed), 'graph')}")
    unread = sum(game.unread for game in found.games)
    if unread:
        print_text(f"no effect can be read in {counted(unread, 'belief')}: docs/process.md says what is read")


def _game_cells(game: TruthGame) -> list[str]:
    from whatworked.process.truth import game_row

    row = game_row(game)
    recovery = "-" if game.recovery is None else fixed(game.recovery, 3)
    told = [str(row[name]) for name in ("stated", "true", "measured")]
    return [game.name, game.instance, game.player, str(game.purchases), recovery, *told]


def _print_kinds(kinds: Sequence[Tally]) -> None:
    if not kinds:
        print_text("\nNo effect was stated in words that can be read.")
        return
    echo("\nStated effects, each once a game; below the types beliefs alone:")
    rows = [["by", "kind", "stated", "true", "direction", "share true", "interval", "size error"]]
    for tally in kinds:
        error = "-" if tally.size_error is None else fixed(tally.size_error, 3)
        share = [fixed(tally.share.estimate, 3), interval_text(tally.share.low, tally.share.high)]
        told = [str(number) for number in (tally.stated, tally.true, tally.direction)]
        rows.append([tally.group, tally.kind, *told, *share, error])
    print_table(rows, right=[2, 3, 4, 5, 7], keys=2)


def _print_relations(related: Sequence[Relation]) -> None:
    from whatworked.process.truth import SHOWN_AXES, limits_of, relation_sentence

    if not related:
        print_text("\nProcess and knowledge: no measure has a score in two games.")
        return
    echo("\nProcess measures against knowledge, in games of one instance with equal purchases:")
    rows = [["measure", "knowledge", "games", "pairs", "tau", "interval", "verdict", "tau over all"]]
    rows += [_relation_cells(entry) for entry in related if entry.told]
    if len(rows) > 1:
        print_table(rows, right=[2, 3, 4, 7], keys=2)
    same = list(dict.fromkeys(entry.name for entry in related if not entry.told))
    if same:
        print_text(f"the same in all such games, or in what is known: {', '.join(same)}")
    echo()
    for entry in related:
        if entry.process in SHOWN_AXES and entry.told:
            print_text(relation_sentence(entry))
    echo("\nWhat this cannot say:")
    for line in limits_of(related):
        print_text(f"  {line}", indent=4)


def _relation_cells(entry: Relation) -> list[str]:
    equal, overall = entry.equal, entry.overall
    taus = ["-" if value is None else fixed(value, 2, signed=True) for value in (equal.tau, overall.tau)]
    interval = interval_text(equal.low, equal.high, 2, signed=True)
    verdict = _VERDICTS[entry.verdict]
    return [entry.name, entry.knowledge, str(entry.games), str(equal.pairs), taus[0], interval, verdict, taus[1]]
