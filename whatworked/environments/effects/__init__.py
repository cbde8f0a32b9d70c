"""The environment ``effects``: buy measurements of a response surface, then predict all of it."""

from __future__ import annotations

from whatworked.environments.effects.delivery import Delivery, deliver
from whatworked.environments.effects.loop import asker, buy
from whatworked.environments.effects.task import Task

__all__ = ["Delivery", "Task", "asker", "buy", "deliver"]
