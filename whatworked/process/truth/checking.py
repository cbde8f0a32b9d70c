"""Whether a stated effect is true, and whether what it is about had been measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.grading.grades import ENDPOINT, ZERO
from whatworked.process.truth.phrases import StatedEffect
from whatworked.surfaces.edges import edges
from whatworked.surfaces.masks import FloatArray, IntArray, bits_of

Scope = Literal["one setting", "some settings", "all settings"]
Evidence = Literal["measured", "derived", "partly", "not measured"]

SCOPES: tuple[Scope, ...] = ("one setting", "some settings", "all settings")
"""How many settings of the other options a statement is about."""
EVIDENCE: tuple[Evidence, ...] = ("measured", "derived", "partly", "not measured")
"""What was known of the configurations of a statement when it was made."""


@dataclass(frozen=True)
class CheckedEffect:
    """A stated effect beside the truth.

    Attributes
    ----------
    stated : StatedEffect
        What was stated.
    scope : {"one setting", "some settings", "all settings"}
        Of the other options, how many settings it is about.
    settings : int
        Their number.
    effect : float
        The true effect, on average over these settings.
    low, high : float
        The least and the largest of them.
    direction_holds : bool
        Whether the true effect has the stated direction; in each setting, if it is stated of every one. No effect is
        one of at most `tolerance`.
    size_holds : bool or None
        Whether the stated size is within `tolerance` of the true one, and what rounding allows; None without a size.
    tolerance : float
        A tenth of the range of the true utilities, as in the strict diagnosis.
    evidence : {"measured", "derived", "partly", "not measured"}
        Measured: both ends of every one of its effects were. Derived: those that were not are the same program as one
        that was, or as each other, and the player was shown the program. Partly: so for some of its effects.
    """

    stated: StatedEffect
    scope: Scope
    settings: int
    effect: float
    low: float
    high: float
    direction_holds: bool
    size_holds: bool | None
    tolerance: float
    evidence: Evidence

    @property
    def true(self) -> bool:
        """Whether direction and, where one is stated, size hold."""
        return self.direction_holds and self.size_holds is not False

    @property
    def size_error(self) -> float | None:
        """Distance of the stated size from the true one; None without a size. No effect is a size of 0."""
        size = 0.0 if self.stated.direction == 0 else self.stated.size
        return None if size is None else abs(size - self.effect)


def check_effect(
    stated: StatedEffect, instance: SurfaceInstance, measured: Iterable[int], *, program_shown: bool
) -> CheckedEffect:
    """Put a stated effect beside the truth.

    Parameters
    ----------
    stated : StatedEffect
        With options as the player sees them.
    instance : SurfaceInstance
        What was played.
    measured : iterable of int
        Ranks of the masks that were measured when it was stated, as the player writes them; with the anchors.
    program_shown : bool
        Whether the player was shown the program, from which follows what is the same.

    Returns
    -------
    CheckedEffect
    """
    starts, ends = _edges(stated, instance.d)
    truth = instance.shown_utilities
    effects = truth[ends] - truth[starts]
    tolerance = max(ZERO, ENDPOINT * float(np.ptp(truth)))
    effect = float(effects.mean())
    size = None
    if stated.size is not None and stated.direction != 0:
        # A number that is typed with two digits states no more than they do.
        size = abs(stated.size - effect) <= tolerance + stated.rounding
    count = len(starts)
    return CheckedEffect(
        stated=stated,
        scope="one setting" if count == 1 else "all settings" if not stated.background else "some settings",
        settings=count,
        effect=effect,
        low=float(effects.min()),
        high=float(effects.max()),
        direction_holds=_has_direction(
            stated.direction, effects if stated.everywhere else np.array([effect]), tolerance
        ),
        size_holds=size,
        tolerance=tolerance,
        evidence=_evidence(instance, starts, ends, measured, program_shown=program_shown),
    )


def _edges(stated: StatedEffect, d: int) -> tuple[IntArray, IntArray]:
    """Ranks of the two ends of every effect that a statement is about."""
    starts, ends = edges(d)
    own = slice(stated.option << (d - 1), (stated.option + 1) << (d - 1))
    starts, ends = starts[own], ends[own]
    bits = bits_of(starts, d)
    kept = np.ones(len(starts), dtype=bool)
    for place, bit in stated.background:
        kept &= bits[:, place] == bit
    return starts[kept], ends[kept]


def _has_direction(direction: int, effects: FloatArray, tolerance: float) -> bool:
    if direction == 0:
        return bool((np.abs(effects) <= tolerance).all())
    return bool((direction * effects > ZERO).all())


def _evidence(
    instance: SurfaceInstance, starts: IntArray, ends: IntArray, measured: Iterable[int], *, program_shown: bool
) -> Evidence:
    seen = np.zeros(1 << instance.d, dtype=bool)
    seen[list(measured)] = True
    if (seen[starts] & seen[ends]).all():
        return "measured"
    known = seen[starts] & seen[ends]
    classes = instance.shown_equivalence if program_shown else None
    if classes is not None:
        told = np.zeros_like(seen)
        told[classes.representative[seen]] = True
        told = told[classes.representative]
        same = classes.representative[starts] == classes.representative[ends]
        known = (told[starts] & told[ends]) | same
    return "derived" if known.all() else "partly" if known.any() else "not measured"
