"""Reference methods (ridge, Gaussian process, designs, code equivalence) and their recorded study."""

from __future__ import annotations

from whatworked.controls.acquisition import KrigingPolicy
from whatworked.controls.designs import DesignPolicy, RandomPolicy, random_order, ridge_design
from whatworked.controls.kriging import KrigingEstimator
from whatworked.controls.mean import MeanEstimator
from whatworked.controls.methods import ESTIMATORS, METHODS, POLICIES, Control, estimator, method, policy
from whatworked.controls.ridge import RidgeEstimator
from whatworked.methods.candidates import Scores
from whatworked.methods.classes import ClassAwareEstimator

__all__ = [
    "ESTIMATORS",
    "METHODS",
    "POLICIES",
    "ClassAwareEstimator",
    "Control",
    "DesignPolicy",
    "KrigingEstimator",
    "KrigingPolicy",
    "MeanEstimator",
    "RandomPolicy",
    "RidgeEstimator",
    "Scores",
    "estimator",
    "method",
    "policy",
    "random_order",
    "ridge_design",
]
