"""Print a constraint for each requirement of the package: the lowest version that it allows."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def lowest(requirements: list[str]) -> list[str]:
    """Constraints from requirements, each of which states its lowest version."""
    found = []
    for requirement in requirements:
        stated = re.match(r"([\w.-]+)>=([\w.]+)", requirement)
        if stated is None:
            raise ValueError(f"{requirement!r} states no lowest version; write name>=version")
        found.append(f"{stated[1]}=={stated[2]}")
    return found


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    sys.stdout.write("\n".join(lowest(project["dependencies"])) + "\n")
