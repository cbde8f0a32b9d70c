"""The replayable record of one run: who bought what, and what it then predicted."""

from __future__ import annotations

import msgspec

from whatworked.grading.grades import Grade

Key = tuple[str, str, int, int]
"""Condition, method, budget and seed: what a run has one record of."""


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One method on one condition under one budget and seed.

    Attributes
    ----------
    condition, method : str
        Condition id; label of the method (an estimator and a policy together).
    seed, budget : int
        Seed of the method's randomness (0 where there is none); credits it was given.
    table : str
        Digest of the reference table that answered the purchases.
    purchases : tuple of str
        Masks bought, in order, anchors not counted. Its length is the credits spent.
    aliases : tuple of str
        Masks whose value was inferred from a measured mask of the same code-equivalence class.
    steps : tuple of dict
        Hyper-parameters chosen by each fit, in order.
    predictions : tuple of float or None
        Complete table in canonical order, measured values restored; None is a missing delivery.
    grade : Grade or None
        None where nothing was graded.
    near_tie : bool
        Whether any choice lay within rounding of a tie, so that another machine may choose differently.
    failure : str or None
        Why nothing was delivered.
    """

    condition: str
    method: str
    seed: int
    budget: int
    table: str
    purchases: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    steps: tuple[dict[str, float], ...] = ()
    predictions: tuple[float, ...] | None = None
    grade: Grade | None = None
    near_tie: bool = False
    failure: str | None = None

    @property
    def key(self) -> Key:
        """Condition, method, budget and seed."""
        return self.condition, self.method, self.budget, self.seed


def place_of(key: Key) -> str:
    """The key of a record in words.

    Examples
    --------
    >>> place_of(("wine", "GP-E", 8, 0))
    'GP-E on wine, budget 8, seed 0'
    """
    condition, method, budget, seed = key
    return f"{method} on {condition}, budget {budget}, seed {seed}"
