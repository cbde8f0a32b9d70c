"""What estimators and policies share: observations, candidates, classes, ties."""

from __future__ import annotations

from whatworked.methods.candidates import (
    Scores,
    candidates_of,
    check_scorable,
)
from whatworked.methods.classes import (
    ClassAwareEstimator,
)
from whatworked.methods.observations import (
    check_observations,
)

__all__ = ["ClassAwareEstimator", "Scores", "candidates_of", "check_observations", "check_scorable"]
