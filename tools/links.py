"""Lay a folder of links in the shape of the installed package.

The top-level folders are importable below ``whatworked`` through the installer's package mapping, which tools that read
source trees (type checker, import linter) do not follow.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TREE = ROOT / "build" / "links"
MAPPED = ("workflows", "controls", "data_manifests", "references", "results")


def lay_links() -> Path:
    """Bring TREE/whatworked up to date: a link for each module of the package; return TREE.

    Links that are right stay, so that two checks may run at once.
    """
    package = TREE / "whatworked"
    package.mkdir(parents=True, exist_ok=True)
    wanted = {path.name: path for path in (ROOT / "whatworked").iterdir() if path.name != "__pycache__"}
    wanted |= {name: ROOT / name for name in MAPPED}
    for link in package.iterdir():
        if link.name not in wanted:
            link.unlink()
    for name, path in wanted.items():
        with contextlib.suppress(FileExistsError):
            (package / name).symlink_to(path)
    return TREE
