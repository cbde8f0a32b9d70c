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

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from whatworked.arguments import path as as_path
from whatworked.errors import InvalidOptionError, RunError
from whatworked.grading.record import Record
from whatworked.plugins.origin import path_in_folder
from whatworked.plugins.registry import Kind
from whatworked.plugins.resolve import files_before_import, read_text
from whatworked.runs.costs import read_costs
from whatworked.runs.description import (
    KINDS,
    SCHEMA,
    PlanDescription,
    PluginDescription,
    RecordCost,
    RunManifest,
    to_json,
)
from whatworked.runs.frames import frame
from whatworked.runs.journal import forget
from whatworked.runs.plan import Plan
from whatworked.runs.tidy import TidyRow, costs_csv, flat_rows, records_csv, tidy_rows
from whatworked.runs.unit import UnitResult
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.storage.files import read_file, storage_errors, write_atomic
from whatworked.storage.json_text import parse_json
from whatworked.wording import counted, printable

if TYPE_CHECKING:
    import pandas as pd

Struct = TypeVar("Struct", bound=msgspec.Struct)

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
LARGEST = 1 << 32
"""Bytes that the records, surfaces or costs of a run may have; what they take in memory is a few times that at most."""
LARGEST_PLAN = 1 << 26
"""Bytes that a plan or manifest may have."""
_PUT_BACK = "put it back, or run the bench command again with --fresh to replace the run"


@dataclass(frozen=True)
class Run:
    """A finished run.

    Attributes
    ----------
    manifest : RunManifest
        Plan, software, digests.
    records : tuple of Record
        In the plan's order.
    costs : tuple of RecordCost
        One per record; empty for a packed run.
    name : str
        Where it was read from.
    surfaces : dict
        True utilities in canonical order by condition; empty for a packed run.
    """

    manifest: RunManifest
    records: tuple[Record, ...]
    costs: tuple[RecordCost, ...] = ()
    name: str = ""
    surfaces: dict[str, list[float]] = field(default_factory=dict)

    def __repr__(self) -> str:
        methods = counted(len({record.method for record in self.records}), "method")
        conditions = counted(len({record.condition for record in self.records}), "condition")
        missing = sum(record.predictions is None for record in self.records)
        records = counted(len(self.records), "record")
        return f"Run({self.name!r}: {records}, {methods}, {conditions}, {missing} missing)"

    @property
    def description(self) -> PlanDescription:
        """The plan."""
        return self.manifest.plan

    def rows(self) -> list[TidyRow]:
        """The records as a tidy table.

        Returns
        -------
        list of TidyRow
            One row per record: the groups of the condition, the method, and the grade. ``to_dict`` of a row gives flat
            columns, as in ``records.csv``.
        """
        return tidy_rows(self.description, self.records)

    def frame(self) -> pd.DataFrame:
        """The records as a data frame: the columns of ``records.csv``.

        Returns
        -------
        pandas.DataFrame
            One row per record.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        return frame(flat_rows(self.rows()))

    def costs_frame(self) -> pd.DataFrame:
        """The costs as a data frame: the columns of ``costs.csv``.

        Returns
        -------
        pandas.DataFrame
            One row per record; none for a packed run.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        return frame([to_json(cost) for cost in self.costs])


def claim(folder: Path, plan: Plan) -> None:
    """Make `folder` the folder of `plan`, or check that it is.

    Raises
    ------
    InvalidOptionError
        If the folder holds a run with another plan; the message says where they differ.
    RunError
        If the plan in the folder cannot be read.
    """
    path, wanted = folder / PLAN, plan.description
    if not is_claimed(folder):
        write_atomic(path, pretty(to_json(wanted)))
        return
    # A finished run is its manifest, whatever became of plan.json.
    held = _manifest(folder).plan if is_finished(folder) else _decoded(path, PlanDescription)
    _refuse_objects(folder, held, plan)
    differing = [name for name in wanted.__struct_fields__ if getattr(held, name) != getattr(wanted, name)]
    if edited := _edited(held, wanted, differing):
        raise _other_files(folder, edited)
    if differing:
        raise InvalidOptionError(
            f"{folder} holds a run with other {', '.join(differing)}; repeat its arguments to go on with it, "
            "give another folder with --out, or --fresh to replace it"
        )


def refuse_edited(folder: Path, texts: Mapping[Kind, Iterable[str]]) -> None:
    """Refuse to go on with a run whose plug-in files were edited, before any of them is run; see `claim`.

    Parameters
    ----------
    folder : Path
        Where a run may be.
    texts : mapping of kind to texts
        The plug-ins as they were given.

    Raises
    ------
    InvalidOptionError
        Naming the files.
    """
    if not is_claimed(folder):
        return
    try:
        held = _manifest(folder).plan if is_finished(folder) else _decoded(folder / PLAN, PlanDescription)
    except RunError:  # not ours, or damaged: refused later on, with all that is wrong
        return
    edited: dict[str, None] = {}
    for kind, given in texts.items():
        specs = {spec.text: spec for spec in map(read_text, given)}
        for before in held.plugins(kind).values():
            spec = specs.get(before.spec or "")
            if spec is None or before.origin.kind != "files" or not before.origin.files:
                continue
            now = files_before_import(spec)
            if now is not None and now != before.origin:
                edited[_edits(spec.text, before.origin.digests, now.digests)] = None
    if edited:
        raise _other_files(folder, list(edited))


def _other_files(folder: Path, edited: Sequence[str]) -> InvalidOptionError:
    return InvalidOptionError(
        f"{', '.join(edited)} since the run in {folder} began; give another folder with --out, or --fresh to "
        "replace that run"
    )


def _refuse_objects(folder: Path, held: PlanDescription, plan: Plan) -> None:
    """Refuse to go on with a run of Python objects that are other ones than those given, or may be."""
    found: list[str] = []
    for plugin in (*plan.estimators, *plan.policies):
        before = held.plugins(plugin.kind).get(plugin.label)
        if plugin.spec is not None or before is None or before.spec is not None:
            continue
        named, doubt = f"{plugin.kind} {plugin.label}", plugin.provenance.doubt
        if doubt:
            found.append(f"the {named} is a Python object that cannot be told from another one: {doubt}")
        elif not before.origin.digest:
            found.append(f"the run does not say what the Python object behind the {named} was")
        elif before.origin != plugin.provenance.origin:
            changes = _changed_parameters(before, PluginDescription.of(plugin))
            found.append(f"the {named} is another Python object than the run was made with ({changes})")
    if found:
        raise InvalidOptionError(
            f"{folder} holds a run, and {'; '.join(found)}. So its results cannot be taken over; give another folder "
            "with --out, or replace that run with --fresh (in Python out=…, fresh=True)"
        )


def _changed_parameters(before: PluginDescription, now: PluginDescription) -> str:
    old, new = before.parameters or {}, now.parameters or {}
    changed = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    if not changed:
        return "its code or what it holds was edited"
    return ", ".join(f"{name} was {old.get(name, 'not set')} and is {new.get(name, 'not set')}" for name in changed)


def _edited(held: PlanDescription, wanted: PlanDescription, differing: Sequence[str]) -> list[str]:
    """What changed in files and packages of plug-ins; empty if anything else differs, too."""
    if not set(differing) <= {"estimators", "policies"}:
        return []
    changes: dict[str, None] = {}
    for kind in KINDS:
        before, now = held.plugins(kind), wanted.plugins(kind)
        if before.keys() != now.keys():
            return []
        for label, plugin in now.items():
            if plugin == before[label]:
                continue
            if plugin.spec is None or plugin.spec != before[label].spec:
                return []
            changes[_change(plugin.spec, before[label], plugin)] = None
    return list(changes)


def _change(spec: str, before: PluginDescription, now: PluginDescription) -> str:
    old, new = before.origin.digests, now.origin.digests
    if old and new:
        return _edits(spec, old, new)
    return f"{spec} is of {now.origin} and was of {before.origin}"


def _edits(spec: str, old: Mapping[str, str], new: Mapping[str, str]) -> str:
    changed = [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]
    return ", ".join(f"{path_in_folder(spec, name)} {_edit(old.get(name), new.get(name))}" for name in changed)


def _edit(before: str | None, now: str | None) -> str:
    if before is None or now is None:
        return "was not imported before" if before is None else "is no longer imported"
    return f"was edited (SHA-256 {before[:8]} → {now[:8]})"


def clear(folder: Path) -> None:
    """Remove the run in `folder`, finished or not, and nothing else. The manifest goes first: it means "finished"."""
    for name in (MANIFEST, PLAN, SOFTWARE, RECORDS, TIDY, COST_TABLE, SURFACES, LOG):
        with storage_errors(folder / name, "remove"):
            (folder / name).unlink(missing_ok=True)
    forget(folder)


def claim_software(folder: Path, software: Mapping[str, Any]) -> None:
    """Note the software of an unfinished run, or check that it is still the same.

    Raises
    ------
    InvalidOptionError
        If the run was begun with other software: its records would mix results of both.
    """
    path = folder / SOFTWARE
    held = _object_in(path) if path.exists() else None
    if held is None:
        write_atomic(path, pretty(software))
    elif held != software:
        raise InvalidOptionError(
            f"{folder} holds a run that was begun with other software ({path} says which); go on with that software, "
            "give another folder with --out, or --fresh to replace the run"
        )


def is_claimed(folder: Path) -> bool:
    """Whether `folder` holds the plan of a run, or a finished run."""
    return (folder / PLAN).exists() or is_finished(folder)


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
    log = printable("\n".join(sorted({line for result in results for line in result.log})), keep="\n\t")
    manifest = RunManifest(
        schema=SCHEMA,
        plan=plan.description,
        plan_digest=plan.digest,
        skipped_budgets=plan.skipped,
        software=dict(software),
        records=len(records),
        records_digest=sha256(lines),
        surfaces_digest=sha256(surfaces),
        missing=sum(record.predictions is None for record in records),
    )
    write_atomic(folder / RECORDS, lines)
    write_atomic(folder / TIDY, records_csv(tidy_rows(plan.description, records)).encode())
    write_atomic(folder / COST_TABLE, costs_csv(costs).encode())
    write_atomic(folder / SURFACES, surfaces)
    write_atomic(folder / LOG, log.encode())
    write_atomic(folder / MANIFEST, pretty(to_json(manifest)))
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
        If a file is not as the manifest states it, is damaged, or is of another schema.
    StorageError
        If a file or folder cannot be read.
    """
    folder = as_path(folder, "folder of a run")
    with storage_errors(folder, "read"):
        finished = is_finished(folder)
    if not finished:
        state = "an unfinished run; repeat its bench command to finish it" if (folder / PLAN).exists() else "no run"
        raise InvalidOptionError(f"{folder} holds {state}")
    manifest = _manifest(folder)
    _check_plan(folder, manifest)
    with storage_errors(folder, "read"):
        lines = read_file(folder / RECORDS, LARGEST)
        surfaces = read_file(folder / SURFACES, LARGEST)
    stated = ((RECORDS, lines, manifest.records_digest), (SURFACES, surfaces, manifest.surfaces_digest))
    for name, data, digest in stated:
        if sha256(data) != digest:
            raise _altered(folder / name, "its digest is not that of the manifest")
    try:
        records, truths = decode(lines), _truths(surfaces)
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise RunError(f"{folder} is damaged: {error}; {_PUT_BACK}") from error
    missing = sum(record.predictions is None for record in records)
    if (len(records), missing) != (manifest.records, manifest.missing):
        raise _altered(folder / MANIFEST, "it does not state as many records, or missing ones, as there are")
    costs = read_costs(folder / COST_TABLE, [record.key for record in records])
    return Run(manifest, records, costs, str(folder), truths)


def _check_plan(folder: Path, manifest: RunManifest) -> None:
    """Hold the plan in the manifest, `PLAN` and `SOFTWARE`, where they are there, to what the manifest states."""
    if _digest(_object_in(folder / MANIFEST)["plan"]) != manifest.plan_digest:
        raise _altered(folder / MANIFEST, "its plan does not have the digest it states")
    if (folder / PLAN).exists() and _digest(_object_in(folder / PLAN)) != manifest.plan_digest:
        raise _altered(folder / PLAN, "its digest is not that of the manifest")
    if (folder / SOFTWARE).exists() and _object_in(folder / SOFTWARE) != manifest.software:
        raise _altered(folder / SOFTWARE, "it is not the software of the manifest")


def _digest(plan: Mapping[str, Any]) -> str:
    # Of the text as it is, so that a plan of a version that said less keeps its digest.
    return sha256(canonical_json(plan))


def _altered(path: Path, cause: str) -> RunError:
    return RunError(f"{path} was altered since the run: {cause}; {_PUT_BACK}")


def _manifest(folder: Path) -> RunManifest:
    return _decoded(folder / MANIFEST, RunManifest)


def encode(records: Iterable[Record]) -> bytes:
    """One line of canonical JSON per record."""
    return b"".join(canonical_json(msgspec.to_builtins(record)) + b"\n" for record in records)


def decode(lines: bytes) -> tuple[Record, ...]:
    """Records from their lines."""
    return tuple(msgspec.json.decode(line, type=Record) for line in lines.splitlines())


def pretty(value: Mapping[str, Any]) -> bytes:
    """Indented JSON that reads well in a diff."""
    return f"{json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)}\n".encode()


def _truths(data: bytes) -> dict[str, list[float]]:
    # Decoded to their type, so that a text of something else is refused where it parts from it.
    return msgspec.json.decode(data, type=dict[str, list[float]])


def _object_in(path: Path) -> dict[str, Any]:
    """The JSON object in a file of the run; raises `RunError` if it holds anything else."""
    with storage_errors(path, "read"):
        data = read_file(path, LARGEST_PLAN)
    try:
        content = parse_json(data)
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise RunError(f"{path} is damaged: it holds no JSON object; {_PUT_BACK}")
    return content


def _decoded(path: Path, form: type[Struct]) -> Struct:
    """The plan or manifest in a file of the run.

    Raises
    ------
    RunError
        If it is of another schema, or has another form.
    """
    content = _object_in(path)
    if content.get("schema") != SCHEMA:
        raise RunError(
            f"{path}: the run has schema {content.get('schema')!r}; this version reads schema "
            f"{SCHEMA}; read it with the version that made it, or {_PUT_BACK}"
        )
    try:
        return msgspec.convert(content, form)
    except msgspec.ValidationError as error:
        raise RunError(f"{path} is damaged: {error}; {_PUT_BACK}") from error
