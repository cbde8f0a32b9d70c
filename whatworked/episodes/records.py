"""After an episode: its events, score and replay from the folder and the sealed instance, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from whatworked.environments.protocol import Effect, Environment, Event, Score
from whatworked.episodes.folder import EpisodeFolder
from whatworked.episodes.folding import Entry, body_of, entry_of, refolded
from whatworked.episodes.performers import Gap, outcome_gap
from whatworked.episodes.registry import environment_of
from whatworked.episodes.rules import Position, Setup
from whatworked.episodes.terms import Terms, check_terms, terms_of
from whatworked.episodes.ticket import check_salt, read_salt
from whatworked.errors import EpisodeError
from whatworked.wording import printable

_LONGEST = 100
"""Characters of a value that a difference shows."""


@dataclass(frozen=True)
class Record:
    """What an episode's folder holds.

    Attributes
    ----------
    folder : EpisodeFolder
        Where it stands.
    terms : Terms
        What was played.
    opened : float
        When, in seconds since 1970.
    entries : tuple of Entry
        Events with their times.
    """

    folder: EpisodeFolder
    terms: Terms
    opened: float
    entries: tuple[Entry, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """The events alone."""
        return tuple(entry.event for entry in self.entries)

    @property
    def elapsed(self) -> float:
        """Seconds from the opening to the last event."""
        return float(max((entry.times["elapsed"] for entry in self.entries), default=0.0))


@dataclass(frozen=True)
class Difference:
    """The first event of a replay that comes out otherwise.

    Attributes
    ----------
    number : int
        Of the event.
    field : str
        Which part of it.
    written, replayed : object
        What stands in the journal, and what the rules give.
    """

    number: int
    field: str
    written: Any
    replayed: Any

    def __str__(self) -> str:
        return (
            f"call {self.number} differs in its {self.field}: written {_short(self.written)}, replayed "
            f"{_short(self.replayed)}"
        )


@dataclass(frozen=True)
class Replay:
    """What replaying an episode came to.

    Attributes
    ----------
    events : int
        How many came out byte for byte as written.
    difference : Difference or None
        The first that did not.
    position : Position
        Where the episode stands after them.
    closed : bool
        Whether nothing more could be called.
    """

    events: int
    difference: Difference | None
    position: Position
    closed: bool


def read_record(folder: Path) -> Record:
    """What an episode's folder holds; nothing is locked or changed, and the episode may be going on.

    Parameters
    ----------
    folder : Path
        Of the episode.

    Returns
    -------
    Record

    Raises
    ------
    JournalError
        If its journal is damaged or something else.
    StorageError
        If it cannot be read.
    """
    place = EpisodeFolder(folder)
    terms, times, lines = place.read()
    entries = tuple(entry_of(line, number, str(place.journal)) for number, line in enumerate(lines, start=1))
    return Record(place, terms, float(times["opened"]), entries)


def setup_of(
    record: Record, environment: Environment[Any, Any] | None = None, instance: Any = None, salt: Path | None = None
) -> Setup:
    """Rules and instance of a record, which must be those that it was played with.

    Parameters
    ----------
    record : Record
        What was played.
    environment : Environment, optional
        The rules; by the record's name unless given.
    instance : Instance, optional
        What was played; by the record's name unless given.
    salt : Path, optional
        File of the salt, where there was one.

    Returns
    -------
    Setup

    Raises
    ------
    EpisodeError
        If they are others, naming each difference.
    UnknownNameError
        If there is no environment or instance of that name.
    """
    check_salt(record.terms.salt, salt, record.folder.path)
    secret = None if salt is None else read_salt(salt)
    rules = environment or environment_of(record.terms.environment)
    if instance is None:
        instance = rules.find(record.terms.instance) if secret is None else rules.find(record.terms.instance, secret)
    setup = Setup(rules, instance, record.terms.options, rules.start(instance, record.terms.options))
    check_terms(record.terms, terms_of(rules, instance, setup.options, setup.opening, secret), str(record.folder.path))
    return setup


def score_of(record: Record, setup: Setup) -> Score:
    """Score of an episode, finished or not, from its journal and instance alone.

    Parameters
    ----------
    record : Record
        What was played.
    setup : Setup
        As `setup_of` gives it.

    Returns
    -------
    Score

    Raises
    ------
    EpisodeError
        If the rules cannot score what stands there: the journal was made up.
    """
    try:
        return setup.environment.score(record.events, setup.instance, setup.options)
    except (LookupError, TypeError, ValueError) as error:
        raise EpisodeError(
            f"the events in {record.folder.path} cannot be scored: {error!r}; see `whatworked episode replay`"
        ) from error


def replay(record: Record, setup: Setup) -> Replay:
    """Judge every event again, with the times and outcomes that were written, and compare byte for byte.

    An outcome that can be had again cheaply, such as the fit of a helper, is also compared with one made now, within
    the rounding that its performer allows.

    Parameters
    ----------
    record : Record
        What was played.
    setup : Setup
        As `setup_of` gives it.

    Returns
    -------
    Replay
    """
    position = setup.beginning()
    performers = getattr(setup.environment, "performers", {})
    for entry in record.entries:
        gaps: list[Gap | None] = []

        def compare(effect: Effect, outcome: Mapping[str, Any], gaps: list[Gap | None] = gaps) -> None:
            gaps.append(outcome_gap(performers, effect, outcome))

        verdict = refolded(setup, position, entry, compare)
        difference = None
        if body_of(verdict.event) != entry.body:
            difference = _difference(entry.event, verdict.event)
        elif gap := next(filter(None, gaps), None):
            difference = Difference(entry.event.number, gap.place, gap.written, gap.found)
        if difference is not None:
            return Replay(entry.event.number - 1, difference, position, setup.environment.closed(position.state))
        position = verdict.position
    return Replay(len(record.entries), None, position, setup.environment.closed(position.state))


def _difference(written: Event, replayed: Event) -> Difference:
    before, now = _content(written), _content(replayed)
    field = next(name for name in dict.fromkeys([*before, *now]) if before.get(name) != now.get(name))
    return Difference(written.number, field, before.get(field), now.get(field))


def _content(event: Event) -> Mapping[str, Any]:
    content: Mapping[str, Any] = msgspec.to_builtins(event)
    return content


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return printable(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
