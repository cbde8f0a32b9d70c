"""Steps as the rules make them: a result, or a refusal with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatworked.environments.effects.state import EffectsState
from whatworked.environments.protocol import Refusal, Step

EffectsStep = Step[EffectsState]


class RefusedCall(Exception):  # noqa: N818 - an answer to the player, not a fault
    """Raised inside the rules where a call cannot be carried out; the environment turns it into a step.

    Attributes
    ----------
    code, message : str
        Of the refusal.
    result : mapping
        Further facts for the player.
    state : EffectsState or None
        The state after the refusal, where that is another one.
    """

    def __init__(
        self, code: str, message: str, result: Mapping[str, Any] | None = None, state: EffectsState | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.result, self.state = code, message, dict(result or {}), state

    def step(self, state: EffectsState) -> EffectsStep:
        """The step of a call that was refused in a state."""
        return Step(
            state=state if self.state is None else self.state,
            result=self.result,
            refusal=Refusal(code=self.code, message=self.message),
        )
