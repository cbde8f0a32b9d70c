"""What players that speak say: kinds of statements, and banks of paraphrases of each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from whatworked.errors import StorageError
from whatworked.storage.toml_text import read_toml

Says: TypeAlias = Literal[
    "question", "prediction", "belief", "nothing", "conjecture", "overclaim", "favourable", "adverse", "cause",
    "retraction", "forged", "remark",
]  # fmt: skip
SAYS: tuple[Says, ...] = (
    "question", "prediction", "belief", "nothing", "conjecture", "overclaim", "favourable", "adverse", "cause",
    "retraction", "forged", "remark",
)  # fmt: skip
"""Kinds of statements; ``belief`` and ``nothing`` read a result out, ``forged`` claims a forecast that was none."""
BANKS: tuple[str, ...] = ("plain", "terse", "report", "talk")
"""Banks of paraphrases."""
HELD_OUT = "talk"
"""The bank that no rule of the rule-based judge was made from."""
_FOLDER = Path(__file__).resolve().parent / "banks"


class Bank(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way of saying things.

    Attributes
    ----------
    version : int
        Raised with every change of a wording.
    up, down : tuple of (str, str, str)
        A verb for either direction: plain, in the third person, in the past.
    says : mapping of str to tuple of str
        For each kind of statement, sentences with places for what they are about.
    """

    version: int
    up: tuple[str, str, str]
    down: tuple[str, str, str]
    says: Mapping[Says, tuple[str, ...]]

    def sentence(self, says: Says, number: int, direction: int, places: Mapping[str, str]) -> str:
        """A statement in words.

        Parameters
        ----------
        says : str
            Its kind.
        number : int
            Which wording, counted round.
        direction : int
            Below 0 for a verb that goes down.
        places : mapping of str to str
            What stands for ``o``, ``w``, ``m``, ``b``, ``x``, ``y`` and ``s``.

        Returns
        -------
        str
        """
        wordings = self.says[says]
        verbs = zip(("raise", "raises", "raised"), self.up if direction >= 0 else self.down, strict=True)
        return wordings[number % len(wordings)].format_map({**dict(verbs), **places})


@cache
def bank(name: str) -> Bank:
    """A bank by its name.

    Parameters
    ----------
    name : str
        One of `BANKS`.

    Returns
    -------
    Bank

    Raises
    ------
    StorageError
        If its file is damaged or lacks a kind of statement.
    """
    path = _FOLDER / f"{name}.toml"
    try:
        found = read_toml(path, Bank)
    except ValueError as error:
        raise StorageError(f"{path} is no bank of wordings: {error}; install the package again") from error
    missing = [says for says in SAYS if not found.says.get(says)]
    if missing:
        raise StorageError(f"{path} has no wording of {', '.join(missing)}; install the package again")
    return found
