"""Scripted players of `drift`, over its tools alone."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from whatworked.environments.drift.strategies import guesses, walks
from whatworked.environments.drift.strategies.falsifiers import FALSIFIERS
from whatworked.environments.drift.strategies.hands import Hands
from whatworked.environments.drift.strategies.sweep import sweep, wide_sweep
from whatworked.episodes.players.table import Game


def hands_of(game: Game) -> Hands:
    """What the strategies play with, over the calls of a front end."""

    def call(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        answer = game.call(tool, **arguments)
        return {"result": answer.result, "refused": answer.refused}

    return Hands(call)


def play_route(game: Game, seed: int = 0) -> None:
    """Walk the reference route: 39 paid actions, and what is left is yielded before the commit."""
    _play(walks.route, game, seed)


def play_walk(game: Game, seed: int = 0) -> None:
    """Walk so that every detector finds its evidence on most instances; commit nothing."""
    _play(walks.full_walk, game, seed)


def play_passive(game: Game, seed: int = 0) -> None:
    """Read every instrument, touch nothing, commit what an undisturbed pass showed."""
    _play(walks.passive_reader, game, seed)


def play_random(game: Game, seed: int = 0) -> None:
    """Act at random."""
    walks.random_player(hands_of(game), random.Random(seed))


def play_document_copier(game: Game, seed: int = 0) -> None:
    """Write down the disclosed document, read one instrument, commit a guess."""
    _play(walks.document_copier, game, seed)


def play_falsifiers(game: Game, seed: int = 0) -> None:
    """Try to show each local repair of the doctrine to be wrong, one after the other; note what came of it."""
    del seed
    hands = hands_of(game)
    for repair, falsify in FALSIFIERS.items():
        hands.cross()
        refuted = falsify(hands)
        hands.note(f"{repair}: {'contradicted' if refuted else 'not contradicted'} by the readings")


def play_constant(game: Game, seed: int = 0) -> None:
    """Commit the same figures on every instance."""
    _play(guesses.constant, game, seed)


def play_copy(game: Game, seed: int = 0) -> None:
    """Commit the readings of a pass in which nothing is done."""
    _play(guesses.copy_undisturbed, game, seed)


def play_pace(game: Game, seed: int = 0) -> None:
    """Commit the body's own pace, and the ledger's figure."""
    _play(guesses.ledger_and_pace, game, seed)


def play_staging(game: Game, seed: int = 0) -> None:
    """Try to carry the order out in the window."""
    _play(guesses.staging, game, seed)


def play_sweep(game: Game, seed: int = 0) -> None:
    """Rehearse orders of the published form at every tick."""
    _play(sweep, game, seed)


def play_wide_sweep(game: Game, seed: int = 0) -> None:
    """Rehearse the stamps of wider orders at every tick."""
    _play(wide_sweep, game, seed)


def _play(strategy: Callable[[Hands], None], game: Game, seed: int) -> None:
    del seed
    strategy(hands_of(game))
