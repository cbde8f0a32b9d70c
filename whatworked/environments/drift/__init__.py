"""The environment ``drift``: five domains on a clock, whose objects are secretly about sixteen individuals."""

from __future__ import annotations

from whatworked.environments.drift.checking import canonical_file, instance_digest, parse_instance, read_instance
from whatworked.environments.drift.detectors import first_truths
from whatworked.environments.drift.environment import DriftEnvironment
from whatworked.environments.drift.events import Action, Event
from whatworked.environments.drift.generation import generate
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.metrics import BlockScore, Prediction, block_score, prediction
from whatworked.environments.drift.order import Answer, answer_of
from whatworked.environments.drift.patterns import moving_ticks
from whatworked.environments.drift.script import Script, read_script, run_script

__all__ = [
    "Action",
    "Answer",
    "BlockScore",
    "DriftEnvironment",
    "Event",
    "Instance",
    "Prediction",
    "Script",
    "answer_of",
    "block_score",
    "canonical_file",
    "first_truths",
    "generate",
    "instance_digest",
    "moving_ticks",
    "parse_instance",
    "prediction",
    "read_instance",
    "read_script",
    "run_script",
]
