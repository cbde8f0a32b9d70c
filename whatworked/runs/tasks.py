"""The conditions of a run, each with its truth, and the facts that results are grouped by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from whatworked.errors import InvalidOptionError, UnknownNameError, unknown_name
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.surface import ResponseSurface

OUTSIDE = "outside"
"""Track of conditions that are not in the catalog, with their number of options: ``outside-4``."""


@dataclass(frozen=True)
class Task:
    """One condition to run on.

    Attributes
    ----------
    condition, source, family, track : str
        Id and groups.
    surface : ResponseSurface
        The truth. It stays with the engine: plug-ins are handed arrays of what was bought, nothing else.
    digest : str
        Digest of the reference table the surface was read from; default: that of the options and utilities themselves.
    equivalence : Equivalence or None
        The workflow's code-equivalence classes, in a run with rules.
    """

    condition: str
    source: str
    family: str
    track: str
    surface: ResponseSurface = field(repr=False)
    digest: str = ""
    equivalence: Equivalence | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.digest:
            content = {"options": self.surface.options, "utilities": self.surface.utilities.tolist()}
            object.__setattr__(self, "digest", sha256(canonical_json(content)))

    @property
    def d(self) -> int:
        """Number of options."""
        return self.surface.d

    @property
    def largest_budget(self) -> int:
        """Masks that can be bought: all but the two anchors."""
        return (1 << self.d) - 2

    @property
    def facts(self) -> dict[str, str | int]:
        """What the plan and the tables of results say about the condition."""
        return {
            "condition": self.condition,
            "source": self.source,
            "family": self.family,
            "track": self.track,
            "dimensions": self.d,
            "table": self.digest,
        }


def catalog_tasks(
    names: str | Sequence[str] = (),
    families: str | Sequence[str] = (),
    tracks: str | Sequence[str] = (),
    *,
    rules: bool = False,
    references: Path | str | None = None,
) -> tuple[Task, ...]:
    """Tasks of reference tables; each filter that is given must hold.

    Parameters
    ----------
    names, families, tracks : str or sequence of str
        Condition ids, families, tracks (``four``, ``paired``, ``added``); empty means all.
    rules : bool, default False
        Whether to hand code-equivalence classes to policies and estimators.
    references : Path or str, optional
        Folder of reference tables with their index; default: those of the package. Conditions that the catalog does not
        have are of track ``outside-4``, ``outside-6``, …, by their number of options.

    Returns
    -------
    tuple of Task
        In catalog order; those that the catalog does not have last, by name.

    Raises
    ------
    UnknownNameError
        For a condition, family or track that does not exist; it offers the nearest. For a condition that has no table.
    InvalidOptionError
        If the filters leave nothing.
    ReferenceTableError, StorageError
        If a table is missing or altered, or a file cannot be read.

    Examples
    --------
    >>> [task.condition for task in catalog_tasks(families=["retrieval"], tracks=["four"])]
    ['arguana', 'scifact']
    """
    from whatworked import references as tables

    known = _described(references)
    names, families, tracks = map(as_names, (names, families, tracks))
    for name in names:
        if name not in known:
            raise _not_there(name, known, references)
    chosen = [name for name in known if not names or name in names]
    for kind, wanted, column in (("family", families, 1), ("track", tracks, 2)):
        held = dict.fromkeys(facts[column] for facts in known.values())
        for value in wanted:
            if value not in held:
                raise unknown_name(kind, value, held)
        chosen = [name for name in chosen if not wanted or known[name][column] in wanted]
    if not chosen:
        raise InvalidOptionError(
            "no condition is of all the given names, families and tracks; leave one of the filters out"
        )
    return tuple(
        Task(
            name,
            *known[name],
            surface=(surface := tables.load_surface(name, references)),
            digest=tables.table_digest(name, references),
            equivalence=_equivalence(known[name][1], surface.d) if rules else None,
        )
        for name in chosen
    )


def as_names(names: str | Iterable[str]) -> tuple[str, ...]:
    """Names as several: a text is one name, not its letters."""
    return (names,) if isinstance(names, str) else tuple(names)


def _tables_in(references: Path | str | None) -> Path:
    from whatworked.references import folder

    return folder() if references is None else Path(references)


def _described(references: Path | str | None) -> dict[str, tuple[str, str, str]]:
    """Condition to (source, family, track), in catalog order, outsiders last."""
    from whatworked import catalog
    from whatworked.references.index import read_index

    entries = read_index(_tables_in(references)).tables
    inside = {one.id: (one.source, one.family, str(one.track)) for one in catalog.conditions() if one.id in entries}
    outside = {
        name: (entry.source, entry.family, f"{OUTSIDE}-{entry.dimensions}")
        for name, entry in sorted(entries.items())
        if name not in inside
    }
    return inside | outside


def _not_there(name: str, known: Iterable[str], references: Path | str | None) -> UnknownNameError:
    from whatworked import catalog

    if name not in {one.id for one in catalog.conditions()}:
        return unknown_name("condition", name, known)
    return UnknownNameError(
        f"{name} has no reference table in {_tables_in(references)}; make one with "
        f"`whatworked rebuild {name} --out DIR` and give --references DIR"
    )


def _equivalence(family: str, d: int) -> Equivalence:
    from whatworked import workflows

    return workflows.get(family).restricted(d).equivalence()
