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
from whatworked.episodes.admission import Excerpt
from whatworked.episodes.budgets import Budget
from whatworked.episodes.clock import Clock
from whatworked.episodes.episode import Episode
from whatworked.episodes.performers import Performer
from whatworked.episodes.reply import Reply
from whatworked.episodes.terms import Terms

__all__ = [
    "Budget",
    "Call",
    "Clock",
    "Effect",
    "Environment",
    "Episode",
    "Event",
    "Excerpt",
    "Instance",
    "Opening",
    "Performer",
    "Refusal",
    "Reply",
    "Score",
    "Step",
    "Terms",
    "Tool",
    "WorldEvent",
]
