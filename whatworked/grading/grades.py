"""The grade of one prediction: a value object, its constants and its JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from whatworked.errors import InvalidOptionError

ZERO = 1e-12
"""Absolute errors up to this count as none."""
TOLERANCES = (0.025, 0.05, 0.1, 0.2, 0.4)
"""Shares of the truth's range at which the strict criterion is profiled."""
ENDPOINT = 0.1
"""Tolerance of the strict endpoint."""
NEAR_OPTIMAL = 0.02
"""Largest regret that counts as near-optimal."""


@dataclass(frozen=True)
class Grade:
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
    strict_profile : tuple of bool
        Strict criterion at the tolerances 0.025, 0.05, 0.1, 0.2 and 0.4.
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
    strict_profile: tuple[bool, ...]
    coverage: float | None
    effect_mae_unobserved: float | None
    effect_ratio_unobserved: float | None
    mean_absolute_effect: float
    utility_range: float
    native_effect_mae: float | None = None
    native_effect_recovery: float | None = None
    native_mean_absolute_effect: float | None = None
    native_unbounded: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The grade as plain JSON values.

        Returns
        -------
        dict of str to object
            By name; the profile is a mapping from tolerance (as text) to bool, what is undefined is None.
        """
        content = {name: getattr(self, name) for name in _FIELD_NAMES}
        content["strict_profile"] = {
            f"{t:g}": passed for t, passed in zip(TOLERANCES, self.strict_profile, strict=True)
        }
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
            If names are missing or unknown, or the profile is not one of `TOLERANCES`; it names them.
        """
        missing, unknown = set(_FIELD_NAMES) - set(content), set(content) - set(_FIELD_NAMES)
        profile, wanted = content.get("strict_profile"), [f"{t:g}" for t in TOLERANCES]
        if missing or unknown or not isinstance(profile, Mapping) or set(profile) != set(wanted):
            raise InvalidOptionError(
                f"not a grade: missing {sorted(missing) or 'nothing'}, unknown {sorted(unknown) or 'nothing'}, "
                f"strict_profile {profile!r} with the tolerances {wanted} expected; grade the predictions again"
            )
        return cls(**{**content, "strict_profile": tuple(profile[tolerance] for tolerance in wanted)})


_FIELD_NAMES = tuple(field.name for field in fields(Grade))


def recovery(error: float, scale: float) -> float:
    """R = max(0, 1 - E / A); for a surface without effects (A <= 1e-12), 1 if E <= 1e-12 and 0 otherwise."""
    if scale > ZERO:
        return max(0.0, 1.0 - error / scale)
    return 1.0 if error <= ZERO else 0.0
