"""Episodes of agents on the leaderboard: journals packed into one file, replayed and graded again.

Who played is what the pack says. What was bought, answered and delivered is judged again call by call by the rules on
the package's tables, so a journal that these do not give is refused.
"""

from __future__ import annotations

import gzip
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from whatworked import catalog
from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.options import EffectsOptions
from whatworked.environments.effects.scoring import grade_of, play_of
from whatworked.episodes.about import read_about
from whatworked.episodes.folder import JOURNAL, RESTART
from whatworked.episodes.records import Record, read_record, replay, setup_of
from whatworked.errors import EpisodeError, JournalError, RunError, UnknownNameError
from whatworked.runs.tidy import TidyRow
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.storage.files import read_file, storage_errors
from whatworked.storage.json_text import parse_json
from whatworked.surfaces.masks import as_strings

AGENTS_SUFFIX = ".episodes.gz"
SCHEMA = 1
LARGEST = 1 << 29
"""Bytes that a pack may unpack to."""
_LONGEST_NAME = 80
_SAID_APART = ("budget", "view")
"""Options that stand on a board in any case."""


class PackedEpisode(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One episode.

    Attributes
    ----------
    player : str
        Who played, as whoever packed it says.
    seed : int
        Which repetition.
    failure : str or None
        What ended the player.
    journal : str
        The journal, as it is.
    """

    player: str
    seed: int
    failure: str | None
    journal: str


class PackedEpisodes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Episodes that were handed in together.

    Attributes
    ----------
    schema : int
        Version of this form.
    name, note : str
        What they are called, and what is said of them.
    episodes : tuple of PackedEpisode
        In order.
    """

    schema: int
    name: str
    note: str
    episodes: tuple[PackedEpisode, ...]


@dataclass(frozen=True)
class AgentRows:
    """Verified episodes.

    Attributes
    ----------
    name : str
        Of the pack.
    digest : str
        SHA-256 of its content.
    rows : tuple of TidyRow
        One an episode, missing deliveries among them.
    rules : tuple of bool
        Of each, whether the player was given the rules of inactive options.
    """

    name: str
    digest: str
    rows: tuple[TidyRow, ...]
    rules: tuple[bool, ...]


def pack_episodes(folders: Sequence[Path], name: str, note: str = "") -> bytes:
    """The bytes of a pack; the same bytes for the same episodes.

    Parameters
    ----------
    folders : sequence of Path
        Of episodes.
    name, note : str
        What the pack is called, and what is said of it.

    Returns
    -------
    bytes

    Raises
    ------
    RunError
        If there is no episode or the name is none.
    JournalError, StorageError
        If a journal cannot be read.
    """
    _check_name(name, "the pack")
    episodes = []
    for folder in folders:
        record = read_record(folder)
        about = read_about(record.folder)
        with storage_errors(record.folder.journal, "read"):
            journal = read_file(record.folder.journal, LARGEST).decode("utf-8")
        episodes.append(
            PackedEpisode(player=about.player or "not stated", seed=about.seed, failure=about.failure, journal=journal)
        )
    if not episodes:
        raise RunError("there is no episode to pack; give folders of episodes")
    pack = PackedEpisodes(schema=SCHEMA, name=name, note=note, episodes=tuple(episodes))
    return gzip.compress(canonical_json(msgspec.to_builtins(pack)), compresslevel=9, mtime=0)


def unpack_episodes(data: bytes, where: str) -> PackedEpisodes:
    """The pack in some bytes, not yet verified.

    Parameters
    ----------
    data : bytes
        As `pack_episodes` gives them.
    where : str
        What the error calls them.

    Returns
    -------
    PackedEpisodes

    Raises
    ------
    RunError
        If they are none.
    """
    try:
        pack = msgspec.convert(parse_json(_decompressed(data)), PackedEpisodes)
        if pack.schema != SCHEMA:
            raise ValueError(f"its schema is {pack.schema}; this version reads {SCHEMA}")
        for label, what in [(pack.name, "the pack"), *((each.player, "a player") for each in pack.episodes)]:
            _check_name(label, what)
    except (ValueError, EOFError, zlib.error, msgspec.MsgspecError) as error:
        raise RunError(
            f"{where} holds no packed episodes: {error}; pack them with `whatworked episode pack`"
        ) from error
    return pack


def verified_episodes(pack: PackedEpisodes) -> AgentRows:
    """Rows of a pack whose every episode replays on the package's tables.

    Parameters
    ----------
    pack : PackedEpisodes
        As `unpack_episodes` gives it.

    Returns
    -------
    AgentRows

    Raises
    ------
    RunError
        Naming the episode and what is wrong with it: another environment, an instance that is not of the catalog, a
        private salt, a journal that is damaged, or one that the rules do not give; or one that stands in it twice.
    """
    found = []
    for place, packed in enumerate(pack.episodes, start=1):
        try:
            found.append(_verified(packed))
        except (EpisodeError, JournalError, UnknownNameError) as error:
            raise RunError(
                f"episode {place} of {pack.name}, by {packed.player}: {error}; leave it out, or pack it again from its "
                "folder"
            ) from error
    keys = [row.key for row, _ in found]
    if repeated := {key for key in keys if keys.count(key) > 1}:
        condition, method, budget, seed = min(repeated)
        raise RunError(f"{pack.name} holds {method} on {condition}, budget {budget}, seed {seed} more than once")
    digest = sha256(canonical_json(msgspec.to_builtins(pack)))
    return AgentRows(pack.name, digest, tuple(row for row, _ in found), tuple(rules for _, rules in found))


def _verified(packed: PackedEpisode) -> tuple[TidyRow, bool]:
    with tempfile.TemporaryDirectory(prefix="whatworked-") as folder:
        place = Path(folder) / JOURNAL
        place.write_bytes(packed.journal.encode("utf-8", "surrogatepass"))
        record = _record(place)
        if record.terms.environment != "effects" or record.terms.instance not in _conditions():
            raise EpisodeError(
                f"it is of {record.terms.environment} on {record.terms.instance}; the leaderboard takes effects on "
                "conditions of the catalog, in their own order of options"
            )
        try:
            setup = setup_of(record)
        except EpisodeError as error:
            raise EpisodeError(_of_pack(error, place.parent)) from error
        replayed = replay(record, setup)
    if replayed.difference is not None:
        raise EpisodeError(f"by these rules, {replayed.difference}")
    return _row(record, setup.instance, packed, dict(setup.options)), setup.options["view"] == "full+rules"


def _record(journal: Path) -> Record:
    try:
        return read_record(journal.parent)
    except JournalError as error:
        raise JournalError(_of_pack(error, journal)) from error


def _of_pack(error: Exception, place: Path) -> str:
    """What is wrong, without the file that a journal was unpacked into and what would help if it were one's own."""
    return (
        str(error).replace(str(place), "its journal").partition(". Nothing was changed")[0].partition(f"; {RESTART}")[0]
    )


def _conditions() -> dict[str, catalog.Condition]:
    return {condition.id: condition for condition in catalog.conditions()}


def _row(record: Record, instance: SurfaceInstance, packed: PackedEpisode, options: dict[str, Any]) -> TidyRow:
    condition, play = _conditions()[instance.condition], play_of(record.events, instance)
    return TidyRow(
        condition=condition.id,
        source=condition.source,
        family=condition.family,
        track=condition.track,
        dimensions=instance.d,
        method=method_of(packed.player, options),
        estimator=packed.player,
        policy=packed.player,
        budget=int(options["budget"]),
        seed=packed.seed,
        delivered=play.table is not None,
        grade=grade_of(play, instance),
        near_tie=False,
        purchases=as_strings(play.bought, instance.d),
        aliases=(),
        failure=None if play.table is not None else packed.failure or "nothing was handed in",
    )


def method_of(player: str, options: dict[str, Any]) -> str:
    """The name of a player on a board: with its view and all settings that differ from the published rules.

    Examples
    --------
    >>> options = {"budget": 8, "view": "opaque", "receipts": "utility", "delivery": "draft", "helpers": "published"}
    >>> method_of("a model", {**options, "calculations": 20, "deadline": 3600})
    'a model (opaque, delivery draft, deadline 3600)'
    """
    parts = [str(options["view"])]
    parts += [
        f"{name} {options[name]}"
        for name, published in msgspec.structs.asdict(EffectsOptions()).items()
        if name not in _SAID_APART and options[name] != published
    ]
    return f"{player} ({', '.join(parts)})"


def _check_name(name: str, what: str) -> None:
    if not name.isprintable():
        raise RunError(
            f"the name of {what}, {name[:_LONGEST_NAME]!r}, has characters that steer a terminal or show nothing; "
            "a name is a text in one line without them"
        )
    if not name.strip() or len(name) > _LONGEST_NAME:
        raise RunError(
            f"{what} is called {name[:_LONGEST_NAME]!r}; a name is a text of 1 to {_LONGEST_NAME} characters"
        )


def _decompressed(data: bytes) -> bytes:
    stream = zlib.decompressobj(wbits=31)
    content = stream.decompress(data, LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError(f"it unpacks to more than {LARGEST >> 20} MiB")
    if not stream.eof:
        raise EOFError("it ends early")
    if stream.unused_data:
        raise ValueError("more bytes follow the end of the packed data")
    return content
