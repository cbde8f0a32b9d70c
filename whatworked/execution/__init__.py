"""Running configurations: shared stages, a journal, the tables that come of it, and their verification."""

from __future__ import annotations

from whatworked.execution.rebuilding import RebuildRequest, rebuild
from whatworked.execution.report import ConditionResult, RebuildReport
from whatworked.execution.verifying import ConditionVerdict, VerifyReport, VerifyRequest, verify

__all__ = [
    "ConditionResult",
    "ConditionVerdict",
    "RebuildReport",
    "RebuildRequest",
    "VerifyReport",
    "VerifyRequest",
    "rebuild",
    "verify",
]
