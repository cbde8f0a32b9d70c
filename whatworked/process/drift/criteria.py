"""The 21 criteria of the drift's judge, read strictly from their file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

from whatworked.environments.drift.structure import BLOCKS, CHANGES
from whatworked.errors import QuestionError
from whatworked.judging import find_quote
from whatworked.storage.files import storage_errors

CRITERIA = (*BLOCKS, *CHANGES)
"""Ids of the criteria: eighteen blocks, then three changes of representation."""
DATA = Path(__file__).parent / "data"


class Example(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Notes that meet a criterion.

    Attributes
    ----------
    notes : str
        Invented notes.
    stated, grounded : str
        The parts of them that state and ground it.
    """

    notes: str
    stated: str
    grounded: str


class Criterion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that notes can state.

    Attributes
    ----------
    statement : str
        What is stated.
    grounding : str
        What grounds it.
    positive : Example
        Notes that do both.
    negative : str
        Notes that do neither.
    """

    statement: str
    grounding: str
    positive: Example
    negative: str


def load_criteria(path: Path = DATA / "criteria.toml") -> Mapping[str, Criterion]:
    """Read a file of criteria strictly.

    Parameters
    ----------
    path : Path
        A TOML file: `version`, and a table for each criterion.

    Returns
    -------
    mapping of str to Criterion
        The eighteen blocks and the three changes, in that order.

    Raises
    ------
    StorageError
        If it cannot be read.
    QuestionError
        For a criterion that is missing, unknown, malformed or empty, or whose example does not hold what it should.
    """
    with storage_errors(path, "read"):
        data = path.read_bytes()
    try:
        tables = msgspec.toml.decode(data, type=dict[str, object])
        version = msgspec.convert(tables.pop("version", None), int)
        found = {}
        for name, table in tables.items():
            try:
                found[name] = msgspec.convert(table, Criterion)
            except msgspec.ValidationError as error:
                raise QuestionError(f"criteria {path}: {name}: {error}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise QuestionError(f"criteria {path}: {error}; it holds version and a table for each criterion") from error
    wrong = [f"version is {version}; allowed: 1 and above"] * (version < 1)
    wrong += [f"{name} is missing" for name in CRITERIA if name not in found]
    wrong += [f"{name} is no criterion" for name in found if name not in CRITERIA]
    wrong += [f"{name}: {problem}" for name, criterion in found.items() for problem in _problems(criterion)]
    if wrong:
        raise QuestionError(f"criteria {path}: {'; '.join(wrong)}")
    return {name: found[name] for name in CRITERIA}


@cache
def criteria() -> Mapping[str, Criterion]:
    """The criteria of the package, by id.

    Returns
    -------
    mapping of str to Criterion
    """
    return load_criteria()


def _problems(criterion: Criterion) -> list[str]:
    example = criterion.positive
    texts = {"statement": criterion.statement, "grounding": criterion.grounding, "negative": criterion.negative}
    wrong = [f"{name} is empty" for name, text in texts.items() if not text.strip()]
    for name, quote in (("stated", example.stated), ("grounded", example.grounded)):
        if find_quote(quote, example.notes) is None:
            wrong.append(f"positive.{name} does not stand in positive.notes")
        elif find_quote(quote, criterion.negative) is not None:
            wrong.append(f"positive.{name} stands in negative as well")
    return wrong
