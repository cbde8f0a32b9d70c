"""Packed runs to verify, and to alter as a forger would."""

from __future__ import annotations

import copy
import gzip

import pytest

from whatworked.errors import RunError
from whatworked.leaderboard import unpack, verified
from whatworked.plugins import load
from whatworked.runs import Plan, catalog_tasks, crossed
from whatworked.runs.benchmark import run_in_process
from whatworked.runs.folder import claim, finish
from whatworked.storage.canonical import canonical_json, sha256

CONDITIONS = ["wine", "wine__d6"]


def finished(folder, tasks=None, estimators=("ridge-main", "class-gp"), policies=("design-main", "random"), **how):
    plan = Plan(
        tuple(tasks or catalog_tasks(CONDITIONS, rules=True)),
        crossed([load(one, "estimator") for one in estimators], [load(one, "policy") for one in policies]),
        **{"budgets": (0, 3), "seeds": 2, **how},
    )
    claim(folder, plan)
    return finish(folder, plan, run_in_process(plan), {"python": "3"})


def sealed(content):
    """Bytes of a submission with a digest that fits: what a careful forger would send."""
    content = {key: value for key, value in content.items() if key != "digest"}
    return gzip.compress(canonical_json(content | {"digest": sha256(canonical_json(content))}))


def altered(content, change):
    new = copy.deepcopy(content)
    change(new)
    return sealed(new)


def record(content, condition="wine__d6", method="ridge-main/design-main", budget=3, seed=0):
    """One packed record: condition, method, budget, seed, purchases, aliases, predictions, failure, claims."""
    return next(one for one in content["records"] if one[:4] == [condition, method, budget, seed])


def refusal(content, change):
    with pytest.raises(RunError) as caught:
        verified(unpack(altered(content, change), "file"))
    return str(caught.value)
