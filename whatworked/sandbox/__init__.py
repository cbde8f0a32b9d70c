"""Running a stranger's code: the protocol, one sandbox by bubblewrap, and what this machine lacks for it."""

from __future__ import annotations

from whatworked.sandbox.bubblewrap import BubblewrapSandbox
from whatworked.sandbox.doctor import Check, examine
from whatworked.sandbox.interface import Execution, Limits, Sandbox

__all__ = ["BubblewrapSandbox", "Check", "Execution", "Limits", "Sandbox", "examine"]
