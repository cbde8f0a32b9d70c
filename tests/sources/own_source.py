"""A source of the user's own, small enough to make wrong in every way."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from whatworked.catalog import Manifest, manifest
from whatworked.catalog.manifest_files import FOLDERS_VARIABLE
from whatworked.sources.library import Library

ROWS = "".join(f"{number},{number % 3},{number * 2.5}\r\n" for number in range(1, 21))
TABLE = f"a,b,y\r\n{ROWS}".encode()
DIGEST = "116b3137ebdeeb60d3b17b0808c1d92d47328fa9458bfef980e2edaa1834f966"

MANIFEST = """
schema = 1
id = "mine"
title = "Mine"
family = "regression"
tracks = ["four"]
licence = "CC0-1.0"
attribution = "Me"
citation = "Me (2026)."
homepage = "https://example.org/mine"

[preparation]
kind = "table"
target = "y"

[expected]
digest = "{digest}"
shapes = {{ X_train = [14, 2], y_test = [6] }}

[[forms]]
name = "export"
reader = {{ kind = "table" }}

[[forms.files]]
name = "data.csv"
size = {size}
sha256 = "{sha256}"
{more}
"""


@dataclass
class Own:
    """Folders of a user with one source, `mine`."""

    root: Path
    monkeypatch: pytest.MonkeyPatch
    declared: int = 0
    cache: Path = field(init=False)
    mirror: Path = field(init=False)

    def __post_init__(self) -> None:
        self.cache = self.root / "cache"
        self.mirror = self.root / "mirror"
        self.mirror.mkdir()

    def declare(self, more: str = "", data: bytes = TABLE, digest: str = DIGEST, text: str = MANIFEST) -> Manifest:
        """Write the manifest of a source whose raw file is `data`; each call stands in a folder of its own."""
        self.declared += 1
        folder = self.root / f"manifests{self.declared}"
        folder.mkdir()
        sha256 = hashlib.sha256(data).hexdigest()
        (folder / "mine.toml").write_text(text.format(digest=digest, size=len(data), sha256=sha256, more=more))
        self.monkeypatch.setenv(FOLDERS_VARIABLE, str(folder))
        return manifest("mine")

    def put(self, name: str = "data.csv", data: bytes = TABLE, folder: Path | None = None) -> Path:
        """Put a raw file into the mirror or another folder of sources."""
        path = (folder or self.mirror) / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def library(self, *, mirror: bool = True, offline: bool = True) -> Library:
        return Library(self.cache, self.mirror if mirror else None, offline)
