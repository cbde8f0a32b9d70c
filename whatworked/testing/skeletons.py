"""Skeletons to begin with: a family and a source of one's own that run at once."""

from __future__ import annotations

import io
import keyword
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np

from whatworked.catalog.manifest_layout import NAME
from whatworked.catalog.tracks import SIX
from whatworked.errors import InvalidOptionError, StorageError
from whatworked.storage.canonical import sha256
from whatworked.storage.files import write_atomic
from whatworked.wording import first_few
from whatworked.workflows import FAMILIES, get

_ROWS, _COLUMNS = 120, 3

MANIFEST = """# A source: where its raw data are, how they are prepared, what must come out. See docs/sources.md.
schema = 1
id = "{name}"  # a-z, 0-9 and _; files are named after it
title = "Made-up data of {name}"
family = "{family}"
{tracks}
licence = "CC0-1.0"  # terms of the data, an SPDX id where there is one
attribution = "nobody: drawn at random by whatworked sources new"
citation = "none"
homepage = "https://example.org/{name}"

[[forms]]
name = "export"
reader = {{ kind = "{kind}" }}
# Put your own file in its place: raw/{name}/{file} beside this manifest.
# `whatworked sources check {name}` then names the digest it finds: write it here, and leave out size.
files = [{{ name = "{file}", size = {size}, sha256 = "{sha256}", shipped = true }}]

[preparation]
{preparation}

# What the prepared input must be: `whatworked sources check {name}` then names its digest, too.
[expected]
digest = "{digest}"
shapes = {{}}
"""


def write_family(name: str, folder: Path) -> Path:
    """Write the module of a family of five options that runs as it is.

    Parameters
    ----------
    name : str
        Of the family; the module is ``<name>_family``.
    folder : Path
        Where the module goes.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InvalidOptionError
        If no family can be called so.
    StorageError
        If the file is there or cannot be written.
    """
    _check_name("family", name)
    if name in FAMILIES:
        raise InvalidOptionError(f"family {name!r} comes with the package; give yours another name")
    path = folder / f"{name}_family.py"
    text = (files("whatworked.testing") / "family_skeleton.py").read_text(encoding="utf-8")
    _write_new({path: text.replace('family="skeleton"', f'family="{name}"').encode()})
    return path


def write_source(name: str, family: str, folder: Path) -> Path:
    """Write the manifest of a source and raw data drawn at random, which fit a family.

    Parameters
    ----------
    name : str
        Of the source.
    family : str
        A family of tables or series of the package, or one from outside: that gets the arrays of `write_family`.
    folder : Path
        Where the manifest goes; the raw data go into ``raw/<name>`` there.

    Returns
    -------
    Path
        The manifest.

    Raises
    ------
    InvalidOptionError
        If no source can be called so, or the family takes raw data that are not drawn at random.
    UnknownNameError, PluginError
        As `whatworked.workflows.get`.
    StorageError
        If a file is there or cannot be written.
    """
    _check_name("source", name)
    workflow = get(family)
    if family in FAMILIES and family not in _TABLES:
        raise InvalidOptionError(
            f"no raw data are made up for family {family}; take {', '.join(_TABLES)} or a family of your own, or write "
            "the manifest as docs/sources.md says"
        )
    draw, kind, preparation = _TABLES.get(family, (_arrays, "arrays", 'kind = "arrays"'))
    file, data = draw()
    tracks = 'tracks = ["four", "paired"]  # or ["four"], or ["added"]: six options alone'
    if workflow.d not in (4, 6):
        tracks = f'tracks = ["own"]  # one condition with all options of the family\noptions = {workflow.d}'
    elif workflow.d == 4:
        tracks = 'tracks = ["four"]'
    manifest = folder / f"{name}.toml"

    def text(digest: str) -> bytes:
        return MANIFEST.format(
            name=name,
            family=workflow.family,
            tracks=tracks,
            kind=kind,
            file=file,
            size=len(data),
            sha256=sha256(data),
            preparation=preparation,
            digest=digest,
        ).encode()

    _write_new({folder / "raw" / name / file: data, manifest: text(_digest(text("0" * 64).decode(), data))})
    return manifest


def _digest(manifest: str, data: bytes) -> str:
    """Digest of the prepared input that raw data lead to."""
    from whatworked.catalog.manifest_files import decode
    from whatworked.sources.prepare import prepare
    from whatworked.sources.raw import RawBytes
    from whatworked.sources.readers import read

    decoded = decode(manifest)
    form = decoded.forms[0]
    file = form.files[0]
    return prepare(decoded, read(form.reader, {file.name: RawBytes(data, file.name)})).digest


def _check_name(what: str, name: str) -> None:
    if not NAME.fullmatch(name) or not name.isidentifier() or keyword.iskeyword(name) or name.endswith(SIX):
        raise InvalidOptionError(
            f"{what} {name!r} cannot be called so; use a to z, digits and _, beginning with a letter"
        )


def _write_new(contents: dict[Path, bytes]) -> None:
    if there := [str(path) for path in contents if path.exists() or path.is_symlink()]:
        raise StorageError(f"{first_few(there, 3)} is there already; choose another name or folder")
    for path, data in contents.items():
        write_atomic(path, data)


def _rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(20260907)
    rows = rng.normal(size=(_ROWS, _COLUMNS)).round(6)
    target = rows @ [1.0, -0.5, 0.25] + rows[:, 0] * rows[:, 1] + rng.normal(0.0, 0.3, _ROWS)
    return rows, target.round(6)


def _arrays() -> tuple[str, bytes]:
    rows, target = _rows()
    cut = _ROWS * 2 // 3
    stream = io.BytesIO()
    np.savez(stream, X_train=rows[:cut], y_train=target[:cut], X_test=rows[cut:], y_test=target[cut:])
    return "data.npz", stream.getvalue()


def _csv(header: str, cells: list[tuple[object, ...]]) -> tuple[str, bytes]:
    return "data.csv", "".join(f"{line}\n" for line in [header, *(",".join(map(str, row)) for row in cells)]).encode()


def _numbers() -> tuple[str, bytes]:
    rows, target = _rows()
    return _csv("a,b,c,y", [(*row, value) for row, value in zip(rows.tolist(), (target + 10.0).tolist(), strict=True)])


def _classes() -> tuple[str, bytes]:
    rows, target = _rows()
    labels = np.where(target > 0.0, "high", "low").tolist()
    return _csv("a,b,c,y", [(*row, label) for row, label in zip(rows.tolist(), labels, strict=True)])


def _series() -> tuple[str, bytes]:
    waves = 10.0 + np.sin(np.arange(_ROWS) / 6.0) + np.random.default_rng(20260907).normal(0.0, 0.2, _ROWS)
    return _csv("y", [(value,) for value in waves.round(6).tolist()])


_TABLE = 'kind = "table"\ntarget = "y"  # features are all other columns; drop = ["id"] leaves out'
_TABLES: dict[str, tuple[Callable[[], tuple[str, bytes]], str, str]] = {
    "classification": (_classes, "table", _TABLE),
    "regression": (_numbers, "table", _TABLE),
    "clustering": (_classes, "table", _TABLE),
    "forecasting": (_series, "table", 'kind = "series"\ncolumns = ["y"]'),
}
"""By family of the package: what draws raw data, the reader, the preparation."""
