"""The environment ``drift`` under the engine of episodes: an adapter around the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whatworked.environments.drift.finding import SealedWorld, find_world
from whatworked.environments.drift.opening import opening_facts, opening_text
from whatworked.environments.drift.playing import TOOLS, Play, is_closed, new_play, reply_to, turn_limits
from whatworked.environments.drift.scoring import score_events
from whatworked.environments.drift.settings import options_of, read_settings
from whatworked.environments.drift.sketch import sketch_of
from whatworked.environments.drift.texts import order_facts
from whatworked.environments.drift.tools import tool_table
from whatworked.environments.protocol import Call, Event, Opening, Refusal, Score, Step, Tool, WorldEvent


@dataclass(frozen=True)
class DriftEnvironment:
    """Explore a world whose representation must be found, and predict one intervention.

    Attributes
    ----------
    salt : bytes or None
        Private; where there is one, the instances of sets are drawn by it.
    name, version : str
        Of the rules.
    """

    salt: bytes | None = field(default=None, repr=False)
    name: str = "drift"
    version: str = "1"

    def find(self, name: str, salt: bytes | None = None) -> SealedWorld:
        """The instance of a name or a file; see `find_world`."""
        return find_world(name, self.salt if salt is None else salt)

    def options_of(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """All settings of an episode, defaults filled in; raises `InvalidOptionError`."""
        return read_settings(given)

    def start(self, instance: SealedWorld, options: Mapping[str, Any]) -> Opening[Play]:
        """State and opening of an episode."""
        chosen = options_of(read_settings(options))
        return Opening(
            state=new_play(instance.world, chosen),
            text=opening_text(instance.world, chosen),
            facts=opening_facts(instance.world, chosen),
            budgets={"paid": chosen.budget, **turn_limits(chosen)},
        )

    def tools(self, state: Play) -> Sequence[Tool]:
        """The tools of the episode; all are listed until it is closed."""
        return () if self.closed(state) else tool_table()

    def apply(self, instance: SealedWorld, state: Play, call: Call, elapsed: float) -> Step[Play]:
        """Carry out or refuse a call."""
        del elapsed
        problem = _problem(call)
        if problem is not None:
            return Step(state=state, refusal=Refusal(code="bad_argument", message=problem))
        reply = reply_to(instance.world, state, call.tool, call.arguments or {})
        refusal = None if reply.refusal is None else Refusal(code=reply.refusal[0], message=reply.refusal[1])
        facts = {"crossing": {"pass": reply.play.state.pass_number}, "order": order_facts(instance.world)}
        return Step(
            state=reply.play,
            result=dict(reply.result),
            charges=dict(reply.charges),
            refusal=refusal,
            events=tuple(WorldEvent(kind=kind, facts=facts[kind]) for kind in reply.events),
        )

    def finish(
        self, instance: SealedWorld, state: Play, call: Call, outcome: Mapping[str, Any], elapsed: float
    ) -> Step[Play]:
        """Never called: no call needs work outside the rules."""
        raise NotImplementedError(f"{call.tool} asks for no work outside the rules")

    def closed(self, state: Play) -> bool:
        """Whether no paid action or no turn is left."""
        return is_closed(state)

    def sketch(self, state: Play) -> str:
        """What a person sees before each prompt: the map, the clock, and what stands here."""
        return sketch_of(state)

    def score(self, events: Sequence[Event], instance: SealedWorld, options: Mapping[str, Any]) -> Score:
        """The score of an episode, finished or not."""
        return score_events(events, instance.world, options_of(read_settings(options)))


def _problem(call: Call) -> str | None:
    """What is wrong with the form of a call, whatever its tool makes of its content."""
    if call.tool not in TOOLS:
        return f"there is no tool {call.tool!r:.60}; there are {', '.join(TOOLS)}"
    arguments = {} if call.arguments is None else call.arguments
    if not isinstance(arguments, Mapping):
        return f"arguments are an object of names and values, not {type(arguments).__name__}. Send for instance {{}}"
    (tool,) = (tool for tool in tool_table() if tool.name == call.tool)
    unknown = [name for name in arguments if name not in tool.parameters]
    if unknown:
        known = ", ".join(tool.parameters) or "none"
        return f"{tool.name} has no argument {unknown[0]!r:.60}; its arguments: {known}. Nothing was done"
    return None
