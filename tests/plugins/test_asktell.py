"""Ask/tell optimisers and Optuna samplers as policies."""

from __future__ import annotations

import logging
from typing import ClassVar

import numpy as np
import optuna
import pytest

from whatworked.plugins import AskTellPolicy, load
from whatworked.plugins.asktell import nearest_new
from whatworked.protocols import SearchState
from whatworked.surfaces import bits_of, mask_string, ranks_of


def state(ranks, d=4, remaining=10) -> SearchState:
    return SearchState(d, bits_of(ranks, d), np.linspace(0.2, 0.8, len(ranks)), remaining)


class Recorder:
    """Asks masks in a given form, one after the other in canonical order, and remembers what it is told."""

    made: ClassVar[list[Recorder]] = []

    def __init__(self, d, seed, form):
        self.d, self.seed, self.form, self.told, self.next = d, seed, form, [], 0
        Recorder.made.append(self)

    def ask(self):
        rank, self.next = self.next, self.next + 1
        return self.form(rank % (1 << self.d), self.d)

    def tell(self, configuration, value):
        self.told.append((configuration, value))


FORMS = {
    "string": mask_string,
    "list": lambda rank, d: bits_of([rank], d)[0].tolist(),
    "tuple": lambda rank, d: tuple(bits_of([rank], d)[0].tolist()),
    "array": lambda rank, d: bits_of([rank], d)[0].astype(float),
    "mapping": lambda rank, d: dict(zip("ABCD", bits_of([rank], d)[0].tolist(), strict=False)),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_configuration(name):
    Recorder.made.clear()
    form = FORMS[name]
    policy = AskTellPolicy(lambda d, seed: Recorder(d, seed, form), random_state=3)
    chosen = policy.ask(state([0, 15, 1]), 2)
    assert ranks_of(chosen).tolist() == [2, 3]
    told = Recorder.made[-1].told
    assert [type(configuration) for configuration, _ in told] == [type(form(0, 4))] * len(told)
    assert [value for _, value in told[:3]] == [0.2, 0.5, 0.8]


def test_minimisers_are_told_negated_utilities():
    Recorder.made.clear()
    AskTellPolicy(lambda d, seed: Recorder(d, seed, mask_string), minimize=True).ask(state([0, 15]), 1)
    assert [value for _, value in Recorder.made[-1].told[:2]] == [-0.2, -0.8]


def test_a_stuck_optimiser_gets_the_nearest_new_mask():
    stuck = AskTellPolicy(lambda d, seed: Recorder(d, seed, lambda rank, d: "1111"))
    assert ranks_of(stuck.ask(state([0, 15]), 3)).tolist() == [7, 11, 13]
    assert nearest_new(15, state([0, 15, 7]), [11]) == 13


def test_asks_differ_in_seed_and_repeat_exactly():
    Recorder.made.clear()
    policy = AskTellPolicy(lambda d, seed: Recorder(d, seed, mask_string), random_state=1)
    for ranks in ([0, 15], [0, 15, 2], [0, 15]):
        policy.ask(state(ranks), 1)
    seeds = [made.seed for made in Recorder.made]
    assert seeds[0] == seeds[2] != seeds[1]


def test_an_ask_tell_class_is_a_policy_without_an_adapter(tmp_path):
    path = tmp_path / "walker.py"
    path.write_text(
        "import random\n"
        "class Walker:\n"
        "    def __init__(self, d, seed=0, bias=0.5):\n"
        "        self.d, self.random, self.bias = d, random.Random(seed), bias\n"
        "    def ask(self):\n"
        "        return [int(self.random.random() < self.bias) for _ in range(self.d)]\n"
        "    def tell(self, bits, value):\n"
        "        pass\n"
    )
    plugin = load(f"{path}:Walker(bias=0.4)", "policy")
    assert plugin.stochastic
    chosen = plugin.build_policy(2).ask(state([0, 15]), 5)
    np.testing.assert_array_equal(chosen, plugin.build_policy(2).ask(state([0, 15]), 5))
    assert len(set(ranks_of(chosen).tolist()) - {0, 15}) == 5


@pytest.mark.parametrize(
    "text", ["optuna:TPESampler", "optuna.samplers:RandomSampler", "optuna:TPESampler(multivariate=True)"]
)
def test_optuna_samplers(text, recwarn):
    plugin = load(text, "policy")
    assert plugin.stochastic
    current = state([0, 15])
    chosen = plugin.build_policy(1).ask(current, 4)
    assert len(set(ranks_of(chosen).tolist()) - {0, 15}) == 4
    np.testing.assert_array_equal(chosen, plugin.build_policy(1).ask(current, 4))


def test_optuna_is_quiet_and_keeps_its_level(capfd):
    optuna.logging.set_verbosity(optuna.logging.INFO)
    load("optuna:RandomSampler", "policy").build_policy(0).ask(state([0, 15]), 1)
    assert optuna.logging.get_verbosity() == logging.INFO
    assert capfd.readouterr().err == ""


def test_optuna_exhausts_a_small_cube():
    policy = load("optuna:TPESampler", "policy").build_policy(0)
    measured = [0, 7]
    while len(measured) < 8:
        measured.append(int(ranks_of(policy.ask(state(measured, d=3), 1))[0]))
    assert sorted(measured) == list(range(8))
