"""Run the shell blocks of the worked pages, and write what they print into the text blocks behind them.

    python tools/worked_pages.py [PAGE…]

Blocks of a page run one after the other in a copy of examples/. `compare` holds a page to what its blocks print now.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("example-classifier.md", "example-command.md")
FILES = ("text_classifier.py", "simulate.sh", "lab.py")
"""Examples that the pages run."""

_BLOCK = re.compile(r"```shell\n(?P<script>.*?)```\n(?:\n```text\n(?P<printed>.*?)```\n)?", re.DOTALL)
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


def blocks(page: str) -> list[tuple[str, str | None]]:
    """Scripts of a page, each with the text that stands behind it, if one does."""
    return [(found["script"], found["printed"]) for found in _BLOCK.finditer(page)]


def run(scripts: list[str]) -> list[str]:
    """What scripts print, run one after the other in a copy of the examples."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WHATWORKED_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**kept, "PATH": path, "COLUMNS": "140", "WHATWORKED_OFFLINE": "1"}
    printed = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "examples"
        shutil.copytree(ROOT / "examples", folder, ignore=shutil.ignore_patterns("__pycache__"))
        for script in scripts:
            done = subprocess.run(
                ["sh", "-e", "-c", script],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise RuntimeError(f"{script}\nended with {done.returncode}: {done.stderr}")
            printed.append(done.stdout)
    return printed


def compare(shown: str, printed: str, near: float = 0.1) -> list[str]:
    """Lines that differ: in words, or in a number by more than a share and 1; seconds at the end of a line are free."""
    left, right = (re.sub(r" +\d+\.\d\d$", "", text, flags=re.MULTILINE).splitlines() for text in (shown, printed))
    if len(left) != len(right):
        return [f"{len(left)} lines, printed are {len(right)}: {printed}"]
    # Runs that end at almost the same time are listed as they end, so the order of lines is free.
    pairs = zip(sorted(left, key=_kind), sorted(right, key=_kind), strict=True)
    return [f"{one!r}, printed is {other!r}" for one, other in pairs if not _alike(one, other, near)]


def _kind(line: str) -> list[str]:
    return [*line.split()[:1], _NUMBER.sub("#", line)]


def _alike(one: str, other: str, near: float) -> bool:
    if one.split()[:1] != other.split()[:1]:  # the mask or name of a row
        return False
    words = [" ".join(_NUMBER.sub("#", line).split()) for line in (one, other)]
    numbers = [[float(number) for number in _NUMBER.findall(line)] for line in (one, other)]
    return words[0] == words[1] and all(
        math.isclose(*pair, rel_tol=near, abs_tol=1.0) for pair in zip(*numbers, strict=True)
    )


def main(names: list[str]) -> None:
    """Write the pages anew."""
    for name in names or PAGES:
        path = ROOT / "docs" / name
        page = path.read_text(encoding="utf-8")
        printed = iter(run([script for script, _ in blocks(page)]))

        def renewed(found: re.Match[str], printed: object = printed) -> str:
            text = next(printed)  # type: ignore[call-overload]
            behind = "" if found["printed"] is None else f"\n```text\n{text}```\n"
            return f"```shell\n{found['script']}```\n{behind}"

        path.write_text(_BLOCK.sub(renewed, page), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
