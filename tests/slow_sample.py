"""The option ``--slow-sample N``: of the tests marked slow, about one in N, always the same ones."""

from __future__ import annotations

import hashlib

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slow-sample",
        type=positive,
        metavar="N",
        help="of the tests marked slow run one in N, chosen by a hash of their names",
    )


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def in_sample(name: str, n: int) -> bool:
    """Whether a test is one of the sample: a matter of its name alone, so that other tests may come and go."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) % n == 0


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    n = config.getoption("slow_sample")
    if n is None:
        return
    left_out = [item for item in items if item.get_closest_marker("slow") and not in_sample(item.nodeid, n)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(map(id, left_out))
        items[:] = [item for item in items if id(item) not in gone]
