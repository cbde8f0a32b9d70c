"""What a plug-in's signature says: seeds it takes, whether it is a factory, whether it asks and tells."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from whatworked.plugins.optuna_sampler import is_sampler_class
from whatworked.plugins.registry import Kind

SEED_NAMES = ("random_state", "seed")
SIZE_NAMES = ("d", "dimensions", "n_options")


def parameters_of(thing: Any) -> Mapping[str, inspect.Parameter]:
    """Parameters of a class or function by name; empty where the interpreter cannot tell."""
    try:
        return inspect.signature(thing).parameters
    except Exception:  # a signature may run the plug-in's code
        return {}


def needs_arguments(function: Callable[..., Any], arguments: Mapping[str, Any]) -> bool:
    """Whether `function` still needs arguments: then it is the plug-in itself, otherwise a factory of one."""
    return any(
        parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        and name not in arguments
        for name, parameter in parameters_of(function).items()
    )


def open_seeds(thing: Any, arguments: Mapping[str, Any]) -> list[str]:
    """Seed parameters that `arguments` leave open."""
    accepted = parameters_of(thing)
    return [name for name in SEED_NAMES if name in accepted and name not in arguments]


def is_instance(thing: Any) -> bool:
    """Whether `thing` is a ready object with ``fit`` or ``ask``, not a class or function."""
    return not inspect.isclass(thing) and any(callable(getattr(thing, name, None)) for name in ("fit", "ask"))


def is_ask_tell(thing: Any) -> bool:
    """Whether `thing` is a class of optimisers with ``ask`` and ``tell``."""
    return inspect.isclass(thing) and all(callable(getattr(thing, name, None)) for name in ("ask", "tell"))


def _seed_parameters(thing: Any) -> list[str]:
    """Names of unset seeds in scikit-learn parameters, nested ones (of a pipeline) included."""
    parameters = thing.get_params() if callable(getattr(thing, "get_params", None)) else {}
    return [name for name, value in parameters.items() if name.rpartition("__")[2] == "random_state" and value is None]


def reseeded(thing: Any, seed: int, fixed: Mapping[str, Any] | None = None) -> Any:
    """`thing` with the unset seeds of its scikit-learn parameters set, those in `fixed` left alone."""
    if not inspect.isclass(thing):
        unset = [name for name in _seed_parameters(thing) if name not in (fixed or {})]
        if unset:
            thing.set_params(**dict.fromkeys(unset, seed))
    return thing


def takes_seed(thing: Any, arguments: Mapping[str, Any]) -> bool:
    """Whether a seed changes `thing`: it says so by ``deterministic = False``, or takes one that is not given."""
    declared = getattr(thing, "deterministic", None)
    if isinstance(declared, bool):
        return not declared
    if is_instance(thing):
        return bool(_seed_parameters(thing))
    return bool(open_seeds(thing, arguments))


def guess_kind(thing: Any, arguments: Mapping[str, Any]) -> Kind | None:
    """What a class, object or function is by its methods or number of required arguments; None if it says neither."""
    if is_sampler_class(thing) or callable(getattr(thing, "ask", None)):
        return "policy"
    if callable(getattr(thing, "fit", None)):
        return "estimator"
    if inspect.isclass(thing) or not callable(thing):
        return None
    required = [
        name
        for name, parameter in parameters_of(thing).items()
        if parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        and name not in arguments
        and name not in SEED_NAMES
    ]
    by_count: Mapping[int, Kind] = {2: "policy", 3: "estimator"}
    return by_count.get(len(required))
