"""Players that let a model choose what to measure, and hand in what it predicts.

They compute in their own process from what the tools have told them; their grades are those of the methods of the same
names on the same condition.
"""

from __future__ import annotations

from whatworked.environments.effects.delivery import checked_predictions
from whatworked.environments.effects.loop import asker
from whatworked.episodes.players.table import Game, act, hand_in, look, name_helper, strings
from whatworked.surfaces.masks import all_bits


def play_ridge(game: Game, seed: int = 0) -> None:
    """The design of a ridge with pairs, four masks at a time; hands in the helper ridge_pair: the control D2."""
    del seed
    _measure(game, "design-pair", batch=4)
    name_helper(game, "ridge_pair")


def play_gp(game: Game, seed: int = 0) -> None:
    """A Gaussian process that buys what tells most of effects, one mask at a time: the control GP-E."""
    del seed
    _measure(game, "gp-effect", batch=1)
    _predict(game, "gp")


def play_rgp(game: Game, seed: int = 0) -> None:
    """The relevance-averaged process with its look-ahead: the method RGP."""
    del seed
    _measure(game, "relevance-lookahead", batch=1)
    _predict(game, "relevance-gp")


def _measure(game: Game, method: str, batch: int) -> None:
    from whatworked.controls import policy

    ask = asker(policy(method))
    known = look(game)
    while known.credits:
        chosen = ask(known.state, min(batch, known.credits))
        if not chosen.size:
            return
        answer = act(game, "observe_many", masks=list(strings(known.state.bits(chosen), known.d)))
        if answer.refused is not None:  # too late, for instance
            return
        known = look(game)


def _predict(game: Game, method: str) -> None:
    from whatworked.controls import estimator

    known = look(game)
    model = estimator(method).fit(known.rows, known.values)
    predicted = checked_predictions(model.predict(all_bits(known.d).astype(float)), known.d)
    act(game, "note", text=f"Handing in {method} on {len(known.utilities)} measurements.")
    hand_in(game, predicted, known.d)
