"""Whose code a worker process runs: outside plug-ins each have processes of their own.

What a plug-in does to its process (replace functions of numpy, lower a hard limit) cannot be undone. So a process that
has run code of an outside plug-in runs that of no other, nor a method of this package.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import cast

from whatworked.plugins import Plugin
from whatworked.plugins.registry import Kind
from whatworked.runs.plan import Plan, Unit

_OURS = "whatworked"
_FILES = "whatworked.plugins.files."


@dataclass(frozen=True)
class StandIn:
    """What a process knows of a plug-in whose code it must not load."""

    kind: Kind
    label: str
    stochastic: bool
    takes_classes: bool


def owner_of(plugin: Plugin | StandIn) -> str | None:
    """Whose processes run the plug-in: None for this package's own, which may all run in one."""
    if isinstance(plugin, StandIn):
        return f"{plugin.kind} {plugin.label}"
    origin, thing = plugin.origin, plugin.thing
    if origin.kind == "package" and origin.name == _OURS:
        return None
    if origin.kind == "object":
        held = thing if isinstance(thing, type) else type(thing)
        module = str(getattr(thing, "__module__", None) or held.__module__)
        if module.partition(".")[0] == _OURS and not module.startswith(_FILES):
            return None
    return f"{plugin.kind} {plugin.label}"


def mixes(plan: Plan, unit: Unit) -> bool:
    """Whether code from outside takes part in a unit."""
    policy = plan.policies[unit.policy]
    plugins = [policy, *(method.estimator for method in plan.methods_of(policy))]
    return any(owner_of(plugin) is not None for plugin in plugins)


def narrowed(plan: Plan, owner: str | None) -> Plan:
    """The plan for a process of `owner`: with stand-ins for all other outside plug-ins."""

    def shown(plugin: Plugin) -> Plugin:
        if owner_of(plugin) in (None, owner):
            return plugin
        return cast(Plugin, StandIn(plugin.kind, plugin.label, plugin.stochastic, plugin.takes_classes))

    methods = tuple(
        replace(method, estimator=shown(method.estimator), policy=shown(method.policy)) for method in plan.methods
    )
    if methods == plan.methods:
        return plan
    narrow = copy.copy(plan)  # the whole plan was checked; what a stand-in does not know is not asked
    for derived in ("policies", "estimators", "description", "digest"):
        narrow.__dict__.pop(derived, None)
    object.__setattr__(narrow, "methods", methods)
    return narrow
