"""Who played an episode: outside the journal, since nobody can verify it."""

from __future__ import annotations

import os

import msgspec

from whatworked.episodes.folder import EpisodeFolder
from whatworked.errors import StorageError
from whatworked.storage.canonical import canonical_json
from whatworked.storage.files import read_file

ABOUT = "about.json"
"""In an episode's folder."""
_LARGEST = 1 << 16


class About(msgspec.Struct, frozen=True, kw_only=True):
    """Who played an episode, as whoever ran it says.

    Attributes
    ----------
    player : str
        Name of a player, of a model, or whatever tells it from others.
    seed : int
        Of a player with randomness.
    failure : str or None
        What ended a player that broke.
    """

    player: str = ""
    seed: int = 0
    failure: str | None = None


def note_player(folder: EpisodeFolder, about: About) -> None:
    """Note in an episode's folder who plays.

    Parameters
    ----------
    folder : EpisodeFolder
        Of the episode.
    about : About
        Who.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    folder.write_private(ABOUT, canonical_json(msgspec.to_builtins(about)))


def read_about(folder: EpisodeFolder) -> About:
    """Who played, as the folder says; without a name where it says nothing.

    Parameters
    ----------
    folder : EpisodeFolder
        Of the episode.

    Returns
    -------
    About

    Raises
    ------
    StorageError
        If the file cannot be read or holds something else: a player that broke would pass for one that did not.
    """
    path = folder.path / ABOUT
    if not os.path.lexists(path):
        return About()
    try:
        return msgspec.json.decode(read_file(path, _LARGEST), type=About)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise StorageError(
            f"{path} does not say who played: {error}; put it back from a copy, or remove it to leave that unsaid"
        ) from None
