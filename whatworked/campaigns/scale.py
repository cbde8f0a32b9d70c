"""From measured values to utilities in [0, 1] and back: a monotone map that the report states and undoes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from whatworked.arguments import shown
from whatworked.errors import InvalidOptionError
from whatworked.surfaces.masks import FloatArray

Direction = Literal["maximize", "minimize"]
Form = Literal["linear", "log"]


@dataclass(frozen=True)
class Scale:
    """How values are to be read.

    Attributes
    ----------
    direction : {"maximize", "minimize"}
        Which values are good.
    form : {"linear", "log"}
        Whether effects add up on the values, or on their logarithms (for losses and durations that differ by factors).
    limits : tuple of (float, float), or None
        Smallest and largest possible value; None: the measured ones.
    """

    direction: Direction = "maximize"
    form: Form = "linear"
    limits: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.direction not in get_args(Direction):
            raise InvalidOptionError(f"direction is {shown(self.direction)}; allowed are maximize and minimize")
        if self.form not in get_args(Form):
            raise InvalidOptionError(f"scale is {shown(self.form)}; allowed are linear and log")
        if self.limits is not None:
            try:
                low, high = map(float, self.limits)
            except (TypeError, ValueError):
                low = high = math.nan
            least = 0.0 if self.form == "log" else -math.inf
            if not least < low < high < math.inf:
                above = " above 0" if self.form == "log" else ""
                raise InvalidOptionError(
                    f"range is {shown(self.limits)}; give two numbers{above}, the smaller first, as in 0.01, 1"
                )
            object.__setattr__(self, "limits", (low, high))

    def refusal(self, value: float) -> str:
        """Why a value is no result; empty if it is one."""
        if not math.isfinite(value):
            return f"the result is {value}, which is no finite number"
        if self.form == "log" and value <= 0.0:
            return f"the result is {value:g}, which has no logarithm"
        if self.limits is not None and not self.limits[0] <= value <= self.limits[1]:
            return f"the result {value:g} is outside the stated range {self.limits[0]:g} to {self.limits[1]:g}"
        return ""

    def fitted(self, values: FloatArray) -> UnitMap:
        """The map for measured values, shape (n,), n >= 1."""
        low, high = self.limits or (float(values.min()), float(values.max()))
        return UnitMap(self, low, high if high > low else low * 2.0 if self.form == "log" else low + 1.0)


@dataclass(frozen=True)
class UnitMap:
    """Values to utilities: `low` and `high` go to 0 and 1, or to 1 and 0 where small values are good.

    Attributes
    ----------
    scale : Scale
        How values are read.
    low, high : float
        The ends, in the value's units.
    """

    scale: Scale
    low: float
    high: float

    @property
    def _ends(self) -> tuple[float, float]:
        low, high = self._bent(np.array([self.low, self.high])).tolist()
        return (high, low) if self.scale.direction == "minimize" else (low, high)

    def _bent(self, values: FloatArray) -> FloatArray:
        return np.log(values) if self.scale.form == "log" else values

    def utilities(self, values: FloatArray) -> FloatArray:
        """Utilities of values, any shape."""
        worst, best = self._ends
        return np.asarray((self._bent(values) - worst) / (best - worst))

    def utility_sd(self, sd: float) -> float:
        """A standard deviation of the value, or of its natural logarithm (log), in utilities."""
        worst, best = self._ends
        return sd / abs(best - worst)

    def values(self, utilities: FloatArray) -> FloatArray:
        """Values of utilities, any shape; held to the stated range, if one was stated."""
        worst, best = self._ends
        held = utilities if self.scale.limits is None else np.clip(utilities, 0.0, 1.0)
        bent = worst + held * (best - worst)
        return np.asarray(np.exp(bent) if self.scale.form == "log" else bent)

    def changes(self, differences: FloatArray) -> FloatArray:
        """Differences of utilities as changes of the value: what is added to it, or the factor on it (log)."""
        worst, best = self._ends
        bent = differences * (best - worst)
        return np.asarray(np.exp(bent) if self.scale.form == "log" else bent)

    def change_text(self, difference: float) -> str:
        """A difference of utilities as a change of the value."""
        change = float(self.changes(np.array(difference)))
        return f"×{change:.4g}" if self.scale.form == "log" else f"{change:+.4g}"

    def sentence(self) -> str:
        """The map in words."""
        source = "stated" if self.scale.limits is not None else "measured"
        good, ends = ("small", "1 and 0") if self.scale.direction == "minimize" else ("large", "0 and 1")
        what = "the logarithm of the value" if self.scale.form == "log" else "the value"
        undone = "factors on the value" if self.scale.form == "log" else "units of the value"
        return (
            f"{good.capitalize()} values are good. The model sees {what}, mapped in a straight line so that the "
            f"{source} ends {self.low:g} and {self.high:g} become {ends}; what is shown here is in {undone} again."
        )
