"""Words around a turn and around what a note aid writes: data files, each with its version."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

DATA = Path(__file__).parent / "data"


class TurnTexts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What stands between the parts of a turn's prompt.

    Attributes
    ----------
    version : int
        Raised with every change.
    events, workspace, recalled, view, notices : str
        Headings.
    preflight : str
        Below the questions that are asked first.
    cut, withheld : str
        What is wrong with a reply that is no answer.
    """

    version: int
    events: str
    workspace: str
    recalled: str
    view: str
    notices: str
    preflight: str
    cut: str
    withheld: str


class AidTexts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How note aids are marked, and how often they may ask.

    Attributes
    ----------
    version : int
        Raised with every change.
    begin, end, title : str
        Lines around a region, and what it is called in prose.
    head : str
        First line of every region.
    aid : str
        What every prompt begins with.
    calls : mapping of str to int
        Calls of each aid for 200 paid actions.
    sections : mapping of str to str
        Titles and sentences in the regions.
    """

    version: int
    begin: str
    end: str
    title: str
    head: str
    aid: str
    calls: Mapping[str, int]
    sections: Mapping[str, str]


@cache
def turn_texts() -> TurnTexts:
    """The words around a turn."""
    return msgspec.toml.decode((DATA / "turn.toml").read_bytes(), type=TurnTexts)


@cache
def aid_texts() -> AidTexts:
    """The words around what a note aid writes."""
    return msgspec.toml.decode((DATA / "aids.toml").read_bytes(), type=AidTexts)
