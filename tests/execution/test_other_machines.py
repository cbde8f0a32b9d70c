"""Tables have the same bytes on a processor with AVX-512 and on one without, whatever the user's environment says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from other_machines import CONDITIONS

from whatworked.workers.profile import pinned_profile

PROGRAM = Path(__file__).parent / "other_machines.py"

# A processor without AVX-512, as numpy, BLAS and the C library would see it.
OLDER = {
    "NPY_DISABLE_CPU_FEATURES": pinned_profile().environment.get("NPY_DISABLE_CPU_FEATURES", ""),
    "OPENBLAS_CORETYPE": pinned_profile().environment.get("OPENBLAS_CORETYPE", ""),
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD",
}
UNUSUAL = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "PYTHONHASHSEED": "77", "PYTHONWARNINGS": "ignore"}


def tables(folder: Path, environment: dict[str, str]) -> dict[str, bytes]:
    subprocess.run([sys.executable, str(PROGRAM), str(folder)], env={**os.environ, **environment}, check=True)
    assert len(list(folder.glob("*.tsv"))) == len(CONDITIONS)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "machine.json"}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return tables(tmp_path_factory.mktemp("here"), {})


@pytest.mark.parametrize("environment", [OLDER, UNUSUAL], ids=["older processor", "unusual environment"])
def test_tables_and_index_have_the_same_bytes(
    here: dict[str, bytes], tmp_path: Path, environment: dict[str, str]
) -> None:
    assert tables(tmp_path, environment) == here
