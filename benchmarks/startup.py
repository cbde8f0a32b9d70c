"""Start-up: what importing the package and asking for help cost, beside a bare interpreter and numpy.

Each command runs in a fresh process; the table gives the median of the repetitions and the ratio to a bare interpreter.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

REPETITIONS = 15
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import numpy": [sys.executable, "-c", "import numpy"],
    "import whatworked": [sys.executable, "-c", "import whatworked"],
    "load_surface('wine')": [sys.executable, "-c", "import whatworked; whatworked.load_surface('wine')"],
    "whatworked --help": [sys.executable, "-m", "whatworked", "--help"],
}


def seconds(command: list[str]) -> float:
    """Wall time of one run of `command`."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Measure in rounds, so that a busy moment of the machine touches all commands alike."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(REPETITIONS):
        for name, command in COMMANDS.items():
            times[name].append(seconds(command))
    bare = statistics.median(times["python -c pass"])
    print(f"{'command':24}{'median ms':>10}{'minus bare':>12}{'ratio':>8}")
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:24}{1e3 * median:10.0f}{1e3 * (median - bare):12.0f}{median / bare:8.1f}")


if __name__ == "__main__":
    main()
