"""Episodes of the drift whose notes are known: what they state and ground, and since which action.

The judge of the drift reads notes against 21 criteria, whether they are true or not. So a player here walks, writes
notes of words that are known to meet a criterion or not, and commits a guess; what its notes state follows from them.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from whatworked.environments.drift.environment import DriftEnvironment
from whatworked.environments.drift.inventory import SITES
from whatworked.environments.drift.scoring import revisions_of
from whatworked.environments.drift.strategies.hands import Hands
from whatworked.environments.drift.strategies.walks import UNKNOWN
from whatworked.environments.protocol import Call
from whatworked.episodes.about import About, note_player
from whatworked.episodes.episode import Episode
from whatworked.errors import InvalidOptionError, RecordError
from whatworked.judging import RuleJudge
from whatworked.process.drift import NotedEpisode, criteria, read_noted_episode
from whatworked.process.drift.blinding import blinding
from whatworked.storage.canonical import canonical_json
from whatworked.storage.files import read_file, write_atomic
from whatworked.storage.toml_text import read_toml

NoteFault: TypeAlias = Literal["none", "ungrounded", "near", "late", "again"]
NOTE_FAULTS: tuple[NoteFault, ...] = ("none", "ungrounded", "near", "late", "again")
"""What notes do: state and ground; state alone; come near and state nothing; ground later; say everything twice."""
NOTE_BANKS: tuple[str, ...] = ("examples", "plain", "terse", "report")
"""Words of notes; the stub judge goes by those of the first alone."""
KNOWN_NOTES = "known-notes.json"
"""File of what is known of the notes, beside the journal of their episode."""
_INSTANCES = ("evaluation-003", "evaluation-001", "evaluation-007")
_BUDGET = 40
_STATED = 8
_NEAR = 3
_LARGEST = 1 << 24
_BANKS = Path(__file__).resolve().parent / "drift_banks.toml"


class NotePart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sentence of a note, and what it does.

    Attributes
    ----------
    text : str
        The sentence.
    criterion : str
        What it is about.
    does : {"states", "grounds", "neither"}
        What it does for that criterion.
    """

    text: str
    criterion: str
    does: Literal["states", "grounds", "neither"]


class KnownNotes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of the notes of an episode.

    Attributes
    ----------
    fault, bank : str
        What they do, and in which words.
    notes : tuple of tuple of NotePart
        Each note with its sentences.
    """

    fault: NoteFault
    bank: str
    notes: tuple[tuple[NotePart, ...], ...]


@dataclass(frozen=True)
class KnownStatement:
    """What notes are known to say for a criterion.

    Attributes
    ----------
    criterion : str
        Its id.
    stated_at, grounded_at : int or None
        Paid actions at the first note that states it, and at the first that grounds it; None where none does.
    quote, grounding_quote : str
        The words, as the judge is shown them; empty where there are none.
    revision : int
        Number of the note that states it first; 0 for none.
    """

    criterion: str
    stated_at: int | None
    grounded_at: int | None
    quote: str
    grounding_quote: str
    revision: int


@dataclass(frozen=True, eq=False)
class SpokenDrift:
    """An episode of the drift whose notes are known.

    Attributes
    ----------
    episode : NotedEpisode
        As the judge gets it.
    known : KnownNotes
        What its notes do.
    statements : tuple of KnownStatement
        One for each criterion, in their order.
    """

    episode: NotedEpisode
    known: KnownNotes
    statements: tuple[KnownStatement, ...]


def speaking_drift_games(
    out: Path, number: int, *, instances: Sequence[str] = _INSTANCES, first_seed: int = 0
) -> Iterator[SpokenDrift]:
    """Play episodes of the drift whose notes are known.

    Episodes go through all faults, then all banks, then all instances: a multiple of 20 holds each fault in each bank
    equally often. An episode whose folder is there already is read and not played again.

    Parameters
    ----------
    out : Path
        Folder; episode n is ``drift-000n`` below it.
    number : int
        Of episodes.
    instances : sequence of str
        Worlds.
    first_seed : int
        Of the first episode; a whole number of banks above 0 gives others of the same make-up.

    Yields
    ------
    SpokenDrift
        In order.

    Raises
    ------
    InvalidOptionError
        If `number` is below 1.
    WhatWorkedError
        If an episode cannot be played, or a folder holds something else.
    """
    if number < 1:
        raise InvalidOptionError(f"number is {number}; allowed: 1 and above")
    rules = DriftEnvironment()
    for place in range(number):
        fault, seed = NOTE_FAULTS[place % len(NOTE_FAULTS)], first_seed + place // len(NOTE_FAULTS)
        bank = NOTE_BANKS[seed % len(NOTE_BANKS)]
        world = instances[seed // len(NOTE_BANKS) % len(instances)]
        folder = out / f"drift-{place + 1:04d}"
        known = plan_notes(fault, bank, seed)
        if not folder.exists():
            # It gets its name when all of it is there; what was interrupted is played anew.
            begun = folder.with_name(f"{folder.name}.part")
            shutil.rmtree(begun, ignore_errors=True)
            with Episode(begun, rules, rules.find(world), {"variant": "open-aligned", "budget": _BUDGET}) as episode:
                note_player(episode.folder, About(player=f"notes-{fault}", seed=seed))
                _play(episode, known)
            write_atomic(begun / KNOWN_NOTES, canonical_json(msgspec.to_builtins(known)) + b"\n")
            begun.rename(folder)
        yield read_spoken_drift(folder)


def plan_notes(fault: NoteFault, bank: str, seed: int) -> KnownNotes:
    """Notes that do something, in the words of a bank.

    Parameters
    ----------
    fault : str
        One of `NOTE_FAULTS`.
    bank : str
        One of `NOTE_BANKS`.
    seed : int
        Chooses criteria and their order, alike for all faults and banks.

    Returns
    -------
    KnownNotes
    """
    draw = random.Random(f"notes {seed}")
    chosen = draw.sample(list(criteria()), _STATED + _NEAR)
    stated, near = chosen[:_STATED], chosen[_STATED:]
    words = _words()[bank]
    notes: list[tuple[NotePart, ...]] = []
    later: list[tuple[NotePart, ...]] = []
    for place, name in enumerate(stated):
        states = NotePart(text=f"{words[name][0]}.", criterion=name, does="states")
        grounds = NotePart(text=f"{words[name][1]}.", criterion=name, does="grounds")
        nothing = NotePart(text=criteria()[name].negative, criterion=name, does="neither")
        parts = {"ungrounded": (states,), "near": (nothing,), "late": (states,)}.get(fault, (grounds, states))
        notes.append(parts)
        later += [(grounds,)] if fault == "late" else [parts] if fault == "again" else []
        if place < len(near):
            other = near[place]
            notes.append((NotePart(text=criteria()[other].negative, criterion=other, does="neither"),))
    return KnownNotes(fault=fault, bank=bank, notes=(*notes, *later))


def read_spoken_drift(folder: Path) -> SpokenDrift:
    """An episode of the drift with what is known of its notes.

    Parameters
    ----------
    folder : Path
        Of an episode that `speaking_drift_games` played.

    Returns
    -------
    SpokenDrift

    Raises
    ------
    RecordError
        If what is known does not stand there, or is of other notes.
    WhatWorkedError
        If the episode cannot be read.
    """
    path = folder / KNOWN_NOTES
    if not path.is_file():
        raise RecordError(f"{folder} holds no {KNOWN_NOTES}; what its notes do is not known")
    try:
        known = msgspec.json.decode(read_file(path, _LARGEST), type=KnownNotes)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise RecordError(f"{path} cannot be read: {error}; play the episode again") from None
    episode = read_noted_episode(folder)
    revisions = list(revisions_of(episode.record.events))
    if [revision.text for revision in revisions] != [_text(parts) for parts in known.notes]:
        raise RecordError(f"{path} is of other notes than those of the episode; play it again")
    written = [(revision.number, revision.paid, parts) for revision, parts in zip(revisions, known.notes, strict=True)]
    return SpokenDrift(episode, known, tuple(_statement(name, written) for name in criteria()))


def known_drift_judge(game: SpokenDrift) -> RuleJudge:
    """A judge that knows what the notes of one episode do.

    Parameters
    ----------
    game : SpokenDrift
        The episode.

    Returns
    -------
    RuleJudge
        Named ``"known"``.
    """

    def answer(known: KnownStatement) -> Any:
        hit, grounded = known.stated_at is not None, known.grounded_at is not None
        told = {
            "hit": hit,
            "quotes": [known.quote] * hit,
            "first_revision": known.revision,
            "confidence": "high",
            "grounded": grounded,
            "grounding_quotes": [known.grounding_quote] * grounded,
        }
        return lambda fields, vote: told  # noqa: ARG005

    return RuleJudge({f"drift-{known.criterion.lower()}": answer(known) for known in game.statements}, name="known")


def _statement(name: str, written: Sequence[tuple[int, int, tuple[NotePart, ...]]]) -> KnownStatement:
    first: dict[str, tuple[int, int, str]] = {}
    for number, paid, parts in written:
        for part in parts:
            if part.criterion == name:
                first.setdefault(part.does, (number, paid, blinding().hide(part.text)))
    if "states" not in first:
        return KnownStatement(name, None, None, "", "", 0)
    number, paid, quote = first["states"]
    _, grounded, ground = first.get("grounds", (0, None, ""))
    return KnownStatement(name, paid, grounded, quote, ground, number)


def _text(parts: Sequence[NotePart]) -> str:
    return " ".join(part.text for part in parts)


def _play(episode: Episode, known: KnownNotes) -> None:
    """Go from site to site, a note at each, and commit a guess."""

    def call(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        reply = episode.call(Call(tool=tool, arguments=dict(arguments)))
        return {"result": reply.result, "refused": reply.refused}

    hands = Hands(call)
    sites = list(SITES)
    for number, parts in enumerate(known.notes):
        hands.goto(sites[number % len(sites)])
        hands.note(_text(parts))
    hands.commit(*UNKNOWN)


@cache
def _words() -> Mapping[str, Mapping[str, tuple[str, str]]]:
    """For each bank and criterion, the words that state it and those that ground it."""
    examples = {name: (entry.positive.stated, entry.positive.grounded) for name, entry in criteria().items()}
    held: dict[str, Any] = dict(read_toml(_BANKS, dict[str, Any]))
    own = {bank: {name: (states, grounds) for name, (states, grounds) in held[bank].items()} for bank in NOTE_BANKS[1:]}
    return {NOTE_BANKS[0]: examples, **own}
