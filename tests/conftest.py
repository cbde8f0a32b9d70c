"""Fixtures shared by all tests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# No timed assertions: a busy machine is no failure.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED = Path(__file__).resolve().parent / "published"


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a long value by its argument: the parallel workers compare ids, and long bytes may hold the time of day."""
    return argname if isinstance(val, (bytes, str)) and len(val) > 60 else None


@dataclass(frozen=True)
class Published:
    """The published figures committed under tests/published."""

    folder: Path

    @property
    def conditions(self) -> tuple[str, ...]:
        return tuple(sorted(path.stem for path in (self.folder / "outcomes").glob("*.json")))

    def utilities(self, condition: str) -> dict[str, float]:
        return dict(json.loads((self.folder / "outcomes" / f"{condition}.json").read_text())["utility"])

    @property
    def controls(self) -> list[dict[str, Any]]:
        return list(json.loads((self.folder / "controls.json").read_text())["rows"])


@pytest.fixture(scope="session")
def published() -> Published:
    return Published(PUBLISHED)


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT
