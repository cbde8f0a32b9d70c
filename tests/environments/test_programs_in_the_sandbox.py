"""A player's programs as the sandbox runs them: what they find and say, and how a result is handed in."""

from __future__ import annotations

import pytest
from effects_games import Game, made_up

from whatworked.sandbox import BubblewrapSandbox
from whatworked.sandbox.performing import SandboxPerformer


def calculate(game: Game, sandbox: BubblewrapSandbox, code: str) -> dict:
    request = game.call("calculate_python", code=code).effect.request
    outcome = SandboxPerformer(sandbox).perform(request)
    outcome.pop("times", None)
    return game.call("calculate_python", {"code": code}, outcome=outcome).result


def test_a_result_is_handed_in_by_the_calculations_name(sandbox: BubblewrapSandbox) -> None:
    game, helped = Game(made_up(4), budget=3), Game(made_up(4), budget=3)
    for played in (game, helped):
        played.call("observe_many", masks=["0110", "0001"])
    told = calculate(
        game,
        sandbox,
        "from whatworked_helpers import ridge_pair\n"
        "print(masks.shape, len(observations))\n"
        "result = ridge_pair(observations)",
    )
    assert (told["stdout"], told["stderr"], told["exit"]) == ("(4, 4) 4\n", "", 0)
    assert game.call("submit_diagnosis", calculation=told["calculation"]).result["delivered"]
    helped.call("submit_diagnosis", estimator="ridge_pair")
    assert game.state.delivered.values == pytest.approx(helped.state.delivered.values, abs=1e-12)


def test_what_fails_is_told_by_the_programs_own_lines(sandbox: BubblewrapSandbox) -> None:
    told = calculate(Game(made_up(4)), sandbox, "def first():\n    return observations[0][1]\n\nresult = {}\nfirst()")
    assert told["exit"] == 1
    lines = [line.strip() for line in told["stderr"].splitlines() if "^" not in line]
    assert lines == [
        "Traceback (most recent call last):",
        'File "program.py", line 5, in <module>',
        "first()",
        'File "program.py", line 2, in first',
        "return observations[0][1]",
        "KeyError: 1",
    ]
