"""What Inspect finds through its entry point: the tasks, and the scripted players as models.

Every start of ``inspect`` imports this module, and nothing else of this package may.
"""

from __future__ import annotations

from whatworked.episodes.fronts.inspect import drift, effects
from whatworked.episodes.fronts.scripted import ScriptedModel

__all__ = ["ScriptedModel", "drift", "effects"]
