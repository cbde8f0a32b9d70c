"""What results were computed with: Python, packages, and the numeric profile as the worker itself found it."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from whatworked.errors import ExecutionError
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.workers.profile import NumericProfile, blas_libraries, require_pinned, vector_features

PACKAGES = ("numpy", "scipy", "scikit-learn", "networkx")
"""Packages whose code the workflows run; a prepared input has a digest of its own, whatever made it."""


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """Numeric profile in effect while a table was made, as the worker itself found it.

    Attributes
    ----------
    architecture : str
        Processor architecture, for instance ``"x86_64"``.
    vector_features : tuple of str
        Vector features numpy used, baseline included, after pinning.
    blas : tuple of str
        Each BLAS library loaded: name, version and kernel, sorted.
    threads : int
        Threads per worker.
    hash_seed : str
        PYTHONHASHSEED of the workers.
    """

    architecture: str
    vector_features: tuple[str, ...]
    blas: tuple[str, ...]
    threads: int
    hash_seed: str


class Maker(msgspec.Struct, frozen=True, kw_only=True):
    """The software that made tables.

    Attributes
    ----------
    python : str
        Version.
    packages : dict of str to str
        Versions of those of `PACKAGES` that are installed; one that is not has computed nothing.
    profile : Profile
        As the worker found it.
    """

    python: str
    packages: dict[str, str]
    profile: Profile

    @property
    def digest(self) -> str:
        """SHA-256 over the canonical JSON of the fields."""
        return sha256(canonical_json(msgspec.to_builtins(self)))


def observe(profile: NumericProfile) -> Maker:
    """What this worker computes with; raises `ExecutionError` if it is not pinned."""
    require_pinned(profile)
    return _maker(profile.environment["PYTHONHASHSEED"])


@lru_cache(maxsize=1)
def _maker(hash_seed: str) -> Maker:
    return Maker(
        python=platform.python_version(),
        packages=_versions(),
        profile=Profile(
            architecture=platform.machine().lower(),
            vector_features=vector_features(),
            blas=blas_libraries(),
            threads=1,
            hash_seed=hash_seed,
        ),
    )


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def common_maker(makers: Sequence[Maker]) -> Maker:
    """The software that all workers compute with.

    Raises
    ------
    ExecutionError
        If workers compute with different software, so that one table would mix results.
    """
    different = {maker.digest: maker for maker in makers}
    if len(different) > 1:
        raise ExecutionError(
            "workers differ in Python, packages or numeric profile, so that one table would mix results: "
            + "; ".join(repr(maker) for maker in different.values())
        )
    return makers[0]
