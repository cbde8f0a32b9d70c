"""Small tasks and plug-ins for the tests of runs."""

from __future__ import annotations

import gc

import numpy as np

from whatworked.plugins import load
from whatworked.runs import Plan, Task, crossed
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.surfaces import ResponseSurface


def synthetic_task(
    name: str, d: int = 3, seed: int = 0, family: str = "made", track: str = "outside", equivalence=None
):
    utilities = np.round(np.random.default_rng(seed).random(1 << d), 6)
    surface = ResponseSurface(tuple("ABCDEFGHIJKLMNOPQRST"[:d]), utilities, name=name)
    return Task(name, name, family, track, surface, sha256(canonical_json(utilities.tolist())), equivalence)


def lowest(state, n):
    """Buy the lexically first masks."""
    return state.bits(state.unmeasured[:n])


def shuffled(state, n, random_state):
    """Buy in random order."""
    order = np.random.default_rng(random_state).permutation(1 << state.d)
    return state.bits(order[np.isin(order, state.unmeasured)][:n])


def mean(masks, utilities, cube):
    """Predict the mean of the observed."""
    return np.full(len(cube), utilities.mean())


def noise(masks, utilities, cube, random_state):
    """Predict at random."""
    return np.random.default_rng([random_state, len(masks)]).random(len(cube))


def three_tasks():
    return (
        synthetic_task("one", 3, 1, "left"),
        synthetic_task("two", 3, 2, "right"),
        synthetic_task("six", 4, 3, "right"),
    )


def make_plan(tasks, estimators=(mean,), policies=(lowest,), budgets=(0, 2, 4), seeds=3, batch=1):
    methods = crossed([load(one, "estimator") for one in estimators], [load(one, "policy") for one in policies])
    return Plan(tuple(tasks), methods, tuple(budgets), seeds, batch)


def everything_reachable(start):
    """Objects reachable by references from `start`, without leaving for modules, classes and functions."""
    found, waiting = {}, [start]
    while waiting:
        thing = waiting.pop()
        if id(thing) in found or isinstance(thing, type) or type(thing).__name__ in {"module", "function", "frame"}:
            continue
        found[id(thing)] = thing
        waiting += gc.get_referents(thing)
        if isinstance(thing, np.ndarray) and thing.base is not None:
            waiting.append(thing.base)
    return list(found.values())


def leaks(things, hidden):
    arrays = [thing for thing in things if isinstance(thing, np.ndarray)]
    numbers = {thing for thing in things if isinstance(thing, float)}
    inside = {float(value) for array in arrays if array.dtype.kind == "f" for value in array.ravel()}
    return (numbers | inside) & hidden
