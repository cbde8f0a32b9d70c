"""The rules of the environment ``effects``, call by call."""

from __future__ import annotations

import json

import numpy as np
import pytest
from effects_games import Game, condition, environment, made_up
from hypothesis import given, settings
from hypothesis import strategies as st

from whatworked.controls import estimator
from whatworked.environments.effects import deliver
from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.episodes import Call, Clock, Episode
from whatworked.errors import InvalidOptionError, UnknownNameError
from whatworked.grading import grade, grade_missing
from whatworked.surfaces import ResponseSurface
from whatworked.surfaces.masks import mask_strings

MASKS = mask_strings(4)


def table(value: float = 0.5, **others: float) -> dict[str, float]:
    return dict.fromkeys(MASKS, value) | {mask.removeprefix("m"): number for mask, number in others.items()}


class TestMeasuring:
    def test_anchors_are_free_and_each_new_mask_costs_a_credit(self):
        game = Game(made_up(4), budget=3)
        step = game.call("observe_many", masks=["0000", "0101", "0101", "1111", "0011"])
        assert step.charges == {"credits": 2}
        assert step.result["new"] == ["0101", "0011"]
        assert [entry["mask"] for entry in step.result["observations"]] == ["0000", "0101", "1111", "0011"]
        assert step.result["observations"][1]["utility"] == game.instance.surface["0101"]
        again = game.call("observe_many", masks=["0011"])
        assert (again.charges, again.result["credits_left"]) == ({}, 1)

    def test_a_batch_beyond_the_credits_is_refused_whole(self):
        game = Game(made_up(4), budget=1)
        assert game.refused("observe_many", masks=["0001", "0010"]) == "overdraft"
        assert game.call("current_evidence").result["credits_left"] == 1

    def test_evidence_tells_all_that_is_known(self):
        game = Game(made_up(4), budget=2)
        game.call("observe_many", masks=["0110"])
        told = game.call("current_evidence").result
        assert [entry["mask"] for entry in told["observations"]] == ["0000", "1111", "0110"]
        assert (told["d"], told["credits_left"], told["unmeasured"]) == (4, 1, 13)

    def test_native_values_come_with_their_receipts(self):
        plain, native = (Game(condition("nile"), receipts=r) for r in ("utility", "utility+native"))
        masks = {"masks": ["0100"]}
        assert set(plain.call("observe_many", masks).result["observations"][0]) == {"mask", "utility"}
        observation = native.call("observe_many", masks).result["observations"][0]
        scale = native.instance.surface.utility_map.scale
        assert observation["utility"] == pytest.approx(1 / (1 + observation["native"] / scale), rel=1e-12)


class TestSubmitting:
    @pytest.mark.parametrize("form", [dict, json.dumps], ids=["object", "text"])
    def test_a_table_is_taken_as_object_or_text(self, form):
        game = Game(made_up(4), budget=1)
        game.call("observe_many", masks=["0110"])
        assert game.call("submit_diagnosis", predictions=form(table(0.25))).result["delivered"]
        expected = grade(game.instance.surface, [0.25] * 16, ["0000", "1111", "0110"])
        score = game.score
        assert score.values["effect_recovery"] == expected.effect_recovery
        assert score.values["effect_mae"] == expected.effect_mae
        assert score.details["selected"] == expected.selected
        assert score.values["credits_used"] == 1
        assert game.refused("observe_many", masks=["0001"]) == "unknown_tool"  # there is none any more

    def test_right_entries_of_a_refused_table_are_kept(self):
        game = Game(made_up(4))
        step = game.call("submit_diagnosis", predictions=table(0.5, m0011="0.5", m0111=True, x=1) | {"1000": 2})
        assert step.refusal.code == "bad_table"
        for offence in ('0011: "0.5"', "0111: true", "1000: 2", "(x)"):
            assert offence in step.refusal.message
        assert (step.result["kept"], step.result["to_send"]) == (13, ["0011", "0111", "1000"])
        assert not game.score.delivered  # what is kept counts for nothing
        step = game.call("submit_diagnosis", predictions={"0011": 0.1, "0111": 0.2, "1000": 0.3})
        assert (step.result["delivered"], step.result["completed_with_kept"]) == (True, 13)
        assert game.state.delivered.values == tuple(table(0.5, m0011=0.1, m0111=0.2, m1000=0.3).values())

    def test_a_large_cube_has_short_answers(self):
        big = Game(SurfaceInstance("big", ResponseSurface(tuple("ABCDEFGHIJ"), [0.5] * 1024)), budget=2)
        step = big.call("submit_diagnosis", predictions={"0" * 10: 0.5, "1" * 10: 0.5})
        assert len(step.result["to_send"]) == 256
        assert "Send only the 256 in to_send and the 766 behind them" in step.refusal.message

    def test_rounding_in_a_typed_table_is_no_contradiction(self):
        game = Game(made_up(4))
        truth = game.instance.surface
        typed = {mask: round(float(truth[mask]), 3) for mask in MASKS}
        assert game.call("submit_diagnosis", predictions=typed).result["warnings"] == []

    def test_an_entry_given_twice_is_not_kept(self):
        game = Game(made_up(4))
        step = game.call("submit_diagnosis", predictions='{"0000": 0.1, "0001": 0.2, "0000": 0.3}')
        assert "given twice (0000)" in step.refusal.message
        assert game.state.kept == {"0001": 0.2}

    def test_a_check_hands_nothing_in(self):
        game = Game(made_up(4))
        step = game.call("submit_diagnosis", predictions=table(), check=True)
        assert step.result["checked"]
        assert "0000: 0.5, measured" in step.result["warnings"][0]
        assert not game.rules.closed(game.state)
        # After the check the table is whole, and one changed entry completes another.
        assert game.call("submit_diagnosis", predictions={"0001": 0.75}).result["completed_with_kept"] == 15
        assert game.state.delivered.values[1] == 0.75

    @pytest.mark.parametrize(
        "arguments",
        [{}, {"estimator": "ridge_main", "calculation": "c1"}, {"predictions": None}, {"calculation": "c1"}],
        ids=["nothing", "two", "null", "no calculation"],
    )
    def test_what_names_no_answer_is_refused(self, arguments):
        assert Game(made_up(4)).refused("submit_diagnosis", arguments) in ("bad_argument", "unknown_calculation")

    def test_nothing_handed_in_is_graded_as_missing(self):
        game = Game(made_up(4))
        game.call("observe_many", masks=["0110"])
        score, missing = game.score, grade_missing(game.instance.surface)
        assert not score.delivered
        assert score.values["effect_recovery"] == 0.0
        assert score.values["effect_mae"] is None
        assert score.values["mean_absolute_effect"] == missing.mean_absolute_effect
        assert score.details["refused"] == {}


class TestHelpers:
    @pytest.mark.parametrize("helper", ["ridge_main", "ridge_pair", "gp", "relevance_gp", "class_gp"])
    def test_a_helper_is_the_method_of_that_name(self, helper):
        game = Game(condition("wine__d6"), budget=6, helpers="extended", view="full")
        bought = ["001010", "110000", "010101"]
        game.call("observe_many", masks=bought)
        game.call("submit_diagnosis", estimator=helper)
        classes = game.instance.equivalence if helper.startswith("class") else None
        method = estimator(helper.replace("_", "-"), classes)
        expected = deliver(method, game.instance.surface.utilities, [int(mask, 2) for mask in bought], classes)
        assert game.state.delivered.values == tuple(expected.predictions.tolist())
        assert game.score.details["form"] == f"helper:{helper}"

    def test_the_published_arm_has_two(self):
        assert list(Game(made_up(4)).opening.facts["helpers"]) == ["ridge_main", "ridge_pair"]
        assert Game(made_up(4)).refused("submit_diagnosis", estimator="gp") == "unknown_helper"

    def test_the_opaque_view_has_none_that_knows_the_program(self):
        assert not [n for n in Game(made_up(4), helpers="extended").opening.facts["helpers"] if n.startswith("class")]


class TestDrafts:
    def test_the_last_draft_counts_without_a_submission(self):
        game = Game(made_up(4), delivery="draft")
        assert not game.call("draft", estimator="ridge_main").result["replaced"]
        assert game.call("draft", predictions=table(0.25)).result["replaced"]
        assert game.score.delivered
        assert game.score.values["draft_used"]
        assert game.score.details["form"] == "table"

    def test_a_submission_counts_before_a_draft(self):
        game = Game(made_up(4), delivery="draft")
        game.call("draft", predictions=table(0.25))
        game.call("submit_diagnosis", estimator="ridge_main")
        assert (game.score.details["form"], game.score.values["draft_used"]) == ("helper:ridge_main", False)

    def test_a_refused_draft_leaves_the_one_before(self):
        game = Game(made_up(4), delivery="draft")
        game.call("draft", predictions=table(0.25))
        assert game.refused("draft", predictions={"0000": "x"}) == "bad_table"
        assert game.state.draft.values[0] == 0.25

    def test_the_published_arm_has_no_drafts(self):
        game = Game(made_up(4))
        assert game.refused("draft", estimator="ridge_main") == "unknown_tool"


class TestRulesView:
    RULES = ({"option": "E", "when": {"C": 0}},)

    def game(self, **options) -> Game:
        game = Game(condition("wine__d6"), view="full+rules", budget=8, **options)
        assert game.refused("observe_many", masks=["110000"]) == "report_first"
        return game

    def test_the_report_is_judged_afterwards(self):
        game = self.game()
        assert game.call("report_rules", rules=list(self.RULES)).charges == {"calculations": 1}
        assert game.refused("report_rules", rules=[]) == "repeated"
        values = game.score.values
        assert (values["rules_correct"], values["rules_total"], values["rules_false"]) == (1, 1, 0)

    @pytest.mark.parametrize(
        ("rules", "correct", "false"),
        [
            ([], 0, 0),
            ([{"option": "E", "when": {}}], 1, 1),
            ([{"option": "E", "when": {"C": 0, "A": 0}}], 0, 0),
            ([{"option": "E", "when": {"C": 0, "A": 0}}, {"option": "E", "when": {"C": 0, "A": 1}}], 1, 0),
            ([{"option": "F", "when": {"C": 0}}], 0, 1),
        ],
        ids=["none", "too much", "too little", "in two parts", "wrong"],
    )
    def test_rules_count_by_what_they_say(self, rules, correct, false):
        game = self.game()
        game.call("report_rules", rules=rules)
        assert (game.score.values["rules_correct"], game.score.values["rules_false"]) == (correct, false)

    def test_a_table_that_breaks_the_rules_is_taken_with_a_warning(self):
        game = self.game()
        game.call("report_rules", rules=[])
        step = game.call("submit_diagnosis", estimator="ridge_pair")
        assert step.result["delivered"]
        assert "break the rules" in step.result["warnings"][-1]

    def test_with_drafts_it_is_held_back_once(self):
        game = self.game(delivery="draft")
        game.call("report_rules", rules=[])
        step = game.call("submit_diagnosis", estimator="ridge_pair")
        assert not step.result["delivered"]
        assert game.score.values["draft_used"]  # and counts meanwhile
        assert game.call("submit_diagnosis", estimator="ridge_pair").result["delivered"]

    def test_purchases_errors_and_projection(self):
        game = self.game()
        game.call("report_rules", rules=list(self.RULES))
        # 000010 equals the anchor 000000, 110010 equals 110000.
        game.call("observe_many", masks=["000010", "110000", "110010", "001000"])
        truth = game.instance.surface
        values = dict(zip(truth.masks, truth.utilities.tolist(), strict=True))
        game.call("submit_diagnosis", predictions=values | {"010010": values["010000"] - 0.5})
        score = game.score.values
        assert score["redundant_purchases"] == 2
        # 16 classes of two have one pair each, and 32 masks stand alone.
        assert score["equivalence_error"] == pytest.approx(0.5 / 16 / truth.range)
        projected = np.array(truth.utilities)
        projected[[0b010010, 0b010000]] = values["010000"] - 0.25
        seen = ["000000", "111111", "000010", "110000", "110010", "001000"]
        assert score["projected_effect_recovery"] == pytest.approx(
            grade(truth, projected, seen).effect_recovery, abs=1e-12
        )


class TestDeadline:
    def test_late_only_a_submission_is_taken_and_a_draft_counts(self, tmp_path):
        now = [0.0]
        clock = Clock(wall=lambda: now[0], steady=lambda: now[0])
        options = {"deadline": 60, "delivery": "draft", "view": "opaque"}
        for name, submits in (("late", True), ("never", False)):
            now[0] = 0.0
            rules = environment()
            with Episode(tmp_path / name, rules, condition("wine"), options, clock=clock) as episode:
                assert episode.call(Call(tool="draft", arguments={"predictions": table(0.25)})).refused is None
                now[0] = 60.5
                for tool in ("current_evidence", "observe_many", "note", "draft", "calculate_python"):
                    assert episode.call(Call(tool=tool)).refused.code == "deadline"
                if submits:
                    late = Call(tool="submit_diagnosis", arguments={"predictions": table(0.5)})
                    assert episode.call(late).result["delivered"]
                score = episode.score()
            assert (score.delivered, score.values["draft_used"]) == (True, not submits)


class TestNotes:
    def test_a_note_changes_no_score(self):
        noted, silent = Game(made_up(4)), Game(made_up(4))
        noted.call("note", text="I believe in \x1b[2J A")
        for game in (noted, silent):
            game.call("submit_diagnosis", estimator="ridge_pair")
        grades = [{k: v for k, v in g.score.values.items() if k not in ("notes", "calls")} for g in (noted, silent)]
        assert grades[0] == grades[1]
        assert noted.score.values["notes"] == 1

    def test_a_long_note_is_refused(self):
        assert Game(made_up(4)).refused("note", text="x" * 10_000_000) == "bad_argument"


class TestOpening:
    def test_the_opaque_view_says_nothing_of_the_condition(self):
        for name in ("wine__d6", "nile"):
            game = Game(condition(name), helpers="extended", delivery="draft")
            told = game.opening.text + repr(game.opening.facts)
            told += repr([(tool.purpose, tool.parameters) for tool in game.rules.tools(game.state)])
            told = told.casefold()
            words = [name.removesuffix("__d6"), game.instance.family, game.instance.metric, "unit"]
            words += [option.name for option in game.instance.options]
            assert not [word for word in words if word.casefold() in told]

    def test_the_full_view_shows_the_code_and_the_options(self):
        text = Game(condition("wine__d6"), view="full").opening.text
        assert "KMeans(" in text
        assert "whitening: plain components → components of unit variance" in text
        assert "has no effect" not in text

    def test_a_budget_beyond_the_masks_is_an_error(self):
        with pytest.raises(InvalidOptionError, match="budget is 15; 4 options have 14 masks"):
            Game(made_up(4), budget=15)

    def test_a_cube_whose_table_fits_no_call_is_an_error(self):
        big = SurfaceInstance("big", ResponseSurface(tuple("ABCDEFGHIJKLM"), [0.5] * 8192))
        with pytest.raises(InvalidOptionError, match="13 options; episodes have up to 12"):
            Game(big)

    def test_a_surface_without_a_workflow_has_one_view(self):
        with pytest.raises(InvalidOptionError, match="view=opaque"):
            Game(made_up(4), view="full")

    def test_every_wrong_option_is_named(self):
        with pytest.raises(InvalidOptionError) as error:
            environment().options_of({"budgt": 1, "view": "opak", "calculations": "-1", "deadline": True})
        for part in ("did you mean budget?", "'opak'", "'-1'", "deadline is True"):
            assert part in str(error.value)


SALT = b"sixteen bytes or more"


class TestSalt:
    @given(order=st.permutations(range(4)), data=st.data())
    @settings(max_examples=25)
    def test_the_grade_is_the_same_in_every_order(self, order, data):
        """Whatever is bought and delivered: written in another order of the options it earns the same grade."""
        from dataclasses import replace

        plain = made_up(4, seed=3)
        shuffled = replace(plain, order=tuple(order), seal="0" * 12)
        bought = data.draw(st.lists(st.sampled_from(MASKS), max_size=5, unique=True))
        # Few values, so that ties in the choice of the best mask are common.
        values = data.draw(st.lists(st.sampled_from([0.25, 0.5, 0.75]), min_size=16, max_size=16))
        helper = data.draw(st.sampled_from([None, "ridge_main", "ridge_pair"]))
        own, other = Game(plain), Game(shuffled)

        def shown(mask: str) -> str:
            return "".join(mask[place] for place in order)

        for game, write in ((own, str), (other, shown)):
            if bought:
                game.call("observe_many", masks=[write(mask) for mask in bought])
            table = {write(mask): value for mask, value in zip(MASKS, values, strict=True)}
            game.call("submit_diagnosis", {"predictions": table} if helper is None else {"estimator": helper})
        assert own.score.values == other.score.values
        assert own.score.details == other.score.details

    def test_the_order_follows_from_the_salt_and_the_condition(self):
        instance = environment().find("wine__d6", SALT)
        assert instance.order == environment().find("wine__d6", SALT).order
        orders = {environment().find("wine__d6", SALT + bytes([k])).order for k in range(20)}
        assert len(orders) > 10
        assert SALT.hex() not in instance.name
        assert instance.digest != condition("wine__d6").digest
        assert environment().find(instance.name, SALT).digest == instance.digest

    def test_the_anchors_are_kept(self):
        instance = environment().find("wine__d6", SALT)
        assert instance.own_ranks[[0, 63]].tolist() == [0, 63]
        assert sorted(instance.own_ranks.tolist()) == list(range(64))

    def test_without_the_right_salt_it_is_not_opened(self):
        name = environment().find("wine", SALT).name
        for salt in (None, SALT + b"!"):
            with pytest.raises(UnknownNameError, match="salt"):
                environment().find(name, salt)

    def test_rules_and_options_are_told_in_the_shown_order(self):
        for extra in range(8):
            instance = environment().find("wine__d6", SALT + bytes([extra]))
            at = {option.letter: letter for letter, option in zip("ABCDEF", instance.shown_options, strict=True)}
            assert [str(rule) for rule in instance.rules] == [f"{at['E']} has no effect where {at['C']} = 0"]


class TestFiles:
    def test_a_surface_of_ones_own(self, tmp_path):
        path = tmp_path / "mine.json"
        path.write_text(json.dumps(dict.fromkeys(mask_strings(3), 0.5)))
        instance = environment().find(str(path))
        assert (instance.d, instance.name) == (3, str(path))
        assert str(tmp_path) not in Game(instance, budget=2).opening.text

    def test_a_table_that_a_rebuild_wrote(self, tmp_path):
        from whatworked import references

        path = tmp_path / "private.tsv"
        path.write_bytes(references.table_path("wine").read_bytes())
        assert environment().find(str(path)).digest == condition("wine").digest

    @pytest.mark.parametrize("content", ["[]", "{", '{"0": 0.5, "1": 2}', '{"0": 1, "0": 1}', "{}"])
    def test_what_is_no_surface_is_a_named_error(self, tmp_path, content):
        from whatworked.errors import WhatWorkedError

        path = tmp_path / "mine.json"
        path.write_text(content)
        with pytest.raises(WhatWorkedError):
            environment().find(str(path))


TOOLS = ("current_evidence", "observe_many", "calculate_python", "report_rules", "note", "submit_diagnosis")
ARMS = [
    ("opaque", "published", "published", 20),
    ("full", "draft", "extended", 20),
    ("full+rules", "published", "extended", 0),
    ("full+rules", "draft", "published", 20),
]


class TestPrompts:
    @pytest.mark.parametrize(("view", "delivery", "helpers", "calculations"), ARMS)
    @pytest.mark.parametrize("name", ["wine", "wine__d6"])
    def test_the_text_speaks_of_the_tools_and_limits_that_there_are(self, name, view, delivery, helpers, calculations):
        game = Game(condition(name), view=view, delivery=delivery, helpers=helpers, calculations=calculations, budget=7)
        text = game.opening.text.split("The workflow:")[0]
        assert "$" not in text
        d = game.instance.d
        for told in (f"{1 << d} masks", "7 credits", "1800 seconds", "0" * d, "1" * d, f"{d << (d - 1)} pairs"):
            assert told in text, told
        offered = {tool.name for tool in game.rules.tools(game.state)}
        for tool in (
            "current_evidence",
            "observe_many",
            "calculate_python",
            "report_rules",
            "note",
            "submit_diagnosis",
        ):
            assert (tool in text) is (tool in offered), tool
        assert ("Set a draft early" in text) is ("draft" in offered)
        for helper in game.opening.facts["helpers"]:
            assert f"- {helper}: " in text

    def test_tools_describe_their_arguments_and_forbid_nothing(self):
        game = Game(condition("wine"), view="full+rules", delivery="draft")
        for tool in game.rules.tools(game.state):
            assert set(tool.required) <= set(tool.parameters)
            for schema in tool.parameters.values():
                assert schema["description"]
                assert not {"enum", "pattern", "maxItems", "additionalProperties"} & set(schema)


class TestSketch:
    def test_a_person_sees_the_cube_with_what_was_measured(self):
        game = Game(made_up(3), budget=2)
        game.call("observe_many", masks=["011"])
        truth = game.instance.surface
        assert game.rules.sketch(game.state).splitlines() == [
            "rows A, columns B C",
            "      00    01    10    11",
            f"0  {truth['000']:.3f}     .     . {truth['011']:.3f}",
            f"1      .     .     . {truth['111']:.3f}",
        ]


class TestWordsOfRefusals:
    def said(self, game: Game, tool: str, **arguments) -> str:
        step = game.call(tool, **arguments)
        assert step.refusal is not None
        return step.refusal.message

    def test_a_name_is_told_as_a_name(self):
        game = Game(made_up(4))
        assert "observe_many has no argument 'x'; its arguments: masks" in self.said(game, "observe_many", x=1)

    def test_a_name_in_the_place_of_a_table_is_sent_to_its_own(self):
        game = Game(made_up(4))
        said = self.said(game, "submit_diagnosis", predictions="ridge_main")
        assert said.startswith("predictions is the text 'ridge_main', the name of a helper; give it as estimator")
        said = self.said(game, "submit_diagnosis", predictions="gp")
        assert "a word and no table; estimator takes a helper (ridge_main or ridge_pair)" in said
        assert not game.state.kept
        game.call("calculate_python", {"code": "result = 1"}, outcome={"exit": 0, "result": "1"})
        assert "the name of a calculation; give it as calculation" in self.said(
            game, "submit_diagnosis", predictions="c1"
        )

    def test_a_result_that_could_not_be_written_down_is_no_missing_one(self):
        """The sandbox says so on the program's standard error."""
        game = Game(made_up(4))
        stderr = (
            "a warning\n`result` was not delivered: ValueError: Out of range float values are not JSON compliant: nan\n"
        )
        game.call("calculate_python", {"code": "…"}, outcome={"exit": 0, "stderr": stderr, "result": None})
        reason = "it holds NaN or an infinity, which is no number"
        assert game.state.calculations[0].fault == f"the variable result was set, and is no table: {reason}"
        assert reason in self.said(game, "submit_diagnosis", calculation="c1")
        stderr = "`result` was not delivered: TypeError: a set cannot be delivered\n"
        game.call("calculate_python", {"code": "…"}, outcome={"exit": 0, "stderr": stderr, "result": None})
        assert game.state.calculations[1].fault.endswith("is no table: TypeError: a set cannot be delivered")
