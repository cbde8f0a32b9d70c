"""The conditions of a run, each with its truth, and the facts that results are grouped by."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from whatworked.arguments import is_several, path, shown
from whatworked.arguments import names as as_names
from whatworked.catalog.tracks import outside_track
from whatworked.environments.effects.experience import with_experience
from whatworked.environments.effects.task import Task as Task
from whatworked.environments.effects.task import load_task
from whatworked.errors import InvalidOptionError, UnknownNameError, unknown_name


def catalog_tasks(
    names: str | Iterable[str] = (),
    families: str | Iterable[str] = (),
    tracks: str | Iterable[str] = (),
    *,
    rules: bool = False,
    references: Path | str | None = None,
    experience: bool = False,
) -> tuple[Task, ...]:
    """Tasks of reference tables; each filter that is given must hold.

    Parameters
    ----------
    names, families, tracks : str or iterable of str
        Condition ids, families, tracks (``four``, ``paired``, ``added``); empty means all.
    rules : bool, default False
        Whether to hand code-equivalence classes to policies and estimators.
    references : Path or str, optional
        Folder of reference tables with their index; default: those of the package. Conditions that the catalog does not
        have are of track ``outside-4``, ``outside-6``, …, by their number of options.
    experience : bool, default False
        Whether plug-ins that take it may read the tables of other sources of the family; the tasks are on tracks of
        their own then, such as ``paired+experience``.

    Returns
    -------
    tuple of Task
        In catalog order; those that the catalog does not have last, by name.

    Raises
    ------
    UnknownNameError
        For a condition, family or track that does not exist; it offers the nearest. For a condition that has no table.
    InvalidOptionError
        If the filters leave nothing, or hold anything but texts.
    ReferenceTableError, StorageError
        If a table is missing or altered, or a file cannot be read.

    Examples
    --------
    >>> [task.condition for task in catalog_tasks(families=["retrieval"], tracks=["four"])]
    ['arguana', 'scifact']
    """
    references = None if references is None else path(references, "references")
    known = _described(references)
    names, families, tracks = as_names(names, "names"), as_names(families, "families"), as_names(tracks, "tracks")
    for name in names:
        if name not in known:
            raise _not_there(name, known, references)
    chosen = [name for name in known if not names or name in names]
    for kind, wanted, group in (
        ("family", families, {name: groups.family for name, groups in known.items()}),
        ("track", tracks, {name: groups.track for name, groups in known.items()}),
    ):
        held = dict.fromkeys(group.values())
        for value in wanted:
            if value not in held:
                raise unknown_name(kind, value, held)
        chosen = [name for name in chosen if not wanted or group[name] in wanted]
    if not chosen:
        raise InvalidOptionError(
            "no condition is of all the given names, families and tracks; leave one of the filters out"
        )
    tasks = tuple(load_task(name, *known[name], rules=rules, references=references) for name in chosen)
    if not experience:
        return tasks
    shared = {task.family for task in tasks}
    pool = [load_task(name, *known[name], references=references) for name in known if known[name].family in shared]
    return with_experience(tasks, pool)


def _tables_in(references: Path | str | None) -> Path:
    from whatworked.references import folder

    return folder() if references is None else Path(references)


class ConditionGroups(NamedTuple):
    """What results of a condition are grouped by."""

    source: str
    family: str
    track: str


def _described(references: Path | str | None) -> dict[str, ConditionGroups]:
    """Groups by condition: in catalog order, then those that the catalog does not have."""
    from whatworked import catalog
    from whatworked.references.index import read_index

    entries = read_index(_tables_in(references)).tables
    in_catalog = {
        condition.id: ConditionGroups(condition.source, condition.family, str(condition.track))
        for condition in catalog.conditions()
        if condition.id in entries
    }
    others = {
        name: ConditionGroups(entry.source, entry.family, outside_track(entry.dimensions))
        for name, entry in sorted(entries.items())
        if name not in in_catalog
    }
    return in_catalog | others


def _not_there(name: str, known: Iterable[str], references: Path | str | None) -> UnknownNameError:
    from whatworked import catalog

    if name not in {condition.id for condition in catalog.conditions()}:
        return unknown_name("condition", name, known)
    return UnknownNameError(
        f"{name} has no reference table in {_tables_in(references)}; make one with "
        f"`whatworked rebuild {name} --out DIR` and give --references DIR"
    )


def given_tasks(tasks: str | Task | Iterable[str | Task]) -> tuple[Task, ...]:
    """Tasks given by themselves or by name, one or several.

    Raises
    ------
    InvalidOptionError
        For anything else.
    UnknownNameError, ReferenceTableError, StorageError
        As `catalog_tasks`.
    """
    several: Any = tasks
    given = tuple(several) if is_several(tasks) else (several,)
    if wrong := [task for task in given if not isinstance(task, Task | str)]:
        raise InvalidOptionError(
            f"tasks hold {shown(wrong[0])}, of type {type(wrong[0]).__name__}; give names of conditions, or "
            "whatworked.runs.Task objects, which say where a surface of your own belongs"
        )
    return tuple(task if isinstance(task, Task) else catalog_tasks([task])[0] for task in given)
