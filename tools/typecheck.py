"""Run mypy --strict on the whole package; further arguments go to mypy."""

from __future__ import annotations

import os
import subprocess
import sys

from links import ROOT, lay_links


def main() -> int:
    """Return mypy's exit code."""
    tree = lay_links()
    config = str(ROOT / "pyproject.toml")
    command = [sys.executable, "-m", "mypy", "--config-file", config, "-p", "whatworked", *sys.argv[1:]]
    # From the tree itself: started in the project's root, mypy would find the unmapped folders first.
    return subprocess.run(command, cwd=tree, env={**os.environ, "MYPYPATH": str(tree)}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
