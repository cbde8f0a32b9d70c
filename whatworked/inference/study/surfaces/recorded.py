"""The recorded utilities of the surfaces outside the catalog: one text file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from whatworked import workflows
from whatworked.declaration.stage import StageKey, StageResult
from whatworked.errors import ReferenceTableError, StorageError
from whatworked.inference.study.surfaces.sources import DEVELOPMENT, FRESH
from whatworked.progress import Progress
from whatworked.storage.files import read_file
from whatworked.storage.package_data import package_folder
from whatworked.surfaces.masks import mask_strings
from whatworked.surfaces.surface import ResponseSurface

Group = Literal["development", "fresh", "synthetic"]
_HEADER = "group\tfamily\tname\tutilities of all masks in canonical order"
_LARGEST = 64 << 20


@dataclass(frozen=True)
class OutsideSurface:
    """A response surface that is not in the catalog.

    Attributes
    ----------
    group : {"development", "fresh", "synthetic"}
        What it may be used for.
    family : str
        Workflow family, or the structure of a synthetic cube.
    surface : ResponseSurface
        Its name is ``family/name``.
    """

    group: Group
    family: str
    surface: ResponseSurface


def recorded_path() -> Path:
    """Where the file stands that comes with the package."""
    return package_folder("whatworked.inference.study.surfaces") / "surfaces.tsv"


@cache
def load_outside(path: Path | None = None) -> tuple[OutsideSurface, ...]:
    """All recorded surfaces of the groups ``development`` and ``fresh``.

    Raises
    ------
    ReferenceTableError
        If the file is missing or a line is not what it should be.
    """
    path = path or recorded_path()
    try:
        lines = read_file(path, _LARGEST).decode("utf-8").splitlines()
    except (StorageError, UnicodeDecodeError) as error:
        raise ReferenceTableError(f"{path}: {error}; `whatworked inference rebuild-outside` makes it") from error
    return tuple(_parsed(line, path) for line in lines[1:])


def _parsed(line: str, path: Path) -> OutsideSurface:
    try:
        group, family, name, cells = line.split("\t")
        surface = ResponseSurface(
            tuple("ABCDEF"), np.array([float(cell) for cell in cells.split(" ")]), name=f"{family}/{name}"
        )
    except ValueError as error:
        raise ReferenceTableError(f"{path}: line {line[:40]!r}… is not a surface: {error}; restore the file") from error
    if group not in ("development", "fresh"):
        raise ReferenceTableError(f"{path}: group {group!r} is unknown; allowed are development, fresh")
    return OutsideSurface("fresh" if group == "fresh" else "development", family, surface)


def rebuild_outside(path: Path, report: Progress | None = None) -> int:
    """Run all configurations of all surfaces and write the file; return the number of surfaces.

    Values can differ in the last digits between machines: the runs use this process as it is, not the pinned one of the
    reference tables, and the data come from whatever versions of the packages are installed.
    """
    lines = [_HEADER]
    for group, builders in (("development", DEVELOPMENT), ("fresh", FRESH)):
        for (family, name), build in builders.items():
            if report is not None:
                report.set_postfix_str(f"{family}/{name}")
                report.update()
            workflow, prepared = workflows.get(family), build()
            store: dict[StageKey, StageResult] = {}
            utilities = [workflow.run(prepared, mask, store).utility for mask in mask_strings(workflow.d)]
            lines.append(f"{group}\t{family}\t{name}\t{' '.join(map(repr, map(float, utilities)))}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines) - 1
