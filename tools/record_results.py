"""Run the methods that come with WhatWorked, pack the runs into results/ and write the leaderboard.

Run it from the checkout when a method or a reference table changes: ``python tools/record_results.py [NAME …]``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

RESULTS = Path(__file__).resolve().parent.parent / "results"
BUDGETS = "4,8,20,32"
TUNED = "Fixed constants; nothing was tuned on these surfaces."
RELEVANCE = (
    "Gaussian processes averaged over relevances, gates and shape by marginal likelihood. Constants fixed by argument "
    "or chosen on surfaces outside the catalog, but for the strength of the warp, which the left-out choice on the "
    "catalog preferred for every family; docs/inference.md says how `whatworked inference loo` chooses."
)
RUNS = {
    "controls": (
        ["--method", "D1", "--method", "D2", "--method", "GP-G", "--method", "GP-E"],
        "Reference methods: ridge designs and ordinary kriging. " + TUNED,
    ),
    "random": (["--method", "Random D2"], "Random purchases and a ridge with pairs, seeds 0 to 19. " + TUNED),
    "controls-rules": (
        ["--method", "CD1", "--method", "CD2", "--method", "CGP-E", "--rules"],
        "Reference methods on code-equivalence classes. " + TUNED,
    ),
    "peers": (
        ["--method", "ARD-E", "--method", "Trees-E", "--method", "Walsh-E", "--method", "Ridge2-E"],
        "What others would use, on the purchases of GP-E: a Gaussian process with dimension-scaled priors, extremely "
        "randomised trees, a sparse Walsh fit, a ridge with pairs; defaults of their papers and libraries. " + TUNED,
    ),
    "random-peers": (
        [
            *(part for name in ("ARD", "Trees", "Walsh", "GP") for part in ("--method", f"Random {name}")),
            "--seeds",
            "5",
        ],
        "The same, and ordinary kriging, on random purchases, seeds 0 to 4. " + TUNED,
    ),
    "relevance": (["--method", "RGP"], RELEVANCE),
    "relevance-rules": (["--method", "CRGP", "--rules"], "On code-equivalence classes. " + RELEVANCE),
}


def main() -> None:
    """Run what is named, or everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *RUNS], help="which runs; default all")
    parser.add_argument("--jobs", default="2")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in given.names or RUNS:
            arguments, note = RUNS[name]
            out = str(Path(folder) / name)
            _whatworked("bench", *arguments, "--budgets", BUDGETS, "--jobs", given.jobs, "--out", out)
            _whatworked("submit", out, "--name", name, "--note", note, "--out", str(RESULTS / f"{name}.json.gz"))
    _whatworked("leaderboard", "--results", str(RESULTS), "--update")


def _whatworked(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "whatworked", *arguments], check=True)


if __name__ == "__main__":
    main()
