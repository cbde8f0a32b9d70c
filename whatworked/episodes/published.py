"""Games of this benchmark as they were first published, read into episodes of our own.

A folder a game: ``events.jsonl`` (observe, calculation, submit, with seconds), ``evidence.json`` (observations in order
of purchase, anchors first), and where there are any ``submission.json`` (mask to utility), ``submission_metadata.json``
(which helper), ``calculation_order.json`` and ``calculations/``, ``service_error.json`` (how the provider ended the
game), ``provider_usage.jsonl``, ``prompt.txt``, ``public_task.json``. A file ``figures.json`` beside the folders may
say which condition and budget each game had.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatworked.errors import EpisodeError
from whatworked.storage.files import read_file, storage_errors
from whatworked.storage.json_text import parse_json

LARGEST = 1 << 26
"""Bytes that a file of a game may have."""
NOT_PUBLISHED = "# the text of this program was not published"
DEADLINE, CALCULATIONS = 1800, 20
"""What the published rules gave, where a game does not say."""
_NAME = re.compile(r".+_b(?P<budget>\d{1,7})(?:_r(?P<repetition>\d{1,7}))?")
_LATEST = 1e9
_LONGEST_KIND = 40
_KINDS = {"observe": "observe_many", "calculation": "calculate_python", "submit": "submit_diagnosis"}


@dataclass(frozen=True)
class PublishedCall:
    """One event of a game.

    Attributes
    ----------
    tool : str
        Of ours.
    elapsed : float
        Seconds since the opening.
    facts : mapping
        As published.
    outcome : mapping or None
        Of a calculation.
    code : str
        Of a calculation.
    """

    tool: str
    elapsed: float
    facts: Mapping[str, Any]
    outcome: Mapping[str, Any] | None = None
    code: str = ""


@dataclass(frozen=True)
class PublishedGame:
    """A game as published.

    Attributes
    ----------
    name : str
        Of its folder.
    d : int
        Number of options.
    sources : tuple of str
        What may name its condition or source, the likeliest first.
    budget, calculations, deadline : int
        What it was given.
    view : str
        What the player was told.
    observations : mapping of str to float
        Utility by mask, anchors first.
    calls : tuple of PublishedCall
        In order.
    left_out : tuple of str
        Kinds of events that are none of a player's, each as often as it stands there.
    submission : mapping of str to float or None
        The table that was delivered.
    helper : str or None
        The helper that it came from.
    repetition : int
        Which repetition it was.
    model : str or None
        Who played.
    failure : str or None
        How the provider ended the game.
    """

    name: str
    d: int
    sources: tuple[str, ...]
    budget: int
    calculations: int
    deadline: int
    view: str
    observations: Mapping[str, float]
    calls: tuple[PublishedCall, ...]
    left_out: tuple[str, ...]
    submission: Mapping[str, float] | None
    helper: str | None
    repetition: int
    model: str | None
    failure: str | None


def is_published(folder: Path) -> bool:
    """Whether a folder holds a published game."""
    return (folder / "events.jsonl").is_file() and (folder / "evidence.json").is_file()


def read_published(folder: Path) -> PublishedGame:
    """The game of a folder.

    Raises
    ------
    EpisodeError
        If it is none, naming the file and what is wrong in it.
    StorageError
        If a file cannot be read.
    """
    if not is_published(folder):
        raise EpisodeError(f"{folder} holds no published game: it needs events.jsonl and evidence.json")
    evidence = _mapping(folder, "evidence.json")
    observations = _observations(folder, evidence)
    figures = _figures(folder)
    named = _NAME.fullmatch(folder.name)
    task = _part(evidence, "task") or _mapping(folder, "public_task.json")
    events = _lines(folder, "events.jsonl")
    metadata, usage = _mapping(folder, "submission_metadata.json"), _lines(folder, "provider_usage.jsonl")
    stated = figures.get("budget", named["budget"] if named else None)
    left = int(evidence.get("credits_remaining") or 0)
    submission = _mapping(folder, "submission.json") if (folder / "submission.json").is_file() else None
    played = sum(event.get("event") == "calculation" for event in events)
    clock = [float(evidence.get(f"session_seconds_{part}") or 0) for part in ("elapsed", "remaining")]
    return PublishedGame(
        name=folder.name,
        d=len(next(iter(observations))),
        sources=_sources(folder, figures, task),
        budget=int(stated) if stated is not None else len(observations) - 2 + left,
        calculations=played + int(evidence.get("calculation_calls_remaining", max(0, CALCULATIONS - played))),
        deadline=round(sum(clock)) or DEADLINE,
        view=_view(task),
        observations=observations,
        calls=_calls(folder, events),
        left_out=tuple(str(event.get("event"))[:_LONGEST_KIND] for event in events if event.get("event") not in _KINDS),
        submission=submission,
        helper=metadata.get("estimator"),
        repetition=int(named["repetition"] or 0) if named else 0,
        model=next((line["model"] for line in usage if line.get("model")), None),
        failure=_failure(folder),
    )


def _observations(folder: Path, evidence: Mapping[str, Any]) -> dict[str, float]:
    try:
        told = evidence["observations"]
        pairs = told.items() if isinstance(told, dict) else [(entry["mask"], entry["utility"]) for entry in told]
        found = {str(mask): float(utility) for mask, utility in pairs}
    except (KeyError, TypeError, ValueError) as error:
        raise EpisodeError(f"{folder / 'evidence.json'} has no list of observations: {error!r}") from error
    lengths = {len(mask) for mask in found}
    if len(lengths) != 1 or any(set(mask) - {"0", "1"} for mask in found):
        raise EpisodeError(f"{folder / 'evidence.json'} has observations of what are no masks of one cube")
    return found


def _calls(folder: Path, events: Sequence[Mapping[str, Any]]) -> tuple[PublishedCall, ...]:
    order = _value(folder, "calculation_order.json")
    names = [str(name) for name in order] if isinstance(order, list) else []
    calls, elapsed = [], 0.0
    for event in events:
        kind = event.get("event")
        if kind not in _KINDS:
            continue
        stated = event.get("elapsed", elapsed)
        if isinstance(stated, bool) or not isinstance(stated, int | float) or not 0 <= stated < _LATEST:
            raise EpisodeError(f"{folder / 'events.jsonl'} has an event {kind} at {stated!r:.40} seconds")
        elapsed = max(elapsed, float(stated))
        outcome, code = _calculation(folder, names, event) if kind == "calculation" else (None, "")
        calls.append(PublishedCall(_KINDS[kind], elapsed, event, outcome, code))
    return tuple(calls)


def _sources(folder: Path, figures: Mapping[str, Any], task: Mapping[str, Any]) -> tuple[str, ...]:
    """What may name the condition: the figures, the task, the folder with and without a group in front."""
    named = _NAME.fullmatch(folder.name)
    whole = "" if named is None else folder.name.rpartition(f"_b{named['budget']}")[0]
    given = [figures.get("condition"), task.get("source_instance"), whole, whole.partition("_")[2]]
    return tuple(dict.fromkeys(name for name in given if isinstance(name, str) and name))


def _calculation(folder: Path, names: Sequence[str], event: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Outcome and text of a calculation; what was not published is empty."""
    number = event.get("number")
    name = names[number - 1] if isinstance(number, int) and 0 < number <= len(names) else ""
    inside = folder / "calculations" / name
    kept = name and "/" not in name and inside.is_dir()
    receipt = _mapping(inside, "receipt.json") if kept else {}
    code = _text(inside / "code.py") if kept and (inside / "code.py").is_file() else NOT_PUBLISHED
    outcome = {
        "exit": receipt.get("returncode", event.get("returncode")),
        "limit": "wall" if receipt.get("timed_out") else None,
        "stdout": receipt.get("stdout", ""),
        "stderr": receipt.get("stderr", ""),
        "truncated": [],
    }
    return outcome, code if code.strip() else NOT_PUBLISHED


def _view(task: Mapping[str, Any]) -> str:
    """What the player was told; the rules of a game with rules are reported in a program, which ours are not."""
    told = {"source_code", "source_name"} & set(task)
    return "full" if told else "opaque"


def _failure(folder: Path) -> str | None:
    if not (folder / "service_error.json").is_file():
        return None
    said = _mapping(folder, "service_error.json")
    status, reason = said.get("upstream_http_status"), said.get("normalized_reason") or said.get("terminal_reason")
    return f"{f'HTTP {status} ' if status else ''}{reason or 'an error'} at the provider"


def _figures(folder: Path) -> Mapping[str, Any]:
    return _part(_mapping(folder.resolve().parent, "figures.json"), folder.name)


def _part(mapping: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = mapping.get(name)
    return part if isinstance(part, Mapping) else {}


def _mapping(folder: Path, name: str) -> dict[str, Any]:
    """A JSON object of a file; empty where there is no such file."""
    value = _value(folder, name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise EpisodeError(f"{folder / name} holds no JSON object")
    return value


def _value(folder: Path, name: str) -> Any:
    path = folder / name
    return _parsed(_bytes(path), path) if path.is_file() else None


def _lines(folder: Path, name: str) -> list[dict[str, Any]]:
    path = folder / name
    if not path.is_file():
        return []
    entries = [_parsed(line, path) for line in _bytes(path).splitlines() if line.strip()]
    if not all(isinstance(entry, dict) for entry in entries):
        raise EpisodeError(f"{path} holds a line that is no JSON object")
    return entries


def _parsed(data: bytes, path: Path) -> Any:
    try:
        return parse_json(data)
    except ValueError as error:
        raise EpisodeError(f"{path} is not JSON: {error}") from error


def _text(path: Path) -> str:
    return _bytes(path).decode("utf-8", "replace")


def _bytes(path: Path) -> bytes:
    with storage_errors(path, "read"):
        return read_file(path, LARGEST)
