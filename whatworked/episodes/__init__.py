"""Episodes: one player on one instance of one environment under stated budgets, recorded so that all else follows."""

from __future__ import annotations

from whatworked.environments.protocol import (
    Call,
    Effect,
    Environment,
    Event,
    Instance,
    Opening,
    Refusal,
    Score,
    Step,
    Tool,
    WorldEvent,
)

__all__ = [
    "Call",
    "Effect",
    "Environment",
    "Event",
    "Instance",
    "Opening",
    "Refusal",
    "Score",
    "Step",
    "Tool",
    "WorldEvent",
]
