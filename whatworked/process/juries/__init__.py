"""Asking a judge about a run: extraction in windows, juries as closed questions, and the graph that comes of them."""

from __future__ import annotations

from whatworked.process.juries.catalog import house_rules, questions, scorer_version
from whatworked.process.juries.estimates import estimate_score
from whatworked.process.juries.scoring import Scoring, score, score_run, world_facts
from whatworked.process.juries.settings import SETTINGS, Settings

__all__ = [
    "SETTINGS", "Scoring", "Settings", "estimate_score", "house_rules", "questions", "score", "score_run",
    "scorer_version",
    "world_facts",
]  # fmt: skip
