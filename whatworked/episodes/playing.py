"""Letting a scripted player play: ours in this process, a stranger's file in a process of its own."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from whatworked.environments.protocol import Call
from whatworked.episodes.about import About, note_player
from whatworked.episodes.admission import admitted
from whatworked.episodes.episode import Episode
from whatworked.episodes.folding import Entry, same_content
from whatworked.episodes.fronts.game import Game
from whatworked.episodes.fronts.host import EpisodeHost
from whatworked.episodes.fronts.player_file import play_file
from whatworked.episodes.players import PLAYERS_OF
from whatworked.episodes.reply import Reply
from whatworked.errors import InvalidOptionError, WhatWorkedError, unknown_name
from whatworked.storage.files import user_path

_LONGEST_FAILURE = 500

Player = Callable[..., object]
"""Called with a `Game`, and with a seed where it has a parameter of that name."""


@dataclass(frozen=True)
class Choice:
    """A player as the command line names it.

    Attributes
    ----------
    text : str
        As given.
    file : Path or None
        Of a stranger's player.
    environment : str or None
        For which a name is meant; None for any that has a player of that name.
    """

    text: str
    file: Path | None = None
    environment: str | None = None


def player_names() -> tuple[str, ...]:
    """Names of the players that come with WhatWorked.

    Returns
    -------
    tuple of str
    """
    return tuple(_players())


def choose_player(text: str, environment: str | None = None) -> Choice:
    """What a text names.

    Parameters
    ----------
    text : str
        Name of a player of ours, or ``FILE.py:FUNCTION``.
    environment : str, optional
        What it is to play; default: whatever there is a player of that name for.

    Returns
    -------
    Choice

    Raises
    ------
    UnknownNameError
        If there is no player of that name.
    InvalidOptionError
        If there is no such file, or no function is named.
    """
    container, _, function = text.rpartition(":")
    if not container and not text.endswith(".py"):
        named_player(text, environment)
        return Choice(text, environment=environment)
    path = user_path(container or text)
    if not path.is_file():
        raise InvalidOptionError(f"there is no file {path}; a player is a name, or FILE.py:FUNCTION")
    if not container or not function.isidentifier():
        raise InvalidOptionError(f"{text!r} names no function; write {path}:FUNCTION")
    return Choice(text, path)


def named_player(name: str, environment: str | None = None) -> Player:
    """A player of ours.

    Parameters
    ----------
    name : str
        One of `player_names`.
    environment : str, optional
        For which; default: the first one that has a player of that name.

    Returns
    -------
    callable

    Raises
    ------
    UnknownNameError
        If there is no player of that name.
    """
    players = _players(environment)
    if name not in players:
        raise unknown_name("player", name, [*players, "me"])
    player: Player = pkgutil.resolve_name(players[name])
    return player


def play(episode: Episode, choice: Choice, seed: int = 0) -> About:
    """Let a player play an episode; what it breaks on is told and noted, and the episode stays as it is.

    A player of an episode that was begun before is asked from the start; as long as it calls what is written down it
    gets what is written down.

    Parameters
    ----------
    episode : Episode
        Open.
    choice : Choice
        Who plays.
    seed : int
        For a player that takes one.

    Returns
    -------
    About
        Also written into the episode's folder.
    """
    failure = _in_child(episode, choice, seed) if choice.file else _here(episode, choice, seed)
    about = About(player=choice.text, seed=seed, failure=None if failure is None else failure[:_LONGEST_FAILURE])
    note_player(episode.folder, about)
    return about


def called(player: Player, game: Game, seed: int) -> None:
    """Call a player, with the seed where it takes one."""
    takes_seed = "seed" in inspect.signature(player).parameters
    player(game, seed=seed) if takes_seed else player(game)


class RecordedHost(EpisodeHost):
    """A host that answers a player who starts again from what is written down, as long as it calls the same.

    Parameters
    ----------
    episode : Episode
        Open.
    """

    def __init__(self, episode: Episode) -> None:
        super().__init__(episode)
        self._ahead = list(episode.entries)

    def call(self, call: Call) -> Reply:
        """Answer from what is written down, or carry out or refuse the call."""
        if self._ahead and _is_same(call, self._ahead[0]):
            return self._episode.recorded(self._ahead.pop(0).event.number)
        reply = super().call(call)
        if reply.number == len(self._episode.entries):  # a new event: from here on it is another game
            self._ahead = []
        return reply


def _is_same(call: Call, entry: Entry) -> bool:
    arrived = admitted(call).call
    return same_content(arrived, entry.event.call) and arrived.call_id == entry.event.call.call_id


def _here(episode: Episode, choice: Choice, seed: int) -> str | None:
    player = named_player(choice.text, choice.environment)
    try:
        called(player, Game(RecordedHost(episode)), seed)
    except WhatWorkedError:
        raise
    except Exception as error:
        episode.folder.log(error, f"player {choice.text}")
        return f"{type(error).__name__}: {error}"
    return None


def _in_child(episode: Episode, choice: Choice, seed: int) -> str | None:
    path, _, function = choice.text.rpartition(":")
    return play_file(RecordedHost(episode), user_path(path).absolute(), function, seed)


def _players(environment: str | None = None) -> dict[str, str]:
    """Players of an environment; of all, the first one of each name, without one or for one from elsewhere."""
    known = None if environment is None else PLAYERS_OF.get(environment)
    if known is not None:
        return dict(known)
    return {name: where for players in [*PLAYERS_OF.values()][::-1] for name, where in players.items()}
