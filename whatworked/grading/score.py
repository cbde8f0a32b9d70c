"""The score that summaries and comparisons are made of: one quantity of a grade, named in one place."""

from __future__ import annotations

from dataclasses import dataclass

from whatworked.grading.grades import Grade


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

    Examples
    --------
    >>> PRIMARY.quantity, PRIMARY.label, PRIMARY.phrase
    ('effect_recovery', 'recovery', 'effect recovery')
    """

    quantity: str
    label: str
    phrase: str

    @property
    def title(self) -> str:
        """The phrase with a capital letter."""
        return self.phrase[:1].upper() + self.phrase[1:]

    def of(self, grade: Grade) -> float:
        """The score of one grade.

        Parameters
        ----------
        grade : Grade
            Of a prediction or of a missing delivery; the quantity must be defined for both.

        Returns
        -------
        float
        """
        return float(getattr(grade, self.quantity))


PRIMARY = Score("effect_recovery", "recovery", "effect recovery")
"""What methods are compared by; a missing delivery has 0."""
