"""Budgets of an episode: named counters that know their limit, what was used and what is left."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from whatworked.environments.protocol import Refusal
from whatworked.wording import counted

SECONDS = "seconds"
"""The budget that the clock uses up, and no charge."""


class Budget(msgspec.Struct, frozen=True):
    """One named counter.

    Attributes
    ----------
    limit : int
        Units that there are.
    used : int
        Units taken so far.
    """

    limit: int
    used: int = 0

    @property
    def left(self) -> int:
        """Units that can still be taken."""
        return self.limit - self.used

    def account(self) -> dict[str, int]:
        """Limit, used and left, as a player gets them.

        Returns
        -------
        dict of str to int
        """
        return {"limit": self.limit, "used": self.used, "left": self.left}


class Budgets(msgspec.Struct, frozen=True):
    """All counters of an episode but the seconds; immutable.

    Attributes
    ----------
    counters : mapping from str to Budget
        By name.
    """

    counters: Mapping[str, Budget]

    @classmethod
    def of(cls, limits: Mapping[str, int]) -> Budgets:
        """Unused counters of these limits."""
        return cls({name: Budget(limit) for name, limit in limits.items() if name != SECONDS})

    def overdraft(self, charges: Mapping[str, int]) -> Refusal | None:
        """The refusal of charges that no budget covers; None if all are covered.

        Raises
        ------
        ValueError
            If a charge is negative or of no budget: the rules are wrong then, and not the player.
        """
        for name, units in charges.items():
            if name not in self.counters or units < 0:
                raise ValueError(f"a charge of {units} {name}; budgets are {', '.join(self.counters) or 'none'}")
        for name, units in charges.items():
            if units > (budget := self.counters[name]).left:
                return Refusal(
                    code="overdraft",
                    message=f"this needs {counted(units, 'unit')} of {name} and {budget.left} of {budget.limit} "
                    f"{'is' if budget.left == 1 else 'are'} left; nothing was charged. Ask for less",
                )
        return None

    def charged(self, charges: Mapping[str, int]) -> Budgets:
        """The counters after charges that they cover."""
        taken = {
            name: Budget(self.counters[name].limit, self.counters[name].used + units) for name, units in charges.items()
        }
        return Budgets({**self.counters, **taken})

    def account(self) -> dict[str, dict[str, int]]:
        """Limit, used and left by name, as a player gets them."""
        return {name: budget.account() for name, budget in self.counters.items()}
