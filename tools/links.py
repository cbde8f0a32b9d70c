"""Lay a folder of links in the shape of the installed package.

The top-level folders are importable below ``whatworked`` through the installer's package mapping, which tools that read
source trees (type checker, import linter) do not follow.
"""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TREE = ROOT / "build" / "links"
MAPPED = ("workflows", "controls", "data_manifests", "references")


def lay_links() -> Path:
    """Make TREE/whatworked with a link for each module of the package; return TREE."""
    shutil.rmtree(TREE, ignore_errors=True)
    package = TREE / "whatworked"
    package.mkdir(parents=True)
    for path in (ROOT / "whatworked").iterdir():
        if path.name != "__pycache__":
            (package / path.name).symlink_to(path)
    for name in MAPPED:
        (package / name).symlink_to(ROOT / name)
    return TREE
