"""A second process that runs what was asked for: settings come in as JSON, results go out as CSV.

whatworked measure ask bench -n 4 --json | python lab.py > results.csv
whatworked measure tell bench --file results.csv
"""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

LIMIT = 2
"""Seconds for each run."""


def run(setting):
    """The result of a setting, or why there is none."""
    words = [f"--mesh={setting['mesh']}", f"--solver={setting['solver']}"]
    words += [f"--{name}" for name in ("cache", "affinity") if setting[name] == "on"]
    program = Path(__file__).parent / "simulate.sh"
    try:
        done = subprocess.run(["sh", program, *words], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"not done within {LIMIT} s"
    if done.returncode:
        return done.stderr.strip() or f"exit code {done.returncode}"
    return re.search(r"carried: ([0-9.]+)", done.stdout)[1]


def main():
    settings = [asked["setting"] for asked in json.load(sys.stdin)]
    writer = csv.writer(sys.stdout)
    writer.writerow([*settings[0], "carried"])
    writer.writerows([*setting.values(), run(setting)] for setting in settings)


if __name__ == "__main__":
    main()
