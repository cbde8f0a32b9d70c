"""Players that decide beforehand what they measure."""

from __future__ import annotations

import numpy as np

from whatworked.episodes.players.table import Game, buy, hand_in, look, name_helper
from whatworked.surfaces.masks import mask_strings


def play_random(game: Game, seed: int = 0) -> None:
    """Measure in a random order, hand in ridge_pair: the control Random D2 of the same seed."""
    from whatworked.controls import random_order

    known = look(game)
    masks = mask_strings(known.d)
    buy(game, [masks[rank] for rank in random_order(known.d, seed)])
    name_helper(game, "ridge_pair")


def play_one_at_a_time(game: Game, seed: int = 0) -> None:
    """Switch one option on from all off, then one off from all on, and add up what that did."""
    del seed
    d = look(game).d
    off, on = "0" * d, "1" * d
    buy(game, [off[:k] + "1" + off[k + 1 :] for k in range(d)] + [on[:k] + "0" + on[k + 1 :] for k in range(d)])
    known = look(game).utilities
    base = known[off]
    # What was not measured is taken to do its share of what lies between the two anchors.
    rest = (known[on] - base) / d
    steps = [known.get(off[:k] + "1" + off[k + 1 :], base + rest) - base for k in range(d)]
    hand_in(
        game,
        [base + sum(step for step, bit in zip(steps, mask, strict=True) if bit == "1") for mask in mask_strings(d)],
        d,
    )


def play_factorial(game: Game, seed: int = 0) -> None:
    """Measure a half fraction, the masks with an even number of options on, and hand in ridge_pair."""
    del seed
    d = look(game).d
    masks = mask_strings(d)
    even = [mask for mask in masks if mask.count("1") % 2 == 0]
    # Spread over the fraction where there are credits for a part of it.
    order = np.argsort([_reversed_bits(place, len(even)) for place in range(len(even))], kind="stable")
    buy(game, [even[place] for place in order])
    name_helper(game, "ridge_pair")


def _reversed_bits(place: int, count: int) -> int:
    width = max(1, (count - 1).bit_length())
    return int(f"{place:0{width}b}"[::-1], 2)
