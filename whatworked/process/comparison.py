"""Comparing groups of runs axis by axis: tasks are paired, runs of a task are its repetitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from whatworked.comparing.statements import TASKS, Statement, statement
from whatworked.errors import InvalidOptionError
from whatworked.grading.score import Score
from whatworked.process.measures import AXES, Axis, Scores
from whatworked.statistics import Comparison, Interval, Measurement, compare, difference_interval, summarize
from whatworked.wording import listed


@dataclass(frozen=True)
class AxisComparison:
    """One axis of two groups.

    Attributes
    ----------
    axis, name : str
        Which axis.
    trait : bool
        Whether it is a habit, of which no end is better; ``ahead`` then says higher and ``behind`` lower.
    left, right : float or None
        Mean over tasks of each group, every task counting once; over the tasks that both have a score on.
    tasks : tuple of str
        Those tasks.
    left_out : tuple of str
        Tasks that only one group has a score on.
    undefined : (int, int)
        Runs of each group without a score, which are left out.
    interval : Interval or None
        Of the difference, left minus right.
    paired : Comparison or None
        The differences task by task.
    statement : Statement or None
        What they support; None where the groups share no task with a score.
    """

    axis: str
    name: str
    trait: bool
    left: float | None
    right: float | None
    tasks: tuple[str, ...]
    left_out: tuple[str, ...]
    undefined: tuple[int, int]
    interval: Interval | None
    paired: Comparison | None
    statement: Statement | None


def compare_groups(
    left: Sequence[Scores],
    right: Sequence[Scores],
    names: tuple[str, str],
    *,
    confidence: float = 0.95,
    resamples: int = 9_999,
    seed: int = 0,
) -> tuple[AxisComparison, ...]:
    """Compare two groups of runs on every axis.

    Parameters
    ----------
    left, right : sequence of Scores
        The groups.
    names : (str, str)
        What to call them.
    confidence : float
        Nominal coverage of the intervals.
    resamples, seed : int
        Of the bootstrap.

    Returns
    -------
    tuple of AxisComparison
        In the order of the axes. A trait has no better end: its verdict says which group is higher.

    Raises
    ------
    InvalidOptionError
        If a group is empty, or the scores were made by several versions of the scorer, several judges, or partly with
        one vote.
    """
    for name, group in zip(names, (left, right), strict=True):
        if not group:
            raise InvalidOptionError(f"{name} holds no graph; give files that `whatworked process score` wrote")
    hold_alike([*left, *right])
    pairs = [_measurements(group, axis.id) for axis in AXES for group in (left, right)]
    return tuple(
        _compared(axis, names, pairs[2 * place], pairs[2 * place + 1], (confidence, resamples, seed))
        for place, axis in enumerate(AXES)
    )


def hold_alike(scores: Sequence[Scores]) -> None:
    """Refuse scores that were made in several ways.

    Parameters
    ----------
    scores : sequence of Scores
        To be compared.

    Raises
    ------
    InvalidOptionError
        If there are several versions of the scorer or judges, or one vote and full votes.
    """
    for what, values in (
        ("versions of the scorer", {entry.scorer for entry in scores}),
        ("judges", {entry.judge for entry in scores}),
        ("ways of voting", {"one vote" if entry.cheap else "full votes" for entry in scores}),
    ):
        if len(values) > 1:
            raise InvalidOptionError(
                f"scores of several {what} are not compared ({', '.join(sorted(values))}); score all runs in one way"
            )


def _measurements(group: Sequence[Scores], axis: str) -> tuple[list[Measurement], int]:
    """Scores of an axis by task, and how many runs have none."""
    found = []
    undefined = 0
    seen: Counter[tuple[str, str]] = Counter()
    for entry in group:
        value = next(mean.score for mean in entry.axes if mean.id == axis)
        if value is None:
            undefined += 1
            continue
        task = entry.task if entry.task is not None else f"run {entry.run}"
        seen[task, entry.run] += 1
        found.append(Measurement(task, task, value, (entry.run, seen[task, entry.run])))
    return found, undefined


def _compared(
    axis: Axis,
    names: tuple[str, str],
    left: tuple[list[Measurement], int],
    right: tuple[list[Measurement], int],
    bootstrap: tuple[float, int, int],
) -> AxisComparison:
    rows = left[0], right[0]
    tasks = _tasks(rows[0]) & _tasks(rows[1])
    left_out = tuple(sorted((_tasks(rows[0]) | _tasks(rows[1])) - tasks))
    undefined = left[1], right[1]
    head = axis.id, axis.name, axis.kind == "trait"
    if not tasks:
        return AxisComparison(*head, None, None, (), left_out, undefined, None, None, None)
    kept = [[row for row in group if row.source in tasks] for group in rows]
    interval = difference_interval(kept[0], kept[1], *bootstrap)
    paired = compare(kept[0], kept[1])
    means = [summarize(group).macro.mean for group in kept]
    place = listed(sorted(tasks), "task")
    score = Score(axis.id, f"{axis.id} {axis.name.lower()}", f"{axis.id} {axis.name}")
    said = statement(names, place, interval, paired, score=score, unit=TASKS)
    return AxisComparison(*head, means[0], means[1], tuple(sorted(tasks)), left_out, undefined, interval, paired, said)


def _tasks(rows: Iterable[Measurement]) -> set[str]:
    return {row.source for row in rows}
