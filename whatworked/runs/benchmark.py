"""Running every combination of estimators and policies on conditions, budgets and seeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from whatworked.arguments import is_several, path, shown, switch, whole_number, whole_numbers
from whatworked.arguments import names as as_names
from whatworked.errors import InvalidOptionError, PluginError, unknown_name
from whatworked.plugins import Plugin, load
from whatworked.plugins.inspecting import is_instance
from whatworked.plugins.output import diverted
from whatworked.plugins.registry import Kind, methods
from whatworked.progress import Progress, progress
from whatworked.runs.dispatch import run_units
from whatworked.runs.folder import (
    Run,
    claim,
    claim_software,
    clear,
    finish,
    is_claimed,
    is_finished,
    read_run,
    refuse_edited,
)
from whatworked.runs.journal import JOURNAL, BenchJournal, refuse_unclaimed
from whatworked.runs.ownership import refuse_foreign_files
from whatworked.runs.plan import Method, Plan, crossed
from whatworked.runs.tasks import Task, catalog_tasks, given_tasks
from whatworked.runs.unit import UnitResult, run_unit
from whatworked.storage.lock import folder_lock
from whatworked.workers.pool import DEFAULT_BACKEND, open_pool
from whatworked.workers.profile import pinned_profile

PluginLike = str | Any
"""What `whatworked.plugins.load` takes."""


def bench(
    estimators: PluginLike | Iterable[PluginLike],
    policies: PluginLike | Iterable[PluginLike],
    budgets: int | Iterable[int],
    out: Path | str,
    tasks: str | Task | Iterable[str | Task] | None = None,
    seeds: int = 20,
    batch: int = 1,
    jobs: int = 1,
    extra: Iterable[Method] = (),
    fresh: bool = False,
    time_limit: float | None = None,
    backend: str = DEFAULT_BACKEND,
    relabel: int = 1,
    methods: str | Iterable[str] = (),
    families: str | Iterable[str] = (),
    tracks: str | Iterable[str] = (),
    rules: bool = False,
    references: Path | str | None = None,
    experience: bool = False,
) -> Run:
    """Benchmark every estimator with every policy.

    Parameters
    ----------
    estimators, policies : str, object, or several of them
        Texts as on the command line, or classes, functions, factories and objects; see `whatworked.plugins.load`.
    budgets : int or several
        Credits beside the two anchors. A condition is run under those that it has masks for.
    out : Path or str
        Folder of the run. An interrupted run goes on where it stopped; a finished one is read.
    tasks : str or Task, or several, optional
        Conditions, by name or as tasks; default: all that have a reference table.
    seeds : int, default 20
        Number of seeds for methods with randomness; others run once.
    batch : int, default 1
        Masks bought per ask.
    jobs : int, default 1
        Worker processes. Results do not depend on it.
    extra : iterable of whatworked.runs.Method, optional
        Further combinations, for instance `named_methods` of ``GP-E``.
    fresh : bool, default False
        Whether to replace a run that the folder holds.
    time_limit : float, optional
        Seconds that a policy may take for all purchases of a record, and an estimator for its fit. What takes longer
        is a missing delivery.
    backend : str, default "loky"
        How workers are started; another one of joblib, for instance ``"dask"``, takes no time limit.
    relabel : int, default 1
        Number of orders of the options that everything is run in, that of the catalog first. Masks in the records are
        those of the catalog.
    methods : str or several, optional
        Named combinations beside the others, such as ``"GP-E"``; with them, `estimators` and `policies` may be empty.
    families, tracks : str or several, optional
        Only conditions of these; for conditions by name.
    rules : bool, default False
        Whether to hand code-equivalence classes to plug-ins that take them; for conditions by name.
    references : Path or str, optional
        Other folder of reference tables; for conditions by name.
    experience : bool, default False
        Whether plug-ins that take it may read the tables of other sources of the family; for conditions by name.
        Results are on tracks of their own.

    Returns
    -------
    Run
        Records, costs and manifest, as read from the folder.

    Raises
    ------
    PluginError, InvalidOptionError, UnknownNameError
        For plug-ins that cannot be loaded or built, and for arguments outside what is allowed; nothing has run then.
    StorageError
        If the folder is in use or cannot be written.
    """
    place = path(out, "out").absolute()  # a plug-in may change the working folder as soon as it is imported
    given: dict[Kind, tuple[Any, ...]] = {
        "estimator": tuple(_several(estimators)),
        "policy": tuple(_several(policies)),
    }
    fresh = switch(fresh, "fresh")
    if not fresh:
        refuse_edited(place, {kind: list(_texts(plugins)) for kind, plugins in given.items()})
    combined = (*crossed(*(load_all(plugins, kind) for kind, plugins in given.items())), *named_methods(methods))
    chosen = _chosen_tasks(
        tasks, families, tracks, rules=rules, references=references, experience=switch(experience, "experience")
    )
    plan = Plan(
        chosen, (*combined, *_methods(extra)), whole_numbers(budgets, "budgets"), seeds, batch, time_limit, relabel
    )
    run = execute(plan, place, whole_number(jobs, "jobs", 1), fresh, backend=backend)
    return replace(run, name=str(out))


def _chosen_tasks(
    tasks: str | Task | Iterable[str | Task] | None,
    families: str | Iterable[str],
    tracks: str | Iterable[str],
    *,
    rules: bool,
    references: Path | str | None,
    experience: bool,
) -> tuple[Task, ...]:
    """Tasks as they are, or of the conditions that names and filters leave."""
    several: Any = () if tasks is None else tasks
    given: tuple[Any, ...] = tuple(several) if is_several(several) else (several,)
    if any(isinstance(task, Task) for task in given):
        stated = {
            "families": families,
            "tracks": tracks,
            "rules": rules,
            "references": references,
            "experience": experience,
        }
        if unused := [name for name, value in stated.items() if value]:
            raise InvalidOptionError(
                f"{', '.join(unused)} given beside Task objects, which are what they are; give names of conditions as "
                "tasks, or make the Task objects so with catalog_tasks(names, families, tracks, rules=…, references=…)"
            )
        return given_tasks(given)
    if not given or all(isinstance(task, str) for task in given):
        return catalog_tasks(given, families, tracks, rules=rules, references=references, experience=experience)
    return given_tasks(given)


def _methods(extra: Iterable[Method]) -> tuple[Method, ...]:
    given: Any = tuple(extra) if is_several(extra) else (extra,)
    if wrong := [method for method in given if not isinstance(method, Method)]:
        raise InvalidOptionError(
            f"extra holds {shown(wrong[0])}; give whatworked.runs.Method objects, as named_methods(['GP-E']) returns"
        )
    return tuple(given)


def load_all(given: PluginLike | Iterable[PluginLike], kind: Kind) -> tuple[Plugin, ...]:
    """Load one plug-in or several. Each is built once, so that wrong arguments are found before anything runs.

    One that does not raise an error but tries to end the program is passed over: it fails on every condition, which the
    results say, and others run.
    """
    plugins = tuple(load(plugin, kind) for plugin in _several(given))
    for plugin in plugins:
        try:
            with diverted():  # what was built is dropped inside, and may write to standard output as it goes
                plugin.build_estimator() if kind == "estimator" else plugin.build_policy()
        except PluginError as error:
            if isinstance(error.__cause__, Exception | None):
                raise
    return plugins


def _several(given: PluginLike | Iterable[PluginLike]) -> Iterable[PluginLike]:
    """What is given, as several. A text is one, and so is what is itself a plug-in, even if it can be iterated over."""
    single = isinstance(given, str | Plugin) or callable(given) or is_instance(given)
    return (given,) if single or not is_several(given) else given


def _texts(given: Iterable[Any]) -> Iterator[str]:
    """The texts among plug-ins, also those with a label beside them."""
    for plugin in given:
        value = plugin[1] if isinstance(plugin, tuple) and len(plugin) == 2 else plugin
        if isinstance(value, str):
            yield value


def named_methods(labels: str | Iterable[str]) -> tuple[Method, ...]:
    """Combinations by the names under which they come with WhatWorked.

    Parameters
    ----------
    labels : str or iterable of str
        For instance ``GP-E`` or ``RGP``; ``whatworked bench --list`` shows them.

    Returns
    -------
    tuple of whatworked.runs.Method
        In the same order.

    Raises
    ------
    UnknownNameError
        For a name that none has.

    Examples
    --------
    >>> [one.label for one in named_methods(["D2", "GP-E"])]
    ['D2', 'GP-E']
    """
    known, labels = methods(), as_names(labels, "labels")
    for label in labels:
        if label not in known:
            raise unknown_name("method", label, known)
    # Methods with the same policy share its purchases, so each name is loaded once.
    estimators = {known[label][0]: load(known[label][0], "estimator") for label in labels}
    policies = {known[label][1]: load(known[label][1], "policy") for label in labels}
    return tuple(Method(estimators[known[label][0]], policies[known[label][1]], label) for label in labels)


def execute(
    plan: Plan,
    folder: Path,
    jobs: int = 1,
    fresh: bool = False,
    label: str = "bench",
    backend: str = DEFAULT_BACKEND,
) -> Run:
    """Run what is left of `plan`, or all of it if `fresh`, and write its results to `folder`.

    `label` stands before the progress bar.
    """
    _check_limit(plan, backend)
    folder = folder.absolute()  # a plug-in may change the working folder
    with folder_lock(folder):
        refuse_foreign_files(folder, fresh=fresh)
        if fresh:
            clear(folder)
        if is_claimed(folder):
            claim(folder, plan)
        else:
            refuse_unclaimed(folder)
        if is_finished(folder):
            run = read_run(folder)
            if (folder / JOURNAL).exists():  # the run was ended between its last file and this
                with BenchJournal(folder, plan.digest) as journal:
                    journal.remove()
            return run
        with (
            BenchJournal(folder, plan.digest) as journal,
            open_pool(backend, jobs, pinned_profile(), len(plan.units())) as pool,
        ):
            claim(folder, plan)
            software: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(pool.maker()))
            claim_software(folder, software)
            journal.take_over_unchained()
            done = journal.finished()
            left = [unit for unit in plan.units() if unit.key not in done]
            kept = sum(len(result.records) for result in done.values())
            with progress(len(plan.expected()), "records", initial=kept, label=label) as bar:
                shown = RecordProgress(bar)
                for unit, result in run_units(plan, left, pool, shown.under_way):
                    journal.append(unit, result)
                    done[unit.key] = result
                    bar.set_postfix_str(f"{plan.tasks[unit.task].condition}, {plan.policies[unit.policy].label}")
                    shown.finished(len(result.records))
            run = finish(folder, plan, [done[unit.key] for unit in plan.units()], software)
            journal.remove()
    return run


def _check_limit(plan: Plan, backend: str) -> None:
    if plan.time_limit is not None and backend != DEFAULT_BACKEND:
        raise InvalidOptionError(
            f"the time limit of {plan.time_limit:g} s cannot be kept on backend {backend}: a plug-in that hangs must "
            "be ended with its process, and only processes of our own can be; leave out --time-limit (in Python "
            f"time_limit), or use --backend {DEFAULT_BACKEND}"
        )


class RecordProgress:
    """Progress in records: of finished units, and of those under way. The bar never goes back."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._finished = self._shown = 0

    def finished(self, records: int) -> None:
        """Count records of a unit that has finished."""
        self._finished += records
        self.under_way(0)

    def under_way(self, records: int) -> None:
        """Show how many records the unfinished units have made."""
        if (now := self._finished + records) > self._shown:
            self._bar.update(now - self._shown)
            self._shown = now


def run_in_process(plan: Plan) -> tuple[UnitResult, ...]:
    """Run a plan in this process and write nothing: for notebooks, debuggers and tests."""
    return tuple(run_unit(plan, unit) for unit in plan.units())
