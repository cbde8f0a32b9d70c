"""The kit's time limit holds in a thread, too, where nothing can be interrupted."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from plugin_files import HANGING
from slow_sample import slow_but

from whatworked.errors import InvalidMaskError, InvalidOptionError
from whatworked.plugins import load
from whatworked.testing import ConformanceError, check_estimator, estimator_checks, run_check, run_checks


@pytest.mark.parametrize("how", slow_but(["spin", "swallow"], quick={"spin"}))
def test_a_plugin_that_hangs_is_ended_in_a_thread(tmp_path, how):
    (tmp_path / "hangs.py").write_text(HANGING.replace("utilities[0] == self.at and len(masks) == self.masks", "True"))
    text = f"{tmp_path / 'hangs.py'}:Hangs(how={how!r})"
    with ThreadPoolExecutor(1) as threads:
        checked = threads.submit(check_estimator, text, (2,), 0.2)
        with pytest.raises(ConformanceError, match=r"time limit of 0\.2 s"):
            checked.result()


def test_an_estimator_that_conforms_passes_in_a_thread():
    with ThreadPoolExecutor(1) as threads:
        results = threads.submit(check_estimator, "mean", (2,), 30).result()
    assert all(result.passed for result in results)


class Locked:
    """Cannot be sent to another process."""

    def __init__(self):
        self.lock = threading.Lock()

    def __deepcopy__(self, memo):
        return Locked()

    def fit(self, masks, utilities):
        while True:
            pass


@pytest.mark.parametrize("thing", [Locked(), lambda masks, utilities, cube: time.sleep(2)], ids=["locked", "sleeps"])
def test_what_cannot_be_sent_to_a_process_is_interrupted_in_its_thread(thing):
    with ThreadPoolExecutor(1) as threads:
        plugin = load(thing, "estimator")
        result = threads.submit(run_check, estimator_checks()[0], plugin, (2,), 0.2).result()
        assert result.problem.startswith("TimeLimitError: not done within the time limit of 0.2 s")
        with pytest.raises(ConformanceError, match=r"time limit of 0\.1 s"):
            threads.submit(check_estimator, thing, 2, 0.1).result()
        assert threads.submit(sum, range(100_000)).result() == 4_999_950_000


@pytest.mark.parametrize("limit", [0, -1, "5", True, float("nan"), float("inf"), np.array([1.0, 2.0]), b"1"])
def test_what_is_no_limit_is_named(limit):
    with pytest.raises(InvalidOptionError, match=r"the time limit is .*; give"):
        check_estimator("mean", (2,), limit)


@pytest.mark.parametrize("dimensions", ["2", [0], [21], [], None, (True,), 2.0, [-1], {2: 3}, [[2]]])
def test_what_is_no_number_of_options_is_named(dimensions):
    with pytest.raises((InvalidOptionError, InvalidMaskError), match="; "):
        check_estimator("mean", dimensions)


@pytest.mark.parametrize(
    "dimensions",
    [2, np.int64(2), np.array([1, 2]), range(1, 3), iter([2])],
    ids=["int", "int64", "array", "range", "iterator"],
)
def test_numbers_of_options_come_in_any_form(dimensions):
    assert all(result.passed for result in check_estimator("mean", dimensions, np.float32(30)))


def test_what_is_not_loaded_is_named():
    with pytest.raises(InvalidOptionError, match="'mean', which is not loaded; give what"):
        run_checks("mean")
