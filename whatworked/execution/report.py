"""What a rebuild did, condition by condition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from whatworked.catalog.catalog import Condition

Status = Literal["built", "unchanged", "skipped", "failed"]


def cause_of(trace: str) -> str:
    r"""What a traceback ends with: exception and message.

    Examples
    --------
    >>> cause_of("Traceback (most recent call last):\n  ...\nZeroDivisionError: division by zero\n")
    'ZeroDivisionError: division by zero'
    """
    return trace.strip().splitlines()[-1]


@dataclass(frozen=True)
class ConditionResult:
    """What became of one condition.

    Attributes
    ----------
    condition : Condition
        Which.
    status : {"built", "unchanged", "skipped", "failed"}
        Written now; complete before and made of the same things; no route to its source; wrong data, a family
        that does not fit, or failing records.
    records, resumed : int
        Records that are good, and how many of them an earlier, interrupted run had finished.
    digest : str
        Digest of the table, if there is one.
    reason : str
        Why it was skipped or failed.
    absence : tuple of str
        Where its source is absent, the reasons alone, which several sources may have in common.
    failed_masks : tuple of str
        Masks that failed.
    causes : mapping of str to int
        What they failed of, see `cause_of`, with the number of masks.
    as_shipped : bool or None
        Whether the table has the bytes of the package's own; None if the package, or this run, has none.
    """

    condition: Condition
    status: Status
    records: int = 0
    resumed: int = 0
    digest: str = ""
    reason: str = ""
    absence: tuple[str, ...] = ()
    failed_masks: tuple[str, ...] = ()
    causes: Mapping[str, int] = field(default_factory=dict)
    as_shipped: bool | None = None


@dataclass(frozen=True)
class RebuildReport:
    """What a rebuild did.

    Attributes
    ----------
    results : tuple of ConditionResult
        One per condition asked for, in that order.
    log : Path or None
        File with the tracebacks of failed records.
    unpinned : tuple of str
        What the numeric profile cannot reach on this machine.
    """

    results: tuple[ConditionResult, ...]
    log: Path | None = None
    unpinned: tuple[str, ...] = ()

    def is_written(self, condition: str) -> bool:
        """Whether this run wrote the table of a condition.

        Parameters
        ----------
        condition : str
            Its id.

        Returns
        -------
        bool
        """
        return any(result.condition.id == condition and result.status == "built" for result in self.results)

    def count(self, status: Status) -> int:
        """Number of conditions of one status.

        Parameters
        ----------
        status : {"built", "unchanged", "skipped", "failed"}
            See `ConditionResult`.

        Returns
        -------
        int
        """
        return sum(result.status == status for result in self.results)

    def exit_code(self, *, strict: bool = False) -> int:
        """The exit code of the command.

        Parameters
        ----------
        strict : bool
            Whether a skipped condition counts as a failure.

        Returns
        -------
        int
            0 if nothing failed, else 1.
        """
        return int(self.count("failed") > 0 or (strict and self.count("skipped") > 0))

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values for JSON.

        Returns
        -------
        dict
            ``conditions`` (a list), ``log`` and ``unpinned``.
        """
        return {
            "conditions": [
                {
                    "condition": result.condition.id,
                    "status": result.status,
                    "records": result.records,
                    "resumed": result.resumed,
                    "digest": result.digest,
                    "reason": result.reason,
                    "failed_masks": list(result.failed_masks),
                    "causes": dict(result.causes),
                    "as_shipped": result.as_shipped,
                }
                for result in self.results
            ],
            "log": None if self.log is None else str(self.log),
            "unpinned": list(self.unpinned),
        }
