"""What a fitted model states of its uncertainty, asked for without showing it any truth.

A model states uncertainty by having `effect_distribution`, `effect_interval` or `effect_std`, and likewise
`predict_distribution`, `predict_interval` or `predict_std` for cells; the first that it has counts. A model without any
of the first three states none, and is not asked: names of the other three are used for other things, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whatworked.errors import InvalidOptionError, PluginError
from whatworked.grading.uncertainty import LEVELS, Distribution, Intervals, Stated, Uncertainty, calibration
from whatworked.surfaces.edges import edges
from whatworked.surfaces.masks import FloatArray, IntArray, bits_of

MOST_OPTIONS = 10
"""Options up to which uncertainty is graded: the effects of a cube of ten are 5,120."""


@dataclass(frozen=True, eq=False)
class StatedUncertainty:
    """What was stated of the effects and cells that are not known.

    Attributes
    ----------
    effects, cells : Distribution, Intervals or None
        None where nothing was stated, or nothing is left to state.
    """

    effects: Stated | None
    cells: Stated | None


def states_uncertainty(model: object) -> bool:
    """Whether a model states its uncertainty."""
    return any(callable(getattr(model, f"effect_{kind}", None)) for kind in ("distribution", "interval", "std"))


def state(model: object, predictions: FloatArray, known: IntArray) -> StatedUncertainty | None:
    """Ask a model for its uncertainty about everything that is not known.

    Parameters
    ----------
    model : object
        What an estimator's `fit` returned.
    predictions : ndarray of float64, shape (2**d,)
        Its predictions, for normal distributions about them.
    known : ndarray of int64
        Ranks whose value is known.

    Returns
    -------
    StatedUncertainty or None
        None if it states none.

    Raises
    ------
    PluginError
        If what it states has another shape, or numbers that are not allowed.
    """
    d = predictions.size.bit_length() - 1
    if d > MOST_OPTIONS or not states_uncertainty(model):
        return None
    off, on, cells = unknown(d, known)
    effects = predictions[on] - predictions[off]
    ends = [bits_of(ranks, d).astype(np.float64) for ranks in (off, on)]
    return StatedUncertainty(
        _stated(model, "effect", ends, effects), _stated(model, "predict", [_bits(cells, d)], predictions[cells])
    )


def grade_uncertainty(stated: StatedUncertainty, truth: FloatArray, known: IntArray) -> Uncertainty:
    """Grade what was stated against the truth.

    Parameters
    ----------
    stated : StatedUncertainty
        From `state`, with the same known masks.
    truth : ndarray of float64, shape (2**d,)
        True utilities.
    known : ndarray of int64
        Ranks whose value is known.

    Returns
    -------
    Uncertainty
    """
    off, on, cells = unknown(truth.size.bit_length() - 1, known)
    return Uncertainty(
        effects=calibration(stated.effects, truth[on] - truth[off]), cells=calibration(stated.cells, truth[cells])
    )


def unknown(d: int, known: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """What there is to be unsure about: effects not between two known cells, and cells that are not known.

    Parameters
    ----------
    d : int
        Number of options.
    known : ndarray of int64
        Ranks whose value is known.

    Returns
    -------
    (ndarray of int64, ndarray of int64, ndarray of int64)
        Ranks before and after of the effects, and of the cells.
    """
    is_known = np.zeros(1 << d, dtype=bool)
    is_known[known] = True
    off, on = edges(d)
    open_edges = ~(is_known[off] & is_known[on])
    return off[open_edges], on[open_edges], np.flatnonzero(~is_known).astype(np.int64)


def _bits(ranks: IntArray, d: int) -> FloatArray:
    return bits_of(ranks, d).astype(np.float64)


def _stated(model: object, what: str, rows: Sequence[FloatArray], centres: FloatArray) -> Stated | None:
    if not centres.size:
        return None
    ask: Callable[..., Any] | None
    if callable(ask := getattr(model, f"{what}_distribution", None)):
        return _distribution(f"{what}_distribution", ask(*rows), centres.size)
    if callable(ask := getattr(model, f"{what}_interval", None)):
        ends = {level: _ends(f"{what}_interval", ask(*rows, level), centres.size) for level in LEVELS}
        return Intervals(ends)
    if callable(ask := getattr(model, f"{what}_std", None)):
        widths = _numbers(f"{what}_std", ask(*rows), centres.size)
        return _built(f"{what}_std", lambda: Distribution.normal(centres, widths))
    return None


def _distribution(name: str, given: object, count: int) -> Distribution:
    if not isinstance(given, Distribution):
        raise PluginError(f"{name} returned {type(given).__name__}; expected whatworked.grading.Distribution")
    if given.centres.shape[1] != count:
        raise PluginError(f"{name} returned distributions of {given.centres.shape[1]} quantities; expected {count}")
    return given


def _built(name: str, build: Callable[[], Distribution]) -> Distribution:
    try:
        return build()
    except InvalidOptionError as error:
        raise PluginError(f"{name}: {error}") from error


def _ends(name: str, given: Any, count: int) -> tuple[FloatArray, FloatArray]:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise PluginError(f"{name} returned {type(given).__name__}; expected two arrays, lower and upper ends")
    low, high = (_numbers(name, end, count) for end in given)
    if (low > high).any():
        raise PluginError(f"{name} returned lower ends above upper ones")
    return low, high


def _numbers(name: str, given: object, count: int) -> FloatArray:
    numbers = np.asarray(given)
    if numbers.shape != (count,) or numbers.dtype.kind not in "fiu" or np.isnan(numbers).any():
        raise PluginError(
            f"{name} returned an array of shape {numbers.shape} and type {numbers.dtype}; expected ({count},) numbers"
        )
    return numbers.astype(np.float64)
