"""WhatWorked measures how well something that runs experiments comes to know what each change does.

The names below are imported on first use, so that ``import whatworked`` stays cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whatworked.campaigns import measure as measure
    from whatworked.grading import Grade as Grade
    from whatworked.grading import grade as grade
    from whatworked.grading import grade_many as grade_many
    from whatworked.references import load_surface as load_surface
    from whatworked.runs import bench as bench
    from whatworked.surfaces import ResponseSurface as ResponseSurface

__version__ = "0.1.0"

_EXPORTS = {
    "Grade": "whatworked.grading",
    "ResponseSurface": "whatworked.surfaces",
    "bench": "whatworked.runs",
    "grade": "whatworked.grading",
    "grade_many": "whatworked.grading",
    "load_surface": "whatworked.references",
    "measure": "whatworked.campaigns",
}

__all__ = ["Grade", "ResponseSurface", "__version__", "bench", "grade", "grade_many", "load_surface", "measure"]


def __getattr__(name: str) -> Any:
    try:
        module = _EXPORTS[name]
    except KeyError:
        raise AttributeError(f"module 'whatworked' has no attribute {name!r}") from None
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
