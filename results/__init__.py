"""Recorded results: packed runs, and the leaderboard computed from them."""
