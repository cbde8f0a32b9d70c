"""Ridge regression on main effects, or main effects and pair interactions, with the penalty chosen by leave-one-out.

A fit is linear in the utilities, so everything that depends only on the measured masks is worked out once per set of
masks (`Smoother`) and kept: many sources, seeds and budgets share it.

With Q an orthonormal basis of the vectors that sum to zero, QᵀX = U S Vᵀ and W = Q U, the shrinkage left over is
w_k = alpha / (s_k² + alpha), the residual of the fit is W diag(w) Wᵀ y and its leave-one-out residual at i is that
divided by sum_k W_ik² w_k. This is the leave-one-out formula of linear smoothers (Hastie, Tibshirani, Friedman, "The
Elements of Statistical Learning", 2nd ed., section 7.10) without its cancellation of 1 - h_ii.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from whatworked.arguments import shown
from whatworked.errors import InvalidMaskError, InvalidOptionError
from whatworked.methods.observations import check_observations
from whatworked.methods.ties import Choice, choose
from whatworked.surfaces.edges import pairs
from whatworked.surfaces.masks import BitArray, FloatArray, bits_of

ALPHAS = (10.0, 1.0, 0.1, 1e-3, 1e-5)
"""Penalties to choose from, in order of preference when their losses tie."""
DECIMALS = 14
"""Decimals of the leave-one-out loss that count."""
_EPSILON = float(np.finfo(np.float64).eps)


def check_degree(degree: object) -> None:
    """Refuse a degree other than 1 and 2 with an `InvalidOptionError`."""
    if not isinstance(degree, int | float | np.number) or degree not in (1, 2):
        raise InvalidOptionError(
            f"degree of a ridge is {shown(degree)}; allowed are 1 (main effects) and 2 (and pairs)"
        )


def features(bits: npt.ArrayLike, degree: int) -> FloatArray:
    """Features x_i = 2 z_i - 1, and for degree 2 also x_i x_j in combinations order.

    Parameters
    ----------
    bits : array-like of 0 and 1, shape (m, d)
        Masks.
    degree : int
        1 or 2.

    Returns
    -------
    ndarray of float64, shape (m, d) or (m, d + d (d-1) / 2)

    Raises
    ------
    InvalidOptionError
        For another degree.
    InvalidMaskError
        For what is no rows of numbers.

    Examples
    --------
    >>> features([[0, 1]], degree=2).tolist()
    [[-1.0, 1.0, -1.0]]
    """
    check_degree(degree)
    try:
        rows = np.asarray(bits, dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.ndim != 2:
        raise InvalidMaskError(f"masks are {shown(bits)}; give one row of bits 0 or 1 for each")
    x = 2.0 * rows - 1.0
    if degree == 1 or x.shape[1] == 1:
        return x
    left, right = np.array(pairs(x.shape[1])).T
    return np.hstack([x, x[:, left] * x[:, right]])


class Smoother:
    """All of a ridge fit that depends on the measured masks alone.

    Parameters
    ----------
    d : int
        Number of options.
    ranks : tuple of int
        Measured masks, n >= 1 of them.
    degree : int
        1 or 2.
    """

    def __init__(self, d: int, ranks: tuple[int, ...], degree: int) -> None:
        self.degree = degree
        self.X = features(bits_of(ranks, d), degree)
        # Contrasts leave the mean out from the start, so that neither features nor utilities have to be centred by a
        # subtraction that rounds.
        n, self.center = len(ranks), self.X.mean(axis=0)
        basis = _contrasts(n)
        left, self._singular, self._right = np.linalg.svd(basis.T @ self.X)
        self._weights = basis @ left
        # Directions that no feature reaches have s = 0 and w = 1: what lies along them stays in the residual.
        squares = np.zeros(n - 1)
        squares[: self._singular.size] = self._singular**2
        alphas = np.array(ALPHAS)[:, np.newaxis]
        self._shrinkage = alphas / (squares + alphas)
        # 1 - h_ii as a sum of positive terms. With as many features as masks h_ii is nearly 1, and the difference would
        # have no digit left.
        self._complement = self._shrinkage @ (self._weights**2).T
        self._worst = _EPSILON / self._complement.min(axis=1) if n > 1 else np.zeros(len(ALPHAS))

    def losses(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean squared leave-one-out residual of each penalty in `ALPHAS`, and a bound on its rounding error.

        Parameters
        ----------
        values : ndarray of float64, shape (n,)
            Utilities of the measured masks.

        Returns
        -------
        losses, noise : ndarray of float64, shape (5,)
            Zero for a single mask, which leaves nothing to predict from.
        """
        if len(values) == 1:
            return np.zeros(len(ALPHAS)), np.zeros(len(ALPHAS))
        projected = values @ self._weights
        residuals = (self._shrinkage * projected) @ self._weights.T / self._complement
        losses = (residuals**2).mean(axis=1)
        # The residual carries an absolute error of eps * |y|, which the division by the complement blows up.
        noise = 8.0 * self._worst * np.linalg.norm(projected) * np.sqrt(losses)
        return losses, noise

    def coefficients(self, values: FloatArray, alpha: float) -> FloatArray:
        """Coefficients of the features, shape (p,)."""
        rank = self._singular.size
        shrunk = self._singular / (self._singular**2 + alpha) * (values @ self._weights[:, :rank])
        return np.asarray(shrunk @ self._right[:rank], dtype=np.float64)

    def deciding_losses(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The losses that the penalty is chosen by, and a bound on their rounding error; both of shape (5,).

        Where rounding of the closed form could change the choice, the models are refitted without each mask in turn,
        and those losses decide.
        """
        losses, noise = self.losses(values)
        if not choose(-losses, DECIMALS, noise).near_tie:
            return losses, noise
        exact = self.refitted_losses(values)
        # The two routes differ by rounding alone, so their difference measures it.
        return exact, np.abs(exact - losses) + 4.0 * _EPSILON * exact

    def choose(self, values: FloatArray) -> Choice:
        """Position in `ALPHAS` of the penalty of least leave-one-out loss, losses rounded to 14 decimals."""
        losses, noise = self.deciding_losses(values)
        return choose(-losses, DECIMALS, noise)

    def model(self, values: FloatArray, choice: Choice) -> RidgeModel:
        """The ridge with the penalty at a position in `ALPHAS`."""
        alpha = ALPHAS[choice.index]
        return RidgeModel(
            degree=self.degree,
            alpha=alpha,
            near_tie=choice.near_tie,
            intercept=float(values.mean()),
            center=self.center,
            coefficients=self.coefficients(values, alpha),
        )

    def refitted_losses(self, values: FloatArray) -> FloatArray:
        """The losses by definition: one refit per mask and penalty, means recomputed; shape (5,)."""
        n = len(values)
        squares = np.zeros((len(ALPHAS), n))
        for left_out in range(n):
            kept = np.arange(n) != left_out
            # Means without the mask left out: taken over all masks they would know its value.
            center, mean = self.X[kept].mean(axis=0), values[kept].mean()
            centered = self.X[kept] - center
            gram, moment = centered.T @ centered, centered.T @ (values[kept] - mean)
            for position, alpha in enumerate(ALPHAS):
                fitted = np.linalg.solve(gram + alpha * np.eye(len(gram)), moment)
                predicted = mean + (self.X[left_out] - center) @ fitted
                squares[position, left_out] = (values[left_out] - predicted) ** 2
        return np.asarray(squares.mean(axis=1), dtype=np.float64)


@lru_cache(maxsize=1024)
def smoother(d: int, ranks: tuple[int, ...], degree: int) -> Smoother:
    """The smoother of a set of measured masks; the same object for the same masks."""
    return Smoother(d, ranks, degree)


@dataclass(frozen=True, eq=False)
class RidgeModel:
    """A fitted ridge.

    Attributes
    ----------
    degree : int
        1 or 2.
    alpha : float
        The chosen penalty.
    near_tie : bool
        Whether the choice lay within rounding of a tie.
    intercept : float
        Mean of the measured utilities.
    center, coefficients : ndarray of float64, shape (p,)
        Means of the features over the measured masks, and their coefficients.
    """

    degree: int
    alpha: float
    near_tie: bool
    intercept: float
    center: FloatArray
    coefficients: FloatArray

    def predict(self, masks: BitArray) -> FloatArray:
        """Predicted utility of each mask, not clipped; shape (m, d) -> (m,)."""
        X = features(masks, self.degree)
        if X.shape[1] != len(self.center):
            raise InvalidMaskError(
                f"masks of shape {np.shape(masks)} are not of the options that the model was fitted to"
            )
        return np.asarray(self.intercept + (X - self.center) @ self.coefficients, dtype=np.float64)

    @cached_property
    def hyperparameters(self) -> dict[str, float]:
        """Hyper-parameters as a record keeps them."""
        return {"alpha": self.alpha}


@dataclass(frozen=True)
class RidgeEstimator:
    """Ridge on ±1 features with an unpenalised intercept; the penalty is chosen by leave-one-out.

    Features are x_i = 2 z_i - 1 and, for degree 2, the products of two of them. The penalty is one of 1e-5, 1e-3, 0.1,
    1 and 10; losses are compared at 14 decimals, ties go to the larger one (leave-one-out of a linear smoother: Hastie,
    Tibshirani, Friedman, "The Elements of Statistical Learning", 2nd ed., section 7.10).

    Parameters
    ----------
    degree : int
        1: main effects; 2: main effects and pair interactions.

    Raises
    ------
    InvalidOptionError
        For another degree.

    Examples
    --------
    >>> model = RidgeEstimator(degree=1).fit([[0, 0], [1, 1], [1, 0]], [0.0, 1.0, 0.5])
    >>> model.hyperparameters, model.predict([[0, 1]]).round(3).tolist()
    ({'alpha': 1e-05}, [0.5])
    """

    degree: int = 2

    def __post_init__(self) -> None:
        features(np.zeros((1, 1)), self.degree)

    def fit(self, masks: BitArray, utilities: FloatArray) -> RidgeModel:
        """Fit to the measured masks.

        Parameters
        ----------
        masks : array-like of 0 and 1, shape (n, d)
            Distinct measured masks, n >= 1, d from 1 to 20.
        utilities : array-like of float, shape (n,)
            Their utilities, finite.

        Returns
        -------
        RidgeModel
            With `predict`, which does not clip, and the chosen `hyperparameters`.

        Raises
        ------
        InvalidMaskError
            If there is no mask, a row is not a mask, or a mask appears twice.
        InvalidSurfaceError
            If there is not one finite utility for each mask.
        """
        d, ranks, values = check_observations(masks, utilities)
        return fit_ridge(d, ranks.tolist(), values, self.degree)


def fit_ridge(d: int, ranks: Sequence[int], values: FloatArray, degree: int) -> RidgeModel:
    """Fit to masks given by rank; arguments are not checked."""
    shared = smoother(d, tuple(ranks), degree)
    return shared.model(values, shared.choose(values))


def _contrasts(n: int) -> FloatArray:
    """Orthonormal basis of the vectors of length n that sum to zero (Helmert contrasts), shape (n, n - 1)."""
    order = np.arange(1, n)
    basis = np.triu(np.ones((n, n - 1)))
    basis[order, order - 1] = -order
    return np.asarray(basis / np.sqrt(order * (order + 1.0)), dtype=np.float64)
