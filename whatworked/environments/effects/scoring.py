"""The score of an episode, from its events and the truth alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.options import EffectsOptions
from whatworked.environments.effects.structure import structure_scores
from whatworked.environments.protocol import Event, Score
from whatworked.grading.grader import grade, grade_missing
from whatworked.grading.grades import Grade
from whatworked.grading.score import PRIMARY
from whatworked.surfaces.masks import FloatArray, IntArray, anchors, as_strings, mask_rank

_SHOWN = ("exact", "strict", "regret", "credits_used", "refusals", "calculations")

_OBSERVE, _CALCULATE, _NOTE = "observe_many", "calculate_python", "note"


@dataclass(frozen=True, eq=False)
class Play:
    """What an episode's events come to, in the order of the workflow.

    Attributes
    ----------
    bought : tuple of int
        Ranks in order of purchase, anchors not counted.
    form : str or None
        How the answer was handed in: ``"table"``, ``"helper:NAME"``, ``"calculation:ID"``; None where none was.
    drafted : bool
        Whether the answer is a draft that nobody submitted.
    table : ndarray of float64, shape (2**d,), or None
        As handed in.
    """

    bought: tuple[int, ...]
    form: str | None
    drafted: bool
    table: FloatArray | None

    def measured(self, d: int) -> IntArray:
        """Ranks of all measured masks, anchors first."""
        return np.array([*anchors(d), *self.bought], dtype=np.int64)


def play_of(events: Sequence[Event], instance: SurfaceInstance) -> Play:
    """Purchases and answer of an episode. The submission counts; without one, the last draft."""
    bought = [
        int(instance.own_ranks[mask_rank(mask, instance.d)])
        for event in events
        if event.call.tool == _OBSERVE and event.refusal is None
        for mask in event.result["new"]
    ]
    answers = {happened.kind: happened.facts for event in events for happened in event.events}
    answer = answers.get("delivered", answers.get("draft"))
    if answer is None:
        return Play(tuple(bought), None, False, None)
    table = np.array(answer["values"], dtype=np.float64)[instance.shown_ranks]
    return Play(tuple(bought), answer["form"], "delivered" not in answers, table)


def grade_of(play: Play, instance: SurfaceInstance) -> Grade:
    """Grade of an answer, in the order of the workflow; of a missing one where there is none."""
    if play.table is None:
        return grade_missing(instance.surface)
    return grade(instance.surface, play.table, play.measured(instance.d))


def score_events(events: Sequence[Event], instance: SurfaceInstance, options: EffectsOptions) -> Score:
    """The score of an episode, finished or not."""
    play = play_of(events, instance)
    graded = grade_of(play, instance)
    values = _flat(graded)
    values |= {
        "budget": options.budget,
        "credits_used": len(play.bought),
        "draft_used": play.drafted,
        **_counts(events),
    }
    details: dict[str, Any] = {
        "condition": instance.condition,
        "family": instance.family,
        "d": instance.d,
        "table": instance.table,
        "form": play.form,
        "selected": graded.selected,
        "purchases": list(as_strings(play.bought, instance.d)),
        "predictions": None if play.table is None else _completed(play, instance).tolist(),
        "refused": dict(sorted(Counter(event.refusal.code for event in events if event.refusal).items())),
    }
    if options.rules:
        structure = structure_scores(events, instance, play.bought, play.table)
        values |= structure.values
        details["rules"] = structure.details
    return Score(delivered=graded.delivered, primary=PRIMARY.quantity, values=values, details=details, shown=_SHOWN)


def _completed(play: Play, instance: SurfaceInstance) -> FloatArray:
    """The answer with measured values in place."""
    if play.table is None:
        raise ValueError("there is no answer")
    table, measured = play.table.copy(), play.measured(instance.d)
    table[measured] = instance.surface.utilities[measured]
    return table


def _flat(graded: Grade) -> dict[str, float | int | bool | None]:
    """The numbers of a grade by name; the strict profile as ``strict_0.1`` and so on."""
    content = graded.to_dict()
    profile: Mapping[str, bool] = content.pop("strict_profile")
    del content["selected"], content["delivered"]
    return {**content, **{f"strict_{tolerance}": passed for tolerance, passed in profile.items()}}


def _counts(events: Sequence[Event]) -> dict[str, float | int | bool | None]:
    calculations = [event for event in events if event.call.tool == _CALCULATE and event.outcome is not None]
    done = [event for event in calculations if event.refusal is None]
    return {
        "calls": len(events),
        "refusals": sum(event.refusal is not None for event in events),
        "batches": sum(event.call.tool == _OBSERVE and bool(event.charges) for event in events),
        "calculations": len(done),
        "calculations_failed": sum(event.result.get("exit") != 0 for event in done),
        "notes": sum(event.call.tool == _NOTE and event.refusal is None for event in events),
    }
