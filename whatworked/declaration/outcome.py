"""What running one configuration yields."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from whatworked.declaration.fingerprint import Fingerprint


@dataclass(frozen=True)
class Outcome:
    """Score and identity of one configuration's prediction.

    Attributes
    ----------
    utility : float
        In [0, 1].
    native : float
        The metric in its own unit.
    digest : str
        SHA-256 of the prediction.
    fingerprint : mapping
        Compact numeric fingerprint, see :mod:`whatworked.declaration.fingerprint`.
    warnings : tuple of str
        Category names of the warnings raised, in stage order, repeated as often as raised.
    extras : mapping of str to float
        Further figures, for instance the event F1 at other tolerances.
    """

    utility: float
    native: float
    digest: str
    fingerprint: Fingerprint
    warnings: tuple[str, ...] = ()
    extras: Mapping[str, float] = field(default_factory=dict)

    def problems(self) -> Iterator[str]:
        """What keeps it out of a reference table, which holds finite numbers and utilities in [0, 1] only.

        Yields
        ------
        str
            A clause for each offence; nothing for a sound outcome.
        """
        if not math.isfinite(self.native):
            yield f"its value is {self.native}; it must be finite"
        elif not 0.0 <= self.utility <= 1.0:
            yield f"the utility is {self.utility!r}; it must be in [0, 1], so a cost needs a cost_scale"
        if not all(np.isfinite(part).all() for part in self.fingerprint.values()):
            yield "the prediction holds values that are not finite"
        if wrong := [name for name, value in self.extras.items() if not math.isfinite(value)]:
            yield f"the extras {', '.join(wrong)} are not finite"
