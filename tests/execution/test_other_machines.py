"""Tables have the same bytes on a processor with AVX-512 and on one without, whatever the user's environment says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from other_machines import CONDITIONS
from shared_folders import made_once

from whatworked.workers.profile import pinned_profile

PROGRAM = Path(__file__).parent / "other_machines.py"

# A processor without AVX-512, as numpy, BLAS and the C library would see it.
OLDER = {
    "NPY_DISABLE_CPU_FEATURES": pinned_profile().environment.get("NPY_DISABLE_CPU_FEATURES", ""),
    "OPENBLAS_CORETYPE": pinned_profile().environment.get("OPENBLAS_CORETYPE", ""),
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD",
}
UNUSUAL = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "PYTHONHASHSEED": "77", "PYTHONWARNINGS": "ignore"}


def make(folder: Path, environment: dict[str, str]) -> None:
    subprocess.run([sys.executable, str(PROGRAM), str(folder)], env={**os.environ, **environment}, check=True)


def held(folder: Path) -> dict[str, bytes]:
    assert len(list(folder.glob("*.tsv"))) == len(CONDITIONS)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "machine.json"}


@pytest.fixture(scope="session")
def here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return held(made_once(tmp_path_factory, "here", lambda folder: make(folder, {})))


# Each environment by itself says which of them it was, should both together make a difference.
@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({**OLDER, **UNUSUAL}, id="older processor in an unusual environment"),
        pytest.param(OLDER, id="older processor", marks=pytest.mark.slow),
        pytest.param(UNUSUAL, id="unusual environment", marks=pytest.mark.slow),
    ],
)
def test_tables_and_index_have_the_same_bytes(
    here: dict[str, bytes], tmp_path: Path, environment: dict[str, str]
) -> None:
    make(tmp_path, environment)
    assert held(tmp_path) == here
