"""Readers of logs, by name and by what a log looks like."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from whatworked.errors import PluginError, UnknownFormatError, unknown_name
from whatworked.process.records.draft import Draft
from whatworked.process.records.source import Source
from whatworked.wording import first_few

ENTRY_POINTS = "whatworked.record_readers"
"""Group of entry points that add readers; each names a `Reader`."""

BUILT_IN = {
    "inspect": "inspect_log",
    "claude-code": "claude_code",
    "codex-exec": "codex_exec",
    "codex-rollout": "codex_rollout",
    "codex-text": "codex_text",
    "openhands-v0": "openhands_v0",
    "openhands-v1": "openhands_v1",
    "swe-agent": "swe_agent",
    "mini-swe-agent": "mini_swe_agent",
    "aider": "aider",
    "aide": "aide",
    "pi": "pi",
    "research-ledger": "research_ledger",
    "whatworked-game": "whatworked_game",
    "whatworked-episode": "episode",
    "mle-dojo": "mle_dojo",
    "gemini-cli": "gemini_cli",
    "atif": "atif",
    "otel": "otel",
    "langfuse": "langfuse",
    "specstory": "specstory",
    "curie": "curie",
    "super": "super_notebook",
    "boxing-gym": "boxing_gym",
    "multi-agent-chat": "multi_agent_chat",
    "openai-messages": "openai_messages",
    "steps": "steps",
}
"""Name of each reader of our own, and its module."""


class Reader(Protocol):
    """What reads one format of logs. An object of this form, named by an entry point, takes part like our own."""

    @property
    def name(self) -> str:
        """Name of the format."""
        ...

    @property
    def looks_for(self) -> str:
        """By what it knows a log of that format, in a few words."""
        ...

    @property
    def generic(self) -> bool:
        """Whether a reader that is not generic goes before it where both know a log."""
        ...

    def recognises(self, source: Source) -> bool:
        """Whether a file, or a folder as one run, has that format. Looks at content, not at names; never fails.

        Parameters
        ----------
        source : Source
            The file or folder.

        Returns
        -------
        bool
        """
        ...

    def drafts(self, source: Source) -> Iterable[Draft]:
        """The runs that it holds.

        Parameters
        ----------
        source : Source
            The file or folder.

        Returns
        -------
        iterable of Draft
            One a run.

        Raises
        ------
        RecordError
            Naming the place, if it is broken.
        """
        ...


@dataclass(frozen=True)
class LogReader:
    """A `Reader` made of two functions.

    Attributes
    ----------
    name, looks_for : str
        As for `Reader`.
    recognises, drafts : callable
        Likewise.
    generic : bool
        Likewise.
    """

    name: str
    looks_for: str
    recognises: Callable[[Source], bool]
    drafts: Callable[[Source], Iterable[Draft]]
    generic: bool = False


def reader_names() -> tuple[str, ...]:
    """Names of all readers, those of installed packages last.

    Returns
    -------
    tuple of str
    """
    return tuple(dict.fromkeys([*BUILT_IN, *(point.name for point in _points())]))


def reader(name: str) -> Reader:
    """The reader of that name.

    Parameters
    ----------
    name : str
        One of `reader_names`.

    Returns
    -------
    Reader

    Raises
    ------
    UnknownNameError
        If there is none.
    PluginError
        If an installed one cannot be imported, or is none.
    """
    if name in BUILT_IN:
        module = importlib.import_module(f"whatworked.process.records.readers.{BUILT_IN[name]}")
        return module.READER  # type: ignore[no-any-return]
    for point in _points():
        if point.name == name:
            return _loaded(point)
    raise unknown_name("format", name, reader_names())


def recognise(source: Source) -> Reader:
    """The one reader that knows a file or folder.

    Parameters
    ----------
    source : Source
        The file or folder.

    Returns
    -------
    Reader

    Raises
    ------
    UnknownFormatError
        If none does, saying what the file looks like, or if several do.
    StorageError
        If it cannot be read.
    RecordError
        If it is too large.
    """
    found = [known for known in map(reader, reader_names()) if knows(known, source)]
    found = [known for known in found if not known.generic] or found
    if len(found) == 1:
        return found[0]
    if found:
        names = " or ".join(known.name for known in found)
        raise UnknownFormatError(f"it could be {names}; say which with --from")
    raise UnknownFormatError(f"no known format: {_looks(source)}")


def knows(known: Reader, source: Source) -> bool:
    """Whether a reader recognises a file or folder, and no exception of its own ends that.

    Parameters
    ----------
    known : Reader
        The reader.
    source : Source
        The file or folder.

    Returns
    -------
    bool
    """
    try:
        return known.recognises(source)
    except Exception:  # a stranger's file may break any assumption, and what fails to recognise it does not know it
        return False


def _looks(source: Source) -> str:
    shape = source.shape
    if shape == "binary":
        return "binary"
    if shape == "text":
        return f"text; {source.problem}" if source.problem else "text"
    if shape == "folder":
        return "a folder"
    noun = {"object": "a JSON object", "list": "a JSON list", "lines": "JSON lines"}[shape]
    if not source.sample:
        return f"{noun} without objects in it"
    return f"{noun} with fields {first_few(sorted(map(str, source.sample[0])), 8)}"


def _points() -> list[importlib.metadata.EntryPoint]:
    points = importlib.metadata.entry_points(group=ENTRY_POINTS)
    return sorted(
        (point for point in points if point.name not in BUILT_IN), key=lambda point: (point.name, point.value)
    )


def _loaded(point: importlib.metadata.EntryPoint) -> Reader:
    try:
        made = point.load()
    except Exception as error:
        raise PluginError(
            f"record reader {point.name!r}, installed as {point.value}, cannot be imported: "
            f"{type(error).__name__}: {error}"
        ) from error
    missing = [name for name in ("name", "looks_for", "generic", "recognises", "drafts") if not hasattr(made, name)]
    if missing:
        raise PluginError(f"record reader {point.name!r}, installed as {point.value}, has no {', '.join(missing)}")
    return made  # type: ignore[no-any-return]
