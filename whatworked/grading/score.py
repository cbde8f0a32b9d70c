"""The scores that summaries and comparisons are made of: quantities of a grade, each named in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from whatworked.errors import unknown_name
from whatworked.grading.grades import PROFILE_KEYS, Grade
from whatworked.grading.uncertainty import SHARPNESS_RATE, Uncertainty, flat

_PROFILE = "strict_"
_STATED = tuple(flat(Uncertainty()))
"""Quantities of stated uncertainty."""


@dataclass(frozen=True)
class Score:
    """A quantity of a grade that is averaged over records and compared between methods.

    Attributes
    ----------
    quantity : str
        Its name in a grade.
    label : str
        Its name in results and in the heads of tables.
    phrase : str
        Its name in titles.
    larger_is_better : bool
        Whether more of it is better; of an error, less is.

    Examples
    --------
    >>> PRIMARY.quantity, PRIMARY.label, PRIMARY.phrase
    ('effect_recovery', 'recovery', 'effect recovery')
    """

    quantity: str
    label: str
    phrase: str
    larger_is_better: bool = True

    @property
    def digits(self) -> int:
        """Decimals that are shown of it. Shares have three; errors, which are much smaller, four."""
        return 3 if self.larger_is_better else 4

    @property
    def title(self) -> str:
        """The phrase with a capital letter."""
        return self.phrase[:1].upper() + self.phrase[1:]

    def of(self, grade: Grade) -> float | None:
        """The score of one grade.

        Parameters
        ----------
        grade : Grade
            Of a prediction or of a missing delivery.

        Returns
        -------
        float or None
            None where the grade has no such quantity: a missing delivery has no errors, a surface without a native
            unit no native ones.
        """
        tolerance = self.quantity.removeprefix(_PROFILE)
        if self.quantity.startswith(_PROFILE) and tolerance in PROFILE_KEYS:
            return float(grade.strict_profile[tolerance])
        if self.quantity in _STATED:
            stated = grade.uncertainty
            value = None if isinstance(stated, msgspec.UnsetType) else flat(stated)[self.quantity]
        else:
            value = getattr(grade, self.quantity)
        return None if value is None else float(value)

    def gain(self, difference: float) -> float:
        """A difference of this score as a gain: positive where it is for the better.

        Parameters
        ----------
        difference : float
            Of two scores.

        Returns
        -------
        float
        """
        return difference if self.larger_is_better else -difference


PRIMARY = Score("effect_recovery", "recovery", "effect recovery")
"""What methods are compared by; a missing delivery has 0."""

UNFLOORED = Score("unfloored_recovery", "unfloored", "effect recovery without its floor at 0")
"""The same without its floor; shown beside it, since the floor hides differences where little is recovered."""


def _errors() -> list[Score]:
    phrases = {
        "effect_mae": ("effect MAE", "mean absolute error of the effects"),
        "max_effect_error": ("max error", "largest effect error"),
        "interaction_mae": ("interaction MAE", "mean absolute error of the mean pair interactions"),
        "grid_mae": ("grid MAE", "mean absolute error of the cells"),
        "grid_mae_unobserved": ("unobserved grid MAE", "mean absolute error of the unobserved cells"),
        "regret": ("regret", "regret of the selected mask"),
        "effect_mae_unobserved": ("unobserved effect MAE", "mean absolute error of the effects not observed whole"),
        "effect_ratio_unobserved": ("unobserved ratio", "error of the effects not observed whole over the mean effect"),
        "native_effect_mae": ("native effect MAE", "mean absolute effect error in each source's own unit"),
    }
    return [Score(name, label, phrase, False) for name, (label, phrase) in phrases.items()]


def _stated() -> list[Score]:
    """Of stated uncertainty. Coverage is none: what is stated is best, neither less nor more."""
    found = []
    for prefix, of in (("", "effects"), ("cell_", "cells")):
        word = prefix.replace("_", " ")
        found += [
            Score(f"{prefix}log_score", f"{word}log score", f"negative log score of the {of} not known", False),
            Score(f"{prefix}crps", f"{word}CRPS", f"CRPS of the {of} not known", False),
            Score(
                f"{prefix}sharpness",
                f"{word}sharpness",
                f"width of the {SHARPNESS_RATE:.0%} intervals of the {of} not known",
                False,
            ),
        ]
    return found


SCORES: Mapping[str, Score] = {
    score.quantity: score
    for score in (
        PRIMARY,
        UNFLOORED,
        *_errors(),
        Score("exact", "exact", "share of exact choices"),
        Score("near_optimal", "near-optimal", "share of near-optimal choices"),
        Score("strict", "strict", "share of strict diagnoses"),
        *(
            Score(f"{_PROFILE}{key}", f"strict {key}", f"share of strict diagnoses at tolerance {key}")
            for key in PROFILE_KEYS
        ),
        Score("coverage", "coverage", "share of effects observed whole"),
        Score("native_effect_recovery", "native recovery", "effect recovery in native units"),
        *_stated(),
        Score("native_unfloored_recovery", "native unfloored", "effect recovery in native units without its floor"),
    )
}
"""Every quantity that methods can be compared by, by its name in a grade."""


def score_named(name: str | Score) -> Score:
    """The score of a name.

    Parameters
    ----------
    name : str or Score
        A quantity of a grade or its label, with ``-``, ``_`` or spaces; a score is returned as it is.

    Returns
    -------
    Score

    Raises
    ------
    UnknownNameError
        If there is none of that name; it names those that there are.

    Examples
    --------
    >>> score_named("effect-mae").label, score_named("recovery").quantity
    ('effect MAE', 'effect_recovery')
    """
    if isinstance(name, Score):
        return name
    known = {_plain(key): score for score in SCORES.values() for key in (score.label, score.quantity)}
    found = known.get(_plain(name)) if isinstance(name, str) else None
    if found is None:
        raise unknown_name("metric", name, SCORES)
    return found


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_").replace(" ", "_")
