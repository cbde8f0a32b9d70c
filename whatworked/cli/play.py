"""``whatworked play``: let a scripted player, a stranger's file or a person play an episode."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.episodes import episode_options, ticket_of
from whatworked.cli.judging import ModelOptions, model_options
from whatworked.cli.output import echo, print_json, print_text

if TYPE_CHECKING:
    from whatworked.episodes.about import About
    from whatworked.episodes.episode import Episode
    from whatworked.episodes.playing import Choice
    from whatworked.episodes.ticket import Ticket

_PERSON = "me"
_MODEL = "inspect:"
"""Before the name of a model that plays with words."""


@click.command()
@click.argument("environment", required=False)
@click.argument("instance", required=False)
@click.option(
    "--player", required=True, metavar="NAME|FILE:FUNCTION|inspect:MODEL|me",
    help="Who plays; `me` is the person at the terminal.",
)  # fmt: skip
@episode_options
@click.option("--scaffold", metavar="NAME", help="Note aid of a model: self-critique, falsification or evolution.")
@model_options
@click.option("--games", default=1, show_default=True, type=click.IntRange(1, 10_000), help="Episodes, seed by seed.")
@click.option("--ticket", metavar="FILE", help="File of mode 600 that says what is played, instead of arguments.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def play(
    environment: str | None,
    instance: str | None,
    player: str,
    ticket: str | None,
    games: int,
    as_json: bool,
    scaffold: str | None,
    asking: ModelOptions,
    **chosen: Any,
) -> int:
    """Let a player or a person play an episode.

    It is begun, or gone on with where it exists, and its score is printed at the end.

    A player in a file runs in a process of its own, which is told neither what is played nor where. Its function takes
    the game, and a seed if it has a parameter of that name: game 1 has seed 0.

    inspect:MODEL is a model that Inspect reaches, and plays the drift with words; what it costs is said by --dry-run,
    and held below the caps. Its calls are kept in the episode's folder, so that an interrupted game goes on.

    Examples: whatworked play effects wine --player ridge --budget 8; whatworked play drift evaluation-003 --player
    inspect:openai/gpt-5 --scaffold falsification --dry-run
    """
    from whatworked.errors import InvalidOptionError

    if player.startswith(_MODEL):
        from whatworked.cli.play_speaking import play_speaking

        told = {**chosen, "player": f"{player} {scaffold}"}
        return play_speaking(
            ticket_of(environment, instance, ticket, told),
            player.removeprefix(_MODEL),
            scaffold,
            asking,
            games,
            as_json,
        )
    if scaffold is not None or asking.given():
        raise InvalidOptionError(
            "--scaffold, --base-url, --dry-run, --prices and the caps are for a model that plays; give --player "
            "inspect:MODEL with them"
        )
    held = ticket_of(environment, instance, ticket, {**chosen, "player": player})
    if player == _PERSON:
        if games != 1:
            raise InvalidOptionError(f"--games {games} is for scripted players; a person plays one episode at a time")
        return _play_person(held)
    from whatworked.episodes.playing import choose_player

    choice = choose_player(player, held.environment)
    if choice.file is not None and ticket is None:
        _start_again(held, player, games, as_json)
    return _play_games(held, choice, games, as_json)


def _start_again(held: Ticket, player: str, games: int, as_json: bool) -> None:
    """Run this command again in this process, with a command line that does not name what is played.

    A stranger's player is a process of the same user, and can read the command lines of all others.
    """
    from whatworked.episodes.hosts import own_program
    from whatworked.episodes.ticket import ticket_pipe

    reading = ticket_pipe(held)
    os.set_inheritable(reading, True)
    again = ["--ticket", f"fd:{reading}", "--player", player, "--games", str(games), *(["--json"] if as_json else [])]
    sys.stdout.flush()
    os.execv(sys.executable, own_program("whatworked", "play", *again))  # noqa: S606


def _play_games(held: Ticket, choice: Choice, games: int, as_json: bool) -> int:
    import msgspec

    from whatworked.episodes.hosts import keep_private
    from whatworked.episodes.playing import play as play_with

    if choice.file is not None:
        keep_private()
    results = []
    for number in range(games):
        folder = held.folder if games == 1 else str(Path(held.folder) / f"game-{number + 1:04d}")
        with msgspec.structs.replace(held, folder=folder).opened() as episode:
            about = play_with(episode, choice, number)
            _write_known(episode, about)
            results.append(result_of(episode, about))
            if not as_json:
                print_result(results[-1])
    if as_json:
        print_json(results)
    return int(any(result["failure"] for result in results))


def _write_known(episode: Episode, about: About) -> None:
    """Write what a player that speaks stated, as a graph beside the journal."""
    from whatworked.episodes.players.speakers import fault_of

    if fault_of(about.player) is None or about.failure is not None or not episode.closed:
        return
    from whatworked.process.testbed import read_spoken, write_known

    write_known(read_spoken(episode.folder.path))


def _play_person(held: Ticket) -> int:
    from whatworked.episodes.about import About, note_player
    from whatworked.episodes.fronts.host import EpisodeHost
    from whatworked.episodes.fronts.terminal import Terminal

    with held.opened() as episode:
        note_player(episode.folder, About(player=_PERSON))
        if not Terminal(EpisodeHost(episode), _read_line, print_text, episode.sketch).play():
            echo(f"\nThe episode stays in {held.folder}; the same command goes on with it.")
            return 0
        print_result(result_of(episode, About(player=_PERSON)))
    return 0


def _read_line(prompt: str) -> str:
    from whatworked.wording import printable

    return input(printable(prompt, keep="\n"))


def result_of(episode: Episode, about: About) -> dict[str, Any]:
    """What came of an episode, as JSON has it."""
    score = episode.score()
    return {
        "folder": str(episode.folder.path),
        "player": about.player,
        "seed": about.seed,
        "delivered": score.delivered,
        "closed": episode.closed,
        "primary": score.primary,
        "score": score.values.get(score.primary),
        "values": dict(score.values),
        "calls": len(episode.entries),
        "failure": about.failure,
    }


def print_result(result: dict[str, Any]) -> None:
    """Print it in a line or two."""
    score = result["score"]
    said = "-" if score is None else f"{score:.4f}" if isinstance(score, float) else str(score)
    delivered = "" if result["delivered"] else " (nothing was delivered)"
    print_text(f"{result['folder']}: {result['primary']} {said}{delivered}, {result['calls']} calls", indent=2)
    if result["failure"]:
        print_text(f"  the player broke: {result['failure']}", indent=4)
