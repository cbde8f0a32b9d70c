"""From records to statements: runs put together, averages, paired differences, what they support."""

from __future__ import annotations

from whatworked.comparing.collection import RunCollection, collect_folders, collect_runs
from whatworked.comparing.comparison import MeanCost, MethodResult, PairedResult, compare_methods
from whatworked.comparing.findings import uncompared
from whatworked.comparing.statements import Statement
from whatworked.comparing.summary import Standing, standings

__all__ = [
    "MeanCost",
    "MethodResult",
    "PairedResult",
    "RunCollection",
    "Standing",
    "Statement",
    "collect_folders",
    "collect_runs",
    "compare_methods",
    "standings",
    "uncompared",
]
