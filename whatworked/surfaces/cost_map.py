"""Maps between a metric in its own unit and a utility in [0, 1]."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from whatworked.arguments import shown
from whatworked.errors import InvalidOptionError
from whatworked.surfaces.masks import FloatArray

LARGEST_COST = 1e300
"""Size of a cost up to which the errors of all edges of a cube of 20 options can be added up; a larger one counts as
infinite."""


@dataclass(frozen=True)
class CostMap:
    """Utility of a cost: u = 1 / (1 + c / s), and back: c = s (1/u - 1).

    A cost of 0 has utility 1, a cost equal to the scale has utility 1/2, and utility falls towards 0 as the cost grows.

    Parameters
    ----------
    scale : float
        The cost s, in the unit of the metric, that has utility 1/2; finite and positive.

    Raises
    ------
    InvalidOptionError
        If `scale` is not a finite positive number.

    Examples
    --------
    >>> costs = CostMap(scale=2.0)
    >>> float(costs.to_utility(2.0)), float(costs.to_native(0.25))
    (0.5, 6.0)
    """

    scale: float

    def __post_init__(self) -> None:
        numeric = isinstance(self.scale, int | float | np.number) and not isinstance(self.scale, bool)
        if not numeric or not math.isfinite(self.scale) or self.scale <= 0:
            raise InvalidOptionError(f"scale of a cost map is {shown(self.scale)}; it must be a finite number above 0")
        object.__setattr__(self, "scale", float(self.scale))

    def to_utility(self, native: npt.ArrayLike) -> FloatArray:
        """Utility of costs.

        Parameters
        ----------
        native : array-like of float, any shape
            Costs of at least 0 in the unit of the scale; an infinite cost has utility 0.

        Returns
        -------
        ndarray of float64, the same shape
            In [0, 1].
        """
        return np.asarray(1.0 / (1.0 + np.asarray(native, dtype=np.float64) / self.scale), dtype=np.float64)

    def to_native(self, utility: npt.ArrayLike) -> FloatArray:
        """Cost of utilities.

        Parameters
        ----------
        utility : array-like of float, any shape
            In [0, 1]; utility 0 has an infinite cost.

        Returns
        -------
        ndarray of float64, the same shape
            In the unit of the scale; infinite where the cost is beyond the largest float.
        """
        values = np.asarray(utility, dtype=np.float64)
        # A utility of 0 divides by zero, and one near it overflows.
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(self.scale * (1.0 / values - 1.0), dtype=np.float64)
