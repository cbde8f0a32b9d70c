"""The reference methods by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from whatworked.controls.acquisition import KrigingPolicy
from whatworked.controls.designs import DesignPolicy, RandomPolicy
from whatworked.controls.kriging import KrigingEstimator
from whatworked.controls.mean import MeanEstimator
from whatworked.controls.ridge import RidgeEstimator
from whatworked.errors import unknown_name
from whatworked.methods.classes import ClassAwareEstimator
from whatworked.protocols import Estimator, Policy
from whatworked.surfaces.equivalence import Equivalence

Thing = TypeVar("Thing")

RANDOM_SEEDS = 20
"""Seeds 0 to 19 of a random order in the study."""


def _class_aware(base: Callable[[], Estimator], equivalence: Equivalence | None = None) -> Estimator:
    return ClassAwareEstimator(base(), equivalence)


PLAIN_ESTIMATORS: Mapping[str, Callable[[], Estimator]] = MappingProxyType(
    {
        "ridge-main": partial(RidgeEstimator, degree=1),
        "ridge-pair": partial(RidgeEstimator, degree=2),
        "gp": KrigingEstimator,
        "mean": MeanEstimator,
    }
)
"""Factories of the reference estimators that see masks, not classes."""

ESTIMATORS: Mapping[str, Callable[..., Estimator]] = MappingProxyType(
    {**PLAIN_ESTIMATORS, **{f"class-{name}": partial(_class_aware, base) for name, base in PLAIN_ESTIMATORS.items()}}
)
"""Factories of the reference estimators; those of ``class-…`` take an `equivalence`."""

POLICIES: Mapping[str, Callable[..., Policy]] = MappingProxyType(
    {
        "design-main": partial(DesignPolicy, degree=1),
        "design-pair": partial(DesignPolicy, degree=2),
        "random": RandomPolicy,
        "gp-grid": partial(KrigingPolicy, target="grid"),
        "gp-effect": partial(KrigingPolicy, target="effect"),
        "class-design-main": partial(DesignPolicy, degree=1, class_aware=True),
        "class-design-pair": partial(DesignPolicy, degree=2, class_aware=True),
        "class-random": partial(RandomPolicy, class_aware=True),
        "class-gp-grid": partial(KrigingPolicy, target="grid", class_aware=True),
        "class-gp-effect": partial(KrigingPolicy, target="effect", class_aware=True),
    }
)
"""Factories of the reference policies; ``random`` takes a `random_state`, ``class-…`` read the state's classes."""


@dataclass(frozen=True)
class Control:
    """A method of the control study: a reference estimator and a reference policy.

    Attributes
    ----------
    label : str
        Name in records and tables.
    estimator, policy : str
        Keys of `ESTIMATORS` and `POLICIES`.
    seeds : int
        Number of repetitions, seeds from 0.
    class_aware : bool
        Whether it uses the code-equivalence classes.
    sequential : bool
        Whether what it buys depends on what it measured; if not, one ask gives the same masks as many.
    """

    label: str
    estimator: str
    policy: str
    seeds: int = 1
    class_aware: bool = False
    sequential: bool = False

    def build_estimator(self, equivalence: Equivalence | None = None) -> Estimator:
        """A new estimator.

        Parameters
        ----------
        equivalence : Equivalence, optional
            The workflow's classes, for a method that uses them.

        Returns
        -------
        Estimator
        """
        return estimator(self.estimator, equivalence)

    def build_policy(self, seed: int = 0) -> Policy:
        """A new policy.

        Parameters
        ----------
        seed : int
            Of a random order; other policies ignore it.

        Returns
        -------
        Policy
        """
        return policy(self.policy, seed)


METHODS: Mapping[str, Control] = MappingProxyType(
    {
        control.label: control
        for control in (
            Control("D1", "ridge-main", "design-main"),
            Control("D2", "ridge-pair", "design-pair"),
            Control("Random D2", "ridge-pair", "random", seeds=RANDOM_SEEDS),
            Control("GP-G", "gp", "gp-grid", sequential=True),
            Control("GP-E", "gp", "gp-effect", sequential=True),
            Control("CD1", "class-ridge-main", "class-design-main", class_aware=True),
            Control("CD2", "class-ridge-pair", "class-design-pair", class_aware=True),
            Control("CGP-E", "class-gp", "class-gp-effect", class_aware=True, sequential=True),
        )
    }
)
"""The methods of the study by label, in the order of its tables."""


def estimator(name: str, equivalence: Equivalence | None = None) -> Estimator:
    """A reference estimator by name.

    Parameters
    ----------
    name : str
        ``ridge-main``, ``ridge-pair``, ``gp``, ``mean``, ``relevance-gp``, or one of these with ``class-`` in front.
    equivalence : Equivalence, optional
        The workflow's classes, for an estimator of ``class-…``; without them every mask is a class of its own.

    Returns
    -------
    Estimator

    Raises
    ------
    UnknownNameError
        If there is none of that name; the message offers the nearest.

    Examples
    --------
    >>> estimator("ridge-pair")
    RidgeEstimator(degree=2)
    """
    factory = _named("estimator", name, ESTIMATORS, "ESTIMATORS")
    return factory(equivalence) if name.startswith("class-") else factory()


def policy(name: str, random_state: int = 0) -> Policy:
    """A reference policy by name.

    Parameters
    ----------
    name : str
        ``design-main``, ``design-pair``, ``random``, ``gp-grid``, ``gp-effect``, ``relevance-effect``,
        ``relevance-lookahead``, or one of these with ``class-`` in front.
    random_state : int
        Seed from 0; it matters to random orders only.

    Returns
    -------
    Policy

    Raises
    ------
    UnknownNameError
        If there is none of that name; the message offers the nearest.
    InvalidOptionError
        For a random order, if the seed is no integer from 0.

    Examples
    --------
    >>> policy("gp-effect")
    KrigingPolicy(target='effect', class_aware=False)
    """
    factory = _named("policy", name, POLICIES, "POLICIES")
    return factory(random_state=random_state) if name.endswith("random") else factory()


def method(label: str) -> Control:
    """A method of the study by label.

    Parameters
    ----------
    label : str
        ``D1``, ``D2``, ``Random D2``, ``GP-G``, ``GP-E``, ``CD1``, ``CD2`` or ``CGP-E``; or ``RGP`` or ``CRGP``, which
        were chosen in this package.

    Returns
    -------
    Control

    Raises
    ------
    UnknownNameError
        If there is none of that label.

    Examples
    --------
    >>> method("GP-E").estimator, method("GP-E").policy
    ('gp', 'gp-effect')
    """
    return _named("method", label, METHODS, "METHODS")


def _named(kind: str, name: str, known: Mapping[str, Thing], table: str) -> Thing:
    """What stands under a name here, or else in `table` of the methods chosen in this package."""
    if not isinstance(name, str) or name not in known:
        # By name, since that room stands on this one: all methods that `whatworked bench --list` shows are found here.
        for module in ("whatworked.controls.peers", "whatworked.inference"):
            known = {**known, **getattr(importlib.import_module(module), table, {})}
    if not isinstance(name, str) or name not in known:
        raise unknown_name(kind, name, known)
    return known[name]
