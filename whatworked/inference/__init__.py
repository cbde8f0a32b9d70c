"""Estimators and policies that average Gaussian processes over the relevance of each option."""

from __future__ import annotations

from whatworked.inference.estimator import RelevanceEstimator, RelevanceModel
from whatworked.inference.experienced import ExperiencedRelevanceEstimator
from whatworked.inference.kernel import Prior
from whatworked.inference.methods import ESTIMATORS, METHODS, POLICIES
from whatworked.inference.policy import RelevancePolicy
from whatworked.inference.sampler import Sampler

__all__ = [
    "ESTIMATORS",
    "METHODS",
    "POLICIES",
    "ExperiencedRelevanceEstimator",
    "Prior",
    "RelevanceEstimator",
    "RelevanceModel",
    "RelevancePolicy",
    "Sampler",
]
