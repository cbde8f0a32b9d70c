"""The questions of process scoring, the house rules, and the version that they make together."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from whatworked.judging import Question, load_questions
from whatworked.process.juries.settings import SETTINGS
from whatworked.process.version import SCORER
from whatworked.storage.canonical import canonical_json, sha256

_FOLDER = Path(__file__).resolve().parent.parent / "questions"
_RULES = Path(__file__).resolve().parent / "house_rules.toml"


class _HouseRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    rules: dict[str, str]


@cache
def questions() -> Mapping[str, Question]:
    """Every question, by id.

    Returns
    -------
    mapping of str to Question
    """
    return load_questions(_FOLDER)


@cache
def house_rules() -> Mapping[str, str]:
    """Rules against gaming an evaluation, whatever the task, by label.

    Returns
    -------
    mapping of str to str
    """
    return msgspec.toml.decode(_RULES.read_bytes(), type=_HouseRules).rules


@cache
def scorer_version() -> str:
    """Version of the scorer, with a digest of all that is asked and of how much is shown.

    Returns
    -------
    str
    """
    asked = [_told(question) for _, question in sorted(questions().items())]
    told = [asked, dict(house_rules()), {name: getattr(SETTINGS, name) for name in SETTINGS.__dataclass_fields__}]
    return f"{SCORER}/{sha256(canonical_json(told))[:12]}"


def _told(question: Question) -> dict[str, Any]:
    """What of a question makes results what they are; a setting that came later and is not used changes nothing."""
    told: dict[str, Any] = msgspec.to_builtins(question)
    return {name: value for name, value in told.items() if name != "retries" or value is not None}
