"""Scripted strategies: how far they get without an account of the world, and what refutes the local repairs."""

from __future__ import annotations

import json

import pytest
from command_line import run_here

from whatworked.environments.drift.generation import generate, generate_set
from whatworked.environments.drift.metrics import prediction
from whatworked.environments.drift.order import answer_of
from whatworked.environments.drift.rules import Options
from whatworked.environments.drift.strategies.falsifiers import FALSIFIERS, PRICE
from whatworked.environments.drift.strategies.hands import Hands, Table
from whatworked.environments.drift.strategies.measuring import LIMIT, falsifier_rates, strategy_rates
from whatworked.environments.drift.strategies.sweep import sweep


def test_the_sweep_breaks_the_published_family_and_not_the_wider_one() -> None:
    """The two ordered acts do not interact, so who knows the form can rehearse them apart."""
    shown = run_here("drift", "strategies", "--count", "5", "--family", "paper", "--json")
    assert shown.returncode == 1
    rates = {rate["strategy"]: rate for rate in json.loads(shown.stdout)["rates"]}
    assert rates["sweep"]["exact"] > 2 * LIMIT
    assert rates["sweep"]["price"] <= 191
    assert rates["oracle"]["exact"] == 1
    assert rates["copy undisturbed"]["exact"] == 0
    assert rates["document copier"]["evidence"] == 0
    exact = 0
    for number in range(6):
        instance = generate("reserved", number, family="wide")
        table = Table(instance, Options())
        sweep(Hands(table))
        exact += prediction(table.events, answer_of(instance)).exact
    assert exact <= 2


@pytest.mark.slow
@pytest.mark.parametrize("evidence", ["distributed", "aligned"])
def test_no_script_is_exact_on_more_than_the_limit_of_wider_orders(evidence: str) -> None:
    instances = list(generate_set("reserved", 120, family="wide"))
    rates = list(strategy_rates(instances, Options(aligned=evidence == "aligned")))
    assert {rate.strategy: rate.exact for rate in rates if rate.exact > LIMIT} == {"oracle": 1.0}


def test_each_repair_is_refuted_somewhere_within_its_price() -> None:
    found = {row.repair: row for row in falsifier_rates([generate("reserved", number) for number in range(12)])}
    assert set(found) == set(FALSIFIERS)
    assert all(row.share > 0 for row in found.values())
    for falsify in FALSIFIERS.values():
        table = Table(generate("reserved", 1), Options())
        falsify(Hands(table))
        assert table.events[-1].paid <= PRICE
