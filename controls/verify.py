"""Replaying the recorded study and saying how each record compares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatworked.catalog.catalog import Condition
from whatworked.controls.audit import close, differing_grades, faults
from whatworked.controls.design_table import catalog_cubes, make_designs
from whatworked.controls.plan import planned
from whatworked.controls.recorded_designs import recorded_designs
from whatworked.controls.store import folder, read_index, read_records
from whatworked.controls.study import run_tasks, task_of
from whatworked.environments.effects.task import Task
from whatworked.grading.record import Record
from whatworked.progress import progress
from whatworked.references import load_table
from whatworked.statistics.agreement import Verdict, count_verdicts
from whatworked.surfaces.equivalence import Equivalence
from whatworked.workers.pool import DEFAULT_BACKEND, map_calls, open_pool
from whatworked.workers.profile import pinned_profile

Key = tuple[str, str, int, int]


@dataclass(frozen=True)
class RecordCheck:
    """How one record compares with its replay.

    Attributes
    ----------
    condition, method, seed, budget
        Which record.
    verdict : Verdict
        ``identical``; ``equal``: same purchases and hyper-parameters, numbers within 1e-9; ``tie-dependent``: it
        differs, a choice lay within rounding of a tie, and the record holds what follows from choices that a tie
        allows (see `whatworked.controls.audit`); ``different``; ``missing``: not recorded, or not planned.
    detail : str
        What differs.
    """

    condition: str
    method: str
    seed: int
    budget: int
    verdict: Verdict
    detail: str = ""

    @property
    def name(self) -> str:
        """The record in words."""
        return f"{self.condition} {self.method} seed {self.seed} budget {self.budget}"


@dataclass(frozen=True)
class Verification:
    """What a verification found.

    Attributes
    ----------
    records : tuple of RecordCheck
        Every record of the study.
    near_ties : tuple of str
        Names of the records that say of themselves that a choice lay within rounding of a tie.
    classes : mapping of str to int
        Number of verified code-equivalence classes by condition.
    class_faults : tuple of str
        Classes whose masks have different prediction digests.
    design_faults : tuple of str
        Recorded designs that a computation under the pinned profile does not give.
    unpinned : tuple of str
        What could not be pinned on this machine.
    """

    records: tuple[RecordCheck, ...]
    near_ties: tuple[str, ...]
    classes: Mapping[str, int]
    class_faults: tuple[str, ...]
    design_faults: tuple[str, ...]
    unpinned: tuple[str, ...]

    @property
    def counts(self) -> dict[Verdict, int]:
        """Number of records by verdict, the best first."""
        return count_verdicts(check.verdict for check in self.records)

    @property
    def passed(self) -> bool:
        """Whether nothing is different or missing and classes and designs hold."""
        agree = all(check.verdict.agrees for check in self.records)
        return agree and not (self.class_faults or self.design_faults)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "passed": self.passed,
            "counts": self.counts,
            "not_identical": [
                {"record": check.name, "verdict": check.verdict, "detail": check.detail}
                for check in self.records
                if check.verdict != Verdict.IDENTICAL
            ],
            "near_ties": list(self.near_ties),
            "classes": dict(self.classes),
            "class_faults": list(self.class_faults),
            "design_faults": list(self.design_faults),
            "unpinned": list(self.unpinned),
        }


def verify_study(
    conditions: Sequence[Condition],
    where: Path | None = None,
    *,
    jobs: int = 2,
    references: Path | None = None,
    backend: str = DEFAULT_BACKEND,
) -> Verification:
    """Replay the records of some conditions from the reference tables and compare.

    Parameters
    ----------
    conditions : sequence of Condition
        Which ones.
    where : Path, optional
        Folder of the study; default: the records that come with the package.
    jobs : int
        Number of workers.
    references : Path, optional
        Folder of reference tables; default: the package's.
    backend : str, default "loky"
        How workers are started, see `whatworked.workers.pool.open_pool`.

    Raises
    ------
    StorageError
        If there is no study, or a file of it was altered.
    """
    place = folder() if where is None else where
    present = read_index(place).entries
    wanted = [condition.id for condition in conditions if condition.id in present]
    recorded = read_records(place, wanted if present else None)
    tasks = [task_of(condition, references) for condition in conditions]
    profile = pinned_profile()
    replayed: list[Record] = []
    total = sum(len(planned(task.track)) for task in tasks)
    with open_pool(backend, jobs, profile, len(tasks)) as pool, progress(total, "record") as bar:
        for records in run_tasks(pool, tasks, bar):
            replayed += records
        (designs,) = map_calls(pool, make_designs, [(list(catalog_cubes()),)])
    design_faults = [
        f"d={design.d} degree {design.degree} classes {design.classes}"
        for design in designs
        if recorded_designs().get((design.d, design.degree, design.classes)) != design
    ]
    checks = compare_records(recorded, replayed, {task.condition: task for task in tasks})
    class_checks = {task.condition: check_classes(task, references) for task in tasks}
    return Verification(
        records=checks,
        near_ties=tuple(_name(record) for record in sorted(recorded, key=_key) if record.near_tie),
        classes={name: count for name, (count, _) in class_checks.items()},
        class_faults=tuple(fault for _, found in class_checks.values() for fault in found),
        design_faults=tuple(design_faults),
        unpinned=profile.unpinned,
    )


def compare_records(
    recorded: Iterable[Record], replayed: Iterable[Record], tasks: Mapping[str, Task]
) -> tuple[RecordCheck, ...]:
    """Compare two sets of records, sorted by condition, method, seed and budget; one recorded twice is different.

    Parameters
    ----------
    recorded, replayed : iterable of Record
        What the study says, and what was computed now.
    tasks : mapping of str to Task
        By condition, what the replayed records were computed from.
    """
    recorded = list(recorded)
    left, right = {_key(record): record for record in recorded}, {_key(record): record for record in replayed}
    copies = Counter(map(_key, recorded))
    return tuple(
        RecordCheck(*key, *_verdict(left.get(key), right.get(key), copies[key], tasks))
        for key in sorted({*left, *right})
    )


def check_classes(task: Task, references: Path | None = None) -> tuple[int, tuple[str, ...]]:
    """Number of code-equivalence classes of a condition, and those whose masks do not share one prediction digest."""
    rows = load_table(task.condition, references).rows
    classes = task.equivalence or Equivalence.trivial(task.d)
    found = []
    for representative in classes.representatives:
        members = classes.members(int(representative))
        if len({rows[rank].prediction for rank in members}) > 1:
            found.append(f"{task.condition}: {', '.join(rows[rank].mask for rank in members)}")
    return len(classes), tuple(found)


def _key(record: Record) -> Key:
    return record.condition, record.method, record.seed, record.budget


def _name(record: Record) -> str:
    return RecordCheck(*_key(record), Verdict.IDENTICAL).name


def _verdict(
    recorded: Record | None, replayed: Record | None, copies: int, tasks: Mapping[str, Task]
) -> tuple[Verdict, str]:
    if recorded is None or replayed is None:
        return Verdict.MISSING, "it is not recorded" if recorded is None else "it is not part of the study"
    if copies > 1:
        return Verdict.DIFFERENT, f"it is recorded {copies} times"
    if recorded == replayed:
        return Verdict.IDENTICAL, ""
    differing = _differences(recorded, replayed)
    if not differing:
        return Verdict.EQUAL, ""
    tie = recorded.near_tie or replayed.near_tie
    if not tie or recorded.table != replayed.table or recorded.failure != replayed.failure:
        return Verdict.DIFFERENT, ", ".join(differing)
    task = tasks[recorded.condition]
    if unsound := faults(recorded, task):
        return Verdict.DIFFERENT, f"{', '.join(differing)}; by itself: {', '.join(unsound)}"
    return Verdict.TIE_DEPENDENT, ", ".join(differing)


def _differences(recorded: Record, replayed: Record) -> list[str]:
    """Fields that differ by more than rounding."""
    exact = ("table", "purchases", "aliases", "steps", "near_tie", "failure")
    found = [name for name in exact if getattr(recorded, name) != getattr(replayed, name)]
    if not close(recorded.predictions, replayed.predictions):
        found.append("predictions")
    return found + differing_grades(recorded.grade, replayed.grade)
