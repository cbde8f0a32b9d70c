"""Missing deliveries by cause, for people and as data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from whatworked.runs.tidy import TidyRow
from whatworked.wording import counted, listed

FEW = 3
"""How many conditions of a failure, and numbers in a cause, are named one by one."""
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.]*\w)")
"""A number that stands alone, not part of a name such as float64."""


def failures(rows: Iterable[TidyRow]) -> Iterator[dict[str, Any]]:
    """Missing deliveries by method, condition and cause, with budgets and number of records.

    Causes that differ only in numbers are merged into one, which names the numbers.
    """
    groups: dict[tuple[str, str, str], list[TidyRow]] = {}
    for row in rows:
        if not row.delivered:
            groups.setdefault((row.method, row.condition, _form(_cause(row))), []).append(row)
    for (method, condition, _), members in groups.items():
        yield {
            "method": method,
            "condition": condition,
            "cause": merged_causes([_cause(row) for row in members]),
            "budgets": sorted({row.budget for row in members}),
            "records": len(members),
        }


def count_causes(causes: Mapping[str, int]) -> dict[str, int]:
    """How often each cause arose, where causes that differ only in numbers are merged."""
    groups: dict[str, list[str]] = {}
    for cause in causes:
        groups.setdefault(_form(cause), []).append(cause)
    return {merged_causes(members): sum(causes[cause] for cause in members) for members in groups.values()}


def merged_causes(causes: Sequence[str]) -> str:
    """One cause for several that differ only in numbers.

    Examples
    --------
    >>> merged_causes(["n_samples_fit = 6, n_samples = 16", "n_samples_fit = 10, n_samples = 16"])
    'n_samples_fit = 6 or 10, n_samples = 16'
    """
    columns = zip(*(_NUMBER.findall(cause) for cause in causes), strict=True)
    parts = _NUMBER.split(causes[0])
    return "".join(part + number for part, number in zip(parts, [*map(_either, columns), ""], strict=True))


def _either(numbers: Iterable[str]) -> str:
    found = sorted(set(numbers), key=float)
    return " or ".join(found) if len(found) <= FEW else f"{found[0]} to {found[-1]}"


def _cause(row: TidyRow) -> str:
    return str(row.failure or "unknown")


def _form(cause: str) -> str:
    """A cause with its numbers blanked out."""
    return _NUMBER.sub("#", cause)


def listed_failures(rows: Iterable[TidyRow], named: int | None = FEW) -> list[str]:
    """Missing deliveries in words, one line per method and cause.

    Up to `named` conditions are named, and all of them if it is None. Causes that differ only in numbers are merged.
    """
    groups: dict[tuple[str, str], list[TidyRow]] = {}
    for row in rows:
        if not row.delivered:
            groups.setdefault((row.method, _form(_cause(row))), []).append(row)
    lines = []
    for (method, _), members in groups.items():
        budgets = sorted({row.budget for row in members})
        names = list(dict.fromkeys(row.condition for row in members))
        few = named is None or len(names) <= named
        places = ", ".join(names) if few else f"{len(names)} conditions ({', '.join(names[:named])}, …)"
        records = counted(len(members), "record")
        cause = merged_causes([_cause(row) for row in members])
        lines.append(f"{method} on {places}, {listed(budgets, 'budget')} ({records}): {cause}")
    return lines
