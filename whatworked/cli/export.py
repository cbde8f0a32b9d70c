"""``whatworked export``: the catalog's effects as flat files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatworked.cli.output import echo, print_json
from whatworked.cli.surfaces import conditions_with_tables, labelled_surface, references_option
from whatworked.errors import ReferenceTableError
from whatworked.wording import counted

if TYPE_CHECKING:
    from whatworked.catalog.manifest_layout import Manifest


def _with_header(data: bytes) -> Callable[[bytes], bool]:
    """Whether a file has the first line of `data`: then an earlier export wrote it."""
    header, end, _ = data.partition(b"\n")
    return lambda held: held.startswith(header + end)


def _manifests(sources: Iterable[str]) -> list[Manifest]:
    """Manifests of the sources that have one, each once; tables of others may be of sources unknown here."""
    from whatworked.catalog.manifest_files import entries

    known = entries()
    found = [known[source].manifest for source in dict.fromkeys(sources) if source in known]
    return [manifest for manifest in found if manifest is not None]


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@references_option
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def export(folder: Path, where: Path | None, as_json: bool) -> None:
    """Write effects, interactions and the catalog summary as CSV into FOLDER.

    Eight tables, each with a data dictionary (NAME.dictionary.csv: column, type, unit, meaning):
    conditional_effects (one row per edge of each cube), pair_interactions (one per pair of options),
    conditional_interactions (one per pair and background), option_signs (where each option helps, hurts and reverses,
    at four floors), reversals (how many reverse, by component, condition, source and over all), catalog_summary (one
    row per condition, with its anchors), family_ranges (one per family), prepared_sizes (one per array of a source's
    prepared input). Files of these names that an earlier export wrote into FOLDER are replaced; a file of another
    form under one of the names is refused.

    Example: whatworked export out/tables
    """
    from whatworked.catalog.prepared_sizes import prepared_sizes
    from whatworked.storage.files import write_atomic
    from whatworked.storage.foreign import refuse_foreign
    from whatworked.surfaces.exports import all_tables

    names = conditions_with_tables(where)
    if not names:
        raise ReferenceTableError(
            f"there are no reference tables in {where or 'the package'}; make them with `whatworked rebuild`"
        )
    surfaces = [labelled_surface(name, where) for name in names]
    tables = (*all_tables(surfaces), prepared_sizes(_manifests(surface.source for surface in surfaces)))
    files = {folder / f"{table.name}.csv": table.to_csv() for table in tables}
    files |= {folder / f"{table.name}.dictionary.csv": table.dictionary() for table in tables}
    refuse_foreign({path: _with_header(data) for path, data in files.items()}, "whatworked export")
    for path, data in files.items():
        write_atomic(path, data)
    if as_json:
        rows = {table.name: len(table.rows) for table in tables}
        print_json({"folder": str(folder), "conditions": len(names), "rows": rows})
        return
    for table in tables:
        echo(f"{folder / table.name}.csv  {counted(len(table.rows), 'row')}, {len(table.columns)} columns")
