"""Grading a packed run again from its predictions, and refusing what does not match.

Checked are the reference tables; for WhatWorked's own plug-ins, whether seeds change them; that exactly the records of
the plan are there; that purchases keep to the budget and the cube; that a record is either a delivery or a failure;
that measured cells hold the measured values; that aliases follow from the workflow's classes; and that grading gives
the grades claimed. A file alone cannot show that the named plug-ins made the predictions;
`whatworked.leaderboard.rerunning` checks that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from whatworked.arguments import instance
from whatworked.environments.effects.delivery import aliases_of
from whatworked.errors import PluginError, RunError, UnknownNameError
from whatworked.grading.grader import grade, grade_missing
from whatworked.grading.grades import Grade
from whatworked.grading.record import place_of
from whatworked.leaderboard.packing import CLAIMS, PackedRecord, Submission, claims_of, full_record
from whatworked.leaderboard.stated import uncertainty_problems
from whatworked.plugins import load, parse_spec
from whatworked.plugins.registry import built_in
from whatworked.runs.description import KINDS, SCHEMA, PlanDescription, RunManifest
from whatworked.runs.folder import Run
from whatworked.runs.plan import describe_task
from whatworked.runs.tasks import Task, catalog_tasks
from whatworked.surfaces.masks import anchors, as_strings, mask_string
from whatworked.wording import counted, first_few, printable

SHOWN = 12
"""Problems that a refusal spells out."""
_LONGEST = 400
"""Characters of a problem that are shown."""
_CLOSE = 1e-9
_NAMED = 1000
"""Up to this many missing records are looked for one by one, however few there are; a plan can call for any number."""


def verified(submission: Submission, references: Path | None = None) -> Run:
    """The run of a submission, every grade computed anew.

    Parameters
    ----------
    submission : Submission
        As unpacked.
    references : Path, optional
        Folder of reference tables; default: those of the package.

    Raises
    ------
    RunError
        With every problem found (the first twelve spelled out).
    """
    instance(submission, Submission, "the submission", "unpack returns one")
    problems, tasks = _tables(submission.plan, references)
    problems += _seed_problems(submission.plan)
    problems += _completeness(submission)
    records = []
    for packed in submission.records:
        if packed.condition not in tasks:
            continue
        task = tasks[packed.condition]
        found = list(_record_problems(packed, task))
        if not found:
            regraded = _grade(packed, task)
            found = [*_claim_problems(packed, regraded), *uncertainty_problems(packed, task.d)]
            records.append(full_record(packed, task.d, task.digest, regraded))
        problems += [f"{place_of(packed.key)}: {problem}" for problem in found]
    _refuse(submission, problems)
    manifest = RunManifest(
        schema=SCHEMA,
        plan=submission.plan,
        software=submission.software,
        records=len(records),
        missing=sum(record.predictions is None for record in records),
    )
    return Run(manifest, tuple(records), (), submission.name)


def _refuse(submission: Submission, problems: Sequence[str]) -> None:
    if problems:
        more = f"\n  and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        lines = "".join(f"\n  {_in_a_line(problem)}" for problem in problems[:SHOWN])
        raise RunError(f"{submission.name!r} is refused for {counted(len(problems), 'reason')}:{lines}{more}")


def _in_a_line(problem: str) -> str:
    """A problem as it may be shown; names in it are a stranger's, of any length and with any character."""
    text = printable(problem)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _tables(plan: PlanDescription, references: Path | None) -> tuple[list[str], dict[str, Task]]:
    problems: list[str] = []
    tasks: dict[str, Task] = {}
    for stated in plan.conditions:
        try:
            (task,) = catalog_tasks(
                [stated.condition],
                rules=plan.rules,
                references=references,
                experience=stated.experience is not msgspec.UNSET,
            )
        except UnknownNameError as error:
            own = (
                ""
                if references or "--references" in str(error)
                else "; a condition of one's own needs --references DIR"
            )
            problems.append(f"{error}{own}")
            continue
        here = describe_task(task)
        differing = [
            f"{task.condition}: its {name} is {getattr(stated, name)!r} in the file and {getattr(here, name)!r} here"
            for name in here.__struct_fields__
            if getattr(stated, name) != getattr(here, name)
        ]
        problems += differing
        # Against other truths every record would be wrong, so its records are not checked.
        if not differing:
            tasks[task.condition] = task
    return problems, tasks


def _seed_problems(plan: PlanDescription) -> Iterator[str]:
    """If a file could say wrongly that seeds do not change a plug-in, it could leave out the seeds that went badly."""
    for kind in KINDS:
        known = built_in(kind)
        for label, stated in plan.plugins(kind).items():
            try:
                # Code from elsewhere is not loaded to grade a file.
                if stated.spec is None or (spec := parse_spec(stated.spec)).container or spec.target not in known:
                    continue
                changes = load(stated.spec, kind, label).stochastic
            except PluginError as error:
                yield f"{label}: {error}"
                continue
            if changes != stated.stochastic:
                yield f"{label}: seeds {'change it' if changes else 'do not change it'}, but the file says otherwise"


def unverifiable(plan: PlanDescription) -> list[str]:
    """What a packed run says of its plug-ins that nobody can check, in words.

    A Python object cannot be brought back from a file. So neither can be shown that it made the predictions, nor, where
    the run says that seeds do not change it, that it was run under one seed for that reason.

    Parameters
    ----------
    plan : PlanDescription
        Of the packed run.

    Returns
    -------
    list of str
        One for each such plug-in.
    """
    return [
        f"{kind} {printable(label)} was given as a Python object: whether it made the predictions"
        + ("" if stated.stochastic else ", and whether seeds change it,")
        + " cannot be checked"
        for kind in KINDS
        for label, stated in plan.plugins(kind).items()
        if stated.spec is None
    ]


def _completeness(submission: Submission) -> list[str]:
    expected = submission.plan.key_count()
    if expected > 2 * len(submission.records) + _NAMED:
        return [f"its plan calls for {expected} records; it has {len(submission.records)}"]
    found = Counter(record.key for record in submission.records)
    wanted = dict.fromkeys(submission.plan.keys())
    if not wanted:
        return ["its plan calls for no record: every budget exceeds the masks there are"]
    problems = [f"missing record: {place_of(key)}" for key in wanted if key not in found]
    problems += [f"record that the plan does not call for: {place_of(key)}" for key in found if key not in wanted]
    return problems + [f"record given {count} times: {place_of(key)}" for key, count in found.items() if count > 1]


def _record_problems(packed: PackedRecord, task: Task) -> Iterator[str]:
    cells, bought = 1 << task.d, packed.purchases
    illegal = [rank for rank in (*bought, *packed.aliases) if not 0 <= rank < cells]
    if illegal:
        yield f"ranks {illegal[:3]} are not masks of {task.d} options"
        return
    if len(bought) > packed.budget:
        yield f"{len(bought)} masks were bought with {packed.budget} credits"
    if len(set(bought)) < len(bought) or set(bought) & set(anchors(task.d)):
        yield "a mask was bought twice, or an anchor was bought"
    if packed.predictions is None:
        if not packed.failure:
            yield "nothing was delivered, and no cause is given"
        return
    if packed.failure is not None:
        yield "it states a failure, but holds predictions"
    yield from _prediction_problems(packed, task)


def _prediction_problems(packed: PackedRecord, task: Task) -> Iterator[str]:
    table = np.asarray(packed.predictions, dtype=np.float64)
    if table.shape != (1 << task.d,) or not np.isfinite(table).all() or table.min() < 0.0 or table.max() > 1.0:
        yield f"predictions are not {1 << task.d} numbers from 0 to 1"
        return
    truth = task.surface.utilities
    measured = np.array([*anchors(task.d), *packed.purchases], dtype=np.int64)
    wrong = measured[table[measured] != truth[measured]]
    if wrong.size:
        yield f"measured cells do not hold the measured values: {first_few(as_strings(wrong, task.d))}"
    if packed.aliases:
        yield from _alias_problems(packed, task, table, measured)


def _alias_problems(packed: PackedRecord, task: Task, table: Any, measured: Any) -> Iterator[str]:
    if task.equivalence is None:
        yield "aliases are given in a run without rules"
        return
    aliases, sources = aliases_of(measured, task.equivalence)
    held = dict(zip(aliases.tolist(), sources.tolist(), strict=True))
    unfounded = [rank for rank in packed.aliases if rank not in held]
    if unfounded:
        yield f"aliases of no measured class: {first_few(as_strings(unfounded, task.d))}"
    for rank in packed.aliases:
        if rank in held and table[rank] != task.surface.utilities[held[rank]]:
            yield f"alias {mask_string(rank, task.d)} does not hold the measured value of its class"


def _grade(packed: PackedRecord, task: Task) -> Grade:
    if packed.predictions is None:
        return grade_missing(task.surface)
    return grade(task.surface, packed.predictions, [*anchors(task.d), *packed.purchases])


def _claim_problems(packed: PackedRecord, regraded: Grade) -> Iterator[str]:
    for name, claimed, found in zip(CLAIMS, packed.claims, claims_of(regraded), strict=True):
        if isinstance(claimed, bool) or claimed is None or found is None:
            differ = claimed != found
        else:
            differ = abs(claimed - found) > _CLOSE
        if differ:
            yield f"it claims {name} {claimed}; its predictions have {found}"
