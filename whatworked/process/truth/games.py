"""Games of `effects` with what was believed in them: graphs of process scoring beside the episodes they are of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.options import read_options
from whatworked.environments.protocol import Event, Score
from whatworked.episodes.about import read_about
from whatworked.episodes.folder import JOURNAL, digest_of
from whatworked.episodes.records import read_record, score_of, setup_of
from whatworked.episodes.rules import Setup
from whatworked.episodes.standings import EpisodeRow, find_episodes
from whatworked.errors import RecordError
from whatworked.process.graph import Graph, Proposition, read_graph
from whatworked.process.measures import Scores, measure
from whatworked.process.records import Record, convert
from whatworked.process.records.files import record_bytes
from whatworked.process.records.readers.episode import NAME, event_of
from whatworked.process.truth.checking import CheckedEffect, check_effect
from whatworked.process.truth.phrases import stated_effects
from whatworked.progress import progress
from whatworked.storage.canonical import sha256
from whatworked.surfaces.masks import anchors, mask_rank
from whatworked.wording import first_few

STATING = ("belief", "conjecture", "prediction")
"""Types of propositions that state effects."""
HELD = "belief"
"""Type of what is stated as true."""
_END = ".graph.json"
_SHORTEST_NAME = 3


@dataclass(frozen=True)
class StatedBelief:
    """One effect that one proposition states.

    Attributes
    ----------
    proposition, type : str
        Id in the graph, and whether it is a belief, conjecture or prediction.
    event : int
        Number of the call in the episode that states it.
    words : str
        What was said.
    ground, reach : str or None
        What the judge says: whether a result shows it, and whether it claims more; None where that was not decided.
    again : bool
        Whether the same had been stated before in the game, in a statement of the same type.
    checked : CheckedEffect
        The effect beside the truth.
    """

    proposition: str
    type: str
    event: int
    words: str
    ground: str | None
    reach: str | None
    again: bool
    checked: CheckedEffect


@dataclass(frozen=True, eq=False)
class TruthGame:
    """One game: what was believed, how it was worked, and what was known at the end.

    Attributes
    ----------
    name : str
        Of the episode's folder.
    instance, family, source : str
        What was played.
    player : str
        Who played, as the folder says.
    seed : int
        Of the player.
    d : int
        Number of options.
    budget, purchases : int
        Credits given, and spent.
    score : Score
        Of the episode.
    scores : Scores
        Process measures of the graph.
    beliefs : tuple of StatedBelief
        In the order in which they were stated.
    unread : int
        Beliefs, conjectures and predictions that state no effect in words that can be read.
    """

    name: str
    instance: str
    family: str
    source: str
    player: str
    seed: int
    d: int
    budget: int
    purchases: int
    score: Score
    scores: Scores
    beliefs: tuple[StatedBelief, ...]
    unread: int

    @property
    def recovery(self) -> float | None:
        """Effect recovery of what was handed in; 0 where nothing was, None where it is undefined."""
        found = self.score.values.get(self.score.primary)
        return float(found) if found is not None else None if self.score.delivered else 0.0

    @property
    def closeness(self) -> float | None:
        """Minus the mean error of the effects that were handed in: recovery before it is cut at 0; None without any."""
        found = self.score.values.get("effect_mae")
        return None if found is None else -float(found)

    @cached_property
    def distinct(self) -> tuple[StatedBelief, ...]:
        """Every stated effect once for each type of statement."""
        return tuple(belief for belief in self.beliefs if not belief.again)

    @cached_property
    def held(self) -> tuple[StatedBelief, ...]:
        """Those that were stated as true: no predictions and no conjectures."""
        return tuple(belief for belief in self.distinct if belief.type == HELD)

    @property
    def share_true(self) -> float | None:
        """Share of the effects stated as true that are; None without any."""
        found = self.held
        return sum(belief.checked.true for belief in found) / len(found) if found else None


@dataclass(frozen=True, eq=False)
class TruthGames:
    """Games, and what was found that is none.

    Attributes
    ----------
    games : tuple of TruthGame
        By name and record.
    unscored : tuple of str
        Episodes of `effects` without a graph.
    unplayed : tuple of str
        Graphs without an episode.
    """

    games: tuple[TruthGame, ...]
    unscored: tuple[str, ...]
    unplayed: tuple[str, ...]


def read_games(paths: Iterable[Path], salt: Path | None = None) -> TruthGames:
    """Every game that folders hold both the episode and the graph of.

    Parameters
    ----------
    paths : iterable of Path
        Folders with episodes of `effects`, folders with graphs that ``whatworked process score`` made of them, or both.
    salt : Path, optional
        File of the salt of episodes that have one.

    Returns
    -------
    TruthGames

    Raises
    ------
    RecordError
        If no graph is of any of the episodes, or two graphs are of one.
    WhatWorkedError
        If a file cannot be read, or an episode not be scored.
    """
    given = list(paths)
    graphs = _graphs(given)
    found: list[TruthGame] = []
    unscored: list[str] = []
    setups: dict[str, Setup] = {}
    with_episodes = [path for path in given if path.is_dir() and any(path.rglob(JOURNAL))]
    folders = find_episodes(with_episodes) if with_episodes else []
    with progress(len(folders), "game", label="reading") as bar:
        for folder in folders:
            bar.update(1)
            played = read_record(folder)
            if played.terms.environment != "effects":
                continue
            record = _record_of(folder)
            graph = graphs.pop(sha256(record_bytes(record)), None)
            if graph is None:
                unscored.append(folder.name)
                continue
            key = digest_of(played.terms)
            if key not in setups:
                setups[key] = setup_of(played, salt=salt if played.terms.salt is not None else None)
            row = EpisodeRow(folder, played, read_about(played.folder), score_of(played, setups[key]))
            found.append(game_of(row, setups[key], record, graph))
    unplayed = sorted(graph.run for graph in graphs.values())
    if not found:
        raise RecordError(
            f"no graph here is of an episode here: graphs of {first_few(unplayed) or 'nothing'}, episodes "
            f"{first_few(unscored) or 'none'} of effects; give the folders of episodes and of the graphs that "
            "`whatworked process score EPISODES` made of them"
        )
    found.sort(key=lambda game: (game.instance, game.purchases, game.player, game.seed, game.name))
    return TruthGames(tuple(found), tuple(unscored), tuple(unplayed))


def game_of(row: EpisodeRow, setup: Setup, record: Record, graph: Graph) -> TruthGame:
    """A game of its episode, record and graph.

    Parameters
    ----------
    row : EpisodeRow
        The episode.
    setup : Setup
        Its rules and instance.
    record : Record
        It as a record of process scoring.
    graph : Graph
        Of that record.

    Returns
    -------
    TruthGame
    """
    instance: SurfaceInstance = setup.instance
    options = read_options(row.record.terms.options)
    beliefs, unread = _beliefs(graph, record, row.record.events, instance, program_shown=options.told)
    return TruthGame(
        name=row.folder.name,
        instance=row.record.terms.instance,
        family=instance.family or "own",
        source=instance.source or instance.condition,
        player=row.about.player,
        seed=row.about.seed,
        d=instance.d,
        budget=options.budget,
        purchases=int(row.score.values["credits_used"] or 0),
        score=row.score,
        scores=measure(graph),
        beliefs=beliefs,
        unread=unread,
    )


def _graphs(paths: Sequence[Path]) -> dict[str, Graph]:
    """Graphs by the digest of their records."""
    files = [file for path in paths for file in (sorted(path.rglob(f"*{_END}")) if path.is_dir() else [path])]
    found: dict[str, Graph] = {}
    for file in dict.fromkeys(files):
        graph = read_graph(file)
        if graph.record in found:
            raise RecordError(
                f"{file} is the second graph of run {graph.run}; give the graphs of one judge and version of the scorer"
            )
        found[graph.record] = graph
    return found


def _record_of(folder: Path) -> Record:
    (found,) = convert([folder], NAME)
    if found.record is None:
        raise RecordError(f"{folder}: {found.refused}")
    return found.record


def _beliefs(
    graph: Graph, record: Record, events: Sequence[Event], instance: SurfaceInstance, *, program_shown: bool
) -> tuple[tuple[StatedBelief, ...], int]:
    marks = {(mark.type, mark.node): mark.value for mark in graph.marks}
    names = _names(instance)
    known = _measured_before(events, instance.d)
    found: list[StatedBelief] = []
    unread = 0
    before = set()
    for said in (proposition for proposition in graph.propositions if proposition.type in STATING):
        event = _event(said, record)
        stated = stated_effects(said.quote.text, names) if event is not None else ()
        unread += not stated
        for effect in stated:
            checked = check_effect(effect, instance, known[event or 0], program_shown=program_shown)
            ground, reach = marks.get(("ground", said.id)), marks.get(("reach", said.id))
            words = said.quote.text
            again = (said.type, effect) in before
            found.append(StatedBelief(said.id, said.type, event or 0, words, ground, reach, again, checked))
            before.add((said.type, effect))
    return tuple(found), unread


def _names(instance: SurfaceInstance) -> list[tuple[str, ...]]:
    """What each option may be called: its letter, and its name where the player was told one."""
    told = instance.shown_options or (None,) * instance.d
    return [
        (letter,) if option is None or len(option.name) < _SHORTEST_NAME else (letter, option.name)
        for letter, option in zip(instance.letters, told, strict=True)
    ]


def _event(said: Proposition, record: Record) -> int | None:
    return event_of(record.steps[said.step].where)


def _measured_before(events: Iterable[Event], d: int) -> Mapping[int, tuple[int, ...]]:
    """By number of an event, ranks that were measured when it was called."""
    return dict(_growing(events, d))


def _growing(events: Iterable[Event], d: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    seen = dict.fromkeys(anchors(d))
    for event in events:
        yield event.number, tuple(seen)
        if event.call.tool == "observe_many" and event.refusal is None:
            seen |= dict.fromkeys(mask_rank(mask, d) for mask in event.result["new"])
