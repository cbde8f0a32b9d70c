"""The environment ``effects`` with the helpers that players can name: reference methods, and in one arm our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from whatworked.environments.effects.environment import EffectsEnvironment
from whatworked.environments.effects.helpers import KIND, FitRequest, Helper
from whatworked.episodes.performers import Gap
from whatworked.protocols import Estimator
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import mask_strings

_METHODS = {
    "ridge_main": ("ridge-main", "a ridge regression on main effects: no interactions"),
    "ridge_pair": ("ridge-pair", "a ridge regression on main effects and pair interactions"),
    "gp": ("gp", "a Gaussian process: masks that differ in fewer options are more alike"),
    "relevance_gp": (
        "relevance-gp",
        "a Gaussian process that learns how much each option matters, averaged over kernels",
    ),
    "class_ridge_pair": ("class-ridge-pair", "ridge_pair on classes of masks that are the same program"),
    "class_gp": ("class-gp", "gp on classes of masks that are the same program"),
    "class_relevance_gp": ("class-relevance-gp", "relevance_gp on classes of masks that are the same program"),
}
"""By the name of a helper: that of the estimator, and what the player is told."""
_PUBLISHED = ("ridge_main", "ridge_pair")
CLOSE = 1e-6
"""Difference of utilities up to which two fits are the same.

All helpers solve well-conditioned linear systems without a search for parameters, so that rounding (another linear
algebra library, another order of sums) stays near 1e-13. A table that differs by less than 1e-6 of a utility from the
helper's gives a forger nothing: effects in it differ by less than 2e-6.
"""


def effects_environment() -> EffectsEnvironment:
    """The environment ``effects``.

    Returns
    -------
    EffectsEnvironment
    """
    helpers = {
        name: Helper(purpose=purpose, published=name in _PUBLISHED, class_aware=method.startswith("class-"))
        for name, (method, purpose) in _METHODS.items()
    }
    return EffectsEnvironment(helpers, {KIND: HelperFits()})


class HelperFits:
    """Fits helpers, for the engine."""

    def perform(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """The table of a helper.

        Parameters
        ----------
        request : mapping
            A `FitRequest` as JSON.

        Returns
        -------
        mapping
            ``values``: one in [0, 1] for each mask in canonical order, measured values in place.
        """
        wanted = msgspec.convert(request, FitRequest)
        classes = None if wanted.representatives is None else Equivalence(np.array(wanted.representatives))
        table = fitted_table(_estimator(wanted.helper, classes), wanted.masks, wanted.utilities)
        return {"values": table.tolist()}

    def compare(self, request: Mapping[str, Any], outcome: Mapping[str, Any]) -> Gap | None:
        """The first value of a recorded fit that is more than 1e-6 from a fit made now.

        Parameters
        ----------
        request : mapping
            A `FitRequest` as JSON.
        outcome : mapping
            As recorded.

        Returns
        -------
        Gap or None
        """
        written, now = outcome.get("values"), self.perform(request)["values"]
        helper = request["helper"]
        if not isinstance(written, list) or len(written) != len(now):
            return Gap(f"outcome, the fit of {helper}", written, now)
        for mask, value, own in zip(mask_strings(len(request["masks"][0])), written, now, strict=True):
            if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value - own) <= CLOSE:
                return Gap(f"outcome, the fit of {helper} at {mask}", value, own)
        return None


def fitted_table(
    estimator: Estimator, masks: tuple[str, ...], utilities: tuple[float, ...]
) -> np.typing.NDArray[np.float64]:
    """What an estimator delivers on measurements: clipped to [0, 1], measured values in place; shape (2**d,)."""
    from whatworked.environments.effects.delivery import checked_predictions
    from whatworked.surfaces.masks import all_bits, mask_ranks

    d = len(masks[0])
    rows = np.array([[float(bit) for bit in mask] for mask in masks])
    values = np.array(utilities, dtype=np.float64)
    predicted = estimator.fit(rows, values).predict(all_bits(d).astype(np.float64))
    table = np.clip(checked_predictions(predicted, d), 0.0, 1.0)
    table[mask_ranks(masks, d)] = values
    return table


def _estimator(helper: str, classes: Equivalence | None) -> Estimator:
    from whatworked.controls import estimator

    return estimator(_METHODS[helper][0], classes)
