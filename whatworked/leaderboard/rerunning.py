"""Running the plug-ins of a packed run again, to see whether they make its predictions."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from whatworked.errors import AlteredPluginError, PluginError, RunError
from whatworked.grading.record import Record, place_of
from whatworked.leaderboard.stated import same_uncertainty
from whatworked.leaderboard.trust import files_needed, require_trust
from whatworked.plugins import Plugin, load
from whatworked.plugins.origin import path_in_folder
from whatworked.plugins.registry import Kind
from whatworked.runs.benchmark import execute
from whatworked.runs.description import KINDS, PlanDescription, PluginDescription
from whatworked.runs.folder import Run
from whatworked.runs.plan import Method, Plan
from whatworked.runs.tasks import catalog_tasks
from whatworked.statistics.agreement import Verdict

CLOSE = 1e-9
"""Largest difference of a prediction that counts as rounding."""


def plan_of(description: PlanDescription, references: Path | None = None, *, trust: bool = False) -> Plan:
    """The plan of a run from its description.

    Parameters
    ----------
    description : PlanDescription
        Of a packed run, which may be a stranger's.
    references : Path, optional
        Folder of reference tables; default: those of the package.
    trust : bool
        Whether to load plug-ins that are neither registered names nor files with the stated bytes.

    Raises
    ------
    RunError
        If a plug-in was an object in Python, which a file cannot bring back, or is not to be run without `trust`.
        Nothing has been imported then.
    PluginError, UnknownNameError
        If a plug-in or condition is not there.
    """
    objects = [label for kind in KINDS for label, plugin in description.plugins(kind).items() if plugin.spec is None]
    if objects:
        raise RunError(
            f"{', '.join(objects)} cannot be run again: given as a Python object, not as a text that names it"
        )
    if not trust:
        require_trust(description)
    estimators = {
        label: _loaded(label, plugin, "estimator", sealed=not trust) for label, plugin in description.estimators.items()
    }
    policies = {
        label: _loaded(label, plugin, "policy", sealed=not trust) for label, plugin in description.policies.items()
    }
    methods = tuple(
        Method(estimators[method.estimator], policies[method.policy], method.method) for method in description.methods
    )
    tasks = catalog_tasks(
        list(description.by_condition),
        rules=description.rules,
        references=references,
        experience=description.experience,
    )
    return Plan(
        tasks,
        methods,
        description.budgets,
        description.seeds,
        description.batch,
        description.time_limit,
        description.orders,
    )


def plugin_files(description: PlanDescription) -> dict[str, str]:
    """File, as the run names it, to the SHA-256 of its bytes, for all plug-ins that came from files.

    Files of their folders that they import are among them.
    """
    found: dict[str, str] = {}
    for kind in KINDS:
        for plugin in description.plugins(kind).values():
            if plugin.spec is not None:
                files = plugin.origin.files
                found |= {path_in_folder(plugin.spec, file.name): file.digest for file in files}
    return found


def _loaded(label: str, stated: PluginDescription, kind: Kind, *, sealed: bool) -> Plugin:
    """A plug-in of the run; one from a file must come from files with the same bytes, compared before they are run."""
    spec = str(stated.spec)
    if not stated.origin.files:
        return load(spec, kind, label, sealed=sealed)
    needed = files_needed(label, stated)
    try:
        return load(spec, kind, label, stated.origin, sealed=sealed)
    except AlteredPluginError as error:
        raise PluginError(f"nothing was run, since this is another file: {needed} ({error})") from error
    except PluginError as error:
        raise PluginError(f"{error}; {needed}") from error


def rerun(
    run: Run, folder: Path, jobs: int = 1, references: Path | None = None, *, trust: bool = False
) -> dict[Verdict, list[str]]:
    """Run everything again in `folder` and say how each record compares.

    Parameters
    ----------
    run : Run
        As verified.
    folder : Path
        Where to run it again.
    jobs : int
        Worker processes.
    references : Path, optional
        Folder of reference tables; default: those of the package.
    trust : bool
        As for `plan_of`.

    Returns
    -------
    dict
        Places of records by verdict: identical, equal (same purchases, predictions within 1e-9) and different. Where
        the file has grades of stated uncertainty, others are a difference.

    Raises
    ------
    RunError
        If the run says of a plug-in that seeds change it and they do not, or the other way round.
    """
    plan = plan_of(run.description, references, trust=trust)
    if wrong := _stochastic_otherwise(plan, run.description):
        raise RunError(
            f"the run is wrong about whether seeds change {', '.join(wrong)}, so it has too few or too many seeds and "
            "cannot be compared; ask its makers to run it again with `whatworked bench`"
        )
    again = execute(plan, folder, jobs, label="rerun")
    theirs = {record.key: record for record in run.records}
    found: dict[Verdict, list[str]] = {Verdict.IDENTICAL: [], Verdict.EQUAL: [], Verdict.DIFFERENT: []}
    for record in again.records:
        found[_verdict(record, theirs[record.key])].append(place_of(record.key))
    return found


def _stochastic_otherwise(plan: Plan, description: PlanDescription) -> list[str]:
    """Plug-ins of which the description says that seeds change them and they do not, or the other way round."""
    return [
        plugin.label
        for plugin in (*plan.estimators, *plan.policies)
        if plugin.stochastic != description.plugins(plugin.kind)[plugin.label].stochastic
    ]


def _verdict(mine: Record, theirs: Record) -> Verdict:
    if mine.purchases != theirs.purchases or (mine.predictions is None) != (theirs.predictions is None):
        return Verdict.DIFFERENT
    if not same_uncertainty(mine, theirs):
        return Verdict.DIFFERENT
    if mine.predictions == theirs.predictions:
        return Verdict.IDENTICAL
    difference = np.abs(np.subtract(mine.predictions or (), theirs.predictions or ()))
    return Verdict.EQUAL if difference.max(initial=0.0) <= CLOSE else Verdict.DIFFERENT
