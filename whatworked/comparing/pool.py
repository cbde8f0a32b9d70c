"""Several runs as one table of results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whatworked.comparing.summary import Row
from whatworked.errors import InvalidOptionError, unknown_name
from whatworked.grading.record import Key
from whatworked.runs.folder import Run, read_run
from whatworked.storage.canonical import canonical_json
from whatworked.wording import counted


@dataclass(frozen=True)
class Pool:
    """Results of several runs.

    Attributes
    ----------
    rows : tuple of dict
        Tidy rows (see `whatworked.runs.tidy.tidy_rows`). A method that stands in two runs in different form is called
        ``label@run``.
    costs : mapping
        Seconds and counts by condition, method, budget and seed; empty for records without.
    runs : tuple of Run
        The runs themselves.
    names : tuple of mapping
        For each run, what its methods are called here.
    """

    rows: tuple[dict[str, Any], ...]
    costs: Mapping[Key, Mapping[str, Any]]
    runs: tuple[Run, ...]
    names: tuple[Mapping[str, str], ...] = ()

    def __repr__(self) -> str:
        names = ", ".join(repr(run.name) for run in self.runs)
        facts = f"{counted(len(self.rows), 'record')}, {counted(len(self.methods), 'method')}"
        return f"Pool({names}: {facts}, {self.missing} missing)"

    @property
    def methods(self) -> dict[str, tuple[str, str]]:
        """Method to (estimator, policy), in order of appearance."""
        return {row["method"]: (row["estimator"], row["policy"]) for row in self.rows}

    @property
    def missing(self) -> int:
        """Number of records without a delivery."""
        return sum(not row["delivered"] for row in self.rows)

    def narrowed(self, tracks: Iterable[str] = (), budgets: Iterable[int] = (), methods: Iterable[str] = ()) -> Pool:
        """The same with some of the results.

        Parameters
        ----------
        tracks : iterable of str
            Those to keep; none means all.
        budgets : iterable of int
            Likewise.
        methods : iterable of str
            Likewise.

        Returns
        -------
        Pool

        Raises
        ------
        UnknownNameError
            For a track, budget or method that has no result; the message offers those that have.
        InvalidOptionError
            If no result is of all of them.
        """
        rows = self.rows
        for column, names in (("track", tracks), ("budget", budgets), ("method", methods)):
            held, wanted = dict.fromkeys(row[column] for row in self.rows), tuple(names)
            for value in wanted:
                if value not in held:
                    raise unknown_name(column, str(value), [str(one) for one in held])
            rows = tuple(row for row in rows if not wanted or row[column] in wanted)
        if not rows:
            raise InvalidOptionError("no result is of all the given tracks, budgets and methods; leave some out")
        costs = {key: self.costs[key] for key in map(key_of, rows) if key in self.costs}
        return replace(self, rows=rows, costs=costs)


def pooled(runs: Run | Iterable[Run]) -> Pool:
    """Put runs together.

    Parameters
    ----------
    runs : Run or several
        At least one. A method that is the same in several of them (same plug-ins of the same origin, same batch, with
        or without rules) is one method; records that stand in several must be equal.

    Returns
    -------
    Pool

    Raises
    ------
    InvalidOptionError
        If the runs were made on different reference tables, or equal methods disagree on a record.
    """
    runs = (runs,) if isinstance(runs, Run) else tuple(runs)
    _check_tables(runs)
    forms: dict[str, dict[bytes, str]] = {}
    rows: dict[Key, dict[str, Any]] = {}
    costs: dict[Key, Mapping[str, Any]] = {}
    every: list[dict[str, str]] = []
    for run in runs:
        names = {label: _named(label, form, run, forms) for label, form in _forms(run).items()}
        every.append(names)
        for row in run.rows():
            renamed = {**row, "method": names[row["method"]]}
            held = rows.setdefault(key_of(renamed), renamed)
            if held != renamed:
                raise InvalidOptionError(
                    f"{run.name} and another run disagree on {row['method']}, {row['condition']}, budget "
                    f"{row['budget']}, seed {row['seed']}: the method is not deterministic, met another time limit, "
                    "or a run was altered; compare them one by one"
                )
        costs |= {key_of({**cost, "method": names[cost["method"]]}): cost for cost in run.costs}
    return Pool(tuple(rows.values()), costs, runs, tuple(every))


def read_pool(folders: Iterable[Path]) -> Pool:
    """Read the runs in `folders` and put them together; errors are those of `read_run` and `pooled`."""
    return pooled([read_run(folder) for folder in folders])


def key_of(row: Row) -> Key:
    """Condition, method, budget and seed of a tidy row, or of its cost."""
    return row["condition"], row["method"], int(row["budget"]), int(row["seed"])


def _forms(run: Run) -> dict[str, bytes]:
    """What makes up each method of a run, as bytes that are equal for equal methods."""
    plan = run.description
    return {
        one["method"]: canonical_json(
            [
                plan["estimators"][one["estimator"]],
                plan["policies"][one["policy"]],
                plan["batch"],
                plan["rules"],
            ]
        )
        for one in plan["methods"]
    }


def _named(label: str, form: bytes, run: Run, forms: dict[str, dict[bytes, str]]) -> str:
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
        for entry in run.description["conditions"]:
            digests.setdefault(entry["condition"], set()).add(entry["table"])
    differing = sorted(condition for condition, found in digests.items() if len(found) > 1)
    if differing:
        raise InvalidOptionError(
            f"the runs were made on different reference tables of {', '.join(differing)}; compare runs on equal tables"
        )
