"""A folder of reference tables for tests of the commands, from any utilities."""

from __future__ import annotations

from pathlib import Path

import msgspec

from whatworked.references.index import INDEX, Index, TableEntry
from whatworked.references.schema import Header, OptionNote, Row, Table, render
from whatworked.storage.canonical import sha256
from whatworked.surfaces import CostMap, ResponseSurface, mask_strings, option_letters
from whatworked.surfaces.exports import LabelledSurface
from whatworked.workers.software import Maker, Profile

PROFILE = Profile(architecture="none", vector_features=(), blas=(), threads=1, hash_seed="0")
MAKER = Maker(python="none", packages={}, profile=PROFILE)


def labelled(name: str, values, scale: float | None = None) -> LabelledSurface:
    d = len(values).bit_length() - 1
    costs = None if scale is None else CostMap(scale)
    native = values if costs is None else costs.to_native(values)
    surface = ResponseSurface(option_letters(d), values, native, costs, name, "s" if costs else "")
    return LabelledSurface(surface, "made_up", name, "", tuple(f"option {letter}" for letter in surface.options))


def table(one: LabelledSurface) -> Table:
    surface = one.surface
    rows = tuple(
        Row(mask=mask, utility=utility, native=native, prediction="0" * 64)
        for mask, utility, native in zip(
            mask_strings(surface.d), surface.utilities.tolist(), surface.native.tolist(), strict=True
        )
    )
    options = tuple(
        OptionNote(letter, name, "off", "on") for letter, name in zip(surface.options, one.option_names, strict=True)
    )
    scale = None if surface.utility_map is None else surface.utility_map.scale
    header = Header(
        schema=1,
        condition=surface.name,
        family=one.family,
        source=one.source,
        options=options,
        metric="score",
        unit=surface.native_unit,
        cost_scale=scale,
    )
    return Table(header, rows)


def write(folder: Path, surfaces: list[LabelledSurface]) -> Path:
    """Write tables and their index into `folder`."""
    entries = {}
    for one in surfaces:
        data = render(table(one))
        (folder / f"{one.surface.name}.tsv").write_bytes(data)
        entries[one.surface.name] = TableEntry(
            digest=sha256(data),
            family=one.family,
            source=one.source,
            dimensions=one.surface.d,
            records=1 << one.surface.d,
            workflow="1",
            prepared="0",
            maker=MAKER.digest,
        )
    (folder / INDEX).write_bytes(msgspec.json.encode(Index(entries=entries, makers={MAKER.digest: MAKER})))
    return folder
