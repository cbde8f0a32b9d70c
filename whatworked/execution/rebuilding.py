"""Run configurations into reference tables: resumable, and the same bytes however the work is divided."""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from whatworked.catalog.catalog import Condition
from whatworked.errors import ReferenceTableError
from whatworked.execution.assembly import assemble, basis_digest, entry_of, header_of, row_of, version_of, write_machine
from whatworked.execution.families import Families, WorkflowOf, load_families
from whatworked.execution.inputs import Inputs, Prepare, load_inputs
from whatworked.execution.journal import JournalRow, RebuildJournal
from whatworked.execution.ownership import FAILURES, refuse_foreign_files
from whatworked.execution.plan import Cell, SourcePlan, plan_source
from whatworked.execution.report import ConditionResult, RebuildReport, cause_of
from whatworked.execution.schedule import run_plans
from whatworked.execution.worker import ProgramResult
from whatworked.progress import Progress, progress
from whatworked.references import folder, table_path
from whatworked.references.index import Index, read_index, write_index
from whatworked.references.schema import Row, render
from whatworked.storage.files import storage_errors, write_atomic
from whatworked.storage.lock import folder_lock
from whatworked.wording import first_few
from whatworked.workers.pool import DEFAULT_BACKEND, Pool, open_pool
from whatworked.workers.profile import NumericProfile, pinned_profile
from whatworked.workers.software import Maker


@dataclass(frozen=True)
class RebuildRequest:
    """What to rebuild, where and how.

    Attributes
    ----------
    conditions : tuple of Condition
        In the order of the closing table.
    out : Path
        Folder, a text taken as its path, of the tables, their index and, while the run lasts, its journal.
    jobs, backend : int, str
        Number of workers and how they are started, see `whatworked.workers.pool.open_pool`.
    cold : bool
        Run every record by itself, sharing nothing.
    fresh : bool
        Run everything again, even what is in the journal or complete already.
    """

    conditions: tuple[Condition, ...]
    out: Path
    jobs: int = 1
    backend: str = DEFAULT_BACKEND
    cold: bool = False
    fresh: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "out", Path(self.out))


@dataclass
class _Rebuild:
    """State of one rebuild: what is known of each cell so far."""

    request: RebuildRequest
    inputs: Inputs
    families: Families
    maker: Maker
    index: Index
    rows: dict[str, dict[str, Row]] = field(default_factory=lambda: defaultdict(dict))
    failures: dict[Cell, str] = field(default_factory=dict)
    resumed: dict[str, int] = field(default_factory=dict)

    @cached_property
    def runnable(self) -> list[Condition]:
        """Conditions that fit their family, whose source is here and whose table is not complete already."""
        able = self.families.fitting(self.request.conditions)
        return [
            condition
            for condition in able
            if condition.source in self.inputs.prepared and not self.is_unchanged(condition)
        ]

    def is_unchanged(self, condition: Condition) -> bool:
        """Whether the folder has this table, intact and made of the same things."""
        entry = self.index.tables.get(condition.id)
        if self.request.fresh or self.request.cold or entry is None or condition.source not in self.inputs.prepared:
            return False
        same = (entry.maker, entry.workflow, entry.prepared) == (self.maker.digest, *self.basis(condition))
        return same and _intact(self.request.out, condition.id, entry.digest)

    def basis(self, condition: Condition) -> tuple[str, str]:
        """Version of the workflow and digest of the prepared input of a condition."""
        return self.versions[condition.family], self.inputs.prepared[condition.source].digest

    @cached_property
    def versions(self) -> dict[str, str]:
        """Version of the workflow by family, read once: what is edited during the run is run again by the next one."""
        return {family: version_of(workflow) for family, workflow in self.families.workflows.items()}

    @cached_property
    def made(self) -> dict[str, str]:
        """What the records of each runnable condition depend on, see `basis_digest`."""
        return {
            condition.id: basis_digest(self.maker, *self.basis(condition), cold=self.request.cold)
            for condition in self.runnable
        }

    def take_over(self, journal_rows: Iterable[JournalRow]) -> None:
        """Accept the rows of an earlier run that depend on the same things as this one."""
        for kept in journal_rows:
            if self.made.get(kept.condition) == kept.made:
                self.rows[kept.condition][kept.row.mask] = kept.row
        self.resumed = {condition: len(rows) for condition, rows in self.rows.items()}

    def plans(self) -> list[SourcePlan]:
        """What is still to run, by source."""
        done = {(condition, mask) for condition, rows in self.rows.items() for mask in rows}
        by_source: dict[str, list[Condition]] = defaultdict(list)
        for condition in self.runnable:
            by_source[condition.source].append(condition)
        return [
            plan_source(
                self.inputs.prepared[source],
                self.families.workflows[conditions[0].family],
                conditions,
                done=done,
                cold=self.request.cold,
            )
            for source, conditions in by_source.items()
        ]

    def accept(self, plan: SourcePlan, results: Iterable[ProgramResult]) -> list[JournalRow]:
        """Put results into the cells they fill; returns what belongs into the journal."""
        journal_rows = []
        for result in results:
            for condition, mask in plan.programs[result.program].cells:
                if result.outcome is None:
                    self.failures[condition, mask] = result.failure
                    continue
                row = self.rows[condition][mask] = row_of(mask, result.outcome)
                journal_rows.append(JournalRow(condition=condition, made=self.made[condition], row=row))
        return journal_rows


def rebuild(request: RebuildRequest, prepare: Prepare, workflow_of: WorkflowOf) -> RebuildReport:
    """Run what `request` asks for and write the tables of all conditions that are complete.

    Parameters
    ----------
    request : RebuildRequest
        What, where and how.
    prepare : callable
        Source id to prepared input.
    workflow_of : callable
        Family to workflow.

    Returns
    -------
    RebuildReport
        What became of every condition.

    Raises
    ------
    StorageError
        If the folder is in use or cannot be written.
    ExecutionError
        If a worker is not pinned, workers differ or one died.
    ReferenceTableError
        If the folder's index cannot be read (with `fresh` it is replaced instead).
    """
    profile = pinned_profile()
    families = load_families(request.conditions, workflow_of)
    able = families.fitting(request.conditions)
    records = sum(1 << condition.dimensions for condition in able)
    request = replace(request, out=request.out.absolute())
    refuse_foreign_files(request.out, [condition.id for condition in able])
    with (
        folder_lock(request.out),
        RebuildJournal(request.out, request.fresh) as journal,
        open_pool(request.backend, request.jobs, profile, records) as pool,
    ):
        run = _Rebuild(
            request=request,
            inputs=load_inputs((condition.source for condition in able), prepare),
            families=families,
            maker=pool.maker(),
            index=_index(request),
        )
        if not request.fresh:
            run.take_over(journal.entries())
        _execute(run, pool, journal)
        report = _finish(run, profile)
        journal.keep_only(lambda kept: not report.is_written(kept.condition))
    return report


def _execute(run: _Rebuild, pool: Pool, journal: RebuildJournal) -> None:
    plans = run.plans()
    resumed = sum(run.resumed.values())
    total = resumed + sum(plan.cells for plan in plans)
    with progress(total, "records", initial=resumed, label="rebuild") as bar:
        for plan, results in run_plans(pool, plans):
            journal.append(run.accept(plan, results))
            _advance(bar, plan, results)


def _advance(bar: Progress, plan: SourcePlan, results: list[ProgramResult]) -> None:
    bar.update(sum(len(plan.programs[result.program].cells) for result in results))
    bar.set_postfix_str(plan.prepared.source)


def _finish(run: _Rebuild, profile: NumericProfile) -> RebuildReport:
    """Write complete tables, then the index that names them, then the log."""
    out, entries = run.request.out, {}
    for condition in run.runnable:
        if len(run.rows[condition.id]) == 1 << condition.dimensions:
            header = header_of(
                condition, run.families.workflows[condition.family], run.inputs.prepared[condition.source]
            )
            data = render(assemble(header, run.rows[condition.id]))
            entries[condition.id] = entry_of(header, data, *run.basis(condition), run.maker.digest)
            write_atomic(table_path(condition.id, out), data)
    shipped, written = read_index(folder()).tables, {name: entry.digest for name, entry in entries.items()}
    results = [_result(run, condition, written) for condition in run.request.conditions]
    results = [
        replace(result, as_shipped=result.digest == shipped[result.condition.id].digest)
        if result.digest and result.condition.id in shipped
        else result
        for result in results
    ]
    if entries:
        write_index(out, run.index.merged(entries, {run.maker.digest: run.maker}))
        write_machine(out, profile)
    return RebuildReport(tuple(results), _write_failures(out, run.failures), profile.unpinned)


def _result(run: _Rebuild, condition: Condition, written: Mapping[str, str]) -> ConditionResult:
    records = 1 << condition.dimensions
    if condition.id in run.families.problems:
        return ConditionResult(condition, "failed", reason=run.families.problems[condition.id])
    if condition.source in run.inputs.absent:
        absence = run.inputs.absence(condition.source)
        return ConditionResult(condition, "skipped", reason=str(run.inputs.absent[condition.source]), absence=absence)
    if condition.source in run.inputs.broken:
        return ConditionResult(condition, "failed", reason=run.inputs.broken[condition.source])
    if condition.id in written:
        return ConditionResult(
            condition, "built", records, run.resumed.get(condition.id, 0), digest=written[condition.id]
        )
    if failed := tuple(sorted(mask for name, mask in run.failures if name == condition.id)):
        reason = f"{len(failed)} of {records} failed: {first_few(failed, 8)}"
        resumed = run.resumed.get(condition.id, 0)
        causes = Counter(cause_of(run.failures[condition.id, mask]) for mask in failed)
        return ConditionResult(
            condition, "failed", records - len(failed), resumed, reason=reason, failed_masks=failed, causes=dict(causes)
        )
    return ConditionResult(condition, "unchanged", records, digest=run.index.tables[condition.id].digest)


def _index(request: RebuildRequest) -> Index:
    try:
        return read_index(request.out)
    except ReferenceTableError:
        if request.fresh:
            return Index()
        raise


def _intact(out: Path, condition: str, digest: str) -> bool:
    from whatworked.storage.canonical import sha256

    try:
        return sha256(table_path(condition, out).read_bytes()) == digest
    except OSError:
        return False


def _write_failures(out: Path, failures: Mapping[Cell, str]) -> Path | None:
    """Write the tracebacks of failed records to the log; without any, an earlier log is removed."""
    path = out / FAILURES
    if not failures:
        with contextlib.suppress(FileNotFoundError), storage_errors(path, "remove"):
            path.unlink(missing_ok=True)
        return None
    text = "\n".join(f"{condition} {mask}\n{trace}" for (condition, mask), trace in sorted(failures.items()))
    write_atomic(path, text.encode())
    return path
