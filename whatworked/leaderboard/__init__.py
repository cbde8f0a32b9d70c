"""Packed runs, graded again from their predictions, and the board they stand on."""

from __future__ import annotations

from whatworked.leaderboard.board import (
    LeaderboardEntry,
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

__all__ = ["LeaderboardEntry", "Submission", "board_of", "pack", "recorded_board", "unpack", "verified"]
