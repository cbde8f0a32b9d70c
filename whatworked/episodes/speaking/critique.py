"""Self-critique: every ten paid actions the notes are gone over."""

from __future__ import annotations

from typing import Any

from whatworked.episodes.speaking.aid_calls import AidCalls, AidView
from whatworked.episodes.speaking.regions import region

EVERY = 10
"""Paid actions between two reviews."""


class SelfCritique:
    """Sums the notes up: the best account, what is open, what was wrong."""

    def __init__(self) -> None:
        self._reviewed = 0
        self._review: Any = None

    async def before(self, seen: AidView, calls: AidCalls) -> None:
        """Review the notes where ten actions were taken since the last time."""
        if seen.paid // EVERY == self._reviewed:
            return
        self._reviewed = seen.paid // EVERY
        self._review = await calls.ask("aid-review", seen.fields()) or self._review

    async def after(self, seen: AidView, calls: AidCalls) -> None:
        """Do nothing."""

    def region(self) -> str:
        """The last review."""
        if self._review is None:
            return ""
        wrong = [f"{item['was']} ({item['evidence']})" for item in self._review["what_i_got_wrong"]]
        return region(
            [
                ("best_account", [self._review["best_account"]]),
                ("open_puzzles", self._review["open_puzzles"]),
                ("what_i_got_wrong", wrong),
            ]
        )

    def aside(self) -> str:
        """Nothing."""
        return ""
