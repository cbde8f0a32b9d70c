"""Conditions that the tests of the study run."""

from __future__ import annotations

from whatworked.catalog import condition

SOME = tuple(condition(name) for name in ("wine", "nile", "scifact__d6"))
