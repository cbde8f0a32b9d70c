"""One thread: the sources here are small, and several threads per test only wait for each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True, scope="package")
def _one_thread() -> Iterator[None]:
    with threadpool_limits(1):
        yield
