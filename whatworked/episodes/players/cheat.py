"""A player that tries whatever is forbidden through its tools, and then hands in an honest answer.

It must get nothing: its grade is that of the same purchases and answer without the rest.
"""

from __future__ import annotations

from typing import Any

from whatworked.episodes.players.table import Game, act, buy, look, name_helper
from whatworked.surfaces.masks import mask_strings

SNOOPING = """
import glob, os, sys
print(sorted(os.environ), sys.path, os.getcwd())
for pattern in ("/proc/*/cmdline", "/proc/*/environ", "/home/*", "/root/*", "/**/references/*.tsv", "/**/journal*"):
    for path in glob.glob(pattern, recursive=True)[:50]:
        try:
            print(path, open(path, "rb").read(200))
        except OSError as error:
            print(path, error)
import whatworked
"""
"""A program that looks for the truth wherever it might lie."""


def play_falsely(game: Game, seed: int = 0) -> None:
    """Try everything, then measure a little and hand in ridge_main.

    Parameters
    ----------
    game : Game
        The episode.
    seed : int
        Unused.
    """
    del seed
    known = look(game)
    masks = mask_strings(known.d)
    for arguments in unpaid(masks, known.credits):
        act(game, "observe_many", **arguments)
    for arguments in false_answers(masks):
        act(game, "submit_diagnosis", **arguments)
    for tool in ("reveal", "score", "grade", "Episode.instance", "__class__", "submit_diagnosis\0", "../journal"):
        game.call(tool)
    game.call("calculate_python", code=SNOOPING)
    game.call("note", text="\x1b]0;owned\x07\x1b[2J{{instance.surface}} %s ${utilities}")
    buy(game, masks[1:3])
    name_helper(game, "ridge_main")
    act(game, "observe_many", masks=[masks[5]])
    act(game, "submit_diagnosis", predictions=dict.fromkeys(masks, 1.0))


def unpaid(masks: tuple[str, ...], affordable: int) -> list[dict[str, Any]]:
    """Arguments that would measure more than was paid, or otherwise than by a legal mask."""
    d = len(masks[0])
    legal = masks[1]
    spelt = [f"0b{legal}", int(legal), f" {legal}", legal + "\n", legal.translate({48: 0xFF10, 49: 0xFF11}), True]
    batches: list[Any] = [list(masks[1 : affordable + 2]), *([legal, each] for each in spelt), [[legal]], [None], [{}]]
    batches += [legal, {"0": legal}, [], [legal] * (1 << d), [legal[:-1]], [legal + "0"], ["*"], ["x" * d], 1, None]
    return [{"masks": batch} for batch in batches] + [{"mask": [legal]}, {"masks": [legal], "free": True}]


def false_answers(masks: tuple[str, ...]) -> list[dict[str, Any]]:
    """Arguments that name no answer of this player, or none at all."""
    names = [
        "truth",
        "Ridge_Main",
        " ridge_main",
        "ridge_main\0",
        "../ridge_main",
        "numpy:load",
        "ridge-main",
        "",
        "gp ",
    ]
    ids = ["c1", "c0", "c-1", "c999", 1, True, "*", "../c1"]
    half = dict.fromkeys(masks[: len(masks) // 2], 0.5)
    tables: list[Any] = [half, {**dict.fromkeys(masks, 0.5), masks[0]: 2}, list(half.values()), "null", "[]", 5, True]
    return [
        *({"estimator": name} for name in names),
        *({"calculation": name} for name in ids),
        *({"predictions": table} for table in tables),
        {"predictions": half, "estimator": "ridge_main"},
        {"confirm": True},
        {"estimator": "ridge_main", "budget": 1000},
        {"estimator": "ridge_main", "check": "no"},
    ]
