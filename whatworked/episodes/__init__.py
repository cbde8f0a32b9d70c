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
from whatworked.episodes.fronts.connecting import connect
from whatworked.episodes.fronts.game import Game
from whatworked.episodes.fronts.gym import EpisodeGym
from whatworked.episodes.performers import Performer
from whatworked.episodes.records import Difference, Record, Replay, read_record, replay, score_of, setup_of
from whatworked.episodes.registry import environment_names, environment_of
from whatworked.episodes.reply import Reply
from whatworked.episodes.rules import Setup
from whatworked.episodes.terms import Terms
from whatworked.episodes.ticket import Ticket, read_ticket, write_ticket

__all__ = [
    "Budget",
    "Call",
    "Clock",
    "Difference",
    "Effect",
    "Environment",
    "Episode",
    "EpisodeGym",
    "Event",
    "Excerpt",
    "Game",
    "Instance",
    "Opening",
    "Performer",
    "Record",
    "Refusal",
    "Replay",
    "Reply",
    "Score",
    "Setup",
    "Step",
    "Terms",
    "Ticket",
    "Tool",
    "WorldEvent",
    "connect",
    "environment_names",
    "environment_of",
    "read_record",
    "read_ticket",
    "replay",
    "score_of",
    "setup_of",
    "write_ticket",
]
