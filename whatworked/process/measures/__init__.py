"""Measures of a run's graph: opportunities, those taken, intervals, abstentions."""

from __future__ import annotations

from whatworked.process.measures.forms import measure_rows, scores_bytes, scores_csv
from whatworked.process.measures.intervals import holding, mean_interval, wilson
from whatworked.process.measures.registry import AXES, FLOOR, MEASURES, Axis, Measure, measure_named
from whatworked.process.measures.scores import AxisScore, MeasureScore, Opportunity, Scores, measure
from whatworked.process.measures.view import Abstention, Item, View

__all__ = [
    "AXES", "FLOOR", "MEASURES", "Abstention", "Axis", "AxisScore", "Item", "Measure", "MeasureScore", "Opportunity",
    "Scores", "View", "holding", "mean_interval", "measure", "measure_named", "measure_rows", "scores_bytes",
    "scores_csv", "wilson",
]  # fmt: skip
