"""Run mypy --strict on the whole package.

The top-level folders are importable below ``whatworked`` through the installer's package mapping, which mypy does not
read. So this lays a folder of links in the shape of the installed package and checks that.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TREE = ROOT / "build" / "typing"
MAPPED = ("workflows", "controls", "data_manifests", "references", "results")


def lay_links() -> None:
    """Make TREE/whatworked with a link for each module of the package."""
    shutil.rmtree(TREE, ignore_errors=True)
    package = TREE / "whatworked"
    package.mkdir(parents=True)
    for path in (ROOT / "whatworked").iterdir():
        if path.name != "__pycache__":
            (package / path.name).symlink_to(path)
    for name in MAPPED:
        (package / name).symlink_to(ROOT / name)


def main() -> int:
    """Return mypy's exit code."""
    lay_links()
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file",
        str(ROOT / "pyproject.toml"),
        "-p",
        "whatworked",
        *sys.argv[1:],
    ]
    # From the tree itself: started in the project's root, mypy would find the unmapped folders first.
    return subprocess.run(command, cwd=TREE, env={**os.environ, "MYPYPATH": str(TREE)}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
