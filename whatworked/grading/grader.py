"""Grading a prediction of a whole response surface against the truth.

With effect error e_i(z) = predicted minus true conditional effect, E = mean |e| and A = mean |true effect| over all
edges of the cube:

===================  ==========================================================================================
effect recovery      R = max(0, 1 - E / A); where A <= 1e-12, 1 if E <= 1e-12 and 0 otherwise
coverage split       c = share of edges with both ends observed, E_U = mean |e| over the others, Q_U = E_U / A;
                     observed edges have no error, so E = (1 - c) E_U
strict at t          max |e| <= max(1e-12, t * range of the truth); t = 0.1 is the endpoint
exact choice         regret of the selected mask <= 1e-12
===================  ==========================================================================================

Sums are exactly rounded (`math.fsum`), so a grade does not depend on the order of edges, on the machine or on how many
predictions are graded at once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from whatworked.arguments import is_several
from whatworked.errors import InvalidArtifactError, InvalidMaskError
from whatworked.grading.artifact import read_artifact
from whatworked.grading.grades import ENDPOINT, NEAR_OPTIMAL, TOLERANCES, ZERO, Grade, recovery, strict_profile
from whatworked.surfaces.cost_map import LARGEST_COST
from whatworked.surfaces.edges import DIRECT_LIMIT, edges, option_pairs
from whatworked.surfaces.keyed import rows_by_mask, values_by_mask
from whatworked.surfaces.masks import FloatArray, IntArray, mask_ranks, mask_string, real_numbers
from whatworked.surfaces.surface import ResponseSurface, check_surface, select

__all__ = ["Grade", "grade", "grade_many", "grade_missing"]

_CHUNK = 1 << 18
"""Numbers handled at once when many predictions are graded, so that memory does not grow with their count."""

_LARGEST = 1e150
"""Size of a prediction up to which no sum or difference of a cube's predictions overflows."""

BoolArray = npt.NDArray[np.bool_]
Observed = Iterable[int] | Iterable[str] | IntArray


def grade(truth: ResponseSurface, prediction: npt.ArrayLike | Mapping[str, float], observed: Observed) -> Grade:
    """Grade one prediction.

    With e the predicted minus the true conditional effect of an edge, E the mean size of e over all edges and A that of
    the true effects, the recovery is R = max(0, 1 - E / A); where A <= 1e-12 it is 1 if E <= 1e-12 and 0 otherwise. Of
    the edges, the share c has both ends observed and no error; E_U is the mean size of e over the others and Q_U = E_U
    / A, so that E = (1 - c) E_U. The strict criterion at tolerance t holds where no error is larger than max(1e-12, t *
    range of the truth).

    Parameters
    ----------
    truth : ResponseSurface
        The true surface.
    prediction : array-like of float, shape (2**d,), or mapping of str to float
        Predicted utility of every mask in canonical order, finite. It may lie outside [0, 1]: an error is an error
        of whatever size. A mapping from masks, or a pandas Series with masks as its index, is a submitted table, and is
        read as strictly as `whatworked.grading.read_artifact` reads one, so values outside [0, 1] are refused. Cells
        of observed masks are replaced by the truth.
    observed : iterable of int or of str
        Every measured mask, the anchors included, as ranks or as mask strings, in any order.

    Returns
    -------
    Grade

    Raises
    ------
    InvalidArtifactError
        If the prediction is not a table of the right size of finite numbers that a sum can hold (up to 1e150), or is a
        mapping that `read_artifact` refuses.
    InvalidMaskError
        If the observed masks are not iterable, or one is not of the cube.
    InvalidSurfaceError
        If the truth is not a response surface.

    Examples
    --------
    A choice can be exact while almost nothing is recovered:

    >>> truth = ResponseSurface(("A", "B"), [0.0, 0.0, 1.0, 0.0])
    >>> result = grade(truth, [0.0, 0.75, 1.0, 0.0], observed=["00", "11"])
    >>> result.exact, result.effect_recovery
    (True, 0.25)
    """
    check_surface(truth, "the truth")
    by_mask = _by_mask(prediction)
    table = _numbers(prediction) if by_mask is None else read_artifact(by_mask, truth.d)
    if table.shape != truth.utilities.shape:
        raise _misshapen(table, truth)
    return grade_many(truth, table[np.newaxis], [observed])[0]


def grade_many(
    truth: ResponseSurface, predictions: npt.ArrayLike | Sequence[Mapping[str, float]], observed: Sequence[Observed]
) -> tuple[Grade, ...]:
    """Grade many predictions of one surface; each grade equals that of `grade` on its own.

    Parameters
    ----------
    truth : ResponseSurface
        The true surface.
    predictions : array-like of float, shape (n, 2**d), or sequence of n mappings of str to float
        One prediction per row, each as in `grade`.
    observed : sequence of n iterables
        The measured masks of each prediction, as in `grade`.

    Returns
    -------
    tuple of Grade, length n

    Raises
    ------
    InvalidArtifactError, InvalidMaskError, InvalidSurfaceError
        As `grade`; the second also where there is not one set of observed masks for each prediction.
    """
    check_surface(truth, "the truth")
    tables = _tables(predictions, truth.d)
    _check_tables(tables, truth)
    seen = _seen(observed, tables.shape[0], truth.d)
    # What was measured is known: a player is graded on what it says of the rest, and cannot lose by a model that
    # smooths over its own measurements.
    np.copyto(tables, truth.utilities, where=seen)
    # d² 2**d bounds both the errors of the edges of a table and the signed cells of its pairs.
    step = max(1, _CHUNK // (truth.d * truth.d << truth.d))
    return tuple(
        itertools.chain.from_iterable(
            _grade_rows(truth, tables[start : start + step], seen[start : start + step])
            for start in range(0, len(tables), step)
        )
    )


def grade_missing(truth: ResponseSurface) -> Grade:
    """Grade of a prediction that was never delivered: recovery 0, not strict, not exact, raw errors undefined.

    It stays in every denominator of an average of recoveries, strict and exact counts.

    Parameters
    ----------
    truth : ResponseSurface
        The true surface.

    Returns
    -------
    Grade

    Raises
    ------
    InvalidSurfaceError
        If the truth is not a response surface.

    Examples
    --------
    >>> missing = grade_missing(ResponseSurface(("A",), [0.25, 0.5]))
    >>> missing.delivered, missing.effect_recovery, missing.effect_mae
    (False, 0.0, None)
    """
    check_surface(truth, "the truth")
    native = truth.native_reference
    return Grade(
        delivered=False,
        observed=None,
        effect_mae=None,
        effect_recovery=0.0,
        max_effect_error=None,
        interaction_mae=None,
        grid_mae=None,
        grid_mae_unobserved=None,
        selected=None,
        regret=None,
        exact=False,
        near_optimal=False,
        near_optimal_vacuous=truth.range < NEAR_OPTIMAL,
        strict=False,
        strict_profile=strict_profile([False] * len(TOLERANCES)),
        coverage=None,
        effect_mae_unobserved=None,
        effect_ratio_unobserved=None,
        mean_absolute_effect=truth.mean_absolute_effect,
        utility_range=truth.range,
        native_effect_mae=None,
        native_effect_recovery=None if native is None else 0.0,
        native_mean_absolute_effect=None if native is None else native.mean_absolute_effect,
    )


def _grade_rows(truth: ResponseSurface, tables: FloatArray, seen: BoolArray) -> list[Grade]:
    """Grade finite tables whose measured cells are in place already."""
    reference, cells = truth.reference, truth.utilities.size
    scale, spread = reference.mean_absolute_effect, truth.range
    totals, maxima = reference.effect_errors(tables)
    interactions = reference.interaction_errors(tables)
    grid = [math.fsum(row) for row in np.abs(tables - truth.utilities).tolist()]
    measured, covered = seen.sum(axis=1).tolist(), _covered_edges(seen, truth.d)
    selected = select(tables, truth.d)
    regrets = (truth.utilities.max() - truth.utilities[selected]).tolist()
    native = _native(truth, tables)
    # On a flat surface a share of the range is below rounding, so that even a right prediction would fail.
    limits = [max(ZERO, tolerance * spread) for tolerance in TOLERANCES]
    grades = []
    for row, rank in enumerate(selected.tolist()):
        hidden_edges, hidden_cells = reference.edge_count - covered[row], cells - measured[row]
        # Edges with both ends measured have no error, so the same total serves both means: E = (1 - c) E_U holds
        # exactly before rounding.
        hidden_error = totals[row] / hidden_edges if hidden_edges else None
        error = totals[row] / reference.edge_count
        grades.append(
            Grade(
                delivered=True,
                observed=measured[row],
                effect_mae=error,
                effect_recovery=recovery(error, scale),
                max_effect_error=maxima[row],
                interaction_mae=interactions[row],
                grid_mae=grid[row] / cells,
                grid_mae_unobserved=grid[row] / hidden_cells if hidden_cells else None,
                selected=mask_string(rank, truth.d),
                regret=regrets[row],
                exact=regrets[row] <= ZERO,
                near_optimal=regrets[row] <= NEAR_OPTIMAL,
                near_optimal_vacuous=spread < NEAR_OPTIMAL,
                strict=maxima[row] <= max(ZERO, ENDPOINT * spread),
                strict_profile=strict_profile(maxima[row] <= limit for limit in limits),
                coverage=covered[row] / reference.edge_count,
                effect_mae_unobserved=hidden_error,
                effect_ratio_unobserved=hidden_error / scale if hidden_error is not None and scale > ZERO else None,
                mean_absolute_effect=scale,
                utility_range=spread,
                **native[row],
            )
        )
    return grades


def _native(truth: ResponseSurface, tables: FloatArray) -> list[dict[str, Any]]:
    """The native-unit quantities of each table; empty where there is no utility map."""
    reference = truth.native_reference
    if reference is None or truth.utility_map is None:
        return [{}] * len(tables)
    # A prediction below 0 has no cost; it counts like 0, the least utility there is.
    costs = truth.utility_map.to_native(np.maximum(tables, 0.0))
    # Two infinite costs have no difference, and costs near the largest float have no sum. The rows are graded with
    # zeros in their place, and their error is then replaced by None.
    bounded = np.abs(costs) <= LARGEST_COST
    totals, _ = reference.effect_errors(np.where(bounded, costs, 0.0))
    scale = reference.mean_absolute_effect
    results = []
    for total, unbounded in zip(totals, (~bounded).sum(axis=1).tolist(), strict=True):
        error = None if unbounded else total / reference.edge_count
        results.append(
            {
                "native_effect_mae": error,
                "native_effect_recovery": 0.0 if error is None else recovery(error, scale),
                "native_mean_absolute_effect": scale,
                "native_unbounded": unbounded,
            }
        )
    return results


def _covered_edges(seen: BoolArray, d: int) -> list[int]:
    """Number of edges with both ends measured, for each row of `seen`."""
    if d <= DIRECT_LIMIT:
        starts, ends = edges(d)
        counts: list[int] = (seen.take(starts, axis=1) & seen.take(ends, axis=1)).sum(axis=1).tolist()
        return counts
    return [sum(_both(*option_pairs(row, d, option)) for option in range(d)) for row in seen]


def _both(left: BoolArray, right: BoolArray) -> int:
    return int(np.count_nonzero(left & right))


def _tables(predictions: npt.ArrayLike | Iterable[Mapping[str, float]], d: int) -> FloatArray:
    """A copy as floats, one row per prediction."""
    # What has a shape is an array; a generator, a deque or an array of objects is a row of predictions.
    rows: Any = _rows(predictions)
    if isinstance(rows, np.ndarray) and rows.dtype == object:
        rows = list(rows)
    if isinstance(rows, Iterable) and not hasattr(rows, "shape") and not isinstance(rows, str | bytes | Mapping):
        rows = list(rows)
    # A single mapping makes all of them submitted tables: a plain row among them is refused, not read by its order.
    if isinstance(rows, list):
        by_mask = [_by_mask(table) for table in rows]
        if any(table is not None for table in by_mask):
            given = zip(by_mask, rows, strict=True)
            return np.array([read_artifact(table if found is None else found, d) for found, table in given])
    return _numbers(rows)


def _rows(predictions: object) -> object:
    """The rows of a table with masks as its columns, such as a pandas DataFrame; anything else as it is."""
    try:
        rows = rows_by_mask(predictions)
    except ValueError as error:
        raise InvalidArtifactError(f"prediction table refused: its columns are {error}") from error
    return predictions if rows is None else rows


def _by_mask(prediction: object) -> Mapping[str, float] | None:
    """The prediction as a mapping, if its values go by masks: a mapping, or a pandas Series with masks as its index."""
    if hasattr(prediction, "columns"):
        raise InvalidArtifactError(
            f"prediction table refused: it is a {type(prediction).__name__}; give a row of it, or all of them to "
            "grade_many"
        )
    try:
        return values_by_mask(prediction)
    except ValueError as error:
        raise InvalidArtifactError(f"prediction table refused: it is {error}") from error


def _numbers(predictions: object) -> FloatArray:
    """A copy as floats."""
    try:
        return real_numbers(cast("npt.ArrayLike", predictions))
    except ValueError as error:
        raise InvalidArtifactError(
            f"predictions are {error}; give one real number for every mask, in canonical order, or a mapping from "
            "masks to numbers; whatworked.grading.read_artifact reads a JSON text"
        ) from error


def _check_tables(tables: FloatArray, truth: ResponseSurface) -> None:
    if tables.ndim != 2 or tables.shape[1] != truth.utilities.size:
        raise _misshapen(tables, truth)
    usable = np.abs(tables) <= _LARGEST
    if not usable.all():
        offenders = np.argwhere(~usable)
        row, rank = offenders[0].tolist()
        raise InvalidArtifactError(
            f"{len(offenders)} predictions are not finite or beyond {_LARGEST:g}, the first for mask "
            f"{mask_string(rank, truth.d)} in table {row}: {tables[row, rank]}; predict a utility for every mask"
        )


def _misshapen(given: FloatArray, truth: ResponseSurface) -> InvalidArtifactError:
    return InvalidArtifactError(
        f"predictions have {given.shape[-1] if given.ndim else 0} values in an array of shape {given.shape}; "
        f"{truth.name or 'the surface'} has {truth.utilities.size} masks, in canonical order"
    )


def _seen(observed: Sequence[Observed], count: int, d: int) -> BoolArray:
    """Which cells were measured, shape (n, 2**d)."""
    if isinstance(observed, Mapping) or not is_several(observed):
        raise InvalidMaskError(
            f"observed is {observed!s:.200}; give a sequence with the measured masks of each prediction"
        )
    observed = observed if isinstance(observed, Sequence | np.ndarray) else list(observed)
    if len(observed) != count:
        raise InvalidMaskError(f"{len(observed)} sets of observed masks for {count} predictions; give one for each")
    seen = np.zeros((count, 1 << d), dtype=np.bool_)
    for row, masks in zip(seen, observed, strict=True):
        row[_ranks(masks, d)] = True
    return seen


def _ranks(masks: Observed, d: int) -> IntArray | list[int]:
    if not is_several(masks):
        raise InvalidMaskError(
            f"observed masks are {masks!r:.200}; give a list of every measured mask, the anchors included"
        )
    if np.ma.is_masked(masks):
        raise InvalidMaskError(f"observed masks {masks!s:.200} are hidden in part; give every measured mask")
    given: Any = masks if isinstance(masks, list | tuple | np.ndarray) else list(masks)
    if len(given) and isinstance(given[0], str):
        return mask_ranks(given, d)
    try:
        ranks = np.asarray(given if len(given) else (), dtype=None if len(given) else np.int64)
    except ValueError:  # ragged
        ranks = np.empty((0, 0))
    # Of True among ranks numpy makes a 1.
    flags = not isinstance(given, np.ndarray) and any(isinstance(rank, bool | np.bool_) for rank in given)
    if (
        flags
        or ranks.ndim != 1
        or ranks.dtype.kind not in "iu"
        or (ranks.size and (ranks.min() < 0 or ranks.max() >= 1 << d))
    ):
        raise InvalidMaskError(
            f"observed masks {given!s:.200} are neither mask strings of length {d} nor ranks from 0 to "
            f"{(1 << d) - 1}; give one or the other for every measured mask"
        )
    return ranks
