"""Which tests are slow; ``--slow-sample N`` and ``--sample N`` run one in N of those or of all, always the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest


def slow_but(values: Iterable[Any], quick: Collection[str], name: Callable[[Any], str] = str) -> list[Any]:
    """Parameters of a sweep over everything, marked slow but for those named `quick`, which show the mechanism."""
    named = {name(value): value for value in values}
    if missing := [one for one in quick if one not in named]:
        raise ValueError(f"the sweep has no {', '.join(missing)}")
    return [
        pytest.param(value, id=label, marks=() if label in quick else pytest.mark.slow)
        for label, value in named.items()
    ]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slow-sample",
        type=positive,
        metavar="N",
        help="of the tests marked slow run one in N, chosen by a hash of their names",
    )
    parser.addoption("--sample", type=positive, metavar="N", help="of all tests run one in N, chosen in the same way")


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def number_of(name: str) -> int:
    """A number for a test, from its name alone: the sample stays as it is when other tests come and go."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8])


def sample(names: Collection[str], n: int) -> set[str]:
    """About one in `n` of the names, and at least one if there are any."""
    chosen = {name for name in names if number_of(name) % n == 0}
    return chosen or set(sorted(names, key=number_of)[:1])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = {item.nodeid for item in items if item.get_closest_marker("slow")}
    everything = {item.nodeid for item in items}
    gone: set[str] = set()
    for option, names in (("slow_sample", slow), ("sample", everything)):
        n = config.getoption(option)
        if n is not None:
            gone |= names - sample(names, n)
    if gone:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in gone])
        items[:] = [item for item in items if item.nodeid not in gone]
