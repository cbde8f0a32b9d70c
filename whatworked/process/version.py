"""The version of the scorer: what is asked, what is built from the answers, and what is counted."""

from __future__ import annotations

SCORER = "1"
"""Raised with every change of a question, a gate or a measure that can change a result."""
