"""Estimators and policies that average Gaussian processes over the relevance of each option."""

from __future__ import annotations

from whatworked.inference.estimator import RelevanceEstimator, RelevanceModel
from whatworked.inference.kernel import Prior
from whatworked.inference.methods import ESTIMATORS, METHODS, POLICIES
from whatworked.inference.mixture import Sampler
from whatworked.inference.policy import RelevancePolicy

__all__ = [
    "ESTIMATORS",
    "METHODS",
    "POLICIES",
    "Prior",
    "RelevanceEstimator",
    "RelevanceModel",
    "RelevancePolicy",
    "Sampler",
]
