"""Any estimator on code-equivalence classes instead of masks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whatworked.errors import InvalidMaskError
from whatworked.methods.candidates import Known, on_representatives
from whatworked.methods.observations import check_observations
from whatworked.protocols import Estimator, Predictor, fitted
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.experience import Experience
from whatworked.surfaces.masks import BitArray, FloatArray, IntArray, bits_of, ranks_of


@dataclass(frozen=True, eq=False)
class ClassModel:
    """A fitted model of class representatives.

    Attributes
    ----------
    equivalence : Equivalence
        The classes.
    known : Known
        Measured classes.
    model : Predictor
        Fitted to the representatives.
    """

    equivalence: Equivalence
    known: Known
    model: Predictor

    def predict(self, masks: BitArray) -> FloatArray:
        """Measured value of the mask's class, else the prediction for its representative; shape (m, d) -> (m,)."""
        representatives = self.equivalence.representative[ranks_of(masks)]
        predicted = self.model.predict(bits_of(representatives, self.equivalence.d).astype(np.float64))
        return with_measured(predicted, representatives, self.known)


def inner_model(model: Predictor) -> Predictor:
    """The model of class representatives inside a `ClassModel`; any other model itself."""
    return model.model if isinstance(model, ClassModel) else model


@dataclass(frozen=True, eq=False)
class ClassAwareEstimator:
    """An estimator that sees one mask per class: the representative.

    Parameters
    ----------
    base : Estimator
        Fitted to the representatives of the measured classes, and asked about representatives only.
    equivalence : Equivalence, optional
        The classes; without them every mask is a class of its own.
    """

    base: Estimator
    equivalence: Equivalence | None = None

    def fit(self, masks: BitArray, utilities: FloatArray, experience: Experience | None = None) -> ClassModel:
        """Fit to the representatives of the measured masks.

        Parameters
        ----------
        masks : array-like of 0 and 1, shape (n, d)
            Distinct measured masks, n >= 1, d from 1 to 20.
        utilities : array-like of float, shape (n,)
            Their utilities, finite.
        experience : Experience, optional
            Handed on to a base that takes it.

        Returns
        -------
        ClassModel
            Its `predict` gives every mask of a measured class the measured value.

        Raises
        ------
        InvalidMaskError
            If the masks have another number of options than the classes.
        InvalidMaskError, InvalidSurfaceError
            If masks or utilities are not distinct masks with one finite utility each.
        """
        d, ranks, values = check_observations(masks, utilities)
        classes = Equivalence.trivial(d) if self.equivalence is None else self.equivalence
        if classes.d != d:
            raise InvalidMaskError(f"masks have {d} options and the classes {classes.d}; give classes of this workflow")
        known = on_representatives(classes, ranks, values)
        rows = bits_of(known.ranks, d).astype(np.float64)
        return ClassModel(classes, known, fitted(self.base, rows, known.values, experience))


def with_measured(predicted: FloatArray, representatives: IntArray, known: Known) -> FloatArray:
    """A copy of the predictions with the value of each measured class in place.

    Parameters
    ----------
    predicted : ndarray of float64, shape (m,)
    representatives : ndarray of int64, shape (m,)
        Representative of each predicted mask.
    known : Known
        Measured representatives and their values.
    """
    order = np.argsort(known.ranks)
    ranks = known.ranks[order]
    # A rank above all measured ones gets a place past the end; any place will do, since the comparison then fails.
    place = np.minimum(np.searchsorted(ranks, representatives), len(ranks) - 1)
    measured = ranks[place] == representatives
    return np.where(measured, known.values[order][place], predicted)
