"""A player that makes the mistakes that players make: nothing of it may hurt anyone but itself."""

from __future__ import annotations

import random

from whatworked.episodes.players.table import Game, act, look
from whatworked.surfaces.masks import mask_strings


def play_carelessly(game: Game, seed: int = 0) -> None:
    """Overspend, mistype masks, retype measurements wrongly, send bad tables, and forget to submit.

    Parameters
    ----------
    game : Game
        The episode.
    seed : int
        Of what it mistypes.
    """
    draw = random.Random(seed)
    known = look(game)
    masks = mask_strings(known.d)
    act(game, "observe_many", masks=list(masks[1 : known.credits + 2]))  # one more than it can pay
    act(game, "observe_many", masks=[masks[1], masks[2][:-1]])  # a digit is missing
    act(game, "observe_many", masks=[int(masks[5])])
    act(game, "observe_many", masks=draw.sample(masks[1:-1], known.credits))
    act(game, "observe", masks=[masks[1]])  # no such tool
    known = look(game)
    typed = {mask: round(value, 2) + draw.choice([0.0, 0.01]) for mask, value in known.utilities.items()}
    act(game, "calculate_python", code=f"observed = {typed}\nprint(sum(observed.values()) / len(observations[0][1]))")
    act(game, "submit_diagnosis", estimator="ridge")
    act(game, "submit_diagnosis", predictions=typed)  # what it measured, and nothing else
    act(game, "submit_diagnosis", predictions={mask: f"{50 + k}%" for k, mask in enumerate(masks)})
    act(game, "submit_diagnosis", predictions="{" + ", ".join(f"'{mask}': 0.5" for mask in masks) + "}")
    act(game, "submit_diagnosis", predictions={**dict.fromkeys(masks, 0.5), "total": 1.0})
    act(game, "note", text="All done.")
