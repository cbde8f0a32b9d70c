"""How something that was made again compares with what was there before: one vocabulary, one order of severity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum


class Verdict(StrEnum):
    """How one record compares with the same record made again, from the best case to the worst.

    Its value is the word that is printed and written to JSON. Each place that compares says what its tolerance is.
    """

    IDENTICAL = "identical"
    """Same in every field that is compared."""
    EQUAL = "equal"
    """Same up to rounding."""
    TIE_DEPENDENT = "tie-dependent"
    """Different, but a choice lay within rounding of a tie, and the record holds what follows from such choices."""
    DIFFERENT = "different"
    """None of the above."""
    MISSING = "missing"
    """On one side only."""
    FAILED = "failed"
    """It could not be made again."""

    @property
    def severity(self) -> int:
        """Position in the order, 0 for identical.

        Examples
        --------
        >>> Verdict.EQUAL.severity, Verdict("different").severity
        (1, 3)
        """
        return list(Verdict).index(self)

    @property
    def agrees(self) -> bool:
        """Whether two machines that follow the same rules may part so: identical, equal or tie-dependent.

        Examples
        --------
        >>> [verdict.value for verdict in Verdict if not verdict.agrees]
        ['different', 'missing', 'failed']
        """
        return self.severity < Verdict.DIFFERENT.severity


def count_verdicts(verdicts: Iterable[Verdict], always: Iterable[Verdict] = ()) -> dict[Verdict, int]:
    """How often each verdict was given, the best first.

    Parameters
    ----------
    verdicts : iterable of Verdict
        Those given.
    always : iterable of Verdict
        Those that are listed even if they were never given; others are then left out.

    Examples
    --------
    >>> given = [Verdict.FAILED, Verdict.EQUAL, Verdict.EQUAL]
    >>> in_words(count_verdicts(given, always=[Verdict.IDENTICAL]))
    '0 identical, 2 equal, 1 failed'
    """
    counts, listed = Counter(verdicts), set(always)
    return {verdict: counts[verdict] for verdict in Verdict if counts[verdict] or verdict in listed}


def in_words(counts: Mapping[Verdict, int]) -> str:
    """Counts by verdict as they are printed."""
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
