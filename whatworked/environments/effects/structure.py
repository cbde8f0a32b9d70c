"""Does a player use the rules that it was given? The structure diagnostic of the view full+rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.effects.telling import edges_of, read_rules
from whatworked.environments.protocol import Event
from whatworked.grading.grader import grade
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.inactive import InactiveRule
from whatworked.surfaces.masks import FloatArray, anchors


@dataclass(frozen=True)
class Structure:
    """Values and further facts of the diagnostic, by name."""

    values: dict[str, float | int | bool | None]
    details: dict[str, Any]


def structure_scores(
    events: Sequence[Event], instance: SurfaceInstance, bought: Sequence[int], table: FloatArray | None
) -> Structure:
    """The diagnostic of an episode; purchases and table in the order of the workflow.

    ``rules_correct`` of ``rules_total`` rules are covered by those reported, ``rules_false`` of those reported say more
    than is true. ``redundant_purchases`` are of classes that were measured before. ``equivalence_error`` is the mean
    difference between equal masks in the table, measurements in place, as a share of the range. ``projected_…`` is the
    grade of the table after `project`.
    """
    classes = instance.equivalence or Equivalence.trivial(instance.d)
    reported = _reported(events, instance)
    values: dict[str, float | int | bool | None] = {
        **_report_scores(reported, instance),
        "redundant_purchases": redundant(bought, classes),
        "equivalence_error": None,
        "projected_effect_recovery": 0.0,
        "projected_exact": False,
    }
    if table is not None:
        measured = np.array([*anchors(instance.d), *bought], dtype=np.int64)
        whole = table.copy()
        whole[measured] = instance.surface.utilities[measured]
        span = instance.surface.range
        values["equivalence_error"] = equivalence_error(whole, classes) / span if span > 0 else None
        projected = grade(instance.surface, project(whole, measured, classes), measured)
        values["projected_effect_recovery"] = projected.effect_recovery
        values["projected_exact"] = projected.exact
    return Structure(
        values,
        {
            "reported": None if reported is None else [str(rule) for rule in reported],
            "true": [str(rule) for rule in instance.rules],
        },
    )


def redundant(bought: Sequence[int], classes: Equivalence) -> int:
    """Number of purchases of a class of which a mask was measured before, anchors included."""
    seen = {int(classes.representative[rank]) for rank in anchors(classes.d)}
    repeats = 0
    for rank in bought:
        representative = int(classes.representative[rank])
        repeats += representative in seen
        seen.add(representative)
    return repeats


def equivalence_error(table: FloatArray, classes: Equivalence) -> float:
    """Mean absolute difference over all pairs of masks that are the same program; 0 where there is no pair."""
    gaps: list[float] = []
    for representative in classes.representatives:
        cells = table[classes.members(int(representative))]
        left, right = np.triu_indices(cells.size, 1)
        gaps += np.abs(cells[left] - cells[right]).tolist()
    return math.fsum(gaps) / len(gaps) if gaps else 0.0


def project(table: FloatArray, measured: np.typing.NDArray[np.int64], classes: Equivalence) -> FloatArray:
    """A table that obeys the classes: the measured value of a class, else the mean of its cells."""
    projected = table.copy()
    first = {int(classes.representative[rank]): float(table[rank]) for rank in reversed(measured.tolist())}
    for representative in classes.representatives:
        members = classes.members(int(representative))
        mean = math.fsum(table[members].tolist()) / members.size
        projected[members] = first.get(int(representative), mean)
    return projected


def _reported(events: Sequence[Event], instance: SurfaceInstance) -> tuple[InactiveRule, ...] | None:
    for event in events:
        if event.call.tool == "report_rules" and event.refusal is None:
            return read_rules(event.call.arguments["rules"], instance.d)
    return None


def _report_scores(
    reported: tuple[InactiveRule, ...] | None, instance: SurfaceInstance
) -> dict[str, float | int | bool | None]:
    d, true = instance.d, [edges_of(rule, instance.d) for rule in instance.rules]
    given = [edges_of(rule, d) for rule in reported or ()]
    covered: set[tuple[int, int]] = set().union(*given)
    inactive: set[tuple[int, int]] = set().union(*true)
    return {
        "rules_reported": reported is not None,
        "rules_total": len(true),
        "rules_correct": sum(edges <= covered for edges in true),
        "rules_false": sum(not edges <= inactive for edges in given),
    }
