"""A run as one compact file: what is needed to grade it again, and the grades it claims.

The file is compressed canonical JSON. Purchases and aliases are ranks; predictions keep all their digits. Its digest
covers everything in it. So a file that was damaged on the way can be told from one that makes false claims.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from whatworked.arguments import instance, shown
from whatworked.errors import InvalidOptionError, RunError
from whatworked.grading.grades import Grade
from whatworked.grading.record import Key, Record, place_of
from whatworked.grading.uncertainty import Uncertainty
from whatworked.runs.description import MOST_MASKS, MOST_SEEDS, SCHEMA, PlanDescription, to_json
from whatworked.runs.folder import Run
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.storage.files import read_file
from whatworked.storage.json_text import parse_json
from whatworked.surfaces.masks import as_strings, mask_ranks
from whatworked.wording import printable

KIND = "whatworked run"
SUFFIX = ".json.gz"
CLAIMS = ("effect_recovery", "effect_mae", "grid_mae", "strict", "exact")
"""Graded quantities that a file states, in this order. Grading again must give the same.

Recovery alone would not be enough: it is 0 for every prediction that is bad enough.
"""
LARGEST = 1 << 27
"""Bytes that a file may have, and may unpack to: several million predictions with all their digits.

Together with the bounds of `whatworked.storage.json_text` it keeps reading a file below 1 GiB of memory.
"""
_LONGEST_PROBLEM = 300
"""Characters of what is said of one value; a file may have a key of any length."""
OFF = "off_leaderboard"
"""Names, in a file, the conditions that keep a run off the project's leaderboard; see `off_leaderboard`."""
_FEW = 5
_HINT = "make one with `whatworked submit`"


class PackedRecord(msgspec.Struct, frozen=True, array_like=True):
    """One record of a packed run; without grades of stated uncertainty, the last entry is left out."""

    condition: str
    method: str
    budget: int
    seed: int
    purchases: tuple[int, ...]
    aliases: tuple[int, ...]
    predictions: tuple[float, ...] | None
    failure: str | None
    claims: tuple[float, float | None, float | None, bool, bool]
    uncertainty: Uncertainty | None = None

    @property
    def key(self) -> Key:
        """Condition, method, budget and seed."""
        return self.condition, self.method, self.budget, self.seed


class _StrangersPlan(PlanDescription, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plan in a stranger's file: it may hold nothing else, and it must be possible to run it."""

    seeds: Annotated[int, msgspec.Meta(ge=1, le=MOST_SEEDS)]
    batch: Annotated[int, msgspec.Meta(ge=1, le=MOST_MASKS)]
    budgets: tuple[Annotated[int, msgspec.Meta(ge=0, le=MOST_MASKS)], ...]

    def __post_init__(self) -> None:
        """Raise ValueError, which msgspec turns into a validation error, for a plan that cannot have been run."""
        if problems := list(self._problems()):
            raise ValueError("; ".join(problems))

    def _problems(self) -> Iterator[str]:
        undescribed = {method.estimator for method in self.methods} - set(self.estimators)
        undescribed |= {method.policy for method in self.methods} - set(self.policies)
        if undescribed:
            yield f"its plan does not describe {', '.join(sorted(undescribed))}"
        parts: dict[str, list[str]] = {
            "condition": [condition.condition for condition in self.conditions],
            "method": [method.method for method in self.methods],
            "budget": [str(budget) for budget in self.budgets],
        }
        for kind, names in parts.items():
            if not names:
                yield f"its plan has no {kind}"
            if hidden := [name for name in names if not name.isprintable()]:
                yield f"its plan names the {kind} {', '.join(map(repr, hidden))}; a name is a text in one line"
            if repeated := [name for name, count in Counter(names).items() if count > 1]:
                yield f"its plan names the {kind} {', '.join(repeated)} more than once"


@dataclass(frozen=True)
class Submission:
    """A packed run, as read.

    Attributes
    ----------
    name, note : str
        What its makers call it, and what they say about it.
    plan : PlanDescription
        As in the run's manifest.
    software : dict
        Likewise.
    records : tuple of PackedRecord
        As stated; not checked.
    digest : str
        SHA-256 of the content.
    """

    name: str
    note: str
    plan: PlanDescription
    software: dict[str, Any]
    records: tuple[PackedRecord, ...]
    digest: str


def pack(run: Run, name: str, note: str = "") -> bytes:
    """The bytes of a submission; the same bytes for the same run, name and note.

    A run on other tables than those of the package states which conditions keep it off the project's leaderboard.

    Raises
    ------
    InvalidOptionError
        If the name or the note is not a text in one line.
    """
    if not _is_name(name):
        raise InvalidOptionError(f"the name of the run is {_short(name)}; give a text in one line")
    if not _is_note(note):
        raise InvalidOptionError(f"the note of the run is {_short(note)}; give a text in one line, or none")
    conditions = instance(run, Run, "the run", "bench and read_run return one").description.by_condition
    content = {
        "kind": KIND,
        "schema": SCHEMA,
        "name": name,
        "note": note,
        "plan": to_json(run.description),
        "software": run.manifest.software,
        "records": [_as_list(_packed(record, conditions[record.condition].dimensions)) for record in run.records],
    }
    if off := off_leaderboard(run.description):
        content[OFF] = list(off)
    content["digest"] = sha256(canonical_json(content))
    return gzip.compress(canonical_json(content), compresslevel=9, mtime=0)


def read_packed(path: Path) -> Submission:
    """Read a submission from a file; see `unpack`.

    Raises
    ------
    StorageError
        If it cannot be read, is no regular file, or is larger than any packed run.
    RunError
        As `unpack`.
    """
    return unpack(read_file(path, LARGEST), str(path))


def unpack(data: bytes, where: str) -> Submission:
    """Read a submission; nothing but its form and digest is checked.

    Raises
    ------
    RunError
        If the bytes are not a packed run of this schema, or were damaged.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise InvalidOptionError(f"a packed run is {shown(data)}; give the bytes of its file")
    data = bytes(data)
    if data[:2] != b"\x1f\x8b":
        raise RunError(f"{where} is not a packed run: it is not compressed by gzip; {_HINT}")
    try:
        content = parse_json(_decompressed(data, where))
        stated = content.pop("digest", None) if isinstance(content, dict) else None
        digest = _digest(content) if isinstance(content, dict) else ""
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise RunError(f"{where} is not a packed run: {_cut(error)}; {_HINT}") from None
    if not isinstance(content, dict) or content.get("kind") != KIND or content.get("schema") != SCHEMA:
        raise RunError(f"{where} is not a packed run of schema {SCHEMA}; {_HINT}")
    if digest != stated:
        raise RunError(f"{where} is damaged or was altered: its content does not have the digest it states")
    if problems := list(_form_problems(content)):
        listed = f" {problems[0]}" if len(problems) == 1 else "".join(f"\n  {problem}" for problem in problems)
        raise RunError(f"{where} is not a whole packed run:{listed}")
    records = msgspec.convert(content["records"], type=tuple[PackedRecord, ...])
    plan = msgspec.convert(content["plan"], type=PlanDescription)
    fields = {name: content[name] for name in ("name", "note", "software")}
    return Submission(**fields, plan=plan, records=records, digest=digest)


def off_leaderboard(plan: PlanDescription) -> tuple[str, ...]:
    """Conditions of a plan whose reference table is not one of the package's.

    The leaderboard of the project takes only conditions of the catalog on the package's tables, so that whoever has
    the package can grade its runs again.
    """
    from whatworked.references import folder
    from whatworked.references.index import read_index

    tables = read_index(folder()).tables
    return tuple(
        condition.condition
        for condition in plan.conditions
        if condition.condition not in tables or tables[condition.condition].digest != condition.table
    )


def _form_problems(content: Mapping[str, Any]) -> Iterator[str]:
    if not _is_name(content.get("name")):
        yield f"`name` is {_short(content.get('name'))}; it must be a text in one line"
    if not _is_note(content.get("note")):
        yield f"`note` is {_short(content.get('note'))}; it must be a text in one line, which may be empty"
    if not isinstance(content.get("software"), dict):
        yield f"`software` is {_short(content.get('software'))}; it must be an object"
    off = content.get(OFF, [])
    if not isinstance(off, list) or not all(isinstance(condition, str) for condition in off):
        yield f"`{OFF}` is {_short(off)}; it must be a list of conditions"
    if problem := _misfit(content.get("plan"), _StrangersPlan):
        yield f"plan: {problem}"
    records = content.get("records")
    if not isinstance(records, list):
        yield f"`records` is {_short(records)}; it must be a list"
        return
    misfits = ((number, _misfit(record, PackedRecord)) for number, record in enumerate(records, 1))
    wrong = [f"record {number}: {problem}" for number, problem in misfits if problem]
    yield from wrong[:_FEW]
    if len(wrong) > _FEW:
        yield f"and {len(wrong) - _FEW} more records"


def _misfit(value: object, form: type) -> str | None:
    """What keeps a value from having a form, None if it has it."""
    try:
        msgspec.convert(value, type=form)
    except msgspec.ValidationError as error:
        return _cut(error)
    return None


def _is_name(value: object) -> bool:
    return _is_note(value) and bool(str(value).strip())


def _is_note(value: object) -> bool:
    # It is shown on terminals: a line break or an escape in it could pass for something the program says.
    return isinstance(value, str) and value.isprintable()


def _short(value: object) -> str:
    text = shown(value[:80] if isinstance(value, str | list) else value)
    return "missing" if value is None else text if len(text) <= 40 else f"{text[:39]}…"


def full_record(packed: PackedRecord, d: int, table: str, grade: Grade) -> Record:
    """A full record, with a grade computed anew; that of stated uncertainty is the file's."""
    if packed.uncertainty is not None:
        grade = msgspec.structs.replace(grade, uncertainty=packed.uncertainty)
    return Record(
        condition=packed.condition,
        method=packed.method,
        seed=packed.seed,
        budget=packed.budget,
        table=table,
        purchases=as_strings(packed.purchases, d),
        aliases=as_strings(packed.aliases, d),
        predictions=packed.predictions,
        grade=grade,
        failure=packed.failure,
    )


def _packed(record: Record, d: int) -> PackedRecord:
    if record.grade is None:
        raise RunError(f"{place_of(record.key)} has no grade; make the run again with `whatworked bench --fresh`")
    return PackedRecord(
        condition=record.condition,
        method=record.method,
        budget=record.budget,
        seed=record.seed,
        purchases=_ranks(record.purchases, d),
        aliases=_ranks(record.aliases, d),
        predictions=record.predictions,
        failure=record.failure,
        claims=claims_of(record.grade),
        uncertainty=stated_of(record.grade),
    )


def _as_list(record: PackedRecord) -> list[Any]:
    """A record as it stands in the file. Those that state no uncertainty have the form of earlier versions."""
    entries: list[Any] = msgspec.to_builtins(record)
    return entries if record.uncertainty is not None else entries[:-1]


def stated_of(grade: Grade) -> Uncertainty | None:
    """Grades of stated uncertainty; None where none was stated."""
    return None if isinstance(grade.uncertainty, msgspec.UnsetType) else grade.uncertainty


def claims_of(grade: Grade) -> tuple[float, float | None, float | None, bool, bool]:
    """What a file states of a grade, in the order of `CLAIMS`."""
    return grade.effect_recovery, grade.effect_mae, grade.grid_mae, grade.strict, grade.exact


def _ranks(masks: Sequence[str], d: int) -> tuple[int, ...]:
    return tuple(int(rank) for rank in mask_ranks(masks, d))


def _digest(content: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical JSON of an object, whose text is never held as a whole."""
    found = hashlib.sha256()
    for place, name in enumerate(sorted(content)):
        found.update((b"," if place else b"{") + canonical_json(name) + b":")
        value = content[name]
        if not isinstance(value, list):
            found.update(canonical_json(value))
            continue
        for number, member in enumerate(value):
            found.update((b"," if number else b"[") + canonical_json(member))
        found.update(b"]" if value else b"[]")
    found.update(b"}" if content else b"{}")
    return found.hexdigest()


def _decompressed(data: bytes, where: str) -> bytes:
    stream = zlib.decompressobj(wbits=31)
    content = stream.decompress(data, LARGEST + 1)
    if len(content) > LARGEST:
        raise RunError(f"{where} unpacks to more than {LARGEST >> 20} MiB; split the run")
    if not stream.eof:
        raise EOFError("it ends early")
    if stream.unused_data:
        raise ValueError("more follows its compressed content")
    return content


def _cut(error: object) -> str:
    text = printable(str(error))
    return text if len(text) <= _LONGEST_PROBLEM else f"{text[:_LONGEST_PROBLEM]}…"
