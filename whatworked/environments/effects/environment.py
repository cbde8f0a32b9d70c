"""The environment ``effects``: its rules, call by call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from whatworked.environments.effects.answers import EffectsStep, RefusedCall
from whatworked.environments.effects.calculating import calculate, finish_calculation
from whatworked.environments.effects.finding import find_instance
from whatworked.environments.effects.found import found, named
from whatworked.environments.effects.helpers import Helpers, helpers_of
from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.measuring import evidence, observe
from whatworked.environments.effects.opening import opening_facts, opening_text
from whatworked.environments.effects.options import EffectsOptions, read_options
from whatworked.environments.effects.scoring import score_events
from whatworked.environments.effects.sketching import sketch
from whatworked.environments.effects.state import EffectsState
from whatworked.environments.effects.submitting import hand_in
from whatworked.environments.effects.telling import note, report_rules
from whatworked.environments.effects.tools import tools_of
from whatworked.environments.protocol import Call, Event, Opening, Refusal, Score, Step, Tool
from whatworked.errors import InvalidOptionError
from whatworked.surfaces.masks import anchors

_Rule = Callable[[SurfaceInstance, EffectsState, Call], EffectsStep]

LARGEST = 12
"""Options of an episode: a table of 4,096 masks has some 150 kB, and a call takes 1 MiB."""
_BEFORE_THE_REPORT = ("report_rules", "note", "current_evidence")


@dataclass(frozen=True)
class EffectsEnvironment:
    """Buy measurements of a response surface, then predict all of it.

    Attributes
    ----------
    helpers : mapping of str to Helper
        What players can hand in by name.
    performers : mapping of str to object
        Who fits the helpers, for the engine.
    """

    helpers: Helpers
    performers: Mapping[str, Any] = field(default_factory=dict, repr=False)
    name: str = "effects"
    version: str = "1"

    def find(self, name: str, salt: bytes | None = None) -> SurfaceInstance:
        """The instance of a condition or a file; see `find_instance`."""
        return find_instance(name, salt)

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
            state=EffectsState(
                d=instance.d,
                options=settings,
                utilities=tuple(instance.shown_utilities[list(anchors(instance.d))].tolist()),
            ),
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
            self._check_call(state, call, elapsed)
            return self._rule(call.tool)(instance, state, call)
        except RefusedCall as refused:
            return refused.step(state)
        except RecursionError:
            message = "the arguments are nested too deeply; send plain lists and objects. Nothing was done."
            return Step(state=state, refusal=Refusal(code="bad_argument", message=message))

    def finish(
        self, instance: SurfaceInstance, state: EffectsState, call: Call, outcome: Mapping[str, Any], elapsed: float
    ) -> EffectsStep:
        """The step of a calculation that was run, or of a helper that was fitted."""
        del elapsed
        try:
            if call.tool == "calculate_python":
                return finish_calculation(state, outcome)
            return hand_in(helpers_of(self.helpers, state.options), instance, state, call, outcome)
        except RefusedCall as refused:
            return refused.step(state)

    def closed(self, state: EffectsState) -> bool:
        """Whether a table was delivered."""
        return state.delivered is not None

    def sketch(self, state: EffectsState) -> str:
        """What a person at a terminal sees before each prompt."""
        return sketch(state)

    def score(self, events: Sequence[Event], instance: SurfaceInstance, options: Mapping[str, Any]) -> Score:
        """Grade of what was delivered, or of a missing delivery."""
        return score_events(events, instance, read_options(options))

    def _rule(self, tool: str) -> _Rule:
        rules: dict[str, _Rule] = {
            "current_evidence": lambda instance, state, _: evidence(instance, state),
            "observe_many": lambda instance, state, call: observe(instance, state, call.arguments or {}),
            "calculate_python": lambda instance, state, call: calculate(instance, state, call.arguments or {}),
            "report_rules": lambda _, state, call: report_rules(state, call.arguments or {}),
            "note": lambda _, state, call: note(state, call.arguments or {}),
        }
        return rules.get(tool, self._hand_in)

    def _hand_in(self, instance: SurfaceInstance, state: EffectsState, call: Call) -> EffectsStep:
        return hand_in(helpers_of(self.helpers, state.options), instance, state, call, None)

    def _check_call(self, state: EffectsState, call: Call, elapsed: float) -> None:
        """Raise `RefusedCall` unless the tool can be called now, with these arguments' names.

        The engine has refused before what is no tool, comes after the closing or the deadline, or has arguments that
        are no object; what is said of the first and last here is for those who call the rules without it.
        """
        tools = {tool.name: tool for tool in self.tools(state)}
        if not isinstance(call.tool, str) or call.tool not in tools:
            raise RefusedCall(
                "unknown_tool", f"there is no tool {named(call.tool)} now: {', '.join(tools) or 'none is'}."
            )
        arguments = {} if call.arguments is None else call.arguments
        if not isinstance(arguments, Mapping):
            raise RefusedCall(
                "bad_argument", f"the arguments are {found(arguments)}; give an object with named entries."
            )
        known = tools[call.tool].parameters
        if unknown := [name for name in arguments if name not in known]:
            raise RefusedCall(
                "bad_argument",
                f"{call.tool} has no argument {named(unknown[0])}; its arguments: {', '.join(known) or 'none'}. "
                "Nothing was done.",
            )
        # Late, a submission is the only call, and the report no longer possible.
        early = elapsed <= state.options.deadline
        if state.options.rules and not state.reported and call.tool not in _BEFORE_THE_REPORT and early:
            raise RefusedCall("report_first", "call report_rules first; then this. Nothing was charged.")


def _check_fits(instance: SurfaceInstance, options: EffectsOptions) -> None:
    problems = []
    if instance.d > LARGEST:
        problems.append(
            f"the surface has {instance.d} options; episodes have up to {LARGEST}, so that a table fits a call"
        )
    if options.budget > (most := (1 << instance.d) - 2):
        problems.append(f"budget is {options.budget}; {instance.d} options have {most} masks to buy")
    if options.told and instance.workflow is None:
        problems.append(f"view is {options.view}, and the file says nothing of a workflow; give view=opaque")
    if problems:
        raise InvalidOptionError("; ".join(problems))
