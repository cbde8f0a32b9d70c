"""What a player gets for a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from whatworked.environments.protocol import Json, Refusal
from whatworked.episodes.budgets import Budget


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to one call, the same through every front end.

    Attributes
    ----------
    number : int
        Of its event in the journal, from 1; 0 for a call that was not written down.
    result : mapping
        What the environment says; may have something to say beside a refusal.
    refused : Refusal or None
        Why the call was not carried out.
    budgets : mapping from str to Budget
        After the call.
    remaining_seconds : float or None
        Until the deadline, 0 after it; None without one.
    closed : bool
        Whether nothing more can be called.
    times : mapping from str to float
        What an effect took, such as a calculation's seconds.
    """

    number: int
    result: Mapping[str, Json] = {}
    refused: Refusal | None = None
    budgets: Mapping[str, Budget] = {}
    remaining_seconds: float | None = None
    closed: bool = False
    times: Mapping[str, Json] = {}

    def content(self) -> dict[str, Any]:
        """The reply as a JSON object.

        Returns
        -------
        dict
            Keys number, refused (code, message) or result, budgets (limit, used and left by name), remaining_seconds,
            closed, and times where there are any.
        """
        said: dict[str, Any] = {"number": self.number}
        if self.refused is not None:
            said["refused"] = {"code": self.refused.code, "message": self.refused.message}
        if self.result or self.refused is None:
            said["result"] = dict(self.result)
        said["budgets"] = {name: budget.account() for name, budget in self.budgets.items()}
        said["remaining_seconds"] = self.remaining_seconds
        said["closed"] = self.closed
        if self.times:
            said["times"] = dict(self.times)
        return said

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Reply:
        """The reply that `content` gave.

        Parameters
        ----------
        content : mapping
            As `content` gives it.

        Returns
        -------
        Reply
        """
        refused = content.get("refused")
        return cls(
            number=content["number"],
            result=content.get("result", {}),
            refused=None if refused is None else Refusal(code=refused["code"], message=refused["message"]),
            budgets={name: Budget(one["limit"], one["used"]) for name, one in content["budgets"].items()},
            remaining_seconds=content["remaining_seconds"],
            closed=content["closed"],
            times=content.get("times", {}),
        )
