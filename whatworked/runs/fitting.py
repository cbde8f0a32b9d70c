"""What an estimator delivers in a run, with its code under guard and time limit."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from whatworked.environments.effects.delivery import Delivery, complete, fit_and_predict
from whatworked.environments.effects.stating import StatedUncertainty, state
from whatworked.errors import PluginError
from whatworked.plugins.guard import Failure, encodable, guarded
from whatworked.protocols import Estimator
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.experience import Experience
from whatworked.surfaces.masks import FloatArray


@dataclass(frozen=True)
class Fit:
    """One fit: its delivery, or its failure.

    Attributes
    ----------
    delivery : Delivery or None
        The completed prediction.
    chosen : mapping of str to float
        Hyper-parameters, where the predictor states them as ``hyperparameters``.
    near_tie : bool
        Whether the predictor says that its choice of hyper-parameters lay within rounding of a tie.
    seconds : float
        Time of building, fitting and predicting; volatile.
    failure : Failure or None
        Why there is no delivery.
    warnings : Counter
        Categories of the warnings raised, and how often.
    stated : StatedUncertainty or None
        What the model states of its uncertainty.
    """

    delivery: Delivery | None
    chosen: Mapping[str, float] = field(default_factory=dict)
    near_tie: bool = False
    seconds: float = 0.0
    failure: Failure | None = None
    warnings: Counter[str] = field(default_factory=Counter)
    stated: StatedUncertainty | None = None


def fit(
    build: Callable[[], Estimator],
    utilities: FloatArray,
    bought: Sequence[int],
    equivalence: Equivalence | None = None,
    within: AbstractContextManager[None] | None = None,
    experience: Experience | None = None,
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
    experience : Experience or None
        Handed to an estimator that takes it, in a run with experience.
    """
    started = time.perf_counter()
    delivery: Delivery | None = None
    chosen: Mapping[str, float] = {}
    near_tie = False
    stated: StatedUncertainty | None = None
    with guarded("estimator") as outcome, within or nullcontext():
        fitted = fit_and_predict(build(), utilities, bought, experience)
        delivery = complete(*fitted, utilities, bought, equivalence)
        stated = state(fitted[0], delivery.predictions, delivery.known)
        chosen, near_tie = _hyperparameters(fitted[0]), bool(getattr(fitted[0], "near_tie", False))
    seconds = time.perf_counter() - started
    if outcome.failure is not None or delivery is None:
        return Fit(None, seconds=seconds, failure=outcome.failure, warnings=outcome.warnings)
    return Fit(delivery, chosen, near_tie, seconds, warnings=outcome.warnings, stated=stated)


def _hyperparameters(predictor: object) -> dict[str, float]:
    stated = getattr(predictor, "hyperparameters", None)
    if not isinstance(stated, Mapping):
        return {}
    chosen = {encodable(str(name)): float(value) for name, value in stated.items()}
    if wrong := [f"{name} = {value}" for name, value in chosen.items() if not math.isfinite(value)]:
        raise PluginError(f"hyperparameters must be finite numbers: {', '.join(wrong)}")
    return chosen
