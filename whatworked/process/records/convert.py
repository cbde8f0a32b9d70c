"""From logs to records: which files are runs, who reads them, and why one is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from whatworked.errors import RecordError, UnknownFormatError, WhatWorkedError
from whatworked.process.records.draft import Draft
from whatworked.process.records.files import begins_as_record, write_record
from whatworked.process.records.record import Record, unjudgeable
from whatworked.process.records.registry import Reader, knows, reader, recognise
from whatworked.process.records.source import Source
from whatworked.process.records.world import World, write_world
from whatworked.storage.foreign import refuse_foreign


@dataclass(frozen=True)
class Conversion:
    """What became of one run, or of a file that no run could be read from.

    Attributes
    ----------
    source : str
        Name of the file or folder.
    format : str or None
        Which reader read it; None where none knows it.
    run : str or None
        Name of the run within it; None where there is none.
    record : Record or None
        The run.
    world : World or None
        What its log says of the task.
    refused : str or None
        Why the record cannot be judged, or the file not be read; None for a good record.
    """

    source: str
    format: str | None
    run: str | None
    record: Record | None
    world: World | None
    refused: str | None


def convert(paths: Iterable[Path], using: Reader | str | None = None) -> Iterator[Conversion]:
    """Read every run that files and folders hold.

    Parameters
    ----------
    paths : iterable of Path
        Files, and folders that are searched in order of names.
    using : Reader or str, optional
        The reader, or its name; without it each file's format is recognised by its content.

    Yields
    ------
    Conversion
        One a run, and one for each file that no run was read from. Nothing that a file holds raises an error.

    Raises
    ------
    UnknownNameError
        If there is no reader of that name.
    """
    chosen = reader(using) if isinstance(using, str) else using
    for path in paths:
        yield from _from_source(_found(path), chosen, named=True)


def write_conversions(folder: Path, conversions: Iterable[Conversion]) -> Iterator[tuple[Conversion, Path | None]]:
    """Write each good record and its world manifest below a folder.

    Parameters
    ----------
    folder : Path
        Where; made if it does not exist. A manifest that is there already is kept, for it may be completed by hand.
    conversions : iterable of Conversion
        What `convert` yields.

    Yields
    ------
    tuple
        Each conversion with the record's file, None where it was refused.

    Raises
    ------
    StorageError
        If a file cannot be written, or one that is no record has the name of a record.
    """
    taken: set[str] = set()
    for conversion in conversions:
        if conversion.record is None or conversion.world is None or conversion.refused is not None:
            yield conversion, None
            continue
        name = free_name([conversion.source, conversion.run if conversion.run != conversion.source else None], taken)
        file = folder / f"{name}.record.jsonl"
        refuse_foreign({file: begins_as_record}, "whatworked process convert")
        try:
            write_record(file, conversion.record)
        except RecordError as error:
            yield _refusal(conversion.source, conversion.format, error, conversion.run), None
            continue
        manifest = folder / f"{name}.world.json"
        if not manifest.exists():
            write_world(manifest, conversion.world)
        yield conversion, file


@dataclass(frozen=True)
class _Found:
    """A file or folder, by its own name in records and with the folders it was found below in messages."""

    source: Source
    shown: str


def _found(path: Path, below: str = "") -> _Found:
    own = path.name or str(path)
    # A record tells nothing of where its log was found, so that its digest does not depend on it.
    return _Found(Source(path, own), f"{below}{own}")


def _from_source(found: _Found, chosen: Reader | None, *, named: bool) -> Iterator[Conversion]:
    source = found.source
    try:
        known = chosen if chosen is not None and named and source.shape != "folder" else _recognised(source, chosen)
    except UnknownFormatError as error:
        if source.shape == "folder":
            yield from _below(found, chosen)
        else:
            yield _refusal(found.shown, None, error)
        return
    except WhatWorkedError as error:
        yield _refusal(found.shown, None, error)
        return
    yield from _runs(found, known)


def _recognised(source: Source, chosen: Reader | None) -> Reader:
    if chosen is None:
        return recognise(source)
    if not knows(chosen, source):
        raise UnknownFormatError(f"no {chosen.name}: that is {chosen.looks_for}")
    return chosen


def _below(found: _Found, chosen: Reader | None) -> Iterator[Conversion]:
    try:
        children = sorted(found.source.path.iterdir())
    except OSError as error:
        yield _refusal(found.shown, None, RecordError(f"cannot read the folder: {error.strerror}"))
        return
    for child in children:
        if child.name.startswith(".") or (child.is_dir() and child.is_symlink()):
            continue
        if child.is_dir() or child.is_file():
            yield from _from_source(_found(child, f"{found.shown}/"), chosen, named=False)


def _runs(found: _Found, known: Reader) -> Iterator[Conversion]:
    holds_some = False
    try:
        for draft in known.drafts(found.source):
            holds_some = True
            yield _finished(found, known, draft)
        if not holds_some:
            yield _refusal(found.shown, known.name, RecordError("no run stands in it"))
    except WhatWorkedError as error:
        yield _refusal(found.shown, known.name, error)
    except Exception as error:  # whatever a stranger's file does to a reader is no traceback of ours
        if not knows(known, found.source):
            yield _refusal(found.shown, known.name, RecordError(f"it is no {known.name}: that is {known.looks_for}"))
            return
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        yield _refusal(found.shown, known.name, RecordError(f"the reader of {known.name} cannot follow it ({what})"))


def _finished(found: _Found, known: Reader, draft: Draft) -> Conversion:
    source = found.source
    draft.drop("character that is no UTF-8, shown as U+FFFD", source.undecoded)
    if source.shape == "lines" and source.cut_short:
        draft.drop("last line, cut short")
    made_of = (source,) if draft.made_of is None else draft.made_of
    record = draft.finish([file for part in (*made_of, *draft.also_from) for file in part.files])
    reason = draft.refused or unjudgeable(record)
    refused = None if reason is None else f"cannot be judged: {reason}"
    run = found.shown if draft.run == source.name else draft.run
    return Conversion(found.shown, known.name, run, record, draft.world(), refused)


def _refusal(source: str, format_name: str | None, error: WhatWorkedError, run: str | None = None) -> Conversion:
    return Conversion(source, format_name, run, None, None, str(error))


def free_name(parts: Sequence[str | None], taken: set[str]) -> str:
    """A name for files made of some parts, unlike those that are taken; it is taken from now on.

    Parameters
    ----------
    parts : sequence of str or None
        From the outer to the inner.
    taken : set of str
        Names in small letters; changed.

    Returns
    -------
    str
    """
    plain = re.sub(r"[^\w.+-]+", "_", "__".join(part for part in parts if part)).strip("._")[:150] or "run"
    name, number = plain, 1
    while name.casefold() in taken:
        number += 1
        name = f"{plain}-{number}"
    taken.add(name.casefold())
    return name
