"""The environment ``effects``: its rules, call by call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from whatworked.environments.effects.answers import EffectsStep, Refused
from whatworked.environments.effects.calculating import calculate, finish_calculation
from whatworked.environments.effects.finding import find_instance
from whatworked.environments.effects.found import found
from whatworked.environments.effects.helpers import Helpers, helpers_of
from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.measuring import evidence, observe
from whatworked.environments.effects.opening import opening_facts, opening_text
from whatworked.environments.effects.options import EffectsOptions, read_options
from whatworked.environments.effects.scoring import score_events
from whatworked.environments.effects.state import EffectsState
from whatworked.environments.effects.submitting import draft, submit
from whatworked.environments.effects.telling import note, report_rules
from whatworked.environments.effects.tools import tools_of
from whatworked.environments.protocol import Call, Event, Opening, Refusal, Score, Step, Tool
from whatworked.errors import InvalidOptionError
from whatworked.wording import first_few

_Rule = Callable[[SurfaceInstance, EffectsState, Mapping[str, Any]], EffectsStep]

_BEFORE_THE_REPORT = ("report_rules", "note", "current_evidence")
_AFTER_THE_DEADLINE = "submit_diagnosis"


@dataclass(frozen=True)
class EffectsEnvironment:
    """Buy measurements of a response surface, then predict all of it.

    Attributes
    ----------
    helpers : mapping of str to Helper
        What players can hand in by name.
    salt : bytes or None
        Private; where there is one, instances have their options in an order drawn by it.
    """

    helpers: Helpers
    salt: bytes | None = field(default=None, repr=False)
    name: str = "effects"
    version: str = "1"

    def find(self, name: str) -> SurfaceInstance:
        """The instance of a condition or a file; see `find_instance`."""
        return find_instance(name, self.salt)

    def options_of(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """All settings of an episode, defaults filled in; raises `InvalidOptionError`."""
        settings: dict[str, Any] = msgspec.to_builtins(read_options(given))
        return settings

    def start(self, instance: SurfaceInstance, options: Mapping[str, Any]) -> Opening[EffectsState]:
        """State and opening of an episode.

        Raises
        ------
        InvalidOptionError
            If the surface has fewer masks than credits, or nothing is known of its workflow for a view that shows it.
        """
        settings = read_options(options)
        _check_fits(instance, settings)
        helpers = helpers_of(self.helpers, settings)
        facts = opening_facts(instance, settings, helpers)
        return Opening(
            state=EffectsState(d=instance.d, options=settings),
            text=opening_text(instance, settings, helpers, facts),
            facts=facts,
            budgets={
                "credits": settings.budget,
                "calculations": settings.calculations,
                "seconds": settings.deadline,
            },
        )

    def tools(self, state: EffectsState) -> Sequence[Tool]:
        """The tools of the episode; all are listed until it is closed."""
        if self.closed(state):
            return ()
        return tools_of(state.options, helpers_of(self.helpers, state.options), state.d)

    def apply(self, instance: SurfaceInstance, state: EffectsState, call: Call, elapsed: float) -> EffectsStep:
        """Carry out or refuse a call."""
        try:
            rule = self._rule(state, call, elapsed)
            return rule(instance, state, self._arguments(state, call))
        except Refused as refused:
            return refused.step(state)
        except RecursionError:
            message = "the arguments are nested too deeply; send plain lists and objects. Nothing was done."
            return Step(state=state, refusal=Refusal(code="bad_argument", message=message))

    def finish(
        self, instance: SurfaceInstance, state: EffectsState, call: Call, outcome: Mapping[str, Any], elapsed: float
    ) -> EffectsStep:
        """The step of a calculation that was run."""
        del instance, call, elapsed
        try:
            return finish_calculation(state, outcome)
        except Refused as refused:
            return refused.step(state)

    def closed(self, state: EffectsState) -> bool:
        """Whether a table was delivered."""
        return state.delivered is not None

    def score(self, events: Sequence[Event], instance: SurfaceInstance, options: Mapping[str, Any]) -> Score:
        """Grade of what was delivered, or of a missing delivery."""
        return score_events(events, instance, read_options(options))

    def _rule(self, state: EffectsState, call: Call, elapsed: float) -> _Rule:
        """The rule of a tool; raises `Refused` where the tool cannot be called now."""
        if self.closed(state):
            raise Refused("closed", "the episode is closed: an answer was delivered. Nothing more can be called.")
        tools = {tool.name for tool in self.tools(state)}
        if call.tool not in tools:
            names = first_few([tool.name for tool in self.tools(state)], 10)
            raise Refused("unknown_tool", f"there is no tool {found(call.tool)}; the tools are {names}.")
        if elapsed > state.options.deadline and call.tool != _AFTER_THE_DEADLINE:
            raise Refused(
                "deadline",
                f"the {state.options.deadline} seconds are over; only submit_diagnosis can be called now. Submit your "
                "table or a helper.",
            )
        if state.options.rules and not state.reported and call.tool not in _BEFORE_THE_REPORT:
            late = elapsed > state.options.deadline
            if not late:
                raise Refused("report_first", "call report_rules first; then this. Nothing was charged.")
        return self._rules(state)[call.tool]

    def _rules(self, state: EffectsState) -> Mapping[str, _Rule]:
        helpers = helpers_of(self.helpers, state.options)
        return {
            "current_evidence": evidence,
            "observe_many": observe,
            "calculate_python": calculate,
            "report_rules": lambda _, now, arguments: report_rules(now, arguments),
            "note": lambda _, now, arguments: note(now, arguments),
            "draft": lambda instance, now, arguments: draft(helpers, instance, now, arguments),
            "submit_diagnosis": lambda instance, now, arguments: submit(helpers, instance, now, arguments),
        }

    def _arguments(self, state: EffectsState, call: Call) -> Mapping[str, Any]:
        """The arguments of a call; raises `Refused` unless they are an object of known names."""
        arguments = {} if call.arguments is None else call.arguments
        if not isinstance(arguments, Mapping):
            raise Refused("bad_argument", f"the arguments are {found(arguments)}; give an object with named entries.")
        (tool,) = [tool for tool in self.tools(state) if tool.name == call.tool]
        if unknown := [name for name in arguments if name not in tool.parameters]:
            known = first_few(list(tool.parameters), 10) or "none"
            raise Refused(
                "bad_argument",
                f"{tool.name} has no argument {found(unknown[0])}; its arguments: {known}. Nothing was done.",
            )
        return arguments


def _check_fits(instance: SurfaceInstance, options: EffectsOptions) -> None:
    problems = []
    if options.budget > (most := (1 << instance.d) - 2):
        problems.append(f"budget is {options.budget}; {instance.d} options have {most} masks to buy")
    if options.told and instance.workflow is None:
        problems.append(f"view is {options.view}, and the file says nothing of a workflow; give view=opaque")
    if problems:
        raise InvalidOptionError("; ".join(problems))
