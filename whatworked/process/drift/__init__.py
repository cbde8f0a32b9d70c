"""The judge of the drift: what the notes of an episode state and ground, and since when."""

from __future__ import annotations

from whatworked.process.drift.agreement import (
    Agreement,
    Agreements,
    Disagreement,
    Label,
    agreement,
    agreement_bytes,
    cohen_kappa,
    disagreements,
    read_labels,
)
from whatworked.process.drift.contrasts import CONTRASTS, Contrast, Outcome, contrasts
from whatworked.process.drift.criteria import Criterion, Example, criteria, load_criteria
from whatworked.process.drift.episodes import NotedEpisode, read_noted_episode
from whatworked.process.drift.judgement import (
    Asked,
    Judgement,
    estimate_judgement,
    judge_episode,
    judgement_bytes,
    score_statements,
)
from whatworked.process.drift.outcomes import JUDGED, LOGGED, outcomes_of
from whatworked.process.drift.statements import STUB, Statement, stub_judge

__all__ = [
    "CONTRASTS",
    "JUDGED",
    "LOGGED",
    "STUB",
    "Agreement",
    "Agreements",
    "Asked",
    "Contrast",
    "Criterion",
    "Disagreement",
    "Example",
    "Judgement",
    "Label",
    "NotedEpisode",
    "Outcome",
    "Statement",
    "agreement",
    "agreement_bytes",
    "cohen_kappa",
    "contrasts",
    "criteria",
    "disagreements",
    "estimate_judgement",
    "judge_episode",
    "judgement_bytes",
    "load_criteria",
    "outcomes_of",
    "read_labels",
    "read_noted_episode",
    "score_statements",
    "stub_judge",
]
