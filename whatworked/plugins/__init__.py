"""Estimators and policies from outside: by name, module, file, entry point, function or object."""

from __future__ import annotations

from whatworked.plugins.asktell import AskTellPolicy
from whatworked.plugins.loading import Plugin, load
from whatworked.plugins.optuna_sampler import OptunaPolicy
from whatworked.plugins.origin import Origin
from whatworked.plugins.registry import names
from whatworked.plugins.spec import Spec, parse_spec

__all__ = ["AskTellPolicy", "OptunaPolicy", "Origin", "Plugin", "Spec", "load", "names", "parse_spec"]
