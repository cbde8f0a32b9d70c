"""A response surface to explore, and the facts that results are grouped by."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from whatworked.storage.canonical import canonical_json, sha256
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.experience import Experience
from whatworked.surfaces.surface import ResponseSurface


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
    experience : Experience or None
        What a player may read of other sources of the family, in a run with experience.
    """

    condition: str
    source: str
    family: str
    track: str
    surface: ResponseSurface = field(repr=False)
    digest: str = ""
    equivalence: Equivalence | None = field(default=None, repr=False)
    experience: Experience | None = field(default=None, repr=False)

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


def load_task(
    condition: str, source: str, family: str, track: str, *, rules: bool = False, references: Path | str | None = None
) -> Task:
    """The task of a condition that has a reference table.

    Parameters
    ----------
    condition, source, family, track : str
        Id and groups.
    rules : bool, default False
        Whether the code-equivalence classes of the family's workflow are known.
    references : Path or str, optional
        Folder of reference tables with their index; default: those of the package.

    Raises
    ------
    UnknownNameError
        If there is no such table or, with rules, no such family.
    ReferenceTableError, StorageError
        If the table is missing or altered, or a file cannot be read.
    """
    from whatworked import references as tables

    surface = tables.load_surface(condition, references)
    digest = tables.table_digest(condition, references)
    classes = _classes(family, surface.d) if rules else None
    return Task(condition, source, family, track, surface, digest, classes)


def _classes(family: str, d: int) -> Equivalence:
    from whatworked import workflows

    return workflows.get(family).equivalence(d)
