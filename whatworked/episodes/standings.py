"""Many episodes in one table: what was not delivered stands in every denominator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatworked.environments.protocol import Environment, Json, Score
from whatworked.episodes.about import About, read_about
from whatworked.episodes.folder import JOURNAL, UNFINISHED, digest_of
from whatworked.episodes.records import Record, read_record, score_of, setup_of
from whatworked.episodes.rules import Setup
from whatworked.errors import StorageError
from whatworked.statistics.averages import Measurement
from whatworked.statistics.bootstrap import Interval, macro_interval
from whatworked.storage.canonical import canonical_json


@dataclass(frozen=True)
class EpisodeRow:
    """One episode.

    Attributes
    ----------
    folder : Path
        Where it stands.
    record : Record
        What was played.
    about : About
        Who played, as the folder says.
    score : Score
        From journal and instance.
    """

    folder: Path
    record: Record
    about: About
    score: Score

    @property
    def value(self) -> float | None:
        """The primary score; 0 for a missing delivery that has none, None where it is undefined."""
        found = self.score.values.get(self.score.primary)
        if found is None:
            return None if self.score.delivered else 0.0
        return float(found)

    @property
    def state(self) -> str:
        """How it ended: ``delivered``, ``broken`` (the player), ``late`` (the time is up) or ``unfinished``."""
        if self.score.delivered:
            return "delivered"
        if self.about.failure is not None:
            return "broken"
        late = any(entry.times.get("remaining") == 0 for entry in self.record.entries)
        return "late" if late else "unfinished"

    def content(self) -> dict[str, Any]:
        """The row as JSON values.

        Returns
        -------
        dict
        """
        terms, events = self.record.terms, self.record.events
        used: dict[str, int] = {}
        for event in events:
            for name, units in event.charges.items():
                used[name] = used.get(name, 0) + units
        return {
            "folder": str(self.folder),
            "environment": terms.environment,
            "instance": terms.instance,
            "options": dict(terms.options),
            "player": self.about.player,
            "seed": self.about.seed,
            "state": self.state,
            "delivered": self.score.delivered,
            "primary": self.score.primary,
            "score": self.value,
            "values": dict(self.score.values),
            "used": used,
            "calls": len(events),
            "refused": sum(event.refusal is not None for event in events),
            "seconds": self.record.elapsed,
            "failure": self.about.failure,
        }


@dataclass(frozen=True)
class Standing:
    """Episodes of one player under the same rules and options.

    Attributes
    ----------
    environment, player, primary : str
        Which; `primary` is the score that ranks.
    options : mapping
        Those that are not the same in the whole table.
    episodes, delivered, undefined : int
        How many there are, how many were delivered, and how many were delivered without a defined score.
    interval : Interval or None
        Mean over families and instances, of all but the undefined, with its bootstrap interval; None without any.
    """

    environment: str
    player: str
    primary: str
    options: Mapping[str, Json]
    episodes: int
    delivered: int
    undefined: int
    interval: Interval | None

    def content(self) -> dict[str, Any]:
        """The standing as JSON values.

        Returns
        -------
        dict
        """
        interval = self.interval
        return {
            "environment": self.environment,
            **{name: self.options[name] for name in sorted(self.options)},
            "player": self.player,
            "episodes": self.episodes,
            "delivered": self.delivered,
            "undefined": self.undefined,
            "primary": self.primary,
            "mean": None if interval is None else interval.estimate,
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
        }


def find_episodes(paths: Iterable[Path]) -> list[Path]:
    """Folders of episodes among some folders and those inside them, in order, each once however it is named.

    What an interrupted import left is no episode.

    Parameters
    ----------
    paths : iterable of Path
        Folders of an episode, or with such folders in them at any depth.

    Returns
    -------
    list of Path

    Raises
    ------
    StorageError
        If a path holds no episode.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        inside = sorted(journal.parent for journal in path.rglob(JOURNAL) if not _is_unfinished(journal, path))
        if not inside:
            raise StorageError(f"there is no episode in {path}; give the folder of an episode, or one that holds some")
        for folder in inside:
            found.setdefault(folder.resolve(), folder)
    return list(found.values())


def _is_unfinished(journal: Path, below: Path) -> bool:
    return any(part.startswith(UNFINISHED) for part in journal.relative_to(below).parts)


def read_rows(
    folders: Iterable[Path], environment: Environment[Any, Any] | None = None, salt: Path | None = None
) -> list[EpisodeRow]:
    """Read and score episodes.

    Parameters
    ----------
    folders : iterable of Path
        Of episodes.
    environment : Environment, optional
        The rules of all of them; by name unless given.
    salt : Path, optional
        File of the salt of those that have one.

    Returns
    -------
    list of EpisodeRow

    Raises
    ------
    EpisodeError, JournalError, StorageError
        As `read_record` and `setup_of`.
    """
    setups: dict[str, Setup] = {}
    rows = []
    for folder in folders:
        record = read_record(folder)
        own_salt = salt if record.terms.salt is not None else None
        # By all of the terms: an episode by the rules of another version must not pass for one by these.
        key = digest_of(record.terms)
        if key not in setups:
            setups[key] = setup_of(record, environment, salt=own_salt)
        rows.append(EpisodeRow(folder, record, read_about(record.folder), score_of(record, setups[key])))
    return rows


def standings(rows: Sequence[EpisodeRow], resamples: int = 9_999) -> list[Standing]:
    """One standing for each environment, set of options and player.

    Parameters
    ----------
    rows : sequence of EpisodeRow
        In any order.
    resamples : int
        Of the bootstrap.

    Returns
    -------
    list of Standing
        By environment, options and player.
    """
    varying = _varying(rows)
    groups: dict[tuple[str, str, str, str], list[EpisodeRow]] = {}
    for row in rows:
        chosen = {name: row.record.terms.options.get(name) for name in varying}
        key = (row.record.terms.environment, canonical_json(chosen).decode(), row.about.player, row.score.primary)
        groups.setdefault(key, []).append(row)
    return [_standing(groups[key], varying, resamples) for key in sorted(groups)]


def _varying(rows: Sequence[EpisodeRow]) -> list[str]:
    """Names of the options that are not the same everywhere, and the budget in any case."""
    every = [row.record.terms.options for row in rows]
    names = dict.fromkeys(name for options in every for name in options)
    return [
        name for name in names if name == "budget" or len({canonical_json(options.get(name)) for options in every}) > 1
    ]


def _standing(rows: Sequence[EpisodeRow], varying: Sequence[str], resamples: int) -> Standing:
    first = rows[0]
    defined = [(row, row.value) for row in rows]
    measured = [
        Measurement(_family(row), row.record.terms.instance, value, number)
        for number, (row, value) in enumerate(defined)
        if value is not None
    ]
    return Standing(
        environment=first.record.terms.environment,
        player=first.about.player,
        primary=first.score.primary,
        options={name: first.record.terms.options.get(name) for name in varying},
        episodes=len(rows),
        delivered=sum(row.score.delivered for row in rows),
        undefined=len(rows) - len(measured),
        interval=macro_interval(measured, resamples=resamples) if measured else None,
    )


def _family(row: EpisodeRow) -> str:
    family = row.score.details.get("family")
    return family if isinstance(family, str) else row.record.terms.environment
