"""A Gaussian process of scikit-learn states its posterior; other regressors state nothing."""

from __future__ import annotations

import numpy as np
import pytest
from packed_runs import finished
from sklearn.gaussian_process import GaussianProcessRegressor

from whatworked import load_surface
from whatworked.plugins import load
from whatworked.runs import catalog_tasks
from whatworked.surfaces import all_bits
from whatworked.surfaces.edges import edges

SPEC = "sklearn.gaussian_process:GaussianProcessRegressor"


def test_the_statement_is_its_posterior():
    surface, cube = load_surface("wine"), all_bits(4).astype(float)
    measured = [0, 3, 6, 9, 15]
    theirs = GaussianProcessRegressor().fit(cube[measured], surface.utilities[measured])
    _, covariance = theirs.predict(cube, return_cov=True)
    model = load(SPEC, "estimator").build_estimator().fit(cube[measured], surface.utilities[measured])
    off, on = edges(4)
    spread = covariance[off, off] + covariance[on, on] - 2 * covariance[off, on]
    assert model.effect_std(cube[off], cube[on]) == pytest.approx(np.sqrt(np.maximum(spread, 0.0)), abs=1e-4)
    assert model.predict_std(cube) == pytest.approx(np.sqrt(np.maximum(np.diag(covariance), 0.0)), abs=1e-4)
    assert model.predict_std(cube[measured]).tolist() == [0.0] * 5


def test_it_is_graded_by_it_and_others_are_not(tmp_path):
    how = {"estimators": (SPEC, "sklearn.linear_model:Ridge"), "policies": ("design-main",)}
    run = finished(tmp_path / "run", catalog_tasks(["wine"]), budgets=(8,), seeds=1, **how)
    process, *_, ridge = (record.grade.uncertainty for record in run.records)
    assert (process.effects.count, process.cells.count) == (22, 6)
    assert not ridge
