"""The layout of a manifest: what a source's TOML file may say, as immutable values that refuse unknown keys.

`docs/sources.md` describes every field; `whatworked.catalog.manifest_files` finds and decodes the files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from whatworked.catalog.tracks import OWN, SIX, Track

NAME = re.compile(r"[a-z0-9_]+")
"""What a source may be called."""

_PACKAGE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*(?:/.+|:[^\W\d]\w*)")


def _inside(name: str) -> bool:
    # Manifests of others are read too, and files are written under these names.
    parts = name.split("/")
    return name.isprintable() and "\\" not in name and not {"", ".", ".."} & set(parts)


def _require(holds: bool, name: str, value: object, allowed: str) -> None:
    """`ValueError` that says the value of a field and what is allowed, unless that holds."""
    if not holds:
        raise ValueError(f"{name} is {value!r}; allowed: {allowed}")


def _require_seed(name: str, value: int) -> None:
    _require(0 <= value < 1 << 32, name, value, "0 to 4294967295")


def _require_names(name: str, values: Sequence[str], *, least: int = 0) -> None:
    """Names that are not empty and stand once each."""
    _require(len(values) >= least, name, list(values), f"at least {least}")
    repeated = sorted({value for value in values if values.count(value) > 1})
    _require(not repeated, name, list(values), f"each name once, but {', '.join(map(repr, repeated))} stands twice")
    _require("" not in values, name, list(values), "names that are not empty")


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all parts of a manifest: immutable, unknown keys refused."""


class RawFile(_Part, frozen=True):
    """One raw file and the places it may be found in.

    Attributes
    ----------
    name : str
        File name; in a mirror the file is ``<source>/<name>``, in the cache and beside the manifest
        ``raw/<source>/<name>``.
    size : int
        Bytes, beyond which nothing is read, unpacked or downloaded; 0 where that is not stated.
    sha256 : str
        Digest of the file; or of its tree of texts when `tree` is true (the archive's own bytes are then free).
    url : str
        Official address of the file itself.
    zenodo : bool
        Whether `url` is a Zenodo record as JSON, whose first zip archive is meant.
    archive, archive_url, member : str
        Name and address of an archive that holds the file, and its name in there (default: `name`).
    package : str
        ``<package>/<path>`` of a data file inside an installed package, or ``<package>:<function>`` of a function there
        that makes a graph.
    shipped : bool
        Whether a copy lies in ``raw/<source>/`` next to the manifest.
    provenance : str
        Where a shipped copy was taken from.
    """

    name: str
    sha256: str
    size: int = 0
    tree: bool = False
    url: str = ""
    zenodo: bool = False
    archive: str = ""
    archive_url: str = ""
    member: str = ""
    package: str = ""
    shipped: bool = False
    provenance: str = ""

    @property
    def address(self) -> str:
        """Where the file, or an archive that holds it, is downloaded from; empty if nowhere is recorded."""
        return self.url or self.archive_url

    @property
    def largest(self) -> int:
        """Bytes that the file itself may have; 0 where that is not known, as for an archive packed in any way."""
        return 0 if self.tree else self.size

    @property
    def name_in_archive(self) -> str:
        """Name of the file in an archive that holds it."""
        return self.member or self.name

    def __post_init__(self) -> None:
        for kind, name in (("name", self.name), ("archive", self.archive or "-")):
            if not _inside(name):
                raise ValueError(
                    f"{kind} {name!r} of a raw file must be a path below the folder of its source: "
                    "without a leading /, .. or \\"
                )
        if len(self.sha256) != 64 or set(self.sha256) - set("0123456789abcdef"):
            raise ValueError(f"sha256 of {self.name!r} must be 64 lower-case hexadecimal digits, not {self.sha256!r}")
        _require(
            self.size >= 0, f"size of {self.name!r}", self.size, "the number of bytes, or 0 where it is not stated"
        )
        for kind, address in (("url", self.url), ("archive_url", self.archive_url)):
            good = address.startswith(("https://", "http://")) and address.isprintable() and " " not in address
            _require(not address or good, kind, address, "an address that begins with https:// or http://")
        _require(
            not self.package or (_PACKAGE.fullmatch(self.package) is not None and _inside(self.package)),
            "package",
            self.package,
            "<package>/<path of a data file> or <package>:<function>",
        )


class TableReader(_Part, frozen=True, tag_field="kind", tag="table"):
    """Delimited text. `columns` names the columns where there is no header line; `delimiter` "" is any white space.

    `labels` replaces cells of a column, for copies that code them otherwise: ``{column: {found: official}}``.
    """

    delimiter: str = ","
    skip_lines: int = 0
    columns: tuple[str, ...] = ()
    labels: dict[str, dict[str, str]] = {}

    def __post_init__(self) -> None:
        good = len(self.delimiter) == 1 and not self.delimiter.isalnum() and self.delimiter not in "\r\n\0\"'.+-_"
        allowed = 'one character as "," ";" "|" or "\\t", or "" for any white space'
        _require(not self.delimiter or good, "delimiter", self.delimiter, allowed)
        _require(0 <= self.skip_lines <= 1_000_000, "skip_lines", self.skip_lines, "0 to 1000000")
        _require_names("columns", self.columns)


class GmlReader(_Part, frozen=True, tag_field="kind", tag="gml"):
    """A graph in GML."""


class EdgeListReader(_Part, frozen=True, tag_field="kind", tag="edges"):
    """A graph as lines of two node names; `nodes` lists names other than numbers, in the order of the official ids."""

    nodes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _require_names("nodes", self.nodes)


class ImageReader(_Part, frozen=True, tag_field="kind", tag="image"):
    """A picture that Pillow opens."""


class WfdbReader(_Part, frozen=True, tag_field="kind", tag="wfdb"):
    """A WFDB record: header, signal, annotations."""

    record: str

    def __post_init__(self) -> None:
        _require(_inside(self.record), "record", self.record, "the name that the .hea file has in the form")


class BeirReader(_Part, frozen=True, tag_field="kind", tag="beir"):
    """A BEIR export: corpus.jsonl, queries.jsonl, one qrels file."""


class ArgumentTreeReader(_Part, frozen=True, tag_field="kind", tag="argument_tree"):
    """The arguana-counterargs corpus as deposited, in a tar or zip archive."""


class ArgumentLinesReader(_Part, frozen=True, tag_field="kind", tag="argument_lines"):
    """The same argument texts, one JSON object a line, and the true pairs as tab-separated paths."""


class ArraysReader(_Part, frozen=True, tag_field="kind", tag="arrays"):
    """An npz file without pickled objects."""


Reader = (
    TableReader
    | GmlReader
    | EdgeListReader
    | ImageReader
    | WfdbReader
    | BeirReader
    | ArgumentTreeReader
    | ArgumentLinesReader
    | ArraysReader
)


class RawForm(_Part, frozen=True):
    """One complete raw form of a source: files that are read together. All forms lead to one prepared input."""

    name: str
    reader: Reader
    files: tuple[RawFile, ...]

    def __post_init__(self) -> None:
        if not self.files:
            raise ValueError(f"form {self.name!r} needs at least one file")
        _require_names(f"files of form {self.name!r}", [file.name for file in self.files])


class TablePreparation(_Part, frozen=True, tag_field="kind", tag="table"):
    """Rows without duplicates; a grouped hold-out split unless the family is clustering.

    `features` are all columns but `target` and `drop` where they are not listed.
    """

    target: str
    features: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    test_fraction: float = 0.3
    seed: int = 20260907

    def __post_init__(self) -> None:
        _require(bool(self.target), "target", self.target, "the name of a column")
        _require(0.0 < self.test_fraction < 1.0, "test_fraction", self.test_fraction, "more than 0 and less than 1")
        _require_seed("seed", self.seed)
        _require_names("features", self.features)
        _require(self.target not in self.features, "features", list(self.features), "columns other than the target")
        both = sorted({self.target, *self.features} & set(self.drop))
        _require(not both, "drop", list(self.drop), f"columns that are not used, but {', '.join(both)} is")


class SeriesPreparation(_Part, frozen=True, tag_field="kind", tag="series"):
    """Columns unrolled row by row, gaps filled forward; the first `train_fraction` trains.

    `time` names the column that says when, which must ascend; without it the one called date, year or the like.
    """

    columns: tuple[str, ...]
    train_fraction: float = 0.75
    time: str = ""

    def __post_init__(self) -> None:
        _require_names("columns", self.columns, least=1)
        _require(0.0 < self.train_fraction < 1.0, "train_fraction", self.train_fraction, "more than 0 and less than 1")
        _require(self.time not in self.columns, "time", self.time, "a column that is not part of the series")

    def cut(self, length: int) -> int:
        """Points that train, of a series of that length: floor(train fraction times length)."""
        return math.floor(self.train_fraction * length)


class ImagePreparation(_Part, frozen=True, tag_field="kind", tag="image"):
    """Grey, at most `side` pixels a side, with Gaussian noise of standard deviation `noise`."""

    side: int = 256
    noise: float = 0.1
    seed: int = 20260907

    def __post_init__(self) -> None:
        _require(8 <= self.side <= 4096, "side", self.side, "8 to 4096 pixels")
        _require(0.0 < self.noise <= 1.0, "noise", self.noise, "more than 0, at most 1")
        _require_seed("seed", self.seed)


class RetrievalPreparation(_Part, frozen=True, tag_field="kind", tag="retrieval"):
    """Documents sorted by id; the `queries` eligible queries whose ids have the smallest SHA-256."""

    queries: int = 64
    exclude_copies: bool = False

    def __post_init__(self) -> None:
        _require(self.queries >= 1, "queries", self.queries, "1 or more")


class BeatPreparation(_Part, frozen=True, tag_field="kind", tag="beats"):
    """The first `samples` samples of one channel in mV, and the events whose label code is listed."""

    samples: int
    sample_rate: int
    gain: float
    baseline: int
    codes: tuple[int, ...]
    channel: int = 0

    def __post_init__(self) -> None:
        _require(self.samples >= 2, "samples", self.samples, "2 or more")
        _require(self.sample_rate >= 1, "sample_rate", self.sample_rate, "1 or more a second")
        _require(self.gain != 0.0 and math.isfinite(self.gain), "gain", self.gain, "digital units per mV, not 0")
        _require(bool(self.codes), "codes", list(self.codes), "at least one label code")
        _require(self.channel >= 0, "channel", self.channel, "0 or more")


class LinkPreparation(_Part, frozen=True, tag_field="kind", tag="links"):
    """A random division of edges and non-edges; `part_fraction` of the edges calibrate, as many test."""

    split_seed: int
    part_fraction: float = 0.2

    def __post_init__(self) -> None:
        _require_seed("split_seed", self.split_seed)
        _require(0.0 < self.part_fraction < 0.5, "part_fraction", self.part_fraction, "more than 0 and less than 0.5")


class ArraysPreparation(_Part, frozen=True, tag_field="kind", tag="arrays"):
    """Arrays as they are, with `facts`."""

    facts: dict[str, Any] = {}


Preparation = (
    TablePreparation
    | SeriesPreparation
    | ImagePreparation
    | RetrievalPreparation
    | BeatPreparation
    | LinkPreparation
    | ArraysPreparation
)


class Expectation(_Part, frozen=True):
    """What the prepared input must be: content digest; shape of each array, length of each listed fact."""

    digest: str
    shapes: dict[str, tuple[int, ...]]

    def __post_init__(self) -> None:
        good = len(self.digest) == 64 and not set(self.digest) - set("0123456789abcdef")
        _require(good, "digest", self.digest, "64 lower-case hexadecimal digits")


class Manifest(_Part, frozen=True):
    """One source.

    Attributes
    ----------
    schema : int
        Version of this layout.
    id, title, family : str
        Id of the source (``[a-z0-9_]+``, not ending in ``__d6``), its name in full, id of its workflow family.
    tracks : tuple of {"four", "paired", "added", "own"}
        Conditions it takes part in: four options; six options paired with the four; six options alone; all options of
        a family of another size.
    licence, attribution, citation, homepage : str
        Terms of the data (SPDX id where there is one), whom to name, what to cite, where to read more.
    options : int
        Number of options of its family, with the track "own"; 0 otherwise.
    notes : str
        What else a reader should know, for instance how the published export differs from the original file.
    forms : tuple of RawForm
        In order of preference.
    preparation : Preparation
        How raw data become the prepared input.
    expected : Expectation
        What the prepared input must be.
    path : str
        Where the manifest was read from; not part of the file.
    """

    schema: Literal[1]
    id: str
    title: str
    family: str
    tracks: tuple[Track | Literal["own"], ...]
    licence: str
    attribution: str
    citation: str
    homepage: str
    forms: tuple[RawForm, ...]
    preparation: Preparation
    expected: Expectation
    options: int = 0
    notes: str = ""
    path: str = ""

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.id) or self.id.endswith(SIX):
            raise ValueError(
                f"id {self.id!r} must be lower-case letters a to z, digits and underscores, and not end in {SIX}: "
                f"files are named after it, and its six-option condition is <id>{SIX}"
            )
        if not self.tracks or len(set(self.tracks)) < len(self.tracks) or set(self.tracks) == {"paired"}:
            raise ValueError(
                f'tracks must be ["four"], ["four", "paired"], ["added"] or ["own"], not {list(self.tracks)}'
            )
        if "added" in self.tracks and len(self.tracks) > 1:
            raise ValueError('tracks: "added" stands alone (its six options have no four-option condition)')
        if OWN in self.tracks and len(self.tracks) > 1:
            raise ValueError('tracks: "own" stands alone (its condition has all options of the family)')
        if OWN in self.tracks:
            from whatworked.surfaces.masks import MAX_OPTIONS

            allowed = f'1 to {MAX_OPTIONS} with tracks = ["own"]: how many the family declares'
            _require(1 <= self.options <= MAX_OPTIONS, "options", self.options, allowed)
        else:
            _require(self.options == 0, "options", self.options, 'nothing, unless tracks = ["own"]')
        if not self.forms:
            raise ValueError("forms: at least one raw form is needed")
        _require_names("names of the forms", [form.name for form in self.forms])
        for name in ("title", "family", "licence", "attribution", "citation", "homepage"):
            text = getattr(self, name)
            _require(bool(text.strip()) and text.isprintable(), name, text, "text that is not empty and can be printed")
        _require("".join(self.notes.split()).isprintable(), "notes", self.notes, "text that can be printed")

    @property
    def shipped_folder(self) -> Path:
        """Folder of the raw files next to the manifest."""
        return Path(self.path).parent / "raw" / self.id
