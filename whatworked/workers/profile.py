"""The numeric profile: what is pinned in a worker so that every machine computes the same bits.

numpy chooses code by the vector instructions of the processor, and BLAS its kernels; both change the last bits of sums,
and the order in which an unstable sort leaves ties. The profile limits numpy to what any processor since 2013 has
(x86-64-v3), asks BLAS for the kernels of such a processor and gives each worker one thread. All of it is read once,
when a library loads, so it has to stand in the environment of a process before the process starts.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatworked.errors import ExecutionError

_LEVEL_3 = frozenset(
    (
        *("SSE", "SSE2", "SSE3", "SSSE3", "SSE41", "SSE42", "POPCNT", "AVX", "F16C", "FMA3", "AVX2"),
        *("LAHF", "CX16", "MOVBE", "BMI", "BMI2", "LZCNT", "X86_V1", "X86_V2", "X86_V3"),
    )
)
"""Names of numpy's x86 dispatch, old and new, that x86-64-v3 includes; all others are switched off."""

HASH_SEED = "1"
"""Seed of Python's string hashes; Dask does not let a worker have 0."""

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass(frozen=True)
class NumericProfile:
    """Environment of the workers, and what it cannot reach on this machine.

    Attributes
    ----------
    environment : dict of str to str
        Variables to set before a worker starts.
    unpinned : tuple of str
        What may still change results here; empty on an x86-64 processor with AVX2 and OpenBLAS or MKL.
    """

    environment: dict[str, str]
    unpinned: tuple[str, ...] = ()

    def mismatch(self) -> str | None:
        """Say what in the current process contradicts the profile; None if nothing does."""
        wrong = [f"{name}={value}" for name, value in self.environment.items() if os.environ.get(name, "") != value]
        if wrong:
            return "the environment lacks " + " ".join(wrong)
        if excess := sorted(set(vector_features()) - _LEVEL_3) if is_x86() else []:
            return f"numpy uses {', '.join(excess)}; it was loaded before the environment was set"
        return None


def is_x86() -> bool:
    """Whether this machine is of the architecture that the reference tables were made on."""
    return platform.machine().lower() in {"x86_64", "amd64"}


def pinned_profile() -> NumericProfile:
    """The profile for workers on this machine, with names that the installed numpy understands."""
    environment = dict.fromkeys(_THREADS, "1") | {"PYTHONHASHSEED": HASH_SEED, "NPY_ENABLE_CPU_FEATURES": ""}
    if not is_x86():
        note = f"processor is {platform.machine() or 'unknown'}, the tables were made on x86-64: last digits may differ"
        return NumericProfile(environment, (note,))
    environment["NPY_DISABLE_CPU_FEATURES"] = " ".join(name for name in _dispatched() if name not in _LEVEL_3)
    if not _has_avx2():
        # OpenBLAS takes the name of a kernel on trust: asking for Haswell here would end in an illegal instruction.
        return NumericProfile(
            environment, ("processor has no AVX2: numpy and BLAS use older code, last digits may differ",)
        )
    environment |= {"OPENBLAS_CORETYPE": "Haswell", "MKL_CBWR": "AVX2"}
    return NumericProfile(environment, _blas_notes())


def vector_features() -> tuple[str, ...]:
    """Vector features numpy uses in this process, baseline first."""
    core = _numpy_core()
    on = core.__cpu_features__
    return (*core.__cpu_baseline__, *(name for name in core.__cpu_dispatch__ if on.get(name)))


def blas_libraries() -> tuple[str, ...]:
    """Each BLAS of this process as ``name version kernel``, sorted; scipy.linalg is loaded for its own copy."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    found = [info for info in threadpool_info() if info["user_api"] == "blas"]
    return tuple(
        sorted(f"{info['internal_api']} {info['version']} {info.get('architecture', '')}".strip() for info in found)
    )


def require_pinned(profile: NumericProfile) -> None:
    """Raise `ExecutionError` unless the current process runs under `profile`."""
    if problem := profile.mismatch():
        settings = " ".join(f"{name}='{value}'" for name, value in profile.environment.items())
        raise ExecutionError(
            f"worker {os.getpid()} is not numerically pinned: {problem}. "
            f"Use --backend loky, or start the workers of another backend with: env {settings}"
        )


def processor() -> str:
    """Model name of the processor as the system states it."""
    if sys.platform.startswith("linux"):
        try:
            with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as stream:
                names = (line.partition(":")[2].strip() for line in stream if line.startswith("model name"))
                return next(names, platform.machine())
        except OSError:
            return platform.machine()
    return platform.processor() or platform.machine()


def _numpy_core() -> Any:
    """Numpy's core extension module: the only place that tells what was compiled in and what is on."""
    return importlib.import_module("numpy._core._multiarray_umath")


def _dispatched() -> tuple[str, ...]:
    return tuple(_numpy_core().__cpu_dispatch__)


def _has_avx2() -> bool:
    features = _numpy_core().__cpu_features__
    return bool(features.get("AVX2") or features.get("X86_V3"))


def _blas_notes() -> tuple[str, ...]:
    from threadpoolctl import threadpool_info

    names = {info["internal_api"] for info in threadpool_info() if info["user_api"] == "blas"}
    if names <= {"openblas", "mkl"} and names:
        return ()
    return (f"BLAS is {', '.join(sorted(names)) or 'unknown'}, whose kernels cannot be chosen: last digits may differ",)
