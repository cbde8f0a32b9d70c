"""The study through the budgeted loop against the engine that it was first computed with."""

from __future__ import annotations

import engine
import pytest
from controls_samples import consistent, rough_surface, switched_classes

from whatworked.catalog import conditions
from whatworked.controls import METHODS
from whatworked.controls.paths import play_control, run_cells
from whatworked.controls.plan import StudyCell, planned
from whatworked.controls.study import task_of
from whatworked.environments.effects import Task
from whatworked.surfaces import Equivalence


def both(task, cells):
    here = run_cells(task, cells)
    return here, engine.run_cells(task.surface, task.equivalence, cells, task.digest)


def every_method(budgets, seeds=(0,)):
    return [StudyCell(label, seed, budget) for label in METHODS for seed in seeds for budget in budgets]


@pytest.mark.parametrize("name", ["nile", "scifact__d6", "concrete__d6", "graph_lesmis__d6"])
def test_every_method_gives_the_record_of_the_engine(name):
    """Each field, without tolerance: path, steps, ties, aliases, predictions and grade."""
    one = next(one for one in conditions() if one.id == name)
    cells = [cell for cell in planned(one.track) if cell.seed < 2 and cell.budget <= 20]
    here, there = both(task_of(one), cells)
    assert here == there
    assert {record.method for record in here} >= {"D1", "D2", "Random D2", "GP-E"}


@pytest.mark.slow
@pytest.mark.parametrize("one", conditions(), ids=lambda one: one.id)
def test_all_records_are_those_of_the_engine(one):
    here, there = both(task_of(one), planned(one.track))
    assert here == there


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_cubes_that_the_study_has_not(d):
    classes = switched_classes(d) if d > 1 else Equivalence.trivial(1)
    surface = consistent(rough_surface(d, seed=d), classes)
    task = Task(surface.name, "made", "made", "outside", surface, equivalence=classes)
    largest = (1 << d) - 2
    here, there = both(task, every_method(sorted({0, 1, largest // 2, largest} & set(range(largest + 1)))))
    assert here == there


def test_anchors_of_one_class_count_once():
    classes = Equivalence.from_keys([0, 1, 2, 0])
    surface = consistent(rough_surface(2, seed=1), classes)
    task = Task(surface.name, "made", "made", "outside", surface, equivalence=classes)
    here, there = both(task, every_method([0, 1, 2]))
    assert here == there


@pytest.mark.parametrize("label", [label for label, control in METHODS.items() if not control.sequential])
def test_one_ask_buys_what_many_asks_buy(label, monkeypatch):
    """What `Control.sequential` says of a method is true."""
    surface = rough_surface(5, seed=4)
    control, classes = METHODS[label], switched_classes(5)
    (at_once,) = play_control(control, 3, surface.utilities, classes, [20])
    stepwise = type(control)(control.label, control.estimator, control.policy, 1, control.class_aware, sequential=True)
    (one_by_one,) = play_control(stepwise, 3, surface.utilities, classes, [20])
    assert at_once.delivery.bought == one_by_one.delivery.bought
    assert at_once.near_tie == one_by_one.near_tie
    assert at_once.steps == one_by_one.steps
