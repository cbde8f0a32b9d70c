"""Rebuild all references staged and cold, one after the other: seconds, ratio, peak memory, and whether they agree.

Run: python benchmarks/rebuild.py [--jobs N] [CONDITION…]. Sources that need the network or a mirror take part only if
they are there (WHATWORKED_MIRROR). Inputs are prepared first, so that both runs start from prepared inputs. Memory is
the sum of the resident sets of the command and all its workers, sampled every 50 ms; pages they share count once per
process, so the true figure is lower.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from whatworked import references
from whatworked.references.index import read_index

PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Measured:
    """One run of a command."""

    seconds: float
    peak: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("conditions", nargs="*", metavar="CONDITION")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    subprocess.run([sys.executable, "-m", "whatworked", "sources", "fetch"], stdout=subprocess.DEVNULL, check=False)
    with tempfile.TemporaryDirectory() as name:
        folders = {"staged": Path(name) / "staged", "cold": Path(name) / "cold"}
        runs = {how: measure(how, folder, arguments) for how, folder in folders.items()}
        report(runs, folders)
    return 0


def measure(how: str, folder: Path, arguments: argparse.Namespace) -> Measured:
    command = [sys.executable, "-m", "whatworked", "rebuild", *arguments.conditions, "--offline", "--out", str(folder)]
    command += ["--jobs", str(arguments.jobs), *(["--cold"] if how == "cold" else [])]
    start, peak = time.perf_counter(), 0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        peak = max(peak, resident(process.pid))
        time.sleep(0.05)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with exit code {process.returncode}")
    return Measured(time.perf_counter() - start, peak)


def resident(root: int) -> int:
    """Resident bytes of a process and all its descendants."""
    parents, sizes = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                sizes[int(entry.name)] = int((entry / "statm").read_text().split()[1]) * PAGE
            except (OSError, IndexError):
                continue
    family = {root}
    while grown := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= grown
    return sum(sizes.get(pid, 0) for pid in family)


def report(runs: dict[str, Measured], folders: dict[str, Path]) -> None:
    staged, cold = read_index(folders["staged"]).tables, read_index(folders["cold"]).tables
    kept = read_index(references.folder()).tables
    records = sum(entry.records for entry in staged.values())
    print(f"{len(staged)} conditions, {records} records, {os.cpu_count()} processors")
    for how, run in runs.items():
        print(f"{how:<7} {run.seconds:8.1f} s   peak memory of all processes {run.peak / 1e9:.2f} GB")
    print(f"staged is {runs['cold'].seconds / runs['staged'].seconds:.1f} times as fast as cold")
    same = sum(entry.digest == cold[name].digest for name, entry in staged.items())
    print(f"{same} of {len(staged)} tables have the same bytes staged and cold")
    known = {name: entry for name, entry in staged.items() if name in kept}
    equal = sum(entry.digest == kept[name].digest for name, entry in known.items())
    print(f"{equal} of {len(known)} tables have the bytes of the references that come with the package")


if __name__ == "__main__":
    sys.exit(main())
