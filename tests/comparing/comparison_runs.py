"""Runs that the tests of comparisons share."""

from __future__ import annotations

import numpy as np
from run_helpers import make_plan, synthetic_task

from whatworked.runs.benchmark import run_in_process
from whatworked.runs.folder import claim, finish


def many_tasks():
    places = [("one", "left"), ("two", "left"), ("three", "right"), ("four", "middle"), ("five", "far")]
    return [synthetic_task(name, 3, seed, family) for seed, (name, family) in enumerate(places)]


def made(tmp_path, name="run", tasks=None, **how):
    plan = make_plan(tasks or many_tasks(), **{"budgets": (1, 3), "seeds": 2, **how})
    claim(tmp_path / name, plan)
    return finish(tmp_path / name, plan, run_in_process(plan), {"python": "3"})


def flip(masks, utilities, cube):
    return np.full(len(cube), 1.0 - utilities.mean())


class Fails:
    def fit(self, masks, utilities):
        raise RuntimeError("never")
