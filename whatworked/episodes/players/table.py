"""What a scripted player of `effects` sits at: calls by name, and the evidence as it was answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from whatworked.protocols import SearchState
from whatworked.surfaces.masks import FloatArray, as_strings, mask_strings


class Answer(Protocol):
    """What a call is answered with; a `Reply` of any front end."""

    @property
    def result(self) -> Mapping[str, Any]:
        """What the environment says."""

    @property
    def refused(self) -> Any:
        """None, or why not, with `code` and `message`."""


class Game(Protocol):
    """What a player holds of an episode."""

    def call(self, tool: str, /, **arguments: Any) -> Answer:
        """Call a tool."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known.

    Attributes
    ----------
    d : int
        Number of options.
    utilities : dict of str to float
        By mask, anchors first, then in order of purchase.
    credits : int
        Credits left.
    """

    d: int
    utilities: Mapping[str, float]
    credits: int

    @property
    def state(self) -> SearchState:
        """The same as a policy sees it."""
        return SearchState(self.d, self.rows, self.values, self.credits)

    @property
    def rows(self) -> FloatArray:
        """Measured masks as rows of bits, shape (n, d)."""
        return np.array([[float(bit) for bit in mask] for mask in self.utilities])

    @property
    def values(self) -> FloatArray:
        """Their utilities, shape (n,)."""
        return np.array(list(self.utilities.values()))


def act(game: Game, tool: str, **arguments: Any) -> Answer:
    """Call a tool; where a report of rules is wanted first, report that there are none."""
    answer = game.call(tool, **arguments)
    if answer.refused is not None and answer.refused.code == "report_first":
        game.call("report_rules", rules=[])
        answer = game.call(tool, **arguments)
    return answer


def look(game: Game) -> Evidence:
    """Everything that is known now."""
    told = act(game, "current_evidence").result
    utilities = {entry["mask"]: entry["utility"] for entry in told["observations"]}
    return Evidence(told["d"], utilities, told["credits_left"])


def buy(game: Game, masks: Iterable[str], batch: int = 4) -> None:
    """Measure masks in order, a few at a time, until the credits are spent."""
    known = look(game)
    wanted = [mask for mask in dict.fromkeys(masks) if mask not in known.utilities][: known.credits]
    for start in range(0, len(wanted), batch):
        act(game, "observe_many", masks=wanted[start : start + batch])


def hand_in(game: Game, values: Sequence[float] | FloatArray, d: int) -> Answer:
    """Submit a table given in canonical order; say it again where it was held back once."""
    table = {mask: min(1.0, max(0.0, float(value))) for mask, value in zip(mask_strings(d), values, strict=True)}
    answer = act(game, "submit_diagnosis", predictions=table)
    if answer.refused is None and not answer.result["delivered"]:
        answer = act(game, "submit_diagnosis", predictions=table)
    return answer


def name_helper(game: Game, helper: str) -> Answer:
    """Submit a helper; say it again where it was held back once."""
    answer = act(game, "submit_diagnosis", estimator=helper)
    if answer.refused is None and not answer.result["delivered"]:
        answer = act(game, "submit_diagnosis", estimator=helper)
    return answer


def strings(rows: Any, d: int) -> tuple[str, ...]:
    """Rows of bits as masks."""
    from whatworked.surfaces.masks import ranks_of

    return as_strings(ranks_of(rows), d)
