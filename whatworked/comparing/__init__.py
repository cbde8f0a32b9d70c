"""From records to statements: runs put together, averages, paired differences, what they support."""

from __future__ import annotations

from whatworked.comparing.answer import Answer, answer
from whatworked.comparing.collection import RunCollection, collect_folders, collect_runs
from whatworked.comparing.comparison import MeanCost, MethodResult, PairedResult, compare_methods
from whatworked.comparing.findings import uncompared
from whatworked.comparing.ranking import RankedMethod, Ranking, all_pairs, rank_methods, ranking_frame
from whatworked.comparing.statements import Statement
from whatworked.comparing.summary import Standing, standings

__all__ = [
    "Answer",
    "MeanCost",
    "MethodResult",
    "PairedResult",
    "RankedMethod",
    "Ranking",
    "RunCollection",
    "Standing",
    "Statement",
    "all_pairs",
    "answer",
    "collect_folders",
    "collect_runs",
    "compare_methods",
    "rank_methods",
    "ranking_frame",
    "standings",
    "uncompared",
]
