"""The methods of this package by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from whatworked.controls.methods import Control
from whatworked.inference.estimator import RelevanceEstimator
from whatworked.inference.experienced import ExperiencedRelevanceEstimator
from whatworked.inference.policy import RelevancePolicy
from whatworked.methods.classes import ClassAwareEstimator
from whatworked.protocols import Estimator, Policy
from whatworked.surfaces.equivalence import Equivalence


def class_relevance_gp(equivalence: Equivalence | None = None) -> Estimator:
    """The relevance-averaged process on code-equivalence classes."""
    return ClassAwareEstimator(RelevanceEstimator(), equivalence)


def class_experienced_gp(equivalence: Equivalence | None = None) -> Estimator:
    """The relevance-averaged process with experience, on code-equivalence classes."""
    return ClassAwareEstimator(ExperiencedRelevanceEstimator(), equivalence)


ESTIMATORS: Mapping[str, Callable[..., Estimator]] = MappingProxyType(
    {
        "relevance-gp": RelevanceEstimator,
        "class-relevance-gp": class_relevance_gp,
        "experienced-gp": ExperiencedRelevanceEstimator,
        "class-experienced-gp": class_experienced_gp,
    }
)
"""Factories of the estimators; ``class-…`` takes an `equivalence`."""

POLICIES: Mapping[str, Callable[..., Policy]] = MappingProxyType(
    {
        "relevance-effect": partial(RelevancePolicy, score="variance"),
        "relevance-lookahead": partial(RelevancePolicy, score="lookahead"),
        "class-relevance-effect": partial(RelevancePolicy, score="variance", class_aware=True),
        "class-relevance-lookahead": partial(RelevancePolicy, score="lookahead", class_aware=True),
        "experienced-lookahead": partial(RelevancePolicy, score="lookahead", experienced=True),
        "class-experienced-lookahead": partial(RelevancePolicy, score="lookahead", class_aware=True, experienced=True),
    }
)
"""Factories of the policies; ``class-…`` read the state's classes."""

METHODS: Mapping[str, Control] = MappingProxyType(
    {
        control.label: control
        for control in (
            Control("RGP", "relevance-gp", "relevance-lookahead", sequential=True),
            Control("CRGP", "class-relevance-gp", "class-relevance-lookahead", class_aware=True, sequential=True),
            Control("ERGP", "experienced-gp", "experienced-lookahead", sequential=True),
            Control("CERGP", "class-experienced-gp", "class-experienced-lookahead", class_aware=True, sequential=True),
        )
    }
)
"""Pairs of an estimator and a policy that belong together."""
