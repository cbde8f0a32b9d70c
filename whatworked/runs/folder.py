"""The folder of a run: its plan while it runs, its results when it is finished.

==================  ==================================================================================================
``plan.json``       what decides the results; a later command with other arguments is refused
``software.json``   packages and numeric profile of the workers while it runs
``.bench.journal``  finished units while it runs
``records.jsonl``   one record per line, in the plan's order; byte-identical for any number of jobs
``records.csv``     the same as a tidy table, grades in columns
``surfaces.json``   the true utilities that the records were graded against, by condition
``costs.csv``       seconds and counts per record; volatile, so kept out of everything hashed
``plugins.log``     tracebacks of plug-ins and counts of the warnings they raised
``manifest.json``   plan, software, digests; written last, so it stands for a finished run
==================  ==================================================================================================
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from whatworked.errors import InvalidOptionError, RunError
from whatworked.grading.record import Record
from whatworked.plugins.beside import digests_in, path_beside
from whatworked.runs.journal import forget
from whatworked.runs.plan import SCHEMA, Plan
from whatworked.runs.tidy import COSTS, as_csv, tidy_rows
from whatworked.runs.unit import UnitResult
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.storage.files import storage_errors, write_atomic
from whatworked.wording import counted

PLAN, RECORDS, TIDY, COST_TABLE, LOG, MANIFEST, SOFTWARE, SURFACES = (
    "plan.json",
    "records.jsonl",
    "records.csv",
    "costs.csv",
    "plugins.log",
    "manifest.json",
    "software.json",
    "surfaces.json",
)


@dataclass(frozen=True)
class Run:
    """A finished run.

    Attributes
    ----------
    manifest : dict
        Plan, software, digests.
    records : tuple of Record
        In the plan's order.
    costs : tuple of dict
        Seconds and counts, one row per record; empty for a run that was unpacked from a submission.
    name : str
        Where it was read from.
    surfaces : dict
        True utilities in canonical order by condition; empty for a run that was unpacked from a submission.
    """

    manifest: dict[str, Any]
    records: tuple[Record, ...]
    costs: tuple[dict[str, Any], ...] = ()
    name: str = ""
    surfaces: dict[str, list[float]] = field(default_factory=dict)

    def __repr__(self) -> str:
        facts = (counted(len({getattr(one, name) for one in self.records}), name) for name in ("method", "condition"))
        missing = sum(one.predictions is None for one in self.records)
        return f"Run({self.name!r}: {counted(len(self.records), 'record')}, {', '.join(facts)}, {missing} missing)"

    @property
    def description(self) -> dict[str, Any]:
        """The plan."""
        plan: dict[str, Any] = self.manifest["plan"]
        return plan

    def rows(self) -> list[dict[str, Any]]:
        """The records as a tidy table.

        Returns
        -------
        list of dict
            One row per record, with equal keys: the groups of the condition, the method, and every grade; None where a
            quantity is undefined.
        """
        return tidy_rows(self.description, self.records)


def claim(folder: Path, plan: Plan) -> None:
    """Make `folder` the folder of `plan`, or check that it is.

    Raises
    ------
    InvalidOptionError
        If the folder holds a run with another plan; the message says where they differ.
    """
    path = folder / PLAN
    held = _object_in(path) if path.exists() else None
    if held is None:
        write_atomic(path, pretty(plan.description))
        return
    differing = [name for name, value in plan.description.items() if held.get(name) != value]
    if edited := _edited(held, plan.description):
        raise InvalidOptionError(
            f"{', '.join(edited)} since the run in {folder} began; give another folder with --out, or --fresh to "
            "replace that run"
        )
    if differing:
        raise InvalidOptionError(
            f"{folder} holds a run with other {', '.join(differing)}; repeat its arguments to go on with it, "
            "give another folder with --out, or --fresh to replace it"
        )


def _edited(held: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Files and packages of plug-ins that are what differs; empty if anything else does, too."""
    found: dict[str, None] = {}
    for kind in ("estimators", "policies"):
        before, now = held.get(kind), wanted[kind]
        if not isinstance(before, dict) or before.keys() != now.keys():
            return []
        for label, facts in now.items():
            if facts == before[label]:
                continue
            if facts["spec"] is None or facts["spec"] != before[label].get("spec"):
                return []
            found[_change(facts["spec"], str(before[label].get("origin")), facts["origin"])] = None
    rest = (name for name in wanted if name not in ("estimators", "policies"))
    return [] if any(held.get(name) != wanted[name] for name in rest) else list(found)


def _change(spec: str, before: str, now: str) -> str:
    old, new = digests_in(before), digests_in(now)
    if old and new:
        changed = [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]
        return ", ".join(f"{path_beside(spec, name)} {_edit(old.get(name), new.get(name))}" for name in changed)
    return f"{spec} is of {now} and was of {before}"


def _edit(before: str | None, now: str | None) -> str:
    if before is None or now is None:
        return "was not imported before" if before is None else "is no longer imported"
    return f"was edited (SHA-256 {before[:8]} → {now[:8]})"


def clear(folder: Path) -> None:
    """Remove the run in `folder`, finished or not, and nothing else; the manifest first, so that no half is left."""
    for name in (MANIFEST, PLAN, SOFTWARE, RECORDS, TIDY, COST_TABLE, SURFACES, LOG):
        with storage_errors(folder / name, "remove"):
            (folder / name).unlink(missing_ok=True)
    forget(folder)


def claim_software(folder: Path, software: Mapping[str, Any]) -> None:
    """Note the software of an unfinished run, or check that it is still the same.

    Raises
    ------
    InvalidOptionError
        If the run was begun with other software, so that its records would mix results.
    """
    path = folder / SOFTWARE
    held = _object_in(path) if path.exists() else None
    if held is None:
        write_atomic(path, pretty(software))
    elif held != software:
        raise InvalidOptionError(
            f"{folder} holds a run that was begun with other software ({path} says which); go on with that, "
            "give another folder with --out, or --fresh to replace it"
        )


def is_claimed(folder: Path) -> bool:
    """Whether `folder` holds the plan of a run."""
    return (folder / PLAN).exists()


def is_finished(folder: Path) -> bool:
    """Whether `folder` holds a finished run."""
    return (folder / MANIFEST).exists()


def finish(folder: Path, plan: Plan, results: Sequence[UnitResult], software: Mapping[str, Any]) -> Run:
    """Write the results of all units; the manifest last."""
    paired = [(record, cost) for result in results for record, cost in zip(result.records, result.costs, strict=True)]
    order = {key: position for position, key in enumerate(plan.expected())}
    paired.sort(key=lambda pair: order[pair[0].key])
    records, costs = tuple(record for record, _ in paired), tuple(cost for _, cost in paired)
    lines = encode(records)
    truths = {task.condition: task.surface.utilities.tolist() for task in plan.tasks}
    surfaces = canonical_json(truths) + b"\n"
    log = "\n".join(sorted({line for result in results for line in result.log}))
    manifest = {
        "schema": SCHEMA,
        "plan": plan.description,
        "plan_digest": plan.digest,
        "skipped_budgets": plan.skipped,
        "software": software,
        "records": len(records),
        "records_digest": sha256(lines),
        "surfaces_digest": sha256(surfaces),
        "missing": sum(record.predictions is None for record in records),
    }
    write_atomic(folder / RECORDS, lines)
    write_atomic(folder / TIDY, as_csv(tidy_rows(plan.description, records)).encode())
    write_atomic(folder / COST_TABLE, as_csv([dict.fromkeys(COSTS) | cost for cost in costs], COSTS).encode())
    write_atomic(folder / SURFACES, surfaces)
    write_atomic(folder / LOG, log.encode())
    write_atomic(folder / MANIFEST, pretty(manifest))
    return Run(manifest, records, costs, str(folder), truths)


def read_run(folder: Path | str) -> Run:
    """Read a finished run.

    Parameters
    ----------
    folder : Path or str
        Where `whatworked.bench` wrote it.

    Returns
    -------
    Run

    Raises
    ------
    InvalidOptionError
        If the folder holds none, or an unfinished one.
    RunError
        If the records are not those of the manifest, or of another schema.
    StorageError
        If a file or folder cannot be read.
    """
    folder = Path(folder)
    if not is_finished(folder):
        state = "an unfinished run; repeat its bench command to finish it" if (folder / PLAN).exists() else "no run"
        raise InvalidOptionError(f"{folder} holds {state}")
    manifest = _object_in(folder / MANIFEST)
    with storage_errors(folder, "read"):
        lines = (folder / RECORDS).read_bytes()
        surfaces = (folder / SURFACES).read_bytes()
        costs = (folder / COST_TABLE).read_text() if (folder / COST_TABLE).exists() else ""
    if manifest.get("schema") != SCHEMA:
        raise RunError(f"{folder}: the run has schema {manifest.get('schema')!r}; this version reads schema {SCHEMA}")
    for name, data, digest in ((RECORDS, lines, "records_digest"), (SURFACES, surfaces, "surfaces_digest")):
        if sha256(data) != manifest.get(digest):
            raise RunError(f"{folder / name} was altered since the run: its digest is not that of the manifest")
    return Run(manifest, decode(lines), tuple(_costs(costs)), str(folder), json.loads(surfaces))


def encode(records: Iterable[Record]) -> bytes:
    """One line of canonical JSON per record."""
    return b"".join(canonical_json(msgspec.to_builtins(record)) + b"\n" for record in records)


def decode(lines: bytes) -> tuple[Record, ...]:
    """Records from their lines."""
    return tuple(msgspec.json.decode(line, type=Record) for line in lines.splitlines())


def pretty(value: Mapping[str, Any]) -> bytes:
    """Indented JSON that reads well in a diff."""
    return f"{json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)}\n".encode()


def _object_in(path: Path) -> dict[str, Any]:
    """The JSON object in a file of the run; raises `RunError` if it holds anything else."""
    with storage_errors(path, "read"):
        data = path.read_bytes()
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise RunError(
            f"{path} is damaged: it holds no JSON object; put it back, or run the bench command again with --fresh to "
            "replace the run"
        )
    return content


def _costs(text: str) -> Iterable[dict[str, Any]]:
    for row in csv.DictReader(text.splitlines()):
        yield {
            **row,
            "budget": int(row["budget"]),
            "seed": int(row["seed"]),
            "asks": int(row["asks"]),
            # Older runs did not count them.
            "fits": int(row["fits"]) if row.get("fits") else None,
            "policy_seconds": float(row["policy_seconds"]),
            "fit_seconds": float(row["fit_seconds"]),
        }
