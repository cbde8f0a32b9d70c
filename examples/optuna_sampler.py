"""An Optuna sampler as an acquisition policy (pip install optuna).

On the command line:

    whatworked bench --estimator gp --policy optuna:TPESampler --policy gp-effect --track four --budgets 8 --seeds 5

A sampler looks for the best mask, a policy like gp-effect for what each option does; a run says how each does at both.
"""

import sys

from whatworked.comparing import standings
from whatworked.runs import bench, catalog_tasks


def main(out):
    tasks = catalog_tasks(["wine", "nile", "airfoil"])
    run = bench(["gp"], ["optuna:TPESampler", "gp-effect"], [8], out, tasks, seeds=3)
    for standing in standings(run.rows()):
        exact = f"{standing.exact:.1f} of {standing.sources} sources"
        print(f"{standing.method}: recovery {standing.value:.3f}, best mask found on {exact}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "bench-optuna")
