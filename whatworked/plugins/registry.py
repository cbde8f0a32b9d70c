"""Plug-ins known by name: those that come with WhatWorked, and installed entry points."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal

from whatworked.errors import PluginError, UnknownNameError, unknown_name
from whatworked.plugins.guard import describe
from whatworked.plugins.origin import Origin

Kind = Literal["estimator", "policy"]

BUILT_IN = ("whatworked.controls", "whatworked.controls.peers", "whatworked.inference")
"""Modules with mappings ESTIMATORS and POLICIES of name to factory."""

ENTRY_POINT_GROUPS: Mapping[Kind, str] = {"estimator": "whatworked.estimators", "policy": "whatworked.policies"}
_ARTICLES: Mapping[Kind, str] = {"estimator": "an estimator", "policy": "a policy"}
_TABLES: Mapping[Kind, str] = {"estimator": "ESTIMATORS", "policy": "POLICIES"}


def built_in(kind: Kind) -> dict[str, Callable[..., Any]]:
    """Name to factory of the plug-ins of `kind` that come with WhatWorked."""
    found: dict[str, Callable[..., Any]] = {}
    for module in BUILT_IN:
        found |= getattr(importlib.import_module(module), _TABLES[kind], {})
    return found


def installed(kind: Kind) -> dict[str, importlib.metadata.EntryPoint]:
    """Name to entry point of the plug-ins of `kind` that other packages install."""
    return {point.name: point for point in importlib.metadata.entry_points(group=ENTRY_POINT_GROUPS[kind])}


def names(kind: Kind) -> tuple[str, ...]:
    """All names under which estimators or policies are registered.

    Parameters
    ----------
    kind : {"estimator", "policy"}
        Which.

    Returns
    -------
    tuple of str
        Those that come with WhatWorked first, then those that other packages install by entry point.

    Examples
    --------
    >>> "gp" in names("estimator"), "gp-effect" in names("policy")
    (True, True)
    """
    return tuple(dict.fromkeys([*built_in(kind), *installed(kind)]))


def phrase(kind: Kind, name: str) -> str:
    """What is registered under `name`, in one phrase: the first line of its docstring, and what was preset.

    Raises
    ------
    UnknownNameError
        If nothing is registered under that name.
    """
    factories, points = built_in(kind), installed(kind)
    if name not in factories:
        if name not in points:
            raise unknown_name(kind, name, [*factories, *points])
        return points[name].value
    return _phrase(factories[name])


def _phrase(factory: Any) -> str:
    keywords, arguments = dict(getattr(factory, "keywords", {})), getattr(factory, "args", ())
    thing = getattr(factory, "func", factory)
    first = (inspect.getdoc(thing) or "").partition("\n")[0].partition(";")[0].rstrip(".")
    if not first and arguments:
        # A helper around another factory: what it wraps says what it is.
        return f"{_phrase(arguments[0])}, on code-equivalence classes"
    classes = ", on code-equivalence classes" if keywords.pop("class_aware", False) else ""
    preset = ", ".join(f"{key}={value}" for key, value in keywords.items())
    return f"{first} ({preset}){classes}" if preset else first + classes


def named(kind: Kind, name: str) -> tuple[Any, Origin]:
    """What is registered under `name`, and its origin.

    Raises
    ------
    UnknownNameError
        If nothing is registered under that name.
    PluginError
        If an entry point cannot be imported.
    """
    from whatworked import __version__

    factories = built_in(kind)
    if name in factories:
        return factories[name], Origin("package", "whatworked", __version__)
    points = installed(kind)
    if name not in points:
        other: Kind = "policy" if kind == "estimator" else "estimator"
        if name in names(other):
            raise UnknownNameError(f"{name!r} is {_ARTICLES[other]} and not {_ARTICLES[kind]}; give it with --{other}")
        if meant := _with_colon(name):
            raise UnknownNameError(f"unknown {kind} {name!r}; what stands in a module is named with a colon: {meant}")
        raise unknown_name(kind, name, [*factories, *points])
    point = points[name]
    dist = point.dist
    origin = Origin("package", dist.name, dist.version) if dist else Origin("entry point", point.value)
    try:
        return point.load(), origin
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        raise PluginError(
            f"{kind} {name!r}, installed by {origin} as {point.value}, cannot be imported: {describe(error)}"
        ) from error


def _with_colon(name: str) -> str | None:
    """``package.module.Name`` as it is meant, if there is such a package; nothing of it is imported."""
    module, _, attribute = name.rpartition(".")
    if not module or not all(part.isidentifier() for part in name.split(".")) or attribute == "py":
        return None
    try:
        found = importlib.util.find_spec(module.partition(".")[0])
    except (ImportError, ValueError):
        return None
    return f"{module}:{attribute}" if found else None


def methods() -> dict[str, tuple[str, str]]:
    """Label to (estimator, policy) of the combinations that come with WhatWorked under a name of their own."""
    return {
        label: (one.estimator, one.policy)
        for module in BUILT_IN
        for label, one in getattr(importlib.import_module(module), "METHODS", {}).items()
    }
