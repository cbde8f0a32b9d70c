"""From purchases to a complete, graded prediction table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from whatworked.environments.effects.loop import measured_after, observations
from whatworked.errors import PluginError
from whatworked.grading.grader import grade_many
from whatworked.grading.grades import Grade
from whatworked.protocols import Estimator, Predictor, fitted
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.experience import Experience
from whatworked.surfaces.masks import FloatArray, IntArray, all_bits, mask_string
from whatworked.surfaces.surface import ResponseSurface


@dataclass(frozen=True, eq=False)
class Delivery:
    """What an estimator delivers on some purchases.

    Attributes
    ----------
    bought : tuple of int
        Ranks in order, anchors not counted.
    predictions : ndarray of float64, shape (2**d,)
        Clipped to [0, 1], measured values and those of measured classes in place.
    aliases : tuple of int
        Ranks of unmeasured masks that took the measured value of their class, ascending.
    model : Predictor
        What was fitted.
    """

    bought: tuple[int, ...]
    predictions: FloatArray
    aliases: tuple[int, ...]
    model: Predictor

    @property
    def known(self) -> IntArray:
        """Ranks whose value is known, ascending: the anchors, what was bought, and the aliases."""
        measured = measured_after(self.bought, self.predictions.size.bit_length() - 1)
        return np.union1d(measured, np.array(self.aliases, dtype=np.int64))


def deliver(
    estimator: Estimator,
    utilities: FloatArray,
    bought: Sequence[int],
    equivalence: Equivalence | None = None,
    experience: Experience | None = None,
) -> Delivery:
    """Fit an estimator to the anchors and what was bought, and complete its prediction of the whole cube.

    Parameters
    ----------
    estimator : Estimator
        A fresh one.
    utilities : ndarray of float64, shape (2**d,)
        The truth, from which the measured values are taken.
    bought : sequence of int
        Ranks in order of purchase.
    equivalence : Equivalence or None
        Classes that the estimator was built with: every mask of a measured class then takes the measured value.
    experience : Experience or None
        What an estimator that takes experience is handed.

    Raises
    ------
    PluginError
        If the predictions are not one finite number per mask. What the estimator itself raises passes through.
    """
    model, table = fit_and_predict(estimator, utilities, bought, experience)
    return complete(model, table, utilities, bought, equivalence)


def fit_and_predict(
    estimator: Estimator, utilities: FloatArray, bought: Sequence[int], experience: Experience | None = None
) -> tuple[Predictor, FloatArray]:
    """The part of `deliver` that runs the estimator's own code: its model, and what that predicts, shape (2**d,)."""
    masks, values = observations(bought, utilities)
    model = fitted(estimator, masks, values, experience)
    d = masks.shape[1]
    return model, checked_predictions(model.predict(all_bits(d).astype(np.float64)), d)


def complete(
    model: Predictor,
    table: FloatArray,
    utilities: FloatArray,
    bought: Sequence[int],
    equivalence: Equivalence | None = None,
) -> Delivery:
    """The delivery of a model that predicts `table`, shape (2**d,): clipped, with everything known put in place."""
    measured = measured_after(bought, utilities.size.bit_length() - 1)
    whole: FloatArray = np.clip(table, 0.0, 1.0)
    aliases = np.empty(0, dtype=np.int64)
    if equivalence is not None:
        aliases, sources = aliases_of(measured, equivalence)
        whole[aliases] = utilities[sources]
    whole[measured] = utilities[measured]
    return Delivery(tuple(bought), whole, tuple(aliases.tolist()), model)


def aliases_of(measured: IntArray, equivalence: Equivalence) -> tuple[IntArray, IntArray]:
    """Unmeasured masks of measured classes, ascending, and for each the mask by which its class was first measured."""
    classes, first = np.unique(equivalence.representative[measured], return_index=True)
    covered = np.flatnonzero(np.isin(equivalence.representative, classes))
    aliases = np.setdiff1d(covered, measured).astype(np.int64)
    return aliases, measured[first[np.searchsorted(classes, equivalence.representative[aliases])]]


def checked_predictions(predictions: object, d: int) -> FloatArray:
    """Predictions of the whole cube as float64, shape (2**d,).

    Raises
    ------
    PluginError
        If they are not one finite number per mask.
    """
    # np.asarray drops the mask of a masked array and hands over what lies under it.
    if np.ma.is_masked(predictions):
        raise PluginError("predict returned an array with masked values; expected a number for every mask")
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


def grade_deliveries(surface: ResponseSurface, deliveries: Sequence[Delivery]) -> tuple[Grade, ...]:
    """Grades of deliveries on one surface, in order; the measured masks are the anchors and what each bought."""
    if not deliveries:
        return ()
    tables = np.array([delivery.predictions for delivery in deliveries])
    return grade_many(surface, tables, [measured_after(delivery.bought, surface.d) for delivery in deliveries])
