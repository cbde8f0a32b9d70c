"""Running the control study in worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from whatworked.catalog.catalog import Condition
from whatworked.controls.paths import run_cells
from whatworked.controls.plan import Cell, planned
from whatworked.controls.store import StudyIndex, read_index, records_path, write_index, write_records
from whatworked.errors import ExecutionError
from whatworked.grading.record import Record
from whatworked.progress import Progress, progress
from whatworked.references import load_surface, table_digest
from whatworked.storage.canonical import sha256
from whatworked.storage.files import storage_errors
from whatworked.storage.lock import folder_lock
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.surface import ResponseSurface
from whatworked.workers.profile import NumericProfile, pinned_profile, require_pinned
from whatworked.workers.software import Maker
from whatworked.workflows import get

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Task:
    """All records of one condition: the unit of work, so that results do not depend on the number of jobs."""

    condition: Condition
    surface: ResponseSurface
    equivalence: Equivalence
    table: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class StudyReport:
    """What a run of the study did.

    Attributes
    ----------
    out : Path
        Folder of the records.
    made, kept : int
        Number of records computed, and taken over from an earlier run.
    conditions : int
        Number of conditions.
    near_ties : int
        Number of computed records in which some choice lay within rounding of a tie.
    unpinned : tuple of str
        What could not be pinned on this machine.
    """

    out: Path
    made: int = 0
    kept: int = 0
    conditions: int = 0
    near_ties: int = 0
    unpinned: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        names = ("conditions", "made", "kept", "near_ties")
        return {"out": str(self.out), **{name: getattr(self, name) for name in names}, "unpinned": list(self.unpinned)}


def task_of(condition: Condition, references: Path | None = None) -> Task:
    """The work of one condition: its surface from the reference tables, its classes from the workflow's declaration."""
    return Task(
        condition=condition,
        surface=load_surface(condition.id, references),
        equivalence=get(condition.family).equivalence(condition.dimensions),
        table=table_digest(condition.id, references),
        cells=planned(condition),
    )


def run_study(
    conditions: Sequence[Condition],
    out: Path,
    *,
    jobs: int = 2,
    resume: bool = True,
    references: Path | None = None,
) -> StudyReport:
    """Compute all records of some conditions and write them to a folder, condition by condition.

    Records of other conditions that the folder holds stay as they are.

    Parameters
    ----------
    conditions : sequence of Condition
        What to run.
    out : Path
        Folder of record files and index; made if needed.
    jobs : int
        Number of worker processes, at least 1. Files do not depend on it.
    resume : bool, default True
        Keep conditions that are complete in `out` and were made from the same tables by the same software.
    references : Path, optional
        Folder of reference tables; default: the package's.

    Raises
    ------
    ReferenceTableError, UnknownNameError
        If a reference table is missing or altered.
    StorageError
        If the folder cannot be written, or another run is writing it.
    ExecutionError
        If a worker died or is not numerically pinned; what had finished is on disk.
    """
    tasks = [task_of(condition, references) for condition in conditions]
    profile = pinned_profile()
    made = kept = near_ties = 0
    with (
        folder_lock(out),
        open_workers(jobs, profile, len(tasks)) as workers,
        progress(sum(len(task.cells) for task in tasks), "record") as bar,
    ):
        maker = workers.maker()
        index = read_index(out)
        waiting = [task for task in tasks if not (resume and _is_complete(task, index, maker, out))]
        for task in tasks:
            kept += 0 if task in waiting else len(task.cells)
        bar.update(kept)
        for records in workers.run(waiting, bar):
            index = index.with_entry(records[0].condition, write_records(out, records, maker), maker)
            write_index(out, index)
            made += len(records)
            near_ties += sum(record.near_tie for record in records)
    return StudyReport(out, made, kept, len(tasks), near_ties, profile.unpinned)


def _is_complete(task: Task, index: StudyIndex, maker: Maker, out: Path) -> bool:
    """Whether the folder holds all records of a task, made from the same table by the same software, and unaltered."""
    entry = index.conditions.get(task.condition.id)
    expected = task.table, maker.digest, len(task.cells)
    if entry is None or (entry.table, entry.maker, entry.records) != expected:
        return False
    path = records_path(out, task.condition.id)
    with storage_errors(path, "read"):
        return path.exists() and sha256(path.read_bytes()) == entry.digest


class Workers:
    """Worker processes under one numeric profile."""

    def __init__(self, executor: Any, profile: NumericProfile) -> None:
        self._executor = executor
        self._profile = profile

    @property
    def count(self) -> int:
        """Number of processes at most."""
        return int(self._executor._max_workers)

    def maker(self) -> Maker:
        """What the workers compute with."""
        from whatworked.workers.software import observe

        with _deaths():
            maker: Maker = self._executor.submit(observe, self._profile).result()
        return maker

    def run(self, tasks: Sequence[Task], bar: Progress) -> Iterator[tuple[Record, ...]]:
        """Records of each task as it finishes; the longest start first."""
        ordered = sorted(tasks, key=lambda task: (-task.condition.dimensions, -len(task.cells)))
        for records in self.map(run_task, [(task,) for task in ordered]):
            bar.update(len(records))
            yield records

    def map(self, function: Callable[..., Result], calls: Iterable[tuple[Any, ...]]) -> Iterator[Result]:
        """Results of a function for each tuple of arguments, as they finish."""
        from whatworked.workers.processes import first_finished

        waiting = {self._executor.submit(_pinned_call, self._profile, function, *arguments) for arguments in calls}
        while waiting:
            for future in first_finished(waiting):
                waiting.remove(future)
                with _deaths():
                    result: Result = future.result()
                yield result


@contextmanager
def open_workers(jobs: int, profile: NumericProfile, tasks: int) -> Iterator[Workers]:
    """Start `jobs` worker processes under `profile`, no more than there are tasks; end them on leaving.

    Raises
    ------
    InvalidOptionError
        For fewer than one job.
    """
    from whatworked.workers.processes import end_processes, start_processes, worker_count

    executor = start_processes(profile, worker_count(jobs, tasks))
    try:
        yield Workers(executor, profile)
    finally:
        end_processes(executor)


def run_task(task: Task) -> tuple[Record, ...]:
    """Records of one condition."""
    return run_cells(task.surface, task.equivalence, task.cells, task.table)


def _pinned_call(profile: NumericProfile, function: Callable[..., Result], *arguments: Any) -> Result:
    require_pinned(profile)
    return function(*arguments)


@contextmanager
def _deaths() -> Iterator[None]:
    from joblib.externals.loky.process_executor import BrokenProcessPool

    try:
        yield
    except BrokenProcessPool as error:
        raise ExecutionError(
            "a worker process died, most likely because memory ran out; conditions that had finished are kept. "
            "Run the same command again, with fewer --jobs"
        ) from error
