"""The environment ``effects`` with the helpers that players can name: reference methods, and in one arm our own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from whatworked.environments.effects.environment import EffectsEnvironment
from whatworked.environments.effects.helpers import Helper
from whatworked.protocols import Estimator
from whatworked.surfaces.equivalence import Equivalence


def effects_environment(salt: bytes | None = None) -> EffectsEnvironment:
    """The environment ``effects``.

    Parameters
    ----------
    salt : bytes, optional
        Private; the order of the options is then drawn by it, condition by condition.
    """
    return EffectsEnvironment(
        helpers={
            "ridge_main": _helper("ridge-main", "a ridge regression on main effects: no interactions", published=True),
            "ridge_pair": _helper(
                "ridge-pair", "a ridge regression on main effects and pair interactions", published=True
            ),
            "gp": _helper("gp", "a Gaussian process: masks that differ in fewer options are more alike"),
            "relevance_gp": _helper(
                "relevance-gp", "a Gaussian process that learns how much each option matters, averaged over kernels"
            ),
            "class_ridge_pair": _helper("class-ridge-pair", "ridge_pair on classes of masks that are the same program"),
            "class_gp": _helper("class-gp", "gp on classes of masks that are the same program"),
            "class_relevance_gp": _helper(
                "class-relevance-gp", "relevance_gp on classes of masks that are the same program"
            ),
        },
        salt=salt,
    )


def _helper(method: str, purpose: str, published: bool = False) -> Helper:
    class_aware = method.startswith("class-")
    build: Callable[[Equivalence | None], Estimator] = partial(_estimator, method, class_aware)
    return Helper(build, purpose, published, class_aware)


def _estimator(method: str, class_aware: bool, equivalence: Equivalence | None) -> Estimator:
    from whatworked.controls import estimator

    return estimator(method, equivalence if class_aware else None)
