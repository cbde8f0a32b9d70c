"""What was said in an episode: each turn's reply, and what a note aid asked and wrote beside it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from whatworked.storage.canonical import canonical_json

FORMAT = "drift-transcript/1"
TRANSCRIPT = "transcript.jsonl"
"""In an episode's folder."""


class Turn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One turn of a player that answers with text.

    Attributes
    ----------
    turn : int
        From 0, which is the answer to the questions before the first action.
    paid : int
        Actions paid for before it.
    aid : tuple of (str, object)
        What a note aid was asked before this turn and after the last one, with its answers; None where there was none.
    region, aside : str
        What it wrote on top of the workspace, and below the view.
    reply : str
        What the player said.
    problem : str or None
        Why that could not be taken.
    """

    turn: int
    paid: int
    aid: tuple[tuple[str, Any], ...] = ()
    region: str = ""
    aside: str = ""
    reply: str
    problem: str | None = None


class Transcript(msgspec.Struct, frozen=True, kw_only=True):
    """An episode that was played with words.

    Attributes
    ----------
    player : str
        Who was asked.
    scaffold : str or None
        Name of the note aid.
    turns : tuple of Turn
        In order.
    aid_calls : int
        Calls that the aid made, repeats included.
    aid_limit : int
        Calls that it had.
    """

    player: str
    scaffold: str | None
    turns: tuple[Turn, ...]
    aid_calls: int
    aid_limit: int

    @property
    def unread(self) -> int:
        """Replies that could not be taken."""
        return sum(turn.problem is not None for turn in self.turns)


def transcript_bytes(spoken: Transcript) -> bytes:
    """A transcript as the bytes of its file.

    Parameters
    ----------
    spoken : Transcript
        What was said.

    Returns
    -------
    bytes
        Lines of canonical JSON: who played, then the turns. The same for the same replies.
    """
    head = {
        "format": FORMAT,
        "player": spoken.player,
        "scaffold": spoken.scaffold,
        "aid_calls": spoken.aid_calls,
        "aid_limit": spoken.aid_limit,
    }
    return b"".join(_lines([head, *(msgspec.to_builtins(turn) for turn in spoken.turns)]))


def _lines(values: Iterable[Any]) -> Iterable[bytes]:
    for value in values:
        yield canonical_json(value) + b"\n"
