"""Ridge designs of the catalog's cubes, as computed under the pinned numeric profile.

One line per design: options, degree, classes, the masks in order of purchase, and the steps (from 0) at which rounding
decided against the rule: the mask bought there is not the lexically first of the exactly best ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files

import msgspec
import numpy as np

from whatworked.storage.canonical import sha256
from whatworked.surfaces.masks import IntArray, as_strings, mask_ranks

FILE = files("whatworked.controls") / "designs.tsv"
_TITLE = "d\tdegree\tclasses\torder\trounding"


class RecordedDesign(msgspec.Struct, frozen=True):
    """A design in full.

    Attributes
    ----------
    d, degree : int
        Number of options; 1 or 2.
    classes : str
        Digest of the masks that may be bought; see `classes_digest`.
    order : tuple of int
        Ranks in order of purchase.
    rounding : frozenset of int
        Steps at which rounding decided.
    """

    d: int
    degree: int
    classes: str
    order: tuple[int, ...]
    rounding: frozenset[int]


def classes_digest(candidates: IntArray) -> str:
    """First 16 characters of the SHA-256 of the ranks of all masks of a design, as little-endian int64."""
    return sha256(np.ascontiguousarray(candidates, dtype="<i8").tobytes())[:16]


def render(designs: Iterable[RecordedDesign]) -> str:
    """Text of a table of designs."""
    lines = [
        f"{design.d}\t{design.degree}\t{design.classes}\t{' '.join(as_strings(design.order, design.d))}\t"
        f"{' '.join(map(str, sorted(design.rounding))) or '-'}"
        for design in designs
    ]
    return "\n".join([_TITLE, *lines]) + "\n"


def parse(text: str) -> tuple[RecordedDesign, ...]:
    """Designs of a table's text."""
    return tuple(_parse_line(line) for line in text.splitlines()[1:])


def _parse_line(line: str) -> RecordedDesign:
    d, degree, classes, order, rounding = line.split("\t")
    steps = frozenset(int(step) for step in rounding.split()) if rounding != "-" else frozenset()
    return RecordedDesign(int(d), int(degree), classes, tuple(mask_ranks(order.split(), int(d)).tolist()), steps)


@lru_cache(maxsize=1)
def recorded_designs() -> dict[tuple[int, int, str], RecordedDesign]:
    """All recorded designs by number of options, degree and classes."""
    designs = parse(FILE.read_text(encoding="utf-8"))
    return {(design.d, design.degree, design.classes): design for design in designs}


def recorded_next(d: int, degree: int, candidates: IntArray, measured: tuple[int, ...]) -> tuple[int, bool] | None:
    """Next mask of a recorded design, and whether rounding decided it; None if it is not recorded.

    Parameters
    ----------
    d, degree : int
        Number of options; 1 or 2.
    candidates : ndarray of int64
        Ranks of all masks of the design, measured ones included, ascending.
    measured : tuple of int
        Ranks in order of measurement: what the design starts from, then its beginning.
    """
    design = recorded_designs().get((d, degree, classes_digest(candidates)))
    if design is None:
        return None
    # A design buys everything but what it starts from, the representatives of the anchors.
    start = set(candidates.tolist()) - set(design.order)
    step = len(measured) - len(start)
    if not 0 <= step < len(design.order):
        return None
    # After other purchases than the design's the record says nothing: the scores would be those of other moments.
    if set(measured[: len(start)]) != start or measured[len(start) :] != design.order[:step]:
        return None
    return design.order[step], step in design.rounding
