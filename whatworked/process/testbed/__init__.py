"""Games whose graphs are known, and what judges make of them."""

from __future__ import annotations

from whatworked.process.testbed.games import INSTANCES, speaking_games
from whatworked.process.testbed.known import (
    KNOWN,
    SpokenGame,
    known_graph,
    known_judge,
    read_spoken,
    write_known,
)
from whatworked.process.testbed.rules import RULES, rule_judge

__all__ = [
    "INSTANCES",
    "KNOWN",
    "RULES",
    "SpokenGame",
    "known_graph",
    "known_judge",
    "read_spoken",
    "rule_judge",
    "speaking_games",
    "write_known",
]
