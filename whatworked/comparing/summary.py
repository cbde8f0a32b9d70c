"""What a run found, by track, budget and method: family-macro means, and counts of sources and records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whatworked.arguments import instances
from whatworked.grading.grades import PROFILE_KEYS, Grade
from whatworked.grading.score import PRIMARY, Score, score_named
from whatworked.grading.uncertainty import flat
from whatworked.runs.tidy import TidyRow
from whatworked.statistics.averages import Measurement, mean, nested, summarize


@dataclass(frozen=True)
class Standing:
    """One method under one budget on one track.

    Attributes
    ----------
    track, method : str
        Where, and the label of the method.
    budget : int
        Credits beside the two anchors.
    score : Score
        What is averaged.
    value : float
        Family-macro mean of the score; a missing delivery counts as it is graded, for recovery as 0.
    families : mapping of str to float
        Mean score by family.
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
    stated : mapping of str to float
        Family-macro means of the grades of stated uncertainty, by the names of `whatworked.grading.uncertainty.flat`;
        empty where none was stated.
    """

    track: str
    method: str
    budget: int
    score: Score
    value: float
    families: Mapping[str, float]
    sources: int
    strict: float
    exact: float
    profile: Mapping[str, float]
    spent: float
    records: int
    missing: int
    stated: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The standing as plain JSON values.

        Returns
        -------
        dict of str to object
            By name; the value goes by the label of the score, for instance ``recovery``.
        """
        return {
            "track": self.track,
            "method": self.method,
            "budget": self.budget,
            self.score.label: self.value,
            "families": dict(self.families),
            "sources": self.sources,
            "strict": self.strict,
            "exact": self.exact,
            "profile": dict(self.profile),
            "spent": self.spent,
            "records": self.records,
            "missing": self.missing,
            **({"stated": dict(self.stated)} if self.stated else {}),
        }


def measurements(rows: Iterable[TidyRow], value_of: Callable[[Grade], float | None] = PRIMARY.of) -> list[Measurement]:
    """One measurement per row whose grade has the quantity."""
    values = ((row, value_of(row.grade)) for row in rows)
    return [Measurement(row.family, row.source, float(value), row.seed) for row, value in values if value is not None]


def grouped(rows: Iterable[TidyRow]) -> dict[tuple[str, int, str], list[TidyRow]]:
    """Rows by track, budget and method, in order of first appearance within ascending budgets."""
    groups: dict[tuple[str, int, str], list[TidyRow]] = {}
    for row in instances(rows, TidyRow, "a row", "a run and a collection of runs have them as rows"):
        groups.setdefault((row.track, row.budget, row.method), []).append(row)
    tracks, methods = list(dict.fromkeys(key[0] for key in groups)), list(dict.fromkeys(key[2] for key in groups))
    return dict(
        sorted(groups.items(), key=lambda item: (tracks.index(item[0][0]), item[0][1], methods.index(item[0][2])))
    )


def standings(rows: Iterable[TidyRow], score: Score = PRIMARY) -> tuple[Standing, ...]:
    """What a run found: one standing for each track, budget and method.

    Parameters
    ----------
    rows : iterable of TidyRow
        From `Run.rows` or `RunCollection.rows`.
    score : Score
        What is averaged; default: effect recovery.

    Returns
    -------
    tuple of Standing
        By track and method in order of appearance, budgets ascending.
    """
    score = score_named(score)
    return tuple(_standing(*key, members, score) for key, members in grouped(rows).items())


def count_of(rows: Iterable[TidyRow], holds: Callable[[Grade], bool]) -> float:
    """Number of sources for whose grades something holds; seeds of a source are averaged first."""
    tree = nested(measurements(rows, holds))
    return float(sum(mean(list(values.values())) for members in tree.values() for values in members.values()))


def _standing(track: str, budget: int, method: str, rows: Sequence[TidyRow], score: Score) -> Standing:
    summary = summarize(measurements(rows, score.of))
    return Standing(
        track=track,
        method=method,
        budget=budget,
        score=score,
        value=summary.macro.mean,
        families={family: entry.mean for family, entry in summary.families.items()},
        sources=len(summary.sources),
        strict=count_of(rows, lambda grade: grade.strict),
        exact=count_of(rows, lambda grade: grade.exact),
        profile={tolerance: _strict_count(rows, tolerance) for tolerance in PROFILE_KEYS},
        spent=mean([float(row.spent) for row in rows]),
        records=len(rows),
        missing=sum(not row.delivered for row in rows),
        stated=_stated(rows),
    )


def _stated(rows: Sequence[TidyRow]) -> dict[str, float]:
    graded = [(row, flat(row.uncertainty)) for row in rows if row.uncertainty is not None]
    columns: dict[str, list[Measurement]] = {}
    for row, values in graded:
        for name, value in values.items():
            if value is not None:
                columns.setdefault(name, []).append(Measurement(row.family, row.source, value, row.seed))
    return {name: summarize(members).macro.mean for name, members in columns.items()}


def _strict_count(rows: Sequence[TidyRow], tolerance: str) -> float:
    return count_of(rows, lambda grade: grade.strict_profile[tolerance])
