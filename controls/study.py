"""Running the control study in worker processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whatworked.catalog.catalog import Condition
from whatworked.controls.paths import run_cells
from whatworked.controls.plan import planned
from whatworked.controls.store import StudyIndex, is_study_file, read_index, records_path, write_records
from whatworked.environments.effects.task import Task, load_task
from whatworked.grading.record import Record
from whatworked.progress import Progress, progress
from whatworked.storage.canonical import sha256
from whatworked.storage.files import storage_errors
from whatworked.storage.foreign import refuse_foreign
from whatworked.storage.index import write_index
from whatworked.storage.lock import folder_lock
from whatworked.workers.pool import DEFAULT_BACKEND, Pool, map_calls, open_pool
from whatworked.workers.profile import pinned_profile
from whatworked.workers.software import Maker


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
    """The task of one condition: its surface from the reference tables, its classes from the workflow's declaration."""
    return load_task(
        condition.id, condition.source, condition.family, condition.track, rules=True, references=references
    )


def run_study(
    conditions: Sequence[Condition],
    out: Path,
    *,
    jobs: int = 2,
    resume: bool = True,
    references: Path | None = None,
    backend: str = DEFAULT_BACKEND,
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
        Number of workers, at least 1. Files do not depend on it.
    resume : bool, default True
        Keep conditions that are complete in `out` and were made from the same tables by the same software.
    references : Path, optional
        Folder of reference tables; default: the package's.
    backend : str, default "loky"
        How workers are started, see `whatworked.workers.pool.open_pool`. Files do not depend on it either.

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
    out = out.absolute()
    refuse_foreign({records_path(out, task.condition): is_study_file for task in tasks}, "whatworked controls run")
    profile = pinned_profile()
    made = kept = near_ties = 0
    with (
        folder_lock(out),
        open_pool(backend, jobs, profile, len(tasks)) as pool,
        progress(sum(len(planned(task.track)) for task in tasks), "record") as bar,
    ):
        maker = pool.maker()
        index = read_index(out)
        waiting = [task for task in tasks if not (resume and _is_complete(task, index, maker, out))]
        for task in tasks:
            kept += 0 if task in waiting else len(planned(task.track))
        bar.update(kept)
        for records in run_tasks(pool, waiting, bar):
            entry = write_records(out, records, maker)
            index = index.merged({records[0].condition: entry}, {maker.digest: maker})
            write_index(out, index)
            made += len(records)
            near_ties += sum(record.near_tie for record in records)
    return StudyReport(out, made, kept, len(tasks), near_ties, profile.unpinned)


def _is_complete(task: Task, index: StudyIndex, maker: Maker, out: Path) -> bool:
    """Whether the folder holds all records of a task, made from the same table by the same software, and unaltered."""
    entry = index.entries.get(task.condition)
    expected = task.digest, maker.digest, len(planned(task.track))
    if entry is None or (entry.table, entry.maker, entry.records) != expected:
        return False
    path = records_path(out, task.condition)
    with storage_errors(path, "read"):
        return path.exists() and sha256(path.read_bytes()) == entry.digest


def run_tasks(pool: Pool, tasks: Sequence[Task], bar: Progress) -> Iterator[tuple[Record, ...]]:
    """Records of each task as it finishes; the longest start first."""
    ordered = sorted(tasks, key=lambda task: (-task.d, -len(planned(task.track))))
    for records in map_calls(pool, run_task, [(task,) for task in ordered]):
        bar.update(len(records))
        yield records


def run_task(task: Task) -> tuple[Record, ...]:
    """Records of one condition: the unit of work, so that results do not depend on the number of jobs."""
    return run_cells(task, planned(task.track))
