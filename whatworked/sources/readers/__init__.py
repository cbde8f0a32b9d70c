"""Readers of raw forms: checked bytes to raw content, nothing prepared yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from whatworked.catalog.manifest_layout import Reader
from whatworked.errors import RawDataError, WhatWorkedError
from whatworked.sources.raw import Raw, RawBytes

_READERS = {
    "table": "delimited:read_table",
    "gml": "graphs:read_gml",
    "edges": "graphs:read_edges",
    "image": "images:read_image",
    "wfdb": "records:read_wfdb",
    "beir": "corpora:read_beir",
    "argument_tree": "arguments:read_tree",
    "argument_lines": "arguments:read_lines",
    "arrays": "arrays:read_arrays",
}


def read(reader: Reader, files: Mapping[str, RawBytes]) -> Raw:
    """Read one raw form.

    Parameters
    ----------
    reader : Reader
        Kind and options, from the manifest.
    files : mapping of str to RawBytes
        Checked bytes by file name, in the order of the manifest.

    Returns
    -------
    Raw
        Content in its own terms.

    Raises
    ------
    RawDataError
        If a file has the right digest, or none to check, but not the expected content.
    """
    kind = type(reader).__struct_config__.tag
    module, function = _READERS[str(kind)].split(":")
    reading: Callable[[Any, Mapping[str, RawBytes]], Raw] = getattr(import_module(f"{__name__}.{module}"), function)
    try:
        return reading(reader, files)
    except WhatWorkedError:
        raise
    except UnicodeDecodeError as error:
        raise RawDataError(f"{_origins(files)}: not UTF-8 text: {error}") from error
    except Exception as error:  # one file that was not thought of must not stop the other sources
        raise RawDataError(f"{_origins(files)}: cannot be read as {kind!r}: {type(error).__name__}: {error}") from error


def _origins(files: Mapping[str, RawBytes]) -> str:
    return ", ".join(raw.origin for raw in files.values())


def single(files: Mapping[str, RawBytes]) -> RawBytes:
    """The only file of a form; `RawDataError` if it has several."""
    if len(files) != 1:
        raise RawDataError(f"files {', '.join(files)}: this reader takes one file; make a form of each")
    return next(iter(files.values()))


def named(files: Mapping[str, RawBytes], start: str) -> RawBytes:
    """The file of a form whose name starts so; `RawDataError` if it has none."""
    found = next((raw for name, raw in files.items() if name.startswith(start)), None)
    if found is None:
        raise RawDataError(f"files {', '.join(files)}: this reader needs {start}, too; correct the manifest")
    return found
