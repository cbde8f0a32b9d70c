"""Packed runs, graded again from their predictions, and the board they stand on."""

from __future__ import annotations

from whatworked.leaderboard.board import (
    Entry,
    board_of,
    recorded_board,
)
from whatworked.leaderboard.packing import (
    Submission,
    pack,
    unpack,
)
from whatworked.leaderboard.verification import (
    verified,
)

__all__ = ["Entry", "Submission", "board_of", "pack", "recorded_board", "unpack", "verified"]
