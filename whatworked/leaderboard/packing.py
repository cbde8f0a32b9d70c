"""A run as one compact file: what is needed to grade it again, and the grades it claims.

The file is compressed canonical JSON. Purchases and aliases are ranks; predictions keep all their digits. Its digest
covers everything in it, so that a file that was damaged on the way is told from one that claims what is not so.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from whatworked.errors import InvalidOptionError, RunError
from whatworked.grading.record import Key, Record
from whatworked.plugins.limits import LONGEST
from whatworked.runs.folder import Run
from whatworked.runs.plan import SCHEMA
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.surfaces.masks import as_strings, mask_ranks

KIND = "whatworked run"
SUFFIX = ".json.gz"
CLAIMS = ("effect_recovery", "effect_mae", "grid_mae", "strict", "exact")
"""Graded quantities that a file states, in this order; they must come out again.

Recovery alone would not do: it is 0 for every prediction that is bad enough.
"""
LARGEST = 1 << 30
"""Bytes that a file may unpack to."""
OFF = "off_leaderboard"
"""Names, in a file, the conditions that keep a run off the project's leaderboard; see `off_leaderboard`."""
_FEW = 5
_HINT = "make one with `whatworked submit`"


class Packed(msgspec.Struct, frozen=True, array_like=True):
    """One record of a packed run."""

    condition: str
    method: str
    budget: int
    seed: int
    purchases: tuple[int, ...]
    aliases: tuple[int, ...]
    predictions: tuple[float, ...] | None
    failure: str | None
    claims: tuple[float, float | None, float | None, bool, bool]

    @property
    def key(self) -> Key:
        """Condition, method, budget and seed."""
        return self.condition, self.method, self.budget, self.seed


class _Place(msgspec.Struct, frozen=True):
    condition: str
    source: str
    family: str
    track: str
    dimensions: Annotated[int, msgspec.Meta(ge=1, le=20)]
    table: str


class _Plugin(msgspec.Struct, frozen=True):
    spec: str | None
    origin: str
    stochastic: bool


class _Pair(msgspec.Struct, frozen=True):
    method: str
    estimator: str
    policy: str


class _Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The form of a plan in a file; see `whatworked.runs.Plan.description`."""

    schema: int
    conditions: tuple[_Place, ...]
    rules: bool
    estimators: dict[str, _Plugin]
    policies: dict[str, _Plugin]
    methods: tuple[_Pair, ...]
    budgets: tuple[Annotated[int, msgspec.Meta(ge=0)], ...]
    seeds: Annotated[int, msgspec.Meta(ge=1, le=10_000)]
    batch: Annotated[int, msgspec.Meta(ge=1)]
    time_limit: Annotated[float, msgspec.Meta(gt=0, le=LONGEST)] | None = None

    def __post_init__(self) -> None:
        """Raise ValueError, which msgspec turns into a validation error, for a plan that cannot have been run."""
        if problems := list(self._problems()):
            raise ValueError("; ".join(problems))

    def _problems(self) -> Iterator[str]:
        lost = {one.estimator for one in self.methods} - set(self.estimators)
        lost |= {one.policy for one in self.methods} - set(self.policies)
        if lost:
            yield f"its plan does not describe {', '.join(sorted(lost))}"
        parts: dict[str, list[str]] = {
            "condition": [one.condition for one in self.conditions],
            "method": [one.method for one in self.methods],
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
    plan, software : dict
        As in the run's manifest.
    records : tuple of Packed
        As stated; not checked.
    digest : str
        SHA-256 of the content.
    """

    name: str
    note: str
    plan: dict[str, Any]
    software: dict[str, Any]
    records: tuple[Packed, ...]
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
    sizes = {entry["condition"]: int(entry["dimensions"]) for entry in run.description["conditions"]}
    content = {
        "kind": KIND,
        "schema": SCHEMA,
        "name": name,
        "note": note,
        "plan": run.description,
        "software": run.manifest["software"],
        "records": [msgspec.to_builtins(_packed(record, sizes[record.condition])) for record in run.records],
    }
    if off := off_leaderboard(run.description):
        content[OFF] = list(off)
    content["digest"] = sha256(canonical_json(content))
    return gzip.compress(canonical_json(content), compresslevel=9, mtime=0)


def unpack(data: bytes, where: str) -> Submission:
    """Read a submission; nothing but its form and digest is checked.

    Raises
    ------
    RunError
        If the bytes are not a packed run of this schema, or were damaged.
    """
    if data[:2] != b"\x1f\x8b":
        raise RunError(f"{where} is not a packed run: it is not compressed by gzip; {_HINT}")
    try:
        content = json.loads(_decompressed(data, where), parse_constant=_no_constant)
        stated = content.pop("digest", None) if isinstance(content, dict) else None
        digest = sha256(canonical_json(content))
    except RecursionError:
        raise RunError(f"{where} is not a packed run: it is nested too deeply; {_HINT}") from None
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise RunError(f"{where} is not a packed run: {error}; {_HINT}") from None
    if not isinstance(content, dict) or content.get("kind") != KIND or content.get("schema") != SCHEMA:
        raise RunError(f"{where} is not a packed run of schema {SCHEMA}; {_HINT}")
    if digest != stated:
        raise RunError(f"{where} is damaged or was altered: its content does not have the digest it states")
    if problems := list(_form_problems(content)):
        listed = f" {problems[0]}" if len(problems) == 1 else "".join(f"\n  {problem}" for problem in problems)
        raise RunError(f"{where} is not a whole packed run:{listed}")
    records = msgspec.convert(content["records"], type=tuple[Packed, ...])
    fields = {name: content[name] for name in ("name", "note", "plan", "software")}
    return Submission(**fields, records=records, digest=digest)


def off_leaderboard(plan: Mapping[str, Any]) -> tuple[str, ...]:
    """Conditions of a plan with another reference table than the package has, or with one that it has not.

    The leaderboard of the project takes the catalog's conditions on the package's tables only, so that whoever has the
    package can grade its runs again.
    """
    from whatworked.references import folder
    from whatworked.references.index import read_index

    tables = read_index(folder()).tables
    return tuple(
        one["condition"]
        for one in plan["conditions"]
        if one["condition"] not in tables or tables[one["condition"]].digest != one["table"]
    )


def _form_problems(content: Mapping[str, Any]) -> Iterator[str]:
    if not _is_name(content.get("name")):
        yield f"`name` is {_short(content.get('name'))}; it must be a text in one line"
    if not _is_note(content.get("note")):
        yield f"`note` is {_short(content.get('note'))}; it must be a text in one line, which may be empty"
    if not isinstance(content.get("software"), dict):
        yield f"`software` is {_short(content.get('software'))}; it must be an object"
    off = content.get(OFF, [])
    if not isinstance(off, list) or not all(isinstance(one, str) for one in off):
        yield f"`{OFF}` is {_short(off)}; it must be a list of conditions"
    if problem := _misfit(content.get("plan"), _Plan):
        yield f"plan: {problem}"
    records = content.get("records")
    if not isinstance(records, list):
        yield f"`records` is {_short(records)}; it must be a list"
        return
    misfits = ((number, _misfit(one, Packed)) for number, one in enumerate(records, 1))
    wrong = [f"record {number}: {problem}" for number, problem in misfits if problem]
    yield from wrong[:_FEW]
    if len(wrong) > _FEW:
        yield f"and {len(wrong) - _FEW} more records"


def _misfit(value: object, form: type) -> str | None:
    """What keeps a value from having a form, None if it has it."""
    try:
        msgspec.convert(value, type=form)
    except msgspec.ValidationError as error:
        return str(error)
    return None


def _is_name(value: object) -> bool:
    return _is_note(value) and bool(str(value).strip())


def _is_note(value: object) -> bool:
    # It is shown on terminals: a line break or an escape in it could pass for something the program says.
    return isinstance(value, str) and value.isprintable()


def _short(value: object) -> str:
    text = repr(value)
    return "missing" if value is None else text if len(text) <= 40 else f"{text[:39]}…"


def record_of(packed: Packed, d: int, table: str, grade: dict[str, Any]) -> Record:
    """A full record, with a grade computed anew."""
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


def _packed(record: Record, d: int) -> Packed:
    return Packed(
        condition=record.condition,
        method=record.method,
        budget=record.budget,
        seed=record.seed,
        purchases=_ranks(record.purchases, d),
        aliases=_ranks(record.aliases, d),
        predictions=record.predictions,
        failure=record.failure,
        claims=claims_of(record.grade or {}),
    )


def claims_of(grade: Mapping[str, Any]) -> tuple[float, float | None, float | None, bool, bool]:
    """What a file states of a grade."""
    recovery, effect, grid, strict, exact = (grade[name] for name in CLAIMS)
    return recovery, effect, grid, strict, exact


def _ranks(masks: Sequence[str], d: int) -> tuple[int, ...]:
    return tuple(int(rank) for rank in mask_ranks(masks, d))


def _no_constant(name: str) -> float:
    raise ValueError(f"it holds {name}, which is no number")


def _decompressed(data: bytes, where: str) -> bytes:
    import io

    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise RunError(f"{where} unpacks to more than {LARGEST >> 20} MiB; split the run")
    return content
