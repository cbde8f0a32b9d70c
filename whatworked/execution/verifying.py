"""Recomputing records of the reference tables, and saying how each compares."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from whatworked import references
from whatworked.catalog.catalog import Condition
from whatworked.declaration.fingerprint import PredictionForm
from whatworked.errors import InvalidOptionError, ReferenceTableError
from whatworked.execution.assembly import header_of, row_of, version_of
from whatworked.execution.differences import VERDICTS, RecordVerdict, compare_rows, explanations, header_differences
from whatworked.execution.families import Families, WorkflowOf, load_families
from whatworked.execution.inputs import Inputs, Prepare, load_inputs
from whatworked.execution.plan import Cell, SourcePlan, plan_source
from whatworked.execution.report import cause_of
from whatworked.execution.schedule import run_plans
from whatworked.execution.worker import ProgramResult
from whatworked.progress import progress
from whatworked.references.index import Index, read_index
from whatworked.references.schema import Table
from whatworked.statistics.agreement import Verdict
from whatworked.storage.canonical import sha256
from whatworked.surfaces.masks import mask_strings
from whatworked.workers.pool import DEFAULT_BACKEND, Pool, open_pool
from whatworked.workers.profile import pinned_profile
from whatworked.workers.software import Maker


@dataclass(frozen=True)
class VerifyRequest:
    """What to recompute and how.

    Attributes
    ----------
    conditions : tuple of Condition
        Conditions whose tables to check.
    folder : Path
        Folder of the tables and their index.
    sample : float
        Share of the records of each condition, 0 < sample <= 1; at least one record.
    seed : int
        Which records a sample holds; equal seeds choose equal records.
    jobs, backend, cold
        As in `whatworked.execution.RebuildRequest`.

    Raises
    ------
    InvalidOptionError
        If `sample` is out of range.
    """

    conditions: tuple[Condition, ...]
    folder: Path
    sample: float = 1.0
    seed: int = 0
    jobs: int = 1
    backend: str = DEFAULT_BACKEND
    cold: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.sample <= 1:
            raise InvalidOptionError(f"sample is {self.sample}; it is a share of the records, above 0 and at most 1")


@dataclass(frozen=True)
class ConditionVerdict:
    """One condition's comparison.

    Attributes
    ----------
    condition : str
        Id.
    records : tuple of RecordVerdict
        One per recomputed record, in canonical order.
    explanations : tuple of str
        Differences in input, software or processor, the likeliest first; empty if all records are identical.
    header : tuple of str
        What the table or its index entry says about the condition itself (options, metric, cost scale, prepared input,
        workflow version) that a rebuild would not.
    skipped : str
        Why nothing was recomputed; empty if something was.
    absence : tuple of str
        Where its source is absent, the reasons alone, which several sources may have in common.
    """

    condition: str
    records: tuple[RecordVerdict, ...] = ()
    explanations: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    skipped: str = ""
    absence: tuple[str, ...] = ()

    def count(self, verdict: Verdict) -> int:
        """Number of records of that verdict."""
        return sum(record.verdict == verdict for record in self.records)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; identical records are counted, not listed."""
        return {
            "condition": self.condition,
            **{verdict: self.count(verdict) for verdict in VERDICTS},
            "header": list(self.header),
            "skipped": self.skipped,
            "explanations": list(self.explanations),
            "records": [
                {"mask": record.mask, "verdict": record.verdict, "detail": record.detail}
                for record in self.records
                if record.verdict != Verdict.IDENTICAL
            ],
        }


@dataclass(frozen=True)
class VerifyReport:
    """How recomputed records compare, by condition, in the order asked for."""

    results: tuple[ConditionVerdict, ...]

    def count(self, verdict: Verdict) -> int:
        """Number of records of that verdict over all conditions."""
        return sum(result.count(verdict) for result in self.results)

    @property
    def exit_code(self) -> int:
        """1 if any record is different or failed, or a table's header is not what it would be now, else 0."""
        wrong = self.count(Verdict.DIFFERENT) + self.count(Verdict.FAILED)
        return int(wrong + sum(len(result.header) for result in self.results) > 0)


@dataclass
class _Verification:
    """State of one verification."""

    request: VerifyRequest
    inputs: Inputs
    families: Families
    index: Index
    tables: Mapping[str, Table]
    maker: Maker
    verdicts: dict[str, dict[str, RecordVerdict]] = field(default_factory=lambda: defaultdict(dict))

    def plans(self) -> list[SourcePlan]:
        by_source: dict[str, list[Condition]] = defaultdict(list)
        for condition in self.families.fitting(self.request.conditions):
            if condition.id in self.tables and condition.source in self.inputs.prepared:
                by_source[condition.source].append(condition)
        cold = self.request.cold
        return [
            plan_source(
                self.inputs.prepared[source],
                self.families.workflows[conditions[0].family].checked(),
                conditions,
                only=set(sample_of(conditions, self.request.sample, self.request.seed)),
                cold=cold,
            )
            for source, conditions in by_source.items()
        ]

    def run(self, pool: Pool) -> None:
        plans = self.plans()
        with progress(sum(plan.cells for plan in plans), "records", label="verify") as bar:
            for plan, results in run_plans(pool, plans):
                bar.set_postfix_str(plan.prepared.source)
                for result in results:
                    for condition, mask in plan.programs[result.program].cells:
                        self.verdicts[condition][mask] = self._compare(condition, mask, result, plan.workflow.form)
                        bar.update()

    def _compare(self, condition: str, mask: str, result: ProgramResult, form: PredictionForm) -> RecordVerdict:
        if result.outcome is None:
            return RecordVerdict(mask, Verdict.FAILED, cause_of(result.failure))
        return compare_rows(self.tables[condition].rows[int(mask, 2)], row_of(mask, result.outcome), form)

    def result(self, condition: Condition) -> ConditionVerdict:
        if condition.id not in self.tables:
            return ConditionVerdict(condition.id, skipped=f"no table in {self.request.folder}")
        if condition.id in self.families.problems:
            return ConditionVerdict(condition.id, skipped=self.families.problems[condition.id])
        if problem := self.inputs.problem(condition.source):
            return ConditionVerdict(condition.id, skipped=problem, absence=self.inputs.absence(condition.source))
        records = tuple(verdict for _, verdict in sorted(self.verdicts[condition.id].items()))
        found = header_of(condition, self.families.workflows[condition.family], self.inputs.prepared[condition.source])
        header = (*header_differences(self.tables[condition.id].header, found), *self._index_differences(condition))
        if not header and all(record.verdict == Verdict.IDENTICAL for record in records):
            return ConditionVerdict(condition.id, records)
        return ConditionVerdict(condition.id, records, self._explanations(condition), header)

    def _index_differences(self, condition: Condition) -> list[str]:
        """Where the index says something else of the table than one of a rebuild would."""
        entry, d = self.index.tables[condition.id], condition.dimensions
        stated = (
            ("family", entry.family, condition.family),
            ("source", entry.source, condition.source),
            ("options", entry.dimensions, d),
            ("records", entry.records, 1 << d),
            *self._versions(condition),
        )
        return [f"{what} {before!r} in the index, {now!r} now" for what, before, now in stated if before != now]

    def _versions(self, condition: Condition) -> list[tuple[str, str, str]]:
        entry, workflow = self.index.tables[condition.id], self.families.workflows[condition.family]
        prepared = self.inputs.prepared[condition.source].digest
        return [
            ("prepared input", entry.prepared, prepared),
            ("workflow version", entry.workflow, version_of(workflow)),
        ]

    def _explanations(self, condition: Condition) -> tuple[str, ...]:
        nearest = [f"{what} was {before}, is {now}" for what, before, now in self._versions(condition) if before != now]
        return (*nearest, *explanations(self.index.maker_of(condition.id), self.maker, self.request.folder))


def verify(request: VerifyRequest, prepare: Prepare, workflow_of: WorkflowOf) -> VerifyReport:
    """Recompute records of reference tables and compare each with what the table says.

    Parameters
    ----------
    request : VerifyRequest
        Which records, and how to run them.
    prepare : callable
        Source id to prepared input.
    workflow_of : callable
        Family to workflow.

    Raises
    ------
    ReferenceTableError
        If the folder has no table at all, or a table or the index is altered or of another schema, or a table has
        another number of options than its condition.
    ExecutionError
        If a worker is not pinned, workers differ or one died.
    """
    index = read_index(request.folder)
    if not index.tables:
        raise references.no_tables(request.folder)
    wanted = [condition for condition in request.conditions if condition.id in index.tables]
    tables = {condition.id: _table(condition, request.folder) for condition in wanted}
    families = load_families(wanted, workflow_of)
    able = families.fitting(wanted)
    profile = pinned_profile()
    records = sum(1 << condition.dimensions for condition in able)
    with open_pool(request.backend, request.jobs, profile, records) as pool:
        verification = _Verification(
            request=request,
            inputs=load_inputs((condition.source for condition in able), prepare),
            families=families,
            index=index,
            tables=tables,
            maker=pool.maker(),
        )
        verification.run(pool)
    return VerifyReport(tuple(verification.result(condition) for condition in request.conditions))


def _table(condition: Condition, folder: Path) -> Table:
    table = references.load_table(condition.id, folder)
    if table.header.d != condition.dimensions:
        raise ReferenceTableError(
            f"the table of {condition.id} in {folder} has {table.header.d} options, the condition has "
            f"{condition.dimensions}; make it again with `whatworked rebuild {condition.id}`"
        )
    return table


def sample_of(conditions: Iterable[Condition], share: float, seed: int) -> list[Cell]:
    """A share of the records of each condition, at least one, the same ones for the same seed."""
    return [
        (condition.id, mask)
        for condition in conditions
        for mask in sorted(mask_strings(condition.dimensions), key=partial(_lot, seed, condition.id))[
            : math.ceil(share * (1 << condition.dimensions))
        ]
    ]


def _lot(seed: int, condition: str, mask: str) -> str:
    """Place of a record in the draw: pseudo-random, and the same on every machine."""
    return sha256(f"{seed}:{condition}:{mask}".encode())
