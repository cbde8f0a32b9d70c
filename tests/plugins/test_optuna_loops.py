"""Each shipped Optuna sampler buys what Optuna's own loop would measure."""

from __future__ import annotations

import numpy as np
import optuna
import pytest

from whatworked.environments.effects.loop import asker, buy
from whatworked.plugins import load
from whatworked.surfaces.masks import anchors, option_letters
from whatworked.testing.cases import surface

D, BUDGET = 5, 12
GRID = "{" + ", ".join(f"'{letter}': [0, 1]" for letter in option_letters(D)) + "}"
SAMPLERS = (
    "RandomSampler()",
    "TPESampler(n_startup_trials=4)",
    "NSGAIISampler(population_size=4)",
    "NSGAIIISampler(population_size=4)",
    "QMCSampler()",
    "BruteForceSampler()",
    f"GridSampler(search_space={GRID})",
)


def own_loop(sampler, truth):
    """Masks in the order in which ``study.optimize`` first meets them, anchors left out."""
    met: dict[int, None] = {}
    letters = option_letters(D)

    def objective(trial):
        rank = int("".join(str(trial.suggest_int(letter, 0, 1)) for letter in letters), 2)
        if rank not in anchors(D):
            met[rank] = None
        if len(met) >= BUDGET:
            trial.study.stop()
        return float(truth[rank])

    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=2000)
    return list(met)[:BUDGET]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", SAMPLERS)
@pytest.mark.parametrize("seed", [0, 3])
def test_a_policy_buys_what_the_own_loop_measures(text, seed):
    truth = surface(D, seed)
    name, _, arguments = text.partition("(")
    given = eval(f"dict({arguments}")
    sampler = getattr(optuna.samplers, name)(**given, seed=seed)
    bought = buy(asker(load(f"optuna:{text}", "policy").build_policy(seed)), truth, BUDGET)
    assert list(bought) == own_loop(sampler, truth)


@pytest.mark.filterwarnings("ignore")
def test_a_genetic_sampler_is_not_a_random_one():
    truth = surface(D)
    bought = [
        buy(asker(load(f"optuna:{text}", "policy").build_policy(0)), truth, BUDGET)
        for text in ("NSGAIISampler(population_size=4)", "RandomSampler()")
    ]
    assert bought[0] != bought[1]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("batch", [1, 3])
def test_an_answer_is_a_function_of_the_state(batch):
    truth = surface(D)
    plugin = load("optuna:NSGAIISampler(population_size=4)", "policy")

    def anew(state, n):
        return asker(plugin.build_policy(0))(state, n)

    assert buy(anew, truth, BUDGET, batch) == buy(asker(plugin.build_policy(0)), truth, BUDGET, batch)
    assert np.unique(buy(anew, truth, BUDGET, batch)).size == BUDGET
