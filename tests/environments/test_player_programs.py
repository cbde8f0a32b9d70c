"""What a player's program finds: its variables, the ridge helpers, and what becomes of its result."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from effects_games import Game, condition, made_up

from whatworked.controls import RidgeEstimator, ridge_design
from whatworked.environments.effects.sandboxed import whatworked_helpers as helpers
from whatworked.surfaces.masks import all_bits, mask_strings


def run(game: Game, code: str, folder) -> dict:
    """Outcome of a program, run here without a sandbox as the sandbox runs it."""
    request = game.call("calculate_python", code=code).effect.request
    for name, text in request["files"].items():
        (folder / name).write_text(text)
    (folder / "main.py").write_text(request["code"])
    done = subprocess.run([sys.executable, "main.py"], cwd=folder, capture_output=True, text=True, check=False)
    result = folder / "result.json"
    return {
        "exit": done.returncode,
        "stdout": done.stdout,
        "stderr": done.stderr,
        "result": result.read_text() if result.is_file() else None,
    }


class TestPrograms:
    def test_it_finds_the_measurements_and_hands_in_its_result(self, tmp_path):
        game = Game(made_up(4), budget=3)
        game.call("observe_many", masks=["0110", "0001"])
        code = (
            "from whatworked_helpers import ridge_pair\n"
            "assert [o['mask'] for o in observations] == ['0000', '1111', '0110', '0001']\n"
            "assert masks.shape == (4, 4) and masks[2].tolist() == [0, 1, 1, 0]\n"
            "assert values.tolist() == [o['utility'] for o in observations]\n"
            "assert (d, options, len(all_masks)) == (4, ['A', 'B', 'C', 'D'], 16)\n"
            "result = ridge_pair(observations)\n"
        )
        outcome = run(game, code, tmp_path)
        assert outcome["exit"] == 0, outcome["stderr"]
        told = game.call("calculate_python", {"code": code}, outcome=outcome).result
        assert told["calculation"] == "c1"
        assert game.call("submit_diagnosis", calculation="c1").result["delivered"]
        helped = Game(made_up(4), budget=3)
        helped.call("observe_many", masks=["0110", "0001"])
        helped.call("submit_diagnosis", estimator="ridge_pair")
        assert game.state.delivered.values == pytest.approx(helped.state.delivered.values, abs=1e-12)

    @pytest.mark.parametrize(
        "result",
        ["np.linspace(0, 1, 16)", "list(range(16))", "dict(zip(all_masks, np.full(16, 0.5, dtype=np.float32)))"],
    )
    def test_results_of_numpy_are_taken(self, result, tmp_path):
        game = Game(made_up(4))
        outcome = run(game, f"import numpy as np\nresult = {result}", tmp_path)
        game.call("calculate_python", {"code": "…"}, outcome=outcome)
        values = game.state.calculations[0].values
        if "range" in result:
            assert "outside [0, 1]" in game.state.calculations[0].fault
        else:
            assert values is not None
            assert len(values) == 16

    def test_a_program_that_fails_leaves_no_result(self, tmp_path):
        game = Game(made_up(4))
        outcome = run(game, "result = {m: 0.5 for m in all_masks}\nprint(observations[0][1])", tmp_path)
        assert outcome["exit"] == 1
        assert "program.py" in outcome["stderr"]
        assert outcome["result"] is None


class TestHelperModule:
    """It is a second computation of the ridge by its definition, beside that of the controls."""

    def observations(self, name: str, bought: int) -> dict[str, float]:
        surface = condition(name).surface
        order = ridge_design(surface.d, 2, bought)[0]
        ranks = [0, (1 << surface.d) - 1, *(int(rank) for rank in order)]
        return {surface.masks[rank]: float(surface.utilities[rank]) for rank in ranks}

    @pytest.mark.parametrize("name", ["wine", "nile", "spambase__d6", "mitdb_101__d6"])
    @pytest.mark.parametrize(("degree", "fit"), [(1, helpers.ridge_main), (2, helpers.ridge_pair)])
    def test_predictions_are_those_of_the_control(self, name, degree, fit):
        for bought in (0, 5, 11):
            seen = self.observations(name, bought)
            rows = np.array([[float(bit) for bit in mask] for mask in seen])
            values = np.array(list(seen.values()))
            d = len(rows[0])
            expected = np.clip(RidgeEstimator(degree).fit(rows, values).predict(all_bits(d)), 0.0, 1.0)
            predicted = fit(seen)
            assert list(predicted) == list(mask_strings(d))
            for mask, value in zip(mask_strings(d), expected, strict=True):
                assert predicted[mask] == pytest.approx(seen.get(mask, value), abs=1e-9)

    # Among pairs of six options the fifth mask of the recorded design was chosen by rounding, among equals.
    @pytest.mark.parametrize(("d", "degree", "count"), [(4, 1, 14), (4, 2, 14), (6, 1, 32), (6, 2, 4)])
    def test_suggestions_are_the_design_of_the_control(self, d, degree, count):
        seen = {"0" * d: 0.1, "1" * d: 0.9}
        masks = mask_strings(d)
        expected = [masks[int(rank)] for rank in ridge_design(d, degree, count)[0]]
        assert helpers.suggest(seen, count=count, degree=degree) == expected

    def test_observations_are_taken_in_every_form(self):
        seen = self.observations("wine", 4)
        forms = [
            seen,
            list(seen.items()),
            [{"mask": mask, "utility": value} for mask, value in seen.items()],
            {"observations": [{"mask": mask, "utility": value} for mask, value in seen.items()]},
            [([int(bit) for bit in mask], value) for mask, value in seen.items()],
        ]
        fits = [json.dumps(helpers.ridge_pair(form)) for form in forms]
        assert len(set(fits)) == 1
