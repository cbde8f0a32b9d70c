"""Results of one Python object are never handed out for another."""

from __future__ import annotations

import json

import pytest
from run_helpers import lowest, synthetic_task
from sklearn.linear_model import Ridge

from whatworked import bench
from whatworked.errors import InvalidOptionError
from whatworked.runs.folder import MANIFEST, PLAN, read_run


def run(folder, estimator, **how):
    return bench([("r", estimator)], [lowest], 1, out=folder, tasks=synthetic_task("one", 2, 1), **how)


def test_another_object_under_the_same_name_is_refused(tmp_path):
    first = run(tmp_path, Ridge(1))
    assert run(tmp_path, Ridge(1)).records == first.records
    assert first.description.estimators["r"].parameters["alpha"] == "1"
    with pytest.raises(InvalidOptionError, match=r"alpha was 1 and is 100.*--fresh"):
        run(tmp_path, Ridge(100))
    (tmp_path / PLAN).unlink()
    with pytest.raises(InvalidOptionError, match="alpha was 1 and is 100"):
        run(tmp_path, Ridge(100))
    assert run(tmp_path, Ridge(100), fresh=True).records != first.records


def test_a_run_that_does_not_say_what_its_objects_were_is_refused(tmp_path):
    run(tmp_path, Ridge(1))
    for name in (PLAN, MANIFEST):
        content = json.loads((tmp_path / name).read_text())
        for plugin in content.get("plan", content)["estimators"].values():
            plugin["origin"] = "python object"
            del plugin["parameters"]
        (tmp_path / name).write_text(json.dumps(content))
    with pytest.raises(InvalidOptionError, match="does not say what the Python object behind the estimator r was"):
        run(tmp_path, Ridge(1))


class Views:
    """Holds what workers can be given and pickle alone cannot hold."""

    def __init__(self):
        self.level = memoryview(b"1")

    def fit(self, masks, utilities):
        return self

    def predict(self, masks):
        return [float(bytes(self.level))] * len(masks)


def test_an_object_that_cannot_be_told_runs_and_is_not_resumed(tmp_path):
    def factory():
        return held.__class__()

    held = Views()
    assert run(tmp_path, factory).records[0].predictions is not None
    with pytest.raises(InvalidOptionError, match=r"estimator r is a Python object that cannot be told .*memoryview"):
        run(tmp_path, factory)


def test_records_can_be_read_without_the_object(tmp_path):
    run(tmp_path, Ridge(1))
    assert read_run(tmp_path).description.estimators["r"].origin.digest
