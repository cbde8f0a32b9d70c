"""The numeric profile, seen from processes that run under it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from whatworked.errors import ExecutionError
from whatworked.workers.profile import NumericProfile, is_x86, pinned_profile, require_pinned

REPORT = """
import json
from whatworked.workers import profile
found = profile.pinned_profile()
print(json.dumps([found.mismatch(), profile.vector_features(), profile.blas_libraries(), hash("a")]))
"""


def report(extra: dict[str, str]) -> list[object]:
    environment = {**os.environ, **extra}
    done = subprocess.run(
        [sys.executable, "-W", "error::ImportWarning", "-c", REPORT],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return list(json.loads(done.stdout))


def test_a_process_started_under_the_profile_is_pinned() -> None:
    mismatch, features, blas, first_hash = report(pinned_profile().environment)
    assert mismatch is None
    assert not any("AVX512" in name or name == "X86_V4" for name in features)  # type: ignore[attr-defined]
    assert blas
    assert report(pinned_profile().environment)[3] == first_hash


@pytest.mark.parametrize(
    "ambient",
    [
        {"NPY_ENABLE_CPU_FEATURES": "SSE42", "NPY_DISABLE_CPU_FEATURES": ""},
        {"OPENBLAS_CORETYPE": "Prescott", "OMP_NUM_THREADS": "7"},
    ],
)
def test_what_the_user_had_set_does_not_show_through(ambient: dict[str, str]) -> None:
    profile = pinned_profile().environment
    assert report({**ambient, **profile})[:3] == report(profile)[:3]


def test_a_process_outside_the_profile_is_refused_with_what_to_set() -> None:
    profile = NumericProfile({"WHATWORKED_TEST_VARIABLE": "1"})
    with pytest.raises(ExecutionError, match="env WHATWORKED_TEST_VARIABLE='1'"):
        require_pinned(profile)


@pytest.mark.parametrize("name", ["PYTHONHASHSEED", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"])
def test_threads_and_hashes_are_pinned_everywhere(name: str) -> None:
    assert name in pinned_profile().environment


def test_other_processors_say_what_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert not is_x86()
    profile = pinned_profile()
    assert "aarch64" in profile.unpinned[0]
    assert "OPENBLAS_CORETYPE" not in profile.environment


def test_no_kernel_is_asked_for_that_the_processor_cannot_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whatworked.workers.profile.is_x86", lambda: True)
    monkeypatch.setattr("whatworked.workers.profile._dispatched", lambda: ("SSE42", "AVX2", "AVX512F", "AVX512_SKX"))
    monkeypatch.setattr("whatworked.workers.profile._has_avx2", lambda: False)
    profile = pinned_profile()
    assert profile.environment["NPY_DISABLE_CPU_FEATURES"] == "AVX512F AVX512_SKX"
    assert "OPENBLAS_CORETYPE" not in profile.environment
    assert "no AVX2" in profile.unpinned[0]
