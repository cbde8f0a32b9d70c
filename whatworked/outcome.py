"""What running one configuration yields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from whatworked.prediction import Fingerprint


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
        Compact numeric fingerprint, see :mod:`whatworked.prediction`.
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
