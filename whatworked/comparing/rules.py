"""Methods that take no code-equivalence rules, though their run handed them out."""

from __future__ import annotations

from whatworked.comparing.collection import RunCollection
from whatworked.errors import PluginError, UnknownNameError
from whatworked.plugins import load, parse_spec
from whatworked.plugins.registry import Kind, built_in
from whatworked.runs.description import PluginDescription


def ignoring_rules(runs: RunCollection) -> list[str]:
    """Methods that were run with rules and take none, in order of appearance.

    Of plug-ins from elsewhere that were packed or recorded, none is loaded to be asked; only those that come with
    WhatWorked are known.
    """
    found = []
    for run, names in zip(runs.runs, runs.names, strict=True):
        plan = run.description
        if plan.rules:
            found += [
                names[method.method]
                for method in plan.methods
                if _ignores(plan.estimators[method.estimator], "estimator")
                and _ignores(plan.policies[method.policy], "policy")
            ]
    return [method for method in runs.methods if method in found]


def _ignores(stated: PluginDescription, kind: Kind) -> bool:
    if stated.spec is None or not stated.origin.is_own_package:
        return False
    try:
        if parse_spec(stated.spec).target not in built_in(kind):
            return False
        return not load(stated.spec, kind).class_aware
    except (PluginError, UnknownNameError):
        return False
