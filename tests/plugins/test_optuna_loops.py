"""Each shipped Optuna sampler buys what Optuna's own loop would measure."""

from __future__ import annotations

import numpy as np
import optuna
import pytest

from whatworked.environments.effects.loop import asker, buy
from whatworked.plugins import load
from whatworked.plugins.asktell import RETRIES
from whatworked.surfaces.masks import anchors, option_letters
from whatworked.testing.cases import surface

D, BUDGET = 5, 12
GRID = "{" + ", ".join(f"'{letter}': [0, 1]" for letter in option_letters(D)) + "}"
SAMPLERS = (
    "RandomSampler()",
    "TPESampler(n_startup_trials=4)",
    "TPESampler(n_startup_trials=4, multivariate=True)",
    "TPESampler(n_startup_trials=4, multivariate=True, group=True, constant_liar=True)",
    "NSGAIISampler(population_size=4)",
    "NSGAIIISampler(population_size=4)",
    "NSGAIISampler(population_size=6, mutation_prob=0.3, swapping_prob=0.1)",
    "CmaEsSampler()",
    "CmaEsSampler(sigma0=0.6, n_startup_trials=3, popsize=4)",
    "CmaEsSampler(with_margin=True, popsize=4)",
    "CmaEsSampler(use_separable_cma=True)",
    "CmaEsSampler(lr_adapt=True, popsize=4)",
    "QMCSampler()",
    "QMCSampler(qmc_type='halton', scramble=True)",
    "BruteForceSampler()",
    "BruteForceSampler(avoid_premature_stop=True)",
    f"GridSampler(search_space={GRID})",
)


def own_loop(sampler, truth):
    """Masks in the order in which ``study.optimize`` first meets them, anchors left out.

    Fewer than asked for, if the sampler has settled on a few (CMA-ES does) and meets no other for long.
    """
    met: dict[int, None] = {}
    repeats = 0
    letters = option_letters(D)

    def objective(trial):
        nonlocal repeats
        rank = int("".join(str(trial.suggest_int(letter, 0, 1)) for letter in letters), 2)
        repeats = repeats + 1 if rank in met or rank in anchors(D) else 0
        if rank not in anchors(D):
            met[rank] = None
        if len(met) >= BUDGET or repeats >= RETRIES:
            trial.study.stop()
        return float(truth[rank])

    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=2000)
    return list(met)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", SAMPLERS, ids=range(len(SAMPLERS)))
@pytest.mark.parametrize("seed", [0, 3])
def test_a_policy_buys_what_the_own_loop_measures(text, seed):
    truth = surface(D, seed)
    name, _, arguments = text.partition("(")
    given = eval(f"dict({arguments}")
    sampler = getattr(optuna.samplers, name)(**given, seed=seed)
    bought = buy(asker(load(f"optuna:{text}", "policy").build_policy(seed)), truth, BUDGET)
    met = own_loop(sampler, truth)
    assert len(met) >= (3 if "CmaEs" in text else BUDGET)
    assert list(bought)[: len(met)] == met


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", ["NSGAIISampler(population_size=4)", "CmaEsSampler()", "CmaEsSampler(popsize=4)"])
def test_a_sampler_that_learns_is_not_a_random_one(text):
    truth = surface(D)
    bought = [
        buy(asker(load(f"optuna:{text}", "policy").build_policy(0)), truth, BUDGET)
        for text in (text, "RandomSampler()")
    ]
    assert bought[0] != bought[1]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("text", ["NSGAIISampler(population_size=4)", "CmaEsSampler(popsize=4)", "TPESampler()"])
def test_an_answer_is_a_function_of_the_state(text, batch):
    truth = surface(D)
    plugin = load(f"optuna:{text}", "policy")

    def anew(state, n):
        return asker(plugin.build_policy(0))(state, n)

    assert buy(anew, truth, BUDGET, batch) == buy(asker(plugin.build_policy(0)), truth, BUDGET, batch)
    assert np.unique(buy(anew, truth, BUDGET, batch)).size == BUDGET
