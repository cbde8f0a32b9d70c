"""The sandbox: what starting a program in it costs before the program's own imports, beside a plain interpreter."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from whatworked.sandbox import BubblewrapSandbox
from whatworked.sandbox.layout import machine_layout

REPETITIONS = 20
BOUND = 0.4
"""Seconds that a start may take."""
PROGRAMS = {"nothing": "pass", "numpy": "import numpy", "scipy.linalg": "import scipy.linalg"}


def seconds(action: Callable[[], object]) -> float:
    """Wall time of a call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def main() -> None:
    """Measure in rounds, so that a busy moment of the machine touches both alike."""
    first = seconds(machine_layout)
    print(f"finding interpreter, packages and libraries, once in a process: {1e3 * first:.0f} ms")
    sandbox = BubblewrapSandbox()
    print(f"{'program imports':18}{'plain ms':>10}{'sandbox ms':>12}{'difference':>12}{'ratio':>8}")
    for name, code in PROGRAMS.items():
        plain, boxed = [], []
        for _ in range(REPETITIONS):
            plain.append(
                seconds(lambda code=code: subprocess.run([sys.executable, "-I", "-B", "-c", code], check=True))
            )
            boxed.append(seconds(lambda code=code: sandbox.run(code)))
        bare, within = statistics.median(plain), statistics.median(boxed)
        print(f"{name:18}{1e3 * bare:10.0f}{1e3 * within:12.0f}{1e3 * (within - bare):12.0f}{within / bare:8.1f}")
        if name == "nothing" and within > BOUND:
            sys.exit(f"a start takes {within:.2f} s, more than {BOUND} s")


if __name__ == "__main__":
    main()
