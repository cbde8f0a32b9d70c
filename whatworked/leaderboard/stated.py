"""Grades of stated uncertainty in a packed run: what of them its predictions allow.

A file holds the grades of what was stated, not the statements, which are many times its size. That they are possible
can be seen from the file; that they are true, by running the plug-ins again (`whatworked.leaderboard.rerunning`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from whatworked.environments.effects.stating import MOST_OPTIONS, unknown
from whatworked.grading.record import Record
from whatworked.grading.uncertainty import LEAST_DENSITY, LEAST_SCALE, RATE_KEYS, Calibration, Uncertainty, flat
from whatworked.leaderboard.packing import PackedRecord, stated_of
from whatworked.surfaces.masks import anchors

_LARGEST_SCORE = -math.log(LEAST_DENSITY)
_SMALLEST_SCORE = math.log(LEAST_SCALE * math.sqrt(2.0 * math.pi))
"""Of the density of a normal distribution of the smallest scale at its centre; no other part is denser."""
_ROUNDING = 1e-9
_CLOSE = 1e-6
"""Relative difference of two grades that predictions equal up to rounding may have."""


def uncertainty_problems(packed: PackedRecord, d: int) -> Iterator[str]:
    """What shows that grades of stated uncertainty cannot be those of a record.

    Parameters
    ----------
    packed : PackedRecord
        Whose masks are of the cube.
    d : int
        Number of options.
    """
    stated = packed.uncertainty
    if stated is None:
        return
    if packed.predictions is None or d > MOST_OPTIONS:
        yield "it has grades of stated uncertainty, but no prediction that they could be of"
        return
    known = np.array([*anchors(d), *packed.purchases, *packed.aliases], dtype=np.int64)
    off, _, cells = unknown(d, known)
    for name, part, count in (("effects", stated.effects, off.size), ("cells", stated.cells, cells.size)):
        if part is not None:
            yield from (f"uncertainty of {name}: {problem}" for problem in _problems(part, count))


def _problems(part: Calibration, count: int) -> Iterator[str]:
    if part.count != count or not count:
        yield f"it counts {part.count}; {count} are not known"
        return
    if part.log_score is not None and not _SMALLEST_SCORE - _ROUNDING <= part.log_score <= _LARGEST_SCORE + _ROUNDING:
        yield f"a log score of {part.log_score:g} is not possible"
    if part.crps < 0 or part.sharpness < 0:
        yield f"a CRPS of {part.crps:g} or a width of {part.sharpness:g} is below 0"
    if tuple(part.coverage) != RATE_KEYS:
        yield f"it has no coverage at {', '.join(RATE_KEYS)}"
        return
    shares = list(part.coverage.values())
    whole = all(abs(share * count - round(share * count)) < _ROUNDING * count for share in shares)
    if not whole or min(shares) < 0.0 or max(shares) > 1.0:
        yield f"coverages of {', '.join(f'{share:g}' for share in shares)} of {count} are not possible"


def same_uncertainty(mine: Record, theirs: Record) -> bool:
    """Whether two records grade the same uncertainty up to rounding; packed runs of earlier versions grade none."""
    left, right = (None if record.grade is None else stated_of(record.grade) for record in (mine, theirs))
    if right is None:
        return True
    ours, stated = flat(left or Uncertainty()), flat(right)
    return all(_same(ours[name], stated[name]) for name in ours)


def _same(left: float | None, right: float | None) -> bool:
    if left is None or right is None:
        return left is right
    return math.isclose(left, right, rel_tol=_CLOSE, abs_tol=_ROUNDING)
