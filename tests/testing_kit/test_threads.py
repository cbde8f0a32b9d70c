"""The kit's time limit holds in a thread, too, where nothing can be interrupted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from plugin_files import HANGING

from whatworked.testing import ConformanceError, check_estimator


@pytest.mark.parametrize("how", ["spin", "swallow"])
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
