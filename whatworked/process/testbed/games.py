"""Many games of players that speak, each with its known graph beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from whatworked.episodes.effects import effects_environment
from whatworked.episodes.episode import Episode
from whatworked.episodes.players.speakers import FAULTS
from whatworked.episodes.players.wordings import BANKS
from whatworked.episodes.playing import choose_player, play
from whatworked.errors import InvalidOptionError
from whatworked.process.testbed.known import SpokenGame, read_spoken, write_known

INSTANCES = ("wine__d6", "concrete__d6", "graph_lesmis__d6", "nile")
"""Instances that games are played on, in turn."""


def speaking_games(
    out: Path, number: int, *, instances: Sequence[str] = INSTANCES, budgets: Sequence[int] = (8,), first_seed: int = 0
) -> Iterator[SpokenGame]:
    """Play games of players that speak, and write the known graph beside each.

    Games go through all faults, then all banks, then all instances and budgets; so a multiple of 28 holds each fault
    with each bank equally often. A game whose folder is there already is read and not played again.

    Parameters
    ----------
    out : Path
        Folder; game n is ``game-000n`` below it.
    number : int
        Of games.
    instances : sequence of str
        Instances of `effects`.
    budgets : sequence of int
        Credits.
    first_seed : int
        Of the first game; a whole number of banks above 0 gives other games of the same make-up.

    Yields
    ------
    SpokenGame
        In order.

    Raises
    ------
    InvalidOptionError
        If `number` is below 1.
    WhatWorkedError
        If a game cannot be played, or a folder holds something else.
    """
    if number < 1:
        raise InvalidOptionError(f"number is {number}; allowed: 1 and above")
    rules = effects_environment()
    for place in range(number):
        fault, seed = FAULTS[place % len(FAULTS)], first_seed + place // len(FAULTS)
        turn = seed // len(BANKS)
        folder = out / f"game-{place + 1:04d}"
        name = "speaker" if fault == "none" else f"speaker-{fault}"
        options = {"budget": budgets[turn // len(instances) % len(budgets)]}
        with Episode(folder, rules, rules.find(instances[turn % len(instances)]), options) as episode:
            if not episode.closed:
                play(episode, choose_player(name, "effects"), seed)
        game = read_spoken(folder)
        write_known(game)
        yield game
