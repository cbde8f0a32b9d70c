"""Check the direction of imports against the contracts in .importlinter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from links import ROOT, lay_links


def main() -> int:
    """Return import-linter's exit code."""
    tree = lay_links()
    command = [
        str(Path(sys.executable).with_name("lint-imports")),
        str(ROOT / ".importlinter"),
        "--no-cache",
    ]
    return subprocess.run(command, cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
