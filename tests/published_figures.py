"""The published figures committed under tests/published."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Published:
    """The published figures committed under tests/published."""

    folder: Path

    @property
    def conditions(self) -> tuple[str, ...]:
        found = tuple(sorted(path.stem for path in (self.folder / "outcomes").glob("*.json")))
        if not found:
            raise FileNotFoundError(f"no published outcomes in {self.folder}")
        return found

    def utilities(self, condition: str) -> dict[str, float]:
        return dict(json.loads((self.folder / "outcomes" / f"{condition}.json").read_text())["utility"])

    @property
    def controls(self) -> list[dict[str, Any]]:
        return list(json.loads((self.folder / "controls.json").read_text())["rows"])
