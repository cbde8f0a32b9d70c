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

DEFAULT = ("ridge-main", "ridge-pair", "gp", "relevance-gp")


@dataclass(frozen=True)
class Inferred:
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


def infer(events: Sequence[Event], instance: Any, estimators: Sequence[str] = DEFAULT) -> tuple[Inferred, ...]:
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
    tuple of Inferred
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
        Inferred("delivered", play.form, grade_of(play, instance)),
        *(_inferred(name, play, instance) for name in estimators),
    )


def _inferred(name: str, play: Play, instance: SurfaceInstance) -> Inferred:
    from whatworked.runs.fitting import fit

    plugin = load(name, "estimator")
    classes = instance.equivalence if plugin.class_aware else None
    fitted = fit(lambda: plugin.build_estimator(equivalence=classes), instance.surface.utilities, play.bought, classes)
    if fitted.delivery is None:
        raise InvalidOptionError(f"estimator {plugin.label} fails on these measurements: {fitted.failure}")
    (grade,) = grade_deliveries(instance.surface, [fitted.delivery])
    return Inferred(plugin.label, None, grade)
