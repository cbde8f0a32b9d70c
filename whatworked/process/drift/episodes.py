"""Episodes that a judge can read: of the drift, finished, what their rules make of them, and with notes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from whatworked.environments.drift.environment import DriftEnvironment
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.rules import Options
from whatworked.environments.drift.scoring import revisions_of
from whatworked.environments.drift.settings import options_of
from whatworked.episodes.about import read_about
from whatworked.episodes.records import Record, read_record, replay, setup_of
from whatworked.episodes.rules import Setup
from whatworked.episodes.standings import EpisodeRow
from whatworked.errors import EpisodeError


@dataclass(frozen=True)
class NotedEpisode:
    """An episode of the drift with notes.

    Attributes
    ----------
    name : str
        Of its folder.
    record : Record
        What was played.
    setup : Setup
        Its rules and instance.
    player : str
        Who played, as the folder says.
    """

    name: str
    record: Record
    setup: Setup
    player: str

    @property
    def instance(self) -> Instance:
        """The world that was played."""
        world: Instance = self.setup.instance.world
        return world

    @property
    def options(self) -> Options:
        """How it was played."""
        return options_of(dict(self.setup.options))


def read_noted_episode(folder: Path, salt: Path | None = None) -> NotedEpisode:
    """Read an episode that a judge is to be asked about.

    Parameters
    ----------
    folder : Path
        Of the episode.
    salt : Path, optional
        File of its salt, where there was one.

    Returns
    -------
    NotedEpisode

    Raises
    ------
    EpisodeError
        If it is of another environment or another world than the one named, not what the rules make of its calls, not
        finished, or without notes.
    StorageError
        If it cannot be read.
    """
    record = read_record(folder)
    if record.terms.environment != DriftEnvironment.name:
        raise EpisodeError(
            f"{folder} is an episode of {record.terms.environment}; the judge reads notes of episodes of "
            f"{DriftEnvironment.name} alone"
        )
    setup = setup_of(record, salt=salt)
    played = replay(record, setup)
    if played.difference is not None:
        raise EpisodeError(
            f"the journal in {folder} is not what the rules make of its calls; see `whatworked episode replay`"
        )
    about = read_about(record.folder)
    score = setup.environment.score(record.events, setup.instance, setup.options)
    if not played.closed and EpisodeRow(folder, record, about, score).state == "unfinished":
        raise EpisodeError(
            f"the episode in {folder} is not finished: nothing was committed, and actions are left; play it to its "
            "end with `whatworked play` first"
        )
    if not any(True for _ in revisions_of(record.events)):
        raise EpisodeError(f"the player of {folder} wrote no note, so there is nothing to judge; give another episode")
    return NotedEpisode(name=folder.resolve().name, record=record, setup=setup, player=about.player)
