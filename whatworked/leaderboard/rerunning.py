"""Running a submission's own plug-ins again, to see whether they make its predictions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from whatworked.errors import PluginError, RunError
from whatworked.grading.record import Record, place_of
from whatworked.plugins import Plugin, load
from whatworked.plugins.beside import digests_in, path_beside
from whatworked.plugins.registry import Kind
from whatworked.plugins.spec import parse_spec
from whatworked.runs.benchmark import execute
from whatworked.runs.folder import Run
from whatworked.runs.plan import Method, Plan
from whatworked.runs.tasks import catalog_tasks
from whatworked.statistics.agreement import Verdict

CLOSE = 1e-9
"""Largest difference of a prediction that counts as rounding."""


def plan_of(description: dict[str, Any], references: Path | None = None) -> Plan:
    """The plan of a run from its description.

    Raises
    ------
    RunError
        If a plug-in was an object in Python, which a file cannot bring back.
    PluginError, UnknownNameError
        If a plug-in or condition is not there.
    """
    lost = [
        label
        for kind in ("estimators", "policies")
        for label, facts in description[kind].items()
        if facts["spec"] is None
    ]
    if lost:
        raise RunError(f"{', '.join(lost)} cannot be run again: given as a Python object, not as a text that names it")
    estimators = {label: _loaded(label, facts, "estimator") for label, facts in description["estimators"].items()}
    policies = {label: _loaded(label, facts, "policy") for label, facts in description["policies"].items()}
    methods = tuple(
        Method(estimators[one["estimator"]], policies[one["policy"]], one["method"]) for one in description["methods"]
    )
    names = [entry["condition"] for entry in description["conditions"]]
    tasks = catalog_tasks(names, rules=description["rules"], references=references)
    limit = description.get("time_limit")
    return Plan(tasks, methods, tuple(description["budgets"]), description["seeds"], description["batch"], limit)


def plugin_files(description: Mapping[str, Any]) -> dict[str, str]:
    """File, as the run names it, to the SHA-256 of its bytes, for all plug-ins that came from files.

    Files beside them that they import are among them.
    """
    found: dict[str, str] = {}
    for kind in ("estimators", "policies"):
        for facts in description[kind].values():
            if facts["spec"] is not None:
                digests = digests_in(facts["origin"])
                found |= {path_beside(facts["spec"], name): digest for name, digest in digests.items()}
    return found


def _loaded(label: str, facts: Mapping[str, Any], kind: Kind) -> Plugin:
    """A plug-in of the run; one from a file must come from a file with the same bytes."""
    stated = digests_in(facts["origin"])
    if not stated:
        return load(facts["spec"], kind, label)
    (_, digest), *beside = stated.items()
    others = "".join(f", and {name} beside it with {other}" for name, other in beside)
    needed = (
        f"{label} was run from the file {parse_spec(facts['spec']).container} with SHA-256 {digest}{others}, which is "
        "not in the packed run; get it from the run's makers and repeat this where that path leads to it"
    )
    try:
        plugin = load(facts["spec"], kind, label)
    except PluginError as error:
        raise PluginError(f"{error}; {needed}") from error
    # A run that was made before files beside a plug-in's were noted states the plug-in's alone.
    held = dict(list(digests_in(plugin.origin).items())[: None if beside else 1])
    if held != stated:
        raise PluginError(f"{plugin.origin} is another file: {needed}")
    return plugin


def rerun(run: Run, folder: Path, jobs: int = 1, references: Path | None = None) -> dict[Verdict, list[str]]:
    """Run everything again in `folder` and say how each record compares.

    Returns
    -------
    dict
        Places of records by verdict: identical, equal (same purchases, predictions within 1e-9) and different.

    Raises
    ------
    RunError
        If the run states of a plug-in that seeds change it and they do not, or the other way round.
    """
    plan = plan_of(run.description, references)
    if wrong := _stochastic_otherwise(plan, run.description):
        raise RunError(
            f"it is stated wrongly of {', '.join(wrong)} whether seeds change it, so the run lacks seeds or has too "
            "many; it cannot be compared: have it made anew with `whatworked bench`"
        )
    again = execute(plan, folder, jobs, label="rerun")
    theirs = {record.key: record for record in run.records}
    found: dict[Verdict, list[str]] = {Verdict.IDENTICAL: [], Verdict.EQUAL: [], Verdict.DIFFERENT: []}
    for record in again.records:
        found[_verdict(record, theirs[record.key])].append(place_of(record.key))
    return found


def _stochastic_otherwise(plan: Plan, description: Mapping[str, Any]) -> list[str]:
    """Plug-ins of which the description says that seeds change them and they do not, or the other way round."""
    loaded = {"estimators": plan.estimators, "policies": plan.policies}
    return [
        plugin.label
        for kind, plugins in loaded.items()
        for plugin in plugins
        if plugin.stochastic != description[kind][plugin.label]["stochastic"]
    ]


def _verdict(mine: Record, theirs: Record) -> Verdict:
    if mine.purchases != theirs.purchases or (mine.predictions is None) != (theirs.predictions is None):
        return Verdict.DIFFERENT
    if mine.predictions == theirs.predictions:
        return Verdict.IDENTICAL
    difference = np.abs(np.subtract(mine.predictions or (), theirs.predictions or ()))
    return Verdict.EQUAL if difference.max(initial=0.0) <= CLOSE else Verdict.DIFFERENT
