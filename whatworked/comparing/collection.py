"""Several runs as one table of results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whatworked.arguments import is_several, path, shown, whole_numbers
from whatworked.arguments import names as as_names
from whatworked.errors import InvalidOptionError, unknown_name
from whatworked.grading.record import Key, place_of
from whatworked.grading.score import Score
from whatworked.runs.description import MethodDescription, PluginDescription, RecordCost
from whatworked.runs.folder import Run, read_run
from whatworked.runs.tidy import TidyRow
from whatworked.wording import counted

_COLUMNS: Mapping[str, Callable[[TidyRow], str | int]] = {
    "track": lambda row: row.track,
    "budget": lambda row: row.budget,
    "method": lambda row: row.method,
    "condition": lambda row: row.condition,
}


@dataclass(frozen=True)
class RunCollection:
    """Results of several runs.

    Attributes
    ----------
    rows : tuple of TidyRow
        One per record. Methods that have one label but differ between runs are told apart as ``label@run``.
    costs : mapping of (condition, method, budget, seed) to RecordCost
        Empty for records without.
    runs : tuple of Run
        The runs themselves.
    names : tuple of mapping
        For each run, the label of a method there to its label here.
    """

    rows: tuple[TidyRow, ...]
    costs: Mapping[Key, RecordCost]
    runs: tuple[Run, ...]
    names: tuple[Mapping[str, str], ...] = ()

    def __repr__(self) -> str:
        names = ", ".join(repr(run.name) for run in self.runs)
        counts = f"{counted(len(self.rows), 'record')}, {counted(len(self.methods), 'method')}"
        return f"RunCollection({names}: {counts}, {self.missing} missing)"

    @property
    def methods(self) -> dict[str, tuple[str, str]]:
        """Method to (estimator, policy), in order of appearance."""
        return {row.method: (row.estimator, row.policy) for row in self.rows}

    @property
    def missing(self) -> int:
        """Number of records without a delivery."""
        return sum(not row.delivered for row in self.rows)

    @property
    def own_methods(self) -> tuple[str, ...]:
        """Methods with an estimator or policy that does not come with WhatWorked, in order of appearance."""
        own: set[str] = set()
        for run, names in zip(self.runs, self.names, strict=True):
            plan = run.description
            for method in plan.methods:
                parts = plan.estimators[method.estimator], plan.policies[method.policy]
                if not all(part.origin.is_own_package for part in parts):
                    own.add(names[method.method])
        return tuple(method for method in self.methods if method in own)

    def measured_by(self, score: Score) -> RunCollection:
        """The same without the records whose grade has no such quantity.

        Parameters
        ----------
        score : Score
            What is to be averaged.

        Returns
        -------
        RunCollection

        Raises
        ------
        InvalidOptionError
            If no record has it.
        """
        rows = tuple(row for row in self.rows if score.of(row.grade) is not None)
        if not rows:
            raise InvalidOptionError(f"no record of these runs has a {score.phrase}; choose another metric")
        return self if len(rows) == len(self.rows) else replace(self, rows=rows)

    def narrowed(
        self,
        tracks: str | Iterable[str] = (),
        budgets: int | Iterable[int] = (),
        methods: str | Iterable[str] = (),
        conditions: str | Iterable[str] = (),
    ) -> RunCollection:
        """The same with some of the results.

        Parameters
        ----------
        tracks : str or iterable of str
            Those to keep; none means all.
        budgets : int or iterable of int
            Likewise.
        methods, conditions : str or iterable of str
            Likewise.

        Returns
        -------
        RunCollection

        Raises
        ------
        UnknownNameError
            For a track, budget, method or condition that has no result; the message offers those that have.
        InvalidOptionError
            If no result is of all of them, or one is no text or no number.
        """
        rows = self.rows
        given = (
            as_names(tracks, "tracks"),
            whole_numbers(budgets, "budgets"),
            as_names(methods, "methods"),
            as_names(conditions, "conditions"),
        )
        for (column, value_of), wanted in zip(_COLUMNS.items(), given, strict=True):
            held = dict.fromkeys(value_of(row) for row in self.rows)
            for name in wanted:
                if name not in held:
                    raise unknown_name(column, str(name), [str(value) for value in held])
            rows = tuple(row for row in rows if not wanted or value_of(row) in wanted)
        if not rows:
            raise InvalidOptionError(
                "no result is of all the tracks, budgets, methods and conditions given; leave some out"
            )
        costs = {row.key: self.costs[row.key] for row in rows if row.key in self.costs}
        return replace(self, rows=rows, costs=costs)


def collect_runs(runs: Run | Path | str | Iterable[Run | Path | str]) -> RunCollection:
    """Put runs together.

    Parameters
    ----------
    runs : Run, path or several
        At least one, or the folder that holds it. A method that is the same in several of them (same plug-ins of the
        same origin, same batch, with or without rules and experience) is one method; a record that is in several must
        be equal in all.

    Returns
    -------
    RunCollection

    Raises
    ------
    InvalidOptionError
        If the runs were made on different reference tables, equal methods disagree on a record, or something is neither
        a run nor the folder of one.
    RunError, StorageError
        If a folder cannot be read; see `whatworked.runs.read_run`.
    """
    runs = _runs_of(runs)
    _check_tables(runs)
    forms: dict[str, dict[_MethodForm, str]] = {}
    rows: dict[Key, TidyRow] = {}
    costs: dict[Key, RecordCost] = {}
    every: list[dict[str, str]] = []
    for run in runs:
        named = {label: _name(label, form, run, forms) for label, form in _forms(run).items()}
        every.append(named)
        for row in run.rows():
            renamed = replace(row, method=named[row.method])
            if rows.setdefault(renamed.key, renamed) != renamed:
                raise InvalidOptionError(
                    f"{run.name} and another run disagree on {place_of(row.key)}: the method is not deterministic, met "
                    "another time limit, or a run was altered; compare the runs one at a time"
                )
        for cost in run.costs:
            condition, method, budget, seed = cost.key
            costs[condition, named[method], budget, seed] = cost
    return RunCollection(tuple(rows.values()), costs, runs, tuple(every))


def collect_folders(folders: Iterable[Path]) -> RunCollection:
    """Read the runs in `folders` and put them together; errors are those of `read_run` and `collect_runs`."""
    return collect_runs(folders)


def collection_of(runs: object) -> RunCollection:
    """A collection, or what `collect_runs` makes of a run, a folder or several."""
    if isinstance(runs, RunCollection):
        return runs
    given: Any = runs
    return collect_runs(given)


def _runs_of(given: object) -> tuple[Run, ...]:
    if isinstance(given, Run):
        return (given,)
    if isinstance(given, str | os.PathLike):
        return (read_run(path(given, "folder of a run")),)
    if not is_several(given):
        raise InvalidOptionError(
            f"a run is {shown(given)}; give what bench or read_run returns, or the folder of a run"
        )
    several: Any = given
    return tuple(run for each in several for run in _runs_of(each))


@dataclass(frozen=True)
class _MethodForm:
    """What makes up a method; equal for equal methods."""

    estimator: PluginDescription
    policy: PluginDescription
    batch: int
    rules: bool
    orders: int
    experience: bool


def _forms(run: Run) -> dict[str, _MethodForm]:
    """What makes up each method of a run."""
    plan = run.description

    def form(method: MethodDescription) -> _MethodForm:
        return _MethodForm(
            plan.estimators[method.estimator],
            plan.policies[method.policy],
            plan.batch,
            plan.rules,
            plan.orders,
            plan.experience,
        )

    return {method.method: form(method) for method in plan.methods}


def _name(label: str, form: _MethodForm, run: Run, forms: dict[str, dict[_MethodForm, str]]) -> str:
    known = forms.setdefault(label, {})
    if form not in known:
        taken = set(known.values())
        name = f"{label}@{Path(run.name).name}" if known else label
        while name in taken:
            name += "'"
        known[form] = name
    return known[form]


def _check_tables(runs: Sequence[Run]) -> None:
    if not runs:
        raise InvalidOptionError("no run given; name the folder of one")
    digests: dict[str, set[str]] = {}
    for run in runs:
        for condition in run.description.conditions:
            digests.setdefault(condition.condition, set()).add(condition.table)
    differing = sorted(condition for condition, found in digests.items() if len(found) > 1)
    if differing:
        raise InvalidOptionError(
            f"the runs were made on different reference tables of {', '.join(differing)}; compare runs on equal tables"
        )
