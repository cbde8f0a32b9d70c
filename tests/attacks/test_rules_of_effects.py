"""A player who cheats by what it sends: nothing is charged wrongly, nothing is told, and the rules never break."""

from __future__ import annotations

import json
import math

import pytest
from effects_games import Game, made_up
from hypothesis import given, settings
from hypothesis import strategies as st

from whatworked.environments.protocol import Call
from whatworked.surfaces.masks import mask_strings

MASKS = mask_strings(4)
TABLE = dict.fromkeys(MASKS, 0.5)


def nested(depth: int) -> list:
    inner: list = []
    for _ in range(depth):
        inner = [inner]
    return inner


SPELLINGS = {
    "binary literal": "0b1010",
    "number": 1010,
    "leading space": " 1010",
    "trailing line break": "1010\n",
    "fullwidth digits": "\uff11\uff10\uff11\uff10",
    "arabic digits": "\u0661\u0660\u0661\u0660",
    "boolean": True,
    "float": 1010.0,
    "huge number": 10**5000,
    "list of bits": [1, 0, 1, 0],
    "deep list": nested(100_000),
    "object": {"mask": "1010"},
    "null": None,
    "too short": "101",
    "too long": "10101",
    "half a surrogate": "101\ud800",
    "underscore": "10_1",
    "escape": "\x1b[2J",
}


class TestMasks:
    @pytest.mark.parametrize("spelling", SPELLINGS)
    def test_a_mask_spelt_otherwise_spoils_its_batch_and_costs_nothing(self, spelling):
        game = Game(made_up(4), budget=5)
        for masks in ([SPELLINGS[spelling]], ["0001", SPELLINGS[spelling], "0010"]):
            step = game.call("observe_many", masks=masks)
            assert step.refusal.code == "illegal_mask"
            assert f"masks[{len(masks) // 2}] is" in step.refusal.message
            assert step.refusal.message.isprintable()
            assert len(step.refusal.message) < 500
            assert (step.charges, step.result) == ({}, {})
        assert game.state.bought == ()

    @pytest.mark.parametrize("masks", [["0001"] * 15, ["0001"] * 1_000_000, [], "0001", {"0001": 1}, 7, True, None])
    def test_what_is_no_batch_is_refused(self, masks):
        assert Game(made_up(4), budget=5).refused("observe_many", masks=masks) == "bad_argument"

    def test_the_text_of_a_list_is_as_good_as_the_list(self):
        game = Game(made_up(4), budget=5)
        assert game.call("observe_many", masks='["0001", "0010"]').charges == {"credits": 2}
        for text in ('["0001", 10]', '["0001"', "[" * 1000, '["0001"]' + " " * 10_000):
            assert game.refused("observe_many", masks=text) in ("bad_argument", "illegal_mask")


WRONG_VALUES = [math.nan, math.inf, -math.inf, True, "0.5", None, 1.0000001, -1e-300, 10**400, [0.5], {"value": 0.5}]


class TestTables:
    @pytest.mark.parametrize("value", WRONG_VALUES, ids=range(len(WRONG_VALUES)))
    def test_a_value_that_is_none_is_named_and_nothing_is_delivered(self, value):
        game = Game(made_up(4))
        step = game.call("submit_diagnosis", predictions=TABLE | {"0110": value})
        assert step.refusal.code == "bad_table"
        assert "(0110: " in step.refusal.message
        assert step.result["to_send"] == ["0110"]
        assert "0110" not in game.state.kept
        assert not game.score.delivered

    @pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "true", '"0.5"', "null", "1e999", "9" * 400])
    def test_the_same_in_the_form_of_a_text(self, value):
        game = Game(made_up(4))
        text = json.dumps(TABLE).replace('"0110": 0.5', f'"0110": {value}')
        assert game.call("submit_diagnosis", predictions=text).result["to_send"] == ["0110"]
        assert not game.score.delivered

    def test_a_duplicate_key_of_a_text_is_seen(self):
        game = Game(made_up(4))
        text = json.dumps(TABLE)[:-1] + ', "0110": 0.9}'
        step = game.call("submit_diagnosis", predictions=text)
        assert "given twice (0110)" in step.refusal.message

    @pytest.mark.parametrize(
        "predictions",
        ["[" * 100_000, "{" * 100_000, '{"a":' * 50_000, "x" * 10_000_000, "", "\ud800", json.dumps([TABLE]), "null"],
        ids=["brackets", "braces", "objects", "10 MB", "empty", "surrogate", "list", "null"],
    )
    def test_a_text_that_is_no_table_is_refused(self, predictions):
        assert Game(made_up(4)).refused("submit_diagnosis", predictions=predictions) == "bad_table"

    def test_a_million_entries_are_refused_whole(self):
        game = Game(made_up(4))
        step = game.call("submit_diagnosis", predictions={f"{k:020b}": 0.5 for k in range(1_000_000)})
        assert step.refusal.code == "bad_table"
        assert len(step.refusal.message) < 500
        assert not step.result

    @pytest.mark.parametrize(
        "name",
        [
            "Ridge_main",
            "ridge-main",
            " ridge_main",
            "ridge_main ",
            "ridge_main\0",
            "gp",
            "",
            "truth",
            1,
            True,
            ["ridge_main"],
        ],
    )
    def test_a_helper_spelt_otherwise_is_none(self, name):
        assert Game(made_up(4)).refused("submit_diagnosis", estimator=name) == "unknown_helper"

    def test_a_calculation_of_another_player_is_none(self):
        theirs, mine = Game(made_up(4)), Game(made_up(4))
        outcome = {"exit": 0, "limit": None, "stdout": "", "stderr": "", "truncated": [], "result": json.dumps(TABLE)}
        assert theirs.call("calculate_python", {"code": "result = …"}, outcome=outcome).result["calculation"] == "c1"
        for name in ("c1", "c2", "c0", "C1", "c1 ", 1, None, ["c1"], {"id": "c1"}):
            assert mine.refused("submit_diagnosis", calculation=name) in ("unknown_calculation", "bad_argument")
        assert theirs.call("submit_diagnosis", calculation="c1").result["delivered"]

    @pytest.mark.parametrize(
        "result",
        [
            None,
            "",
            "[0.5]",
            "[" * 100_000,
            json.dumps([0.5] * 15 + [float("nan")]),
            json.dumps(TABLE | {"x": 1}),
            json.dumps(TABLE)[:-1] + ', "0110": 0.9}',
            '"a text"',
            5,
        ],
    )
    def test_what_a_program_leaves_is_not_trusted(self, result):
        game = Game(made_up(4))
        outcome = {"exit": 0, "limit": None, "stdout": "", "stderr": "", "truncated": [], "result": result}
        told = game.call("calculate_python", {"code": "1"}, outcome=outcome).result
        assert "no table" in told["result"] or "no variable result" in told["result"]
        assert game.refused("submit_diagnosis", calculation="c1") == "no_result"


class TestPrograms:
    @pytest.mark.parametrize("code", ["", "  \n", None, 1, ["print(1)"], "x" * 200_001])
    def test_what_is_no_program_costs_no_calculation(self, code):
        assert Game(made_up(4)).refused("calculate_python", code=code) == "bad_argument"

    def test_there_are_as_many_as_were_given(self):
        game = Game(made_up(4), calculations=2)
        for _ in range(2):
            outcome = {"exit": 1, "limit": "cpu", "stdout": "", "stderr": ""}
            assert game.call("calculate_python", {"code": "1"}, outcome=outcome).charges == {"calculations": 1}
        assert game.refused("calculate_python", code="1") == "overdraft"

    def test_one_that_could_not_be_run_is_free(self):
        game = Game(made_up(4), calculations=1)
        for _ in range(3):
            step = game.call("calculate_python", {"code": "1"}, outcome={"unavailable": "no sandbox here"})
            assert (step.refusal.code, step.charges) == ("unavailable", {})
        assert game.state.calculations_left == 1

    def test_a_program_is_given_what_was_bought_and_nothing_else(self):
        game = Game(made_up(4), budget=2)
        game.call("observe_many", masks=["0110"])
        request = game.call("calculate_python", code="print(1)").effect.request
        text = json.dumps(request)
        truth = game.instance.surface
        known = {"0000", "1111", "0110"}
        for mask in MASKS:
            assert (repr(truth[mask]) in text) is (mask in known)
        assert game.instance.name not in text


class TestReports:
    @pytest.mark.parametrize(
        "rules",
        [
            None,
            "x",
            {"option": "A"},
            [1],
            [{}],
            [{"option": "Z", "when": {}}],
            [{"option": "A", "when": {"A": 0}}],
            [{"option": "A", "when": {"B": 2}}],
            [{"option": "A", "when": {"B": True}}],
            [{"option": ["A"], "when": {}}],
            [{"option": "A", "when": [["B", 0]]}],
            [{"option": "A", "when": {}, "why": "x"}],
            [{"option": "A", "when": {}}] * 1001,
            "[" * 100_000,
        ],
        ids=range(14),
    )
    def test_what_is_no_report_is_refused_and_asked_for_again(self, rules):
        from effects_games import condition

        game = Game(condition("wine__d6"), view="full+rules")
        assert game.refused("report_rules", rules=rules) == "bad_argument"
        assert not game.state.reported


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(MASKS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
TABLES = st.dictionaries(st.sampled_from(MASKS), st.floats(0, 1) | ANYTHING, max_size=16) | st.just(TABLE)
ARGUMENTS = {
    "observe_many": st.fixed_dictionaries({"masks": st.lists(st.sampled_from(MASKS), max_size=6) | ANYTHING}),
    "current_evidence": st.just({}),
    "calculate_python": st.fixed_dictionaries({"code": st.just("print(1)") | ANYTHING}),
    "note": st.fixed_dictionaries({"text": ANYTHING}),
    "draft": st.fixed_dictionaries({"predictions": TABLES | TABLES.map(str)}),
    "submit_diagnosis": st.one_of(
        st.fixed_dictionaries({"predictions": TABLES, "check": st.booleans() | ANYTHING}),
        st.fixed_dictionaries({"estimator": st.sampled_from(["ridge_main", "gp"]) | ANYTHING}),
        st.fixed_dictionaries({"calculation": st.sampled_from(["c1", "c2"]) | ANYTHING}),
    ),
}
CALLS = st.one_of(
    *(st.tuples(st.just(tool), arguments) for tool, arguments in ARGUMENTS.items()),
    st.tuples(st.sampled_from([*ARGUMENTS, "report_rules", "", "score"]), ANYTHING),
)
OUTCOMES = st.sampled_from(
    [
        {"unavailable": "no"},
        {"exit": 0, "result": json.dumps(TABLE)},
        {"exit": 0, "result": "{}"},
        {"exit": None, "limit": "wall", "result": None},
    ]
)


class TestAnySequence:
    @given(calls=st.lists(st.tuples(CALLS, OUTCOMES), max_size=12), delivery=st.sampled_from(["published", "draft"]))
    @settings(max_examples=60)
    def test_keeps_the_invariants(self, calls, delivery):
        game = Game(made_up(4), budget=4, calculations=2, delivery=delivery)
        truth = game.instance.surface
        taken = {"credits": 0, "calculations": 0}
        for (tool, arguments), outcome in calls:
            closed, before = game.rules.closed(game.state), set(game.state.bought)
            step = game.call(tool, arguments, outcome=outcome)
            for name, units in step.charges.items():
                taken[name] += units
            # Charges are the distinct new masks, and nothing is measured without one.
            assert step.charges.get("credits", 0) == len(set(game.state.bought) - before)
            assert len(set(game.state.bought)) == len(game.state.bought) == taken["credits"] <= 4
            assert taken["calculations"] <= 2
            assert not {0, 15} & set(game.state.bought)
            if step.refusal is not None:
                assert not step.charges
                assert not step.events
            if closed:
                assert step.refusal is not None
                assert game.rules.closed(game.state)
            for entry in step.result.get("observations", ()):
                assert entry["utility"] == truth[entry["mask"]]
                assert int(entry["mask"], 2) in {0, 15, *game.state.bought}
            json.dumps([step.result, [event.facts for event in step.events]], allow_nan=False)
        # Folding the calls again comes to the same state and events.
        again = Game(made_up(4), budget=4, calculations=2, delivery=delivery)
        for ((tool, arguments), outcome), event in zip(calls, game.events, strict=True):
            again.call(tool, arguments, outcome=outcome)
            assert again.events[-1].result == event.result
        assert again.state == game.state
        score = game.score
        assert score.delivered is (game.state.delivered is not None or game.state.draft is not None)
        assert score.values["credits_used"] == taken["credits"]

    @given(call=st.builds(Call, tool=ANYTHING, arguments=ANYTHING))
    @settings(max_examples=40)
    def test_no_call_raises(self, call):
        game = Game(made_up(4))
        game.rules.apply(game.instance, game.state, call, 1.0)
