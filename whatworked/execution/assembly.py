"""From outcomes to rows, from rows to tables and their index entries."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from pathlib import Path

import msgspec

from whatworked.catalog.catalog import Condition
from whatworked.declaration.outcome import Outcome
from whatworked.declaration.prepared import PreparedInput
from whatworked.declaration.text import deciding_text
from whatworked.declaration.workflow import Workflow
from whatworked.references.index import MACHINE, TableEntry
from whatworked.references.schema import SCHEMA, Header, OptionNote, Row, Table
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.storage.files import write_atomic
from whatworked.surfaces.masks import mask_strings
from whatworked.workers.profile import NumericProfile, processor
from whatworked.workers.software import Maker
from whatworked.workflows import FAMILIES

SHORT = 16
"""Hexadecimal digits of the digest in the version of a family from outside."""


def row_of(mask: str, outcome: Outcome) -> Row:
    """The row of a reference table that records `outcome`."""
    return Row(
        mask=mask,
        utility=float(outcome.utility),
        native=float(outcome.native),
        prediction=outcome.digest,
        warnings=tuple(outcome.warnings),
        fingerprint=dict(outcome.fingerprint),
        sensitivity={name: float(value) for name, value in outcome.extras.items()},
    )


def header_of(condition: Condition, workflow: Workflow, prepared: PreparedInput) -> Header:
    """Header of the table of `condition`; `workflow` has all options of the family."""
    costs = workflow.metric.cost_map(prepared)
    options = workflow.restricted(condition.dimensions).options
    return Header(
        schema=SCHEMA,
        condition=condition.id,
        family=condition.family,
        source=condition.source,
        options=tuple(OptionNote(option.letter, option.name, option.off, option.on) for option in options),
        metric=workflow.metric.name,
        unit=workflow.metric.unit,
        cost_scale=None if costs is None else costs.scale,
    )


def assemble(header: Header, rows: Mapping[str, Row]) -> Table:
    """Table of the rows, by mask, in canonical order; a KeyError if one is missing."""
    return Table(header, tuple(rows[mask] for mask in mask_strings(header.d)))


def entry_of(header: Header, data: bytes, workflow: str, prepared: str, maker: str) -> TableEntry:
    """Index entry of a rendered table."""
    return TableEntry(
        digest=sha256(data),
        family=header.family,
        source=header.source,
        dimensions=header.d,
        records=1 << header.d,
        workflow=workflow,
        prepared=prepared,
        maker=maker,
    )


def version_of(workflow: Workflow) -> str:
    """Version of a workflow as the index records it.

    For a family of the package its `version`. For one from outside ``<version>+<digest>``, where the digest is of its
    declaration and its text (`whatworked.declaration.text.deciding_text`): its author edits it between one run and the
    next.
    """
    if workflow.family in FAMILIES:
        return workflow.version
    text = canonical_json([workflow.describe(), deciding_text(workflow)])
    return f"{workflow.version}+{sha256(text)[:SHORT]}"


def basis_digest(maker: Maker, workflow: str, prepared: str, *, cold: bool) -> str:
    """Digest of everything a row depends on, which a run must share with the one whose rows it takes over."""
    return sha256(canonical_json([maker.digest, workflow, prepared, SCHEMA, cold]))


def machine_facts() -> dict[str, str]:
    """Facts of this machine that no digest covers, which may explain a difference."""
    return {
        "processor": processor(),
        "system": platform.platform(terse=True),
        "libc": " ".join(platform.libc_ver()).strip(),
    }


def write_machine(folder: Path, profile: NumericProfile) -> None:
    """Write the facts of this machine, and how its workers were pinned, beside the tables."""
    facts = {**machine_facts(), "environment": profile.environment, "unpinned": list(profile.unpinned)}
    write_atomic(folder / MACHINE, msgspec.json.format(msgspec.json.encode(facts), indent=1) + b"\n")
