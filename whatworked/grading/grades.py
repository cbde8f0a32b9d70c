"""The grade of one prediction: a value object, its constants and its JSON form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from whatworked.errors import InvalidOptionError
from whatworked.grading.uncertainty import Uncertainty

ZERO = 1e-12
"""Absolute errors up to this count as none."""
TOLERANCES = (0.025, 0.05, 0.1, 0.2, 0.4)
"""Shares of the truth's range at which the strict criterion is profiled."""
PROFILE_KEYS = tuple(f"{tolerance:g}" for tolerance in TOLERANCES)
"""The tolerances as texts, which is how a grade names them."""
ENDPOINT = 0.1
"""Tolerance of the strict endpoint."""
NEAR_OPTIMAL = 0.02
"""Largest regret that counts as near-optimal."""


def strict_profile(passed: Iterable[bool]) -> dict[str, bool]:
    """Whether the strict criterion holds, by tolerance, for one answer per tolerance in `TOLERANCES`.

    Examples
    --------
    >>> strict_profile([False, False, True, True, True])
    {'0.025': False, '0.05': False, '0.1': True, '0.2': True, '0.4': True}
    """
    return dict(zip(PROFILE_KEYS, passed, strict=True))


class Grade(msgspec.Struct, frozen=True, kw_only=True):
    """Every graded quantity of one prediction. None means undefined.

    Attributes
    ----------
    delivered : bool
        Whether there was a prediction at all.
    observed : int or None
        Number of distinct measured masks, anchors included; like every raw error below, None for a missing delivery.
    effect_mae, effect_recovery : float
        E and R, see `whatworked.grade`.
    max_effect_error : float
        Size of the largest effect error.
    interaction_mae : float or None
        Mean absolute error of the mean pair interactions; None for d = 1, which has no pair.
    grid_mae, grid_mae_unobserved : float
        Mean absolute error over all cells, and over the unobserved ones (None if there are none).
    selected : str
        Mask of the largest predicted utility; ties go to fewer options on, then to the lexically smaller mask.
    regret : float
        Best utility minus the selected mask's.
    exact, near_optimal : bool
        Regret <= 1e-12, regret <= 0.02.
    near_optimal_vacuous : bool
        The whole range of the truth is below 0.02, so that every choice is near-optimal.
    strict : bool
        Strict criterion at tolerance 0.1.
    strict_profile : dict of str to bool
        Strict criterion at the tolerances ``"0.025"``, ``"0.05"``, ``"0.1"``, ``"0.2"`` and ``"0.4"``.
    coverage : float
        c, the share of edges with both ends observed.
    effect_mae_unobserved, effect_ratio_unobserved : float or None
        E_U and Q_U; None where every edge is observed, Q_U also where A <= 1e-12.
    mean_absolute_effect, utility_range : float
        A and the range of the truth.
    native_effect_mae, native_effect_recovery, native_mean_absolute_effect : float or None
        E, R and A with utilities turned back into the native cost, in its unit; None where there is no utility map. A
        prediction of utility 0 means an infinite cost: E is then undefined (None) and R is 0.
    native_unbounded : int
        Number of cells predicted to have infinite cost, or one above 1e300, which has no place in a sum.
    uncertainty : Uncertainty, optional
        Grades of stated uncertainty; absent where none was stated.
    """

    delivered: bool
    observed: int | None
    effect_mae: float | None
    effect_recovery: float
    max_effect_error: float | None
    interaction_mae: float | None
    grid_mae: float | None
    grid_mae_unobserved: float | None
    selected: str | None
    regret: float | None
    exact: bool
    near_optimal: bool
    near_optimal_vacuous: bool
    strict: bool
    strict_profile: dict[str, bool]
    coverage: float | None
    effect_mae_unobserved: float | None
    effect_ratio_unobserved: float | None
    mean_absolute_effect: float
    utility_range: float
    native_effect_mae: float | None = None
    native_effect_recovery: float | None = None
    native_mean_absolute_effect: float | None = None
    native_unbounded: int = 0
    uncertainty: Uncertainty | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        if tuple(sorted(self.strict_profile)) != PROFILE_KEYS:
            raise ValueError(
                f"strict_profile has the tolerances {sorted(self.strict_profile)}; expected {list(PROFILE_KEYS)}"
            )

    @property
    def unfloored_recovery(self) -> float:
        """1 - E / A without the floor at 0: negative where the errors are larger than the effects.

        A missing delivery has 0, like a prediction of no effect at all; a surface without effects has its recovery.
        """
        return _unfloored(self.effect_mae, self.mean_absolute_effect, self.effect_recovery)

    @property
    def native_unfloored_recovery(self) -> float | None:
        """The same in native units; None where there is no utility map, the recovery where the error is unbounded."""
        if self.native_effect_recovery is None or self.native_mean_absolute_effect is None:
            return None
        return _unfloored(self.native_effect_mae, self.native_mean_absolute_effect, self.native_effect_recovery)

    def to_dict(self) -> dict[str, Any]:
        """The grade as plain JSON values.

        Returns
        -------
        dict of str to object
            By name; the profile is a mapping from tolerance (as text) to bool, what is undefined is None.
        """
        content: dict[str, Any] = msgspec.to_builtins(self)
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Grade:
        """The grade that `to_dict` wrote.

        Parameters
        ----------
        content : mapping
            What `to_dict` returned.

        Returns
        -------
        Grade

        Raises
        ------
        InvalidOptionError
            If names are missing or unknown, a value is of another type, or the profile is not one of `TOLERANCES`; it
            says which.
        """
        unknown = sorted(set(content) - set(cls.__struct_fields__))
        missing = sorted(set(cls.__struct_fields__) - set(content) - {"uncertainty"})
        try:
            if missing or unknown:
                raise ValueError(f"missing {missing or 'nothing'}, unknown {unknown or 'nothing'}")
            return msgspec.convert(dict(content), cls)
        except (ValueError, msgspec.ValidationError) as error:
            raise InvalidOptionError(f"not a grade: {error}; grade the predictions again") from error


def recovery(error: float, scale: float) -> float:
    """R = max(0, 1 - E / A); for a surface without effects (A <= 1e-12), 1 if E <= 1e-12 and 0 otherwise."""
    if scale > ZERO:
        return max(0.0, 1.0 - error / scale)
    return 1.0 if error <= ZERO else 0.0


def _unfloored(error: float | None, scale: float, floored: float) -> float:
    return floored if error is None or scale <= ZERO else 1.0 - error / scale
