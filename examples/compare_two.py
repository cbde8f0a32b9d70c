"""Two methods side by side, and what their comparison supports."""

import sys
from pathlib import Path

from whatworked.comparing import collect_runs, compare_methods
from whatworked.report import write_report
from whatworked.runs import bench, catalog_tasks

HERE = Path(__file__).parent


def main(out):
    run = bench(
        [f"{HERE / 'my_estimator.py'}:Nearest", "gp"], ["gp-effect"], [4, 8], out, catalog_tasks(tracks=["four"])
    )
    runs = collect_runs([run])
    for result in compare_methods(runs, baseline="gp/gp-effect"):
        if result.against is not None:
            print(result.against.statement)
    write_report(runs, Path(out) / "report.html", title="Nearest neighbours against a Gaussian process")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "bench-two")
