"""What a player in a run with experience may read: tables of other sources of the same family."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np

from whatworked.catalog.tracks import experienced
from whatworked.environments.effects.task import Task
from whatworked.surfaces.experience import Experience, KnownSurface
from whatworked.surfaces.surface import ResponseSurface

_ROUNDING = 1e-9
"""Relative difference of utilities that are the same; two machines differ by 1e-14."""


def with_experience(tasks: Iterable[Task], pool: Sequence[Task]) -> tuple[Task, ...]:
    """Tasks in which a player may read what other sources of the family showed.

    Parameters
    ----------
    tasks : iterable of Task
        What is played.
    pool : sequence of Task
        What was measured: of these, all of the family but those of the source that is played.

    Returns
    -------
    tuple of Task
        On tracks of their own, ``paired+experience`` beside ``paired``.
    """
    raw = _raw_digests()
    return tuple(
        replace(task, experience=experience_for(task, pool, raw), track=experienced(task.track)) for task in tasks
    )


def experience_for(task: Task, pool: Iterable[Task], raw: Mapping[str, frozenset[str]] | None = None) -> Experience:
    """The experience for a task: of every other source of its family the surface that says most about its options.

    A source is another one if neither its name, nor one of its raw files, nor one of its tables is that of the task's
    source, whatever the order of the options. What is the same as such a source is left out as well.

    Parameters
    ----------
    task : Task
        What is played.
    pool : iterable of Task
        What was measured; conditions of other families take no part.
    raw : mapping of str to frozenset of str, optional
        Digests of the raw files of sources by name; default: those of the catalog.

    Returns
    -------
    Experience
    """
    digests = _raw_digests() if raw is None else raw
    family = [other for other in pool if other.family == task.family]
    same = _same_sources(task, family, digests)
    best: dict[str, Task] = {}
    for other in family:
        if other.source in same or other.surface.range == 0:
            continue
        held = best.get(other.source)
        if held is None or _closeness(other, task) > _closeness(held, task):
            best[other.source] = other
    return Experience(task.surface.options, tuple(KnownSurface.of(one.surface, one.source) for one in best.values()))


def _same_sources(task: Task, family: Sequence[Task], raw: Mapping[str, frozenset[str]]) -> set[str]:
    """Names under which the source of a task stands in the family, its own among them."""
    names, unread, left = {task.source}, [task], list(family)
    while unread:
        held = unread.pop()
        found = [_same_source(held, other, raw) for other in left]
        unread += compress(left, found)
        left = [other for other, is_same in zip(left, found, strict=True) if not is_same]
        names |= {same.source for same in unread}
    return names


def _same_source(task: Task, other: Task, raw: Mapping[str, frozenset[str]]) -> bool:
    if other.source == task.source or other.digest == task.digest:
        return True
    if raw.get(task.source, frozenset()) & raw.get(other.source, frozenset()):
        return True
    return _same_table(task.surface, other.surface)


def _same_table(surface: ResponseSurface, other: ResponseSurface) -> bool:
    """Whether two tables are one; made on two machines, they may differ by rounding. A constant tells no source."""
    if set(surface.options) != set(other.options) or surface.range == 0:
        return False
    return bool(np.allclose(surface.utilities, other.reordered(surface.options).utilities, rtol=_ROUNDING, atol=0))


def _closeness(other: Task, task: Task) -> tuple[int, int, str]:
    """How much a surface says about a task's options: those in common, then fewer others; names settle the rest."""
    common = len(set(other.surface.options) & set(task.surface.options))
    return common, -other.d, other.condition


def _raw_digests() -> dict[str, frozenset[str]]:
    from whatworked.catalog.manifest_files import entries

    return {
        entry.id: frozenset(file.sha256 for form in entry.manifest.forms for file in form.files)
        for entry in entries().values()
        if entry.manifest is not None
    }
