"""Whether the packages that made the reference tables are installed: only then are bytes promised to be the same."""

from __future__ import annotations

from importlib.metadata import version

from whatworked import references
from whatworked.references.index import read_index


def reference_versions() -> bool:
    """Whether every package that takes part in results has the version that made all the tables; any Python will do."""
    makers = read_index(references.folder()).makers.values()
    return all(version(name) == made for maker in makers for name, made in maker.packages.items())
