"""What a note aid is, and those that there are."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from whatworked.episodes.speaking.aid_calls import AidCalls, AidView
from whatworked.episodes.speaking.critique import SelfCritique
from whatworked.episodes.speaking.evolution import Evolution
from whatworked.episodes.speaking.falsification import Falsification
from whatworked.episodes.speaking.texts import aid_texts
from whatworked.errors import unknown_name


class Aid(Protocol):
    """Writes a region on top of a player's workspace. It sees notes and events, and chooses nothing."""

    async def before(self, seen: AidView, calls: AidCalls) -> None:
        """Think before a turn."""

    async def after(self, seen: AidView, calls: AidCalls) -> None:
        """Think after its action."""

    def region(self) -> str:
        """What stands on top of the workspace; nothing as long as there is nothing to say."""

    def aside(self) -> str:
        """What stands below the view, likewise."""


class NoAid:
    """No aid at all."""

    async def before(self, seen: AidView, calls: AidCalls) -> None:
        """Do nothing."""

    async def after(self, seen: AidView, calls: AidCalls) -> None:
        """Do nothing."""

    def region(self) -> str:
        """Nothing."""
        return ""

    def aside(self) -> str:
        """Nothing."""
        return ""


AIDS: Mapping[str, type[Aid]] = MappingProxyType(
    {"self-critique": SelfCritique, "falsification": Falsification, "evolution": Evolution}
)
"""Scaffolds by name."""


MARK = " + "
"""Between the name of a player's model and that of its aid."""


def new_aid(name: str | None) -> Aid:
    """A fresh aid of that name; none does nothing.

    Raises
    ------
    UnknownNameError
        If there is no scaffold of that name.
    """
    if name is None:
        return NoAid()
    if name not in AIDS:
        raise unknown_name("scaffold", name, list(AIDS))
    return AIDS[name]()


def call_limit(name: str | None, budget: int) -> int:
    """Calls that an aid may make in an episode of that many paid actions.

    Parameters
    ----------
    name : str or None
        Of the scaffold.
    budget : int
        Paid actions.

    Returns
    -------
    int
        As the data file says for 200, scaled and rounded up.
    """
    return 0 if name is None else -(-aid_texts().calls[name] * budget // 200)
