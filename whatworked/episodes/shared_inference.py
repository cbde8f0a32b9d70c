"""Shared inference: what any estimator would have delivered on an episode's own measurements.

Beside the grade of what was delivered it tells what was lost between the measurements and the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from whatworked.environments.effects.delivery import grade_deliveries
from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.scoring import Play, grade_of, play_of
from whatworked.environments.protocol import Event
from whatworked.errors import InvalidOptionError
from whatworked.grading.grades import Grade
from whatworked.plugins import load
from whatworked.statistics.averages import Measurement
from whatworked.statistics.bootstrap import RESAMPLES, Interval, macro_interval

DEFAULT = ("ridge-main", "ridge-pair", "gp", "relevance-gp")


@dataclass(frozen=True)
class InferenceRow:
    """One row of shared inference.

    Attributes
    ----------
    label : str
        What made the answer: ``"delivered"``, or the estimator.
    form : str or None
        In which form the player handed it in; None for estimators and a missing delivery.
    grade : Grade
        Of the answer.
    """

    label: str
    form: str | None
    grade: Grade

    def content(self) -> dict[str, Any]:
        """The row as a JSON object.

        Returns
        -------
        dict
        """
        return {"answer": self.label, "form": self.form, "grade": msgspec.to_builtins(self.grade)}


def infer(events: Sequence[Event], instance: Any, estimators: Sequence[str] = DEFAULT) -> tuple[InferenceRow, ...]:
    """What was delivered, and what estimators make of the same measurements, graded alike.

    Parameters
    ----------
    events : sequence of Event
        Of an episode of ``effects``.
    instance : SurfaceInstance
        What was played.
    estimators : sequence of str
        As `whatworked bench --estimator` takes them; those of ``class-…`` are given the workflow's classes.

    Returns
    -------
    tuple of InferenceRow
        The player's own first.

    Raises
    ------
    InvalidOptionError
        If the episode is of another environment.
    PluginError, UnknownNameError
        If an estimator cannot be loaded, or breaks its contract on these measurements.
    """
    if not isinstance(instance, SurfaceInstance):
        raise InvalidOptionError("shared inference is for episodes of effects; this one is of another environment")
    play = play_of(events, instance)
    return (
        InferenceRow("delivered", play.form, grade_of(play, instance)),
        *(_inferred(name, play, instance) for name in estimators),
    )


@dataclass(frozen=True)
class InferenceMean:
    """One kind of answer over many episodes; missing deliveries count with recovery 0.

    Attributes
    ----------
    label : str
        ``"delivered"``, or the estimator.
    episodes, delivered : int
        How many, and how many of them have such an answer.
    recovery : Interval
        Mean over families, then conditions, then episodes, with its 95 % bootstrap interval.
    exact, strict : int
        Number of exact choices and strict diagnoses.
    """

    label: str
    episodes: int
    delivered: int
    recovery: Interval
    exact: int
    strict: int

    def content(self) -> dict[str, Any]:
        """The row as a JSON object.

        Returns
        -------
        dict
        """
        interval = self.recovery
        return {
            "answer": self.label,
            "episodes": self.episodes,
            "delivered": self.delivered,
            "recovery": interval.estimate,
            "low": interval.low,
            "high": interval.high,
            "exact": self.exact,
            "strict": self.strict,
        }


def inferred_means(
    inferred: Sequence[tuple[SurfaceInstance, Sequence[InferenceRow]]], resamples: int = RESAMPLES
) -> tuple[InferenceMean, ...]:
    """Means of shared inference over episodes.

    Parameters
    ----------
    inferred : sequence of (SurfaceInstance, sequence of InferenceRow)
        What was played and what `infer` gave, the same estimators for each episode.
    resamples : int
        Of the bootstrap.

    Returns
    -------
    tuple of InferenceMean
        In the order of `infer`.
    """
    means = []
    for place, row in enumerate(inferred[0][1]):
        answers = [(instance, rows[place]) for instance, rows in inferred]
        measured = [
            Measurement(instance.family or "effects", instance.condition, answer.grade.effect_recovery, number)
            for number, (instance, answer) in enumerate(answers)
        ]
        grades = [answer.grade for _, answer in answers]
        means.append(
            InferenceMean(
                label=row.label,
                episodes=len(grades),
                delivered=sum(grade.delivered for grade in grades),
                recovery=macro_interval(measured, resamples=resamples),
                exact=sum(grade.exact for grade in grades),
                strict=sum(grade.strict for grade in grades),
            )
        )
    return tuple(means)


def _inferred(name: str, play: Play, instance: SurfaceInstance) -> InferenceRow:
    from whatworked.runs.fitting import fit

    plugin = load(name, "estimator")
    classes = instance.equivalence if plugin.class_aware else None
    fitted = fit(lambda: plugin.build_estimator(equivalence=classes), instance.surface.utilities, play.bought, classes)
    if fitted.delivery is None:
        raise InvalidOptionError(f"estimator {plugin.label} fails on these measurements: {fitted.failure}")
    (grade,) = grade_deliveries(instance.surface, [fitted.delivery])
    return InferenceRow(plugin.label, None, grade)
