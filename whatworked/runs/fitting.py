"""From purchases to a complete prediction table."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

import numpy as np

from whatworked.errors import PluginError
from whatworked.plugins.guard import Failure, encodable, guarded
from whatworked.protocols import Estimator
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import FloatArray, IntArray, all_bits, anchors, bits_of, mask_string


@dataclass(frozen=True)
class Fit:
    """One delivery, or its failure.

    Attributes
    ----------
    predictions : ndarray of float64, shape (2**d,), or None
        Clipped to [0, 1], measured values in place.
    aliases : tuple of int
        Ranks of masks that took the measured value of their class.
    chosen : mapping of str to float
        Hyper-parameters, where the predictor states them as ``hyperparameters``.
    near_tie : bool
        Whether the predictor says that its choice of hyper-parameters lay within rounding of a tie.
    seconds : float
        Time of building, fitting and predicting; volatile.
    failure : Failure or None
        Why there are no predictions.
    warnings : Counter
        Categories of the warnings raised, and how often.
    """

    predictions: FloatArray | None
    aliases: tuple[int, ...] = ()
    chosen: Mapping[str, float] = field(default_factory=dict)
    near_tie: bool = False
    seconds: float = 0.0
    failure: Failure | None = None
    warnings: Counter[str] = field(default_factory=Counter)


def fit(
    build: Callable[[], Estimator],
    utilities: FloatArray,
    bought: Sequence[int],
    equivalence: Equivalence | None = None,
    within: AbstractContextManager[None] | None = None,
) -> Fit:
    """Fit an estimator to the anchors and what was bought, and predict the whole cube.

    Parameters
    ----------
    build : callable
        Makes a fresh estimator.
    utilities : ndarray of float64, shape (2**d,)
        The truth, from which the measured values are taken.
    bought : sequence of int
        Ranks in order of purchase.
    equivalence : Equivalence or None
        Classes that the estimator was built with: every mask of a measured class then takes the measured value.
    within : context manager or None
        Holds building, fitting and predicting together to a time limit.
    """
    d = utilities.size.bit_length() - 1
    measured = np.array([*anchors(d), *bought], dtype=np.int64)
    started = time.perf_counter()
    table: FloatArray | None = None
    chosen: Mapping[str, float] = {}
    near_tie = False
    with guarded("estimator") as outcome, within or nullcontext():
        masks, values = bits_of(measured, d), np.array(utilities[measured], dtype=np.float64)
        masks.flags.writeable = values.flags.writeable = False
        predictor = build().fit(masks, values)
        cube = all_bits(d)
        table = checked_predictions(predictor.predict(cube), d)
        chosen, near_tie = _hyperparameters(predictor), bool(getattr(predictor, "near_tie", False))
    seconds = time.perf_counter() - started
    if outcome.failure is not None or table is None:
        return Fit(None, seconds=seconds, failure=outcome.failure, warnings=outcome.warnings)
    complete, aliases = np.clip(table, 0.0, 1.0), np.empty(0, dtype=np.int64)
    if equivalence is not None:
        aliases, sources = aliases_of(measured, equivalence)
        complete[aliases] = utilities[sources]
    complete[measured] = utilities[measured]
    return Fit(complete, tuple(aliases.tolist()), chosen, near_tie, seconds, warnings=outcome.warnings)


def aliases_of(measured: IntArray, equivalence: Equivalence) -> tuple[IntArray, IntArray]:
    """Unmeasured masks of measured classes, ascending, and for each the mask by which its class was first measured."""
    classes, first = np.unique(equivalence.representative[measured], return_index=True)
    covered = np.flatnonzero(np.isin(equivalence.representative, classes))
    aliases = np.setdiff1d(covered, measured).astype(np.int64)
    return aliases, measured[first[np.searchsorted(classes, equivalence.representative[aliases])]]


def checked_predictions(predictions: object, d: int) -> FloatArray:
    """Predictions of the whole cube as float64.

    Raises
    ------
    PluginError
        If they are not one finite number per mask.
    """
    table = np.asarray(predictions)
    if table.shape != (1 << d,):
        raise PluginError(f"predict returned an array of shape {table.shape}; expected ({1 << d},)")
    if table.dtype.kind not in "fiub":
        raise PluginError(f"predict returned values of type {table.dtype}; expected numbers")
    numbers = table.astype(np.float64)
    offenders = np.flatnonzero(~np.isfinite(numbers))
    if offenders.size:
        first = int(offenders[0])
        raise PluginError(
            f"predict returned {offenders.size} values that are not finite, the first for mask "
            f"{mask_string(first, d)}: {numbers[first]}"
        )
    return numbers


def _hyperparameters(predictor: object) -> dict[str, float]:
    stated = getattr(predictor, "hyperparameters", None)
    if not isinstance(stated, Mapping):
        return {}
    chosen = {encodable(str(name)): float(value) for name, value in stated.items()}
    if wrong := [f"{name} = {value}" for name, value in chosen.items() if not math.isfinite(value)]:
        raise PluginError(f"hyperparameters must be finite numbers: {', '.join(wrong)}")
    return chosen
