"""Scripted players: the same grades as the methods they are, and nothing that they are not entitled to."""

from __future__ import annotations

import pytest
from effects_games import condition, made_up, played

from whatworked.controls import method
from whatworked.environments.effects import asker, buy, deliver
from whatworked.environments.effects.delivery import grade_deliveries
from whatworked.episodes.players import PLAYERS
from whatworked.surfaces.masks import as_strings

CONTROLS = [
    ("random", "Random D2", "wine__d6", 8, 3),
    ("ridge", "D2", "wine__d6", 8, 0),
    ("gp", "GP-E", "nile", 5, 0),
    ("rgp", "RGP", "nile", 2, 0),
]


class TestMethods:
    @pytest.mark.parametrize(("player", "label", "name", "budget", "seed"), CONTROLS)
    def test_a_player_has_the_grade_of_its_control(self, player, label, name, budget, seed):
        game = played(player, condition(name), seed, budget=budget)
        control, surface = method(label), condition(name).surface
        bought = buy(asker(control.build_policy(seed)), surface.utilities, budget)
        (expected,) = grade_deliveries(surface, [deliver(control.build_estimator(), surface.utilities, bought)])
        assert game.score.details["purchases"] == list(as_strings(bought, surface.d))
        assert game.score.values["effect_recovery"] == pytest.approx(expected.effect_recovery, abs=1e-12)
        assert game.score.details["selected"] == expected.selected

    def test_one_at_a_time_is_right_about_sums(self):
        from whatworked.environments.effects.instance import SurfaceInstance
        from whatworked.surfaces import ResponseSurface, mask_strings

        weights = [0.1, -0.05, 0.3, 0.02]
        sums = {
            mask: 0.3 + sum(w for w, bit in zip(weights, mask, strict=True) if bit == "1") for mask in mask_strings(4)
        }
        surface = ResponseSurface.from_mapping(sums)
        game = played("one-at-a-time", SurfaceInstance("sums", surface), budget=4)
        assert game.score.values["effect_recovery"] == pytest.approx(1.0)

    def test_the_factorial_buys_a_half_fraction(self):
        score = played("factorial", condition("wine__d6"), budget=30).score
        assert sum(mask.count("1") % 2 for mask in score.details["purchases"]) == 0
        assert len(score.details["purchases"]) == 30


class TestEveryPlayer:
    @pytest.mark.parametrize("player", [name for name in PLAYERS if name != "rgp"])
    @pytest.mark.parametrize("view", ["opaque", "full+rules"])
    def test_keeps_the_invariants(self, player, view):
        options = {"budget": 3, "delivery": "draft" if view == "opaque" else "published", "view": view}
        game = played(player, condition("concrete"), 1, **options)
        again = played(player, condition("concrete"), 1, **options)
        assert game.events == again.events
        charged = sum(event.charges.get("credits", 0) for event in game.events)
        assert charged == len(game.state.bought) == len(set(game.state.bought)) <= 3
        assert game.score.delivered is (player != "careless")


class TestCheat:
    def test_it_gets_what_the_honest_get(self):
        from effects_games import Game

        cheat = played("cheat", made_up(4), budget=4)
        honest = Game(made_up(4), budget=4)
        honest.call("observe_many", masks=["0001", "0010"])
        honest.call("submit_diagnosis", estimator="ridge_main")
        counts = {"calls", "refusals", "notes", "batches", "calculations", "calculations_failed"}
        grades = [{k: v for k, v in g.score.values.items() if k not in counts} for g in (cheat, honest)]
        assert grades[0] == grades[1]
        taken = [event.call.tool for event in cheat.events if event.refusal is None]
        assert taken == ["current_evidence", "note", "current_evidence", "observe_many", "submit_diagnosis"]

    def test_the_careless_one_learns_why(self):
        game = played("careless", made_up(4), budget=4)
        codes = [event.refusal.code for event in game.events if event.refusal is not None]
        assert codes[:4] == ["overdraft", "illegal_mask", "illegal_mask", "unknown_tool"]
        assert codes.count("bad_table") == 4
        assert not game.score.delivered
        assert game.score.values["credits_used"] == 4
