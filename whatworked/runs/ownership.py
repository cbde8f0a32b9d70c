"""Telling the files of a run from files of the same names that somebody else put there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from whatworked.storage.foreign import IsOwn, is_written_by, refuse_foreign

_MAKER = "whatworked bench"


def _has(*keys: str) -> IsOwn:
    """A JSON object with these keys."""

    def check(data: bytes) -> bool:
        try:
            content = json.loads(data)
        except (ValueError, RecursionError):
            return False
        return isinstance(content, dict) and set(keys) <= set(content)

    return check


def _begins(*starts: bytes) -> IsOwn:
    return lambda data: data.removeprefix(b"\xef\xbb\xbf").startswith(starts)


_PLANNED: Mapping[str, IsOwn] = {
    "plan.json": _has("schema", "conditions", "methods", "budgets"),
    "software.json": _has("python", "packages"),
}
_FINISHED = {"manifest.json": _has("schema", "plan", "software", "records")}
_RESULTS: Mapping[str, IsOwn] = {
    "records.jsonl": _begins(b'{"aliases":', b'{"budget":', b'{"condition":'),
    "records.csv": _begins(b"condition,source,family,track,"),
    "costs.csv": _begins(b"condition,method,budget,"),
    "surfaces.json": lambda data: data.startswith(b'{"') and b'":[' in data,
}
_LOG = "plugins.log"
_BESIDE_MANIFEST: Mapping[str, IsOwn] = {
    "records.jsonl": lambda data: b'"condition":' in data[:10_000],
    "records.csv": _begins(b"condition", b'"condition'),
    "costs.csv": _begins(b"condition", b'"condition'),
    "surfaces.json": _begins(b'{"'),
}
"""Beside the manifest of a finished run its tables may have been damaged, or saved by a spreadsheet."""


def refuse_foreign_files(folder: Path, *, fresh: bool = False) -> None:
    """Refuse `folder` if it has files of other people under the names that a run writes.

    Files are told by their form; JSON files of an unfinished run that are damaged belong to it if another one is whole.
    Nothing is written beside the manifest of a finished run unless it is to be replaced; its files may be damaged.

    Parameters
    ----------
    folder : Path
        Where a run is to be written.
    fresh : bool
        Whether a run that is there is to be replaced.

    Raises
    ------
    StorageError
        Naming them; nothing was changed then.
    """
    if any(is_written_by(folder / name, own) for name, own in _FINISHED.items()):
        if fresh:
            damaged = {name: _or_damaged(own) for name, own in _PLANNED.items()} | {**_BESIDE_MANIFEST}
            refuse_foreign({folder / name: _or_empty(own) for name, own in damaged.items()}, _MAKER)
        return
    claimed = any(is_written_by(folder / name, own) for name, own in _PLANNED.items())
    rules: dict[str, IsOwn] = {**_PLANNED, **_FINISHED, **_RESULTS, _LOG: lambda _: False}
    if claimed:
        rules |= {name: _or_damaged(own) for name, own in {**_PLANNED, **_FINISHED}.items()}
    if is_written_by(folder / "records.jsonl", _RESULTS["records.jsonl"]):
        rules[_LOG] = lambda _: True
    refuse_foreign({folder / name: own for name, own in rules.items()}, _MAKER)


def _or_empty(own: IsOwn) -> IsOwn:
    return lambda data: not data or own(data)


def _or_damaged(own: IsOwn) -> IsOwn:
    """Also what is no JSON object at all: somebody's own file would be one."""

    def check(data: bytes) -> bool:
        try:
            whole = isinstance(json.loads(data), dict)
        except (ValueError, RecursionError):
            whole = False
        return own(data) or not whole

    return check
