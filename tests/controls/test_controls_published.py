"""The study against the published cells: recomputed from the published surfaces, and as recorded."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest

from whatworked.catalog import condition
from whatworked.controls.paths import run_cells
from whatworked.controls.plan import planned
from whatworked.controls.store import read_records
from whatworked.environments.effects import Task
from whatworked.statistics.averages import mean, sample_sd
from whatworked.surfaces import ResponseSurface
from whatworked.workflows import get

TOLERANCE = 1e-9
CONDITIONS = (
    "airfoil",
    "astronaut",
    "co2",
    "concrete",
    "concrete__d6",
    "graph_lesmis__d6",
    "mitdb_100__d6",
    "wine",
    "wine__d6",
)

QUANTITIES = (
    "records",
    "mean_credits",
    "effect_recovery",
    "effect_recovery_sample_sd",
    "effect_mae",
    "support_regret",
    "exact_count",
    "strict_count",
)


@pytest.fixture(scope="module")
def recomputed(published):
    """Records by condition, computed here from the published surface."""

    @cache
    def records(name):
        one = condition(name)
        surface = ResponseSurface.from_mapping(published.utilities(name), name=name)
        classes = get(one.family).equivalence(one.dimensions)
        task = Task(name, one.source, one.family, one.track, surface, equivalence=classes)
        return run_cells(task, planned(one.track))

    return records


def cells(records):
    """Mean figures and counts by method and budget, named as the published ones."""
    groups = defaultdict(list)
    for record in records:
        groups[record.method, record.budget].append(record)
    return {
        key: {
            "records": len(group),
            "mean_credits": mean([len(record.purchases) for record in group]),
            "effect_recovery": mean([record.grade.effect_recovery for record in group]),
            "effect_recovery_sample_sd": sample_sd([record.grade.effect_recovery for record in group]),
            "effect_mae": mean([record.grade.effect_mae for record in group]),
            "support_regret": mean([record.grade.regret for record in group]),
            "exact_count": sum(record.grade.exact for record in group),
            "strict_count": sum(record.grade.strict for record in group),
        }
        for key, group in groups.items()
    }


def expected(published, name):
    return {
        (row["paper_label"], row["budget"]): {name: row[name] for name in QUANTITIES}
        for row in published.controls
        if row["condition"] == name
    }


def test_the_published_cells_are_of_these_conditions(published):
    assert {row["condition"] for row in published.controls} == set(CONDITIONS)


@pytest.mark.parametrize("name", CONDITIONS)
@pytest.mark.parametrize("made", ["recorded", "recomputed"])
def test_every_published_cell_is_reproduced(made, name, published, recomputed):
    found = cells(read_records(conditions=[name]) if made == "recorded" else recomputed(name))
    wanted = expected(published, name)
    assert set(found) == set(wanted)
    for key, figures in wanted.items():
        for quantity, figure in figures.items():
            context = f"{name} {key} {quantity}"
            assert (found[key][quantity] is None) == (figure is None), context
            if figure is not None:
                assert found[key][quantity] == pytest.approx(figure, abs=TOLERANCE, rel=0), context
