"""Where an episode stands: an immutable value from which every call makes the next one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from whatworked.environments.effects.options import EffectsOptions
from whatworked.surfaces.masks import anchors


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A complete prediction table that a player handed in.

    Attributes
    ----------
    form : str
        ``"table"``, ``"helper:NAME"`` or ``"calculation:ID"``.
    values : tuple of float, length 2**d
        In the order in which the player writes masks, as handed in.
    """

    form: str
    values: tuple[float, ...]


class Calculation(msgspec.Struct, frozen=True, kw_only=True):
    """A program that was run.

    Attributes
    ----------
    name : str
        By which its result is submitted: ``"c1"``, ``"c2"``, …
    values : tuple of float or None
        Its result, if that is a complete table.
    fault : str
        Why its result cannot be submitted; empty if it can.
    """

    name: str
    values: tuple[float, ...] | None = None
    fault: str = ""


class EffectsState(msgspec.Struct, frozen=True, kw_only=True):
    """State of an episode.

    Attributes
    ----------
    d : int
        Number of options.
    options : EffectsOptions
        Settings of the episode.
    bought : tuple of int
        Ranks of the masks bought, in order, as the player writes them; the anchors are not among them.
    utilities : tuple of float
        Of all measured masks, the anchors first.
    calculations : tuple of Calculation
        In order.
    kept : mapping of str to float
        Entries that were right in tables that were refused.
    draft, delivered : Offer or None
        The draft as it stands, and the submission that closed the episode.
    warned : Offer or None
        A submission that was held back once because it breaks the rules.
    reported : bool
        Whether the rules of inactive options were reported.
    notes : int
        Number of notes.
    """

    d: int
    options: EffectsOptions
    bought: tuple[int, ...] = ()
    utilities: tuple[float, ...] = ()
    calculations: tuple[Calculation, ...] = ()
    kept: Mapping[str, float] = {}
    draft: Offer | None = None
    delivered: Offer | None = None
    warned: Offer | None = None
    reported: bool = False
    notes: int = 0

    @property
    def credits(self) -> int:
        """Credits left."""
        return self.options.budget - len(self.bought)

    @property
    def calculations_left(self) -> int:
        """Calculations left; a report of rules counts as one."""
        return max(0, self.options.calculations - len(self.calculations) - int(self.reported))

    @property
    def measured(self) -> tuple[int, ...]:
        """Ranks of all measured masks, anchors first, then in order of purchase."""
        return (*anchors(self.d), *self.bought)

    def with_(self, **changes: Any) -> EffectsState:
        """A copy with some fields changed."""
        return msgspec.structs.replace(self, **changes)
