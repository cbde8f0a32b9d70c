"""A scikit-learn regressor as an estimator: nothing to write, only to name.

On the command line:

    whatworked bench --estimator 'forest=sklearn.ensemble:RandomForestRegressor(n_estimators=50)' --policy design-pair

In Python, with anything that has fit and predict, a pipeline for instance:
"""

import sys

from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from whatworked.comparing import standings
from whatworked.runs import bench, catalog_tasks


def main(out):
    pairs = make_pipeline(PolynomialFeatures(2, interaction_only=True), Ridge(0.1, random_state=0))
    forest = "forest=sklearn.ensemble:RandomForestRegressor(n_estimators=50, random_state=0)"
    run = bench([pairs, forest], ["design-pair"], [8], out, catalog_tasks(families=["clustering"], tracks=["four"]))
    for standing in standings(run.rows()):
        print(f"{standing.method}: recovers {standing.value:.3f} of the effects at B = {standing.budget}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "bench-scikit-learn")
