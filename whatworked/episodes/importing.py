"""Published games played again, call by call, into episodes of our own with the times that they had."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatworked import catalog, references
from whatworked.environments.effects.environment import EffectsEnvironment
from whatworked.environments.effects.helpers import KIND
from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.protocol import Call
from whatworked.episodes.about import About, note_player
from whatworked.episodes.clock import Clock
from whatworked.episodes.effects import effects_environment
from whatworked.episodes.episode import Episode
from whatworked.episodes.folder import UNFINISHED
from whatworked.episodes.published import PublishedCall, PublishedGame, read_published
from whatworked.episodes.records import read_record, replay, setup_of
from whatworked.episodes.reply import Reply
from whatworked.errors import EpisodeError, InvalidArtifactError, UnknownNameError
from whatworked.grading.artifact import read_artifact
from whatworked.storage.files import storage_errors
from whatworked.wording import counted, first_few

CLOSE = 1e-6
"""Difference up to which two measurements of a mask are of one table."""
_OPENED = 0.0


@dataclass
class _RecordedWork:
    """Does all work by looking up what came of it then."""

    outcome: Mapping[str, Any]

    def perform(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """What was recorded, whatever is asked."""
        del request
        return self.outcome


class _Hands:
    """Clock and performers of a game that is over."""

    def __init__(self) -> None:
        self.now = _OPENED
        self.program, self.helper = _RecordedWork({}), _RecordedWork({})
        self.clock = Clock(wall=lambda: self.now, steady=lambda: self.now)


def import_game(folder: Path, out: Path, instance: str | None = None) -> PublishedGame:
    """Write a published game as an episode.

    Every call is judged by our rules on our table, and must come out as it did: what was charged, what was measured (to
    1e-6), that the submission was taken, and a helper's table as it comes from these measurements (to 1e-6).

    Parameters
    ----------
    folder : Path
        Of the game.
    out : Path
        Of the episode; it may not hold one yet.
    instance : str, optional
        Condition or file; by the game's source and number of options unless given.

    Returns
    -------
    PublishedGame
        As it was read.

    Raises
    ------
    EpisodeError
        If the folder holds no game, or one that is not of this table or by these rules; nothing is kept then.
    UnknownNameError
        If there is no table of its condition.
    StorageError
        If a file cannot be read or written.
    """
    game = read_published(folder)
    rules = effects_environment()
    played = rules.find(instance) if instance else _condition(game)
    _check_table(game, played)
    hands = _Hands()
    options = {
        "budget": game.budget,
        "view": game.view,
        "calculations": game.calculations,
        "deadline": game.deadline,
    }
    if out.exists() or out.is_symlink():
        raise EpisodeError(f"{out} exists already; give a folder that does not")
    with _made_whole(out) as place, _opened(place, rules, played, options, hands) as episode:
        for number, call in enumerate(game.calls, start=1):
            hands.now = _OPENED + call.elapsed
            _check_reply(game, number, call, _played(episode, hands, game, call))
        _check_replay(game, place, rules, played)
        note_player(
            episode.folder, About(player=game.model or "not stated", seed=game.repetition, failure=game.failure)
        )
    return game


def _check_replay(game: PublishedGame, place: Path, rules: EffectsEnvironment, played: SurfaceInstance) -> None:
    """Raise unless the episode replays, a helper's table fitted again from the game's own measurements."""
    record = read_record(place)
    if difference := replay(record, setup_of(record, rules, played)).difference:
        raise EpisodeError(
            f"{game.name} says that {game.helper or 'the player'} made its submission.json, but {difference}; "
            "give the game as it was published"
        )


def _opened(
    place: Path, rules: EffectsEnvironment, instance: SurfaceInstance, options: Mapping[str, Any], hands: _Hands
) -> Episode:
    performers = {"python": hands.program, KIND: hands.helper}
    return Episode(place, rules, instance, options, performers=performers, clock=hands.clock)


@contextlib.contextmanager
def _made_whole(out: Path) -> Iterator[Path]:
    """A folder that takes its name only if all goes well, and is gone otherwise."""
    with storage_errors(out, "write"):
        out.parent.mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(dir=out.parent, prefix=UNFINISHED))
    try:
        yield place
        with storage_errors(out, "write"):
            place.rename(out)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise


def _condition(game: PublishedGame) -> SurfaceInstance:
    """The instance of a game: by its names, or else the one condition whose table has its measurements."""
    known = {condition.id: condition for condition in catalog.conditions() if condition.dimensions == game.d}
    rules = effects_environment()
    for source in game.sources:
        for name in (source, f"{source}__d{game.d}"):
            if name in known:
                return rules.find(name)
    tables = [rules.find(name) for name in known if name in references.conditions()]
    fitting = [instance for instance in tables if not _gaps(game, instance)]
    if len(fitting) == 1:
        return fitting[0]
    raise UnknownNameError(
        f"there is no table of {first_few(game.sources) or game.name} with {counted(game.d, 'option')}, and "
        f"{counted(len(fitting), 'table')} of the catalog {'has' if len(fitting) == 1 else 'have'} its measurements; "
        "say which with --instance"
    )


def _gaps(game: PublishedGame, instance: SurfaceInstance) -> dict[str, float]:
    """Measurements that differ from a table, and by how much."""
    gaps = {mask: abs(instance.surface[mask] - value) for mask, value in game.observations.items()}
    return {mask: gap for mask, gap in gaps.items() if not gap <= CLOSE}


def _check_table(game: PublishedGame, instance: SurfaceInstance) -> None:
    if game.d != instance.d:
        raise EpisodeError(f"{game.name} has {counted(game.d, 'option')} and {instance.name} has {instance.d}")
    surface = instance.surface
    gaps = _gaps(game, instance)
    if off := sorted(gaps, key=lambda mask: -gaps[mask]):
        shown = [f"{mask}: {game.observations[mask]:.6g}, here {surface[mask]:.6g}" for mask in off]
        raise EpisodeError(
            f"{game.name} was not played on the table of {instance.name}: {len(off)} of "
            f"{counted(len(game.observations), 'measurement')} differ ({first_few(shown, 3)}); give its own table with "
            "--instance"
        )


def _played(episode: Episode, hands: _Hands, game: PublishedGame, call: PublishedCall) -> Reply:
    if call.tool == "observe_many":
        return episode.call(Call(tool=call.tool, arguments={"masks": call.facts.get("masks")}))
    if call.tool == "calculate_python":
        hands.program.outcome = call.outcome or {}
        return episode.call(Call(tool=call.tool, arguments={"code": call.code}))
    if game.submission is None:
        raise EpisodeError(f"{game.name} has the event of a submission, and no submission.json")
    if game.helper is None:
        return episode.call(Call(tool=call.tool, arguments={"predictions": dict(game.submission)}))
    # As it was delivered then, so that rounding of another fit does not matter.
    hands.helper.outcome = {"values": _submitted(game)}
    return episode.call(Call(tool=call.tool, arguments={"estimator": game.helper}))


def _submitted(game: PublishedGame) -> list[float]:
    try:
        table: list[float] = read_artifact(dict(game.submission or {}), game.d).tolist()
    except InvalidArtifactError as error:
        raise EpisodeError(f"submission.json of {game.name}: {error}") from error
    return table


def _check_reply(game: PublishedGame, place: int, call: PublishedCall, reply: Reply) -> None:
    what = f"event {place} of {game.name} ({call.tool})"
    if reply.refused is not None:
        raise EpisodeError(f"{what} was taken then, and is refused by these rules: {reply.refused.message}")
    spent = call.facts.get("credits_spent")
    if isinstance(spent, int) and call.tool == "observe_many" and spent != reply.result["charged"]:
        raise EpisodeError(f"{what} cost {counted(spent, 'credit')} then, and {reply.result['charged']} here")
