"""Variables of the environment that joblib and scikit-learn cannot take are named, not met with their own errors."""

from __future__ import annotations

import pytest
from command_line import run_apart
from run_helpers import lowest, mean, synthetic_task

from whatworked import bench
from whatworked.errors import InvalidOptionError
from whatworked.workers.settings import check_settings

WRONG = [
    ("LOKY_MAX_CPU_COUNT", "junk"),
    ("LOKY_MAX_CPU_COUNT", ""),
    ("LOKY_MAX_CPU_COUNT", "1.5"),
    ("LOKY_MAX_CPU_COUNT", "\x1b[2J"),
    ("LOKY_MAX_DEPTH", "deep"),
    ("JOBLIB_MULTIPROCESSING", "yes"),
    ("JOBLIB_START_METHOD", "thread"),
    ("LOKY_PICKLER", "no.such"),
    ("LOKY_PICKLER", "json"),
    ("SKLEARN_WORKING_MEMORY", "1 GB"),
    ("SKLEARN_PAIRWISE_DIST_CHUNK_SIZE", "nan"),
]
RIGHT = [
    ("LOKY_MAX_CPU_COUNT", "-1"),
    ("LOKY_MAX_CPU_COUNT", " 3 "),
    ("JOBLIB_MULTIPROCESSING", "0"),
    ("JOBLIB_START_METHOD", ""),
    ("LOKY_PICKLER", "pickle"),
]


@pytest.mark.parametrize(("name", "value"), WRONG, ids=range(len(WRONG)))
def test_wrong_ones_are_named(monkeypatch, tmp_path, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(InvalidOptionError, match=rf"variable {name} is .*; give .*, or unset it") as caught:
        bench(mean, lowest, 1, out=tmp_path / "run", tasks=synthetic_task("one", 2, 1), jobs=2)
    assert repr(value) in str(caught.value)
    assert not (tmp_path / "run" / "manifest.json").exists()


@pytest.mark.parametrize(("name", "value"), RIGHT)
def test_right_ones_pass(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    check_settings()


@pytest.mark.parametrize(
    "command", [("check", "sklearn.linear_model:Ridge"), ("verify", "wine")], ids=["check", "verify"]
)
def test_a_command_ends_with_a_named_error(command):
    done = run_apart(*command, LOKY_MAX_CPU_COUNT="junk")
    assert done.returncode == 2
    assert done.stderr.startswith("error: the environment variable LOKY_MAX_CPU_COUNT is 'junk'")
    assert "Traceback" not in done.stderr
