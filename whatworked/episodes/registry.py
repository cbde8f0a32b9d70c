"""Environments by name, imported when they are used."""

from __future__ import annotations

import importlib.metadata
import pkgutil
from typing import Any

from whatworked.environments.protocol import Environment
from whatworked.errors import PluginError, unknown_name

BUILT_IN = {
    "effects": "whatworked.episodes.effects:effects_environment",
    "drift": "whatworked.environments.drift.environment:DriftEnvironment",
}
"""What is called without arguments to make each."""
GROUP = "whatworked.environments"
"""Group of entry points for environments from elsewhere, in the same form."""


def environment_names() -> tuple[str, ...]:
    """Names of all environments: those that come with WhatWorked, then those that other packages install.

    Returns
    -------
    tuple of str
    """
    return tuple(dict.fromkeys([*BUILT_IN, *(point.name for point in importlib.metadata.entry_points(group=GROUP))]))


def environment_of(name: str) -> Environment[Any, Any]:
    """The environment of a name.

    Parameters
    ----------
    name : str
        Registered, or ``package.module:Name``.

    Returns
    -------
    Environment

    Raises
    ------
    UnknownNameError
        If there is none.
    PluginError
        If it cannot be imported or made.
    """
    target = BUILT_IN.get(name) or _installed(name) or (name if ":" in name else None)
    if target is None:
        raise unknown_name("environment", name, environment_names())
    try:
        made: Environment[Any, Any] = pkgutil.resolve_name(target)()
    except Exception as error:
        raise PluginError(f"environment {name!r} ({target}) cannot be made: {error}") from error
    if not all(hasattr(made, part) for part in ("name", "version", "find", "start", "apply", "score")):
        raise PluginError(f"{target} makes no environment; see whatworked.episodes.Environment")
    return made


def _installed(name: str) -> str | None:
    return next((point.value for point in importlib.metadata.entry_points(group=GROUP, name=name)), None)
