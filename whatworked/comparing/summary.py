"""What a run found, by track, budget and method: the family-macro figures and the counts behind them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from whatworked.grading.grades import TOLERANCES
from whatworked.statistics.averages import Measurement, mean, nested, summarize
from whatworked.wording import counted, listed

Row = Mapping[str, Any]

FEW = 3
"""Conditions of a failure, and numbers in a cause, that are named one by one."""
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.]*\w)")
"""A number that stands alone, not part of a name such as float64."""
STRICT_PROFILE = tuple(f"strict_{tolerance:g}" for tolerance in TOLERANCES)


@dataclass(frozen=True)
class Standing:
    """One method under one budget on one track.

    Attributes
    ----------
    track, method : str
        Where, and the label of the method.
    budget : int
        Credits beside the two anchors.
    recovery : float
        Family-macro effect recovery; missing deliveries count 0.
    families : mapping of str to float
        Mean recovery by family.
    sources : int
        Number of sources.
    strict, exact : float
        Number of sources with a strict diagnosis at tolerance 0.1, with an exact choice; seeds are averaged first.
    profile : mapping of str to float
        Number of strict sources by tolerance.
    spent : float
        Mean credits spent.
    records, missing : int
        Number of records, and of those without a delivery.
    """

    track: str
    method: str
    budget: int
    recovery: float
    families: Mapping[str, float]
    sources: int
    strict: float
    exact: float
    profile: Mapping[str, float]
    spent: float
    records: int
    missing: int

    def to_dict(self) -> dict[str, Any]:
        """The standing as plain JSON values.

        Returns
        -------
        dict of str to object
            By name.
        """
        return asdict(self)


def measurements(rows: Iterable[Row], quantity: str = "effect_recovery") -> list[Measurement]:
    """One measurement per row, of a quantity that is defined for missing deliveries, too."""
    return [Measurement(row["family"], row["source"], float(row[quantity]), row["seed"]) for row in rows]


def grouped(rows: Iterable[Row]) -> dict[tuple[str, int, str], list[Row]]:
    """Rows by track, budget and method, in order of first appearance within ascending budgets."""
    groups: dict[tuple[str, int, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["track"], row["budget"], row["method"]), []).append(row)
    tracks, methods = list(dict.fromkeys(key[0] for key in groups)), list(dict.fromkeys(key[2] for key in groups))
    return dict(
        sorted(groups.items(), key=lambda item: (tracks.index(item[0][0]), item[0][1], methods.index(item[0][2])))
    )


def standings(rows: Iterable[Row]) -> tuple[Standing, ...]:
    """What a run found: one standing for each track, budget and method.

    Parameters
    ----------
    rows : iterable of mapping
        Tidy rows, as `Run.rows` or `Pool.rows` give them.

    Returns
    -------
    tuple of Standing
        By track and method in order of appearance, budgets ascending.
    """
    return tuple(_standing(*key, members) for key, members in grouped(rows).items())


def count_of(rows: Iterable[Row], quantity: str) -> float:
    """Number of sources for which a yes-or-no quantity holds; seeds of a source are averaged first."""
    tree = nested(measurements(rows, quantity))
    return float(sum(mean(list(values.values())) for members in tree.values() for values in members.values()))


def failures(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Missing deliveries by method, condition and cause, with budgets and number of records.

    Causes that differ in numbers alone are one, which names those numbers.
    """
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if not row["delivered"]:
            groups.setdefault((row["method"], row["condition"], _form(_cause(row))), []).append(row)
    for (method, condition, _), members in groups.items():
        yield {
            "method": method,
            "condition": condition,
            "cause": merged_causes([_cause(row) for row in members]),
            "budgets": sorted({row["budget"] for row in members}),
            "records": len(members),
        }


def merged_causes(causes: Sequence[str]) -> str:
    """One cause for several that differ in numbers alone.

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


def _cause(row: Row) -> str:
    return str(row["failure"] or "unknown")


def _form(cause: str) -> str:
    """A cause with its numbers blanked out."""
    return _NUMBER.sub("#", cause)


def listed_failures(rows: Iterable[Row], named: int | None = FEW) -> list[str]:
    """Missing deliveries in words, one line per method and cause; all conditions are named if there are up to `named`.

    Causes that differ in numbers alone are one; None for `named` names all conditions, however many.
    """
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if not row["delivered"]:
            groups.setdefault((row["method"], _form(_cause(row))), []).append(row)
    lines = []
    for (method, _), members in groups.items():
        budgets = sorted({row["budget"] for row in members})
        names = list(dict.fromkeys(row["condition"] for row in members))
        few = named is None or len(names) <= named
        places = ", ".join(names) if few else f"{len(names)} conditions ({', '.join(names[:named])}, …)"
        records = counted(len(members), "record")
        cause = merged_causes([_cause(row) for row in members])
        lines.append(f"{method} on {places}, {listed(budgets, 'budget')} ({records}): {cause}")
    return lines


def _standing(track: str, budget: int, method: str, rows: Sequence[Row]) -> Standing:
    summary = summarize(measurements(rows))
    return Standing(
        track=track,
        method=method,
        budget=budget,
        recovery=summary.macro.mean,
        families={family: entry.mean for family, entry in summary.families.items()},
        sources=len(summary.sources),
        strict=count_of(rows, "strict"),
        exact=count_of(rows, "exact"),
        profile={name.removeprefix("strict_"): count_of(rows, name) for name in STRICT_PROFILE},
        spent=mean([float(row["spent"]) for row in rows]),
        records=len(rows),
        missing=sum(not row["delivered"] for row in rows),
    )
