"""What verification refuses in a packed run that is well formed."""

from __future__ import annotations

import pytest
from packed_runs import altered, finished, record, refusal

from whatworked.leaderboard import pack, unpack, verified
from whatworked.runs import catalog_tasks


def test_expected_keys_are_counted_without_listing_them(run):
    assert run.description.key_count() == len(list(run.description.keys())) == len(run.records)


def test_expected_keys_are_those_of_the_plan(run):
    assert list(run.description.keys()) == [(r.condition, r.method, r.budget, r.seed) for r in run.records]


def test_altered_predictions_are_refused(content):
    def change(new):
        packed = record(new)
        hidden = next(rank for rank in range(1, 63) if rank not in packed[4])
        packed[6][hidden] = 0.5 * packed[6][hidden]

    text = refusal(content, change)
    assert "ridge-main/design-main on wine__d6, budget 3, seed 0: it claims effect_mae 0." in text


def test_better_claims_are_refused(content):
    assert "claims effect_recovery 0.99;" in refusal(content, lambda new: record(new)[8].__setitem__(0, 0.99))
    assert "claims strict True" in refusal(content, lambda new: record(new)[8].__setitem__(3, True))


def test_purchases_beyond_the_budget_are_refused(content):
    text = refusal(content, lambda new: record(new)[4].append(next(r for r in range(1, 63) if r not in record(new)[4])))
    assert "4 masks were bought with 3 credits" in text
    assert "2 masks were bought with 0 credits" in refusal(content, lambda new: record(new, budget=0)[4].extend([1, 2]))


@pytest.mark.parametrize(
    ("purchases", "words"),
    [
        ([5, 5, 6], "a mask was bought twice"),
        ([0, 5, 6], "an anchor was bought"),
        ([63], "an anchor was bought"),
        ([64], "are not masks of 6 options"),
        ([-1], "are not masks of 6 options"),
    ],
)
def test_impossible_purchases_are_refused(content, purchases, words):
    assert words in refusal(content, lambda new: record(new).__setitem__(4, purchases))


def test_other_purchases_than_those_measured_are_refused(content):
    def change(new):
        packed = record(new)
        packed[4] = [rank for rank in range(1, 63) if rank not in packed[4]][:3]

    assert "measured cells do not hold the measured values" in refusal(content, change)


def test_invented_aliases_are_refused(content):
    free = lambda new: next(r for r in range(1, 63) if r not in record(new)[4])  # noqa: E731
    assert "aliases of no measured class" in refusal(content, lambda new: record(new)[5].append(free(new)))


def test_aliases_with_other_values_are_refused(content):
    def change(new):
        packed = record(new, method="class-gp/design-main")
        packed[6][packed[5][0]] *= 0.5

    assert "does not hold the measured value of its class" in refusal(content, change)


def test_aliases_without_rules_are_refused(content):
    assert "aliases are given in a run without rules" in refusal(content, lambda new: new["plan"].update(rules=False))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([0.5] * 63, "not 64 numbers from 0 to 1"),
        ([0.5] * 63 + [1.5], "not 64 numbers from 0 to 1"),
        ([0.5] * 63 + [-0.1], "not 64 numbers from 0 to 1"),
        (None, "no cause is given"),
    ],
)
def test_broken_predictions_are_refused(content, value, words):
    assert words in refusal(content, lambda new: record(new).__setitem__(6, value))


def test_other_reference_tables_are_refused(content):
    def change(new):
        new["plan"]["conditions"][0]["table"] = "0" * 64

    text = refusal(content, change)
    assert f"wine: its table is '{'0' * 64}' in the file and '" in text
    assert "unknown condition 'wien'" in refusal(
        content, lambda new: new["plan"]["conditions"][0].update(condition="wien")
    )
    assert "its track is 'added' in the file" in refusal(
        content, lambda new: new["plan"]["conditions"][0].update(track="added")
    )


def test_seeds_cannot_be_left_out_of_chance(content):
    def change(new):
        new["plan"]["policies"]["random"]["stochastic"] = False
        new["records"] = [one for one in new["records"] if not (one[1].endswith("/random") and one[3])]

    assert "random: seeds change it, but the file says otherwise" in refusal(content, change)


def test_seeds_cannot_be_claimed_of_what_they_do_not_change(content):
    text = refusal(content, lambda new: new["plan"]["estimators"]["class-gp"].update(stochastic=True))
    assert "class-gp: seeds do not change it, but the file says otherwise" in text


def test_the_text_of_a_plugin_is_checked_and_no_other_code_is_loaded(content):
    text = refusal(content, lambda new: new["plan"]["policies"]["random"].update(spec="random(x=1"))
    assert "random: " in text
    # A module that does not exist is none of the checks' business: the predictions are graded whoever made them.
    submission = unpack(altered(content, lambda n: n["plan"]["policies"]["random"].update(spec="not_there:X")), "file")
    assert verified(submission).records


def test_missing_doubled_and_foreign_records_are_refused(content):
    assert "missing record: ridge-main/design-main on wine, budget 0, seed 0" in refusal(
        content, lambda new: new["records"].pop(0)
    )
    assert "record given 2 times" in refusal(content, lambda new: new["records"].append(new["records"][0]))
    foreign = refusal(content, lambda new: new["records"][0].__setitem__(3, 7))
    assert "record that the plan does not call for: ridge-main/design-main on wine, budget 0, seed 7" in foreign
    assert "missing record" in foreign


def test_dropping_the_worst_seed_is_refused(content):
    def change(new):
        new["records"] = [one for one in new["records"] if not (one[1].endswith("/random") and one[3] == 1)]

    assert "is refused for 8 reasons" in refusal(content, change)


def test_many_problems_are_counted_and_the_first_spelled_out(content):
    text = refusal(content, lambda new: new.update(records=[]))
    assert "and 12 more" in text


def test_problems_of_tables_plan_and_records_are_told_at_once(content):
    def change(new):
        new["plan"]["conditions"][0]["table"] = "0" * 64
        new["records"].append(new["records"][0])
        record(new)[7] = "estimator: ValueError"

    text = refusal(content, change)
    assert "is refused for 3 reasons" in text
    assert "wine: its table is" in text
    assert "record given 2 times" in text
    assert "on wine__d6, budget 3, seed 0: it states a failure, but holds predictions" in text


def test_a_run_without_records_is_refused(content):
    text = refusal(content, lambda new: new.update(records=[], plan=new["plan"] | {"budgets": [100]}))
    assert "its plan calls for no record" in text


def test_a_missing_delivery_stays_missing(tmp_path):
    def broken(masks, utilities, cube):
        raise RuntimeError("no")

    run = finished(tmp_path, catalog_tasks(["wine"]), [broken], ["design-main"])
    again = verified(unpack(pack(run, "broken"), "file"))
    assert again.manifest.missing == 2
    assert {one.failure for one in again.records} == {"estimator: RuntimeError: no"}


def test_a_plan_for_more_records_than_memory_holds_is_refused(content):
    def change(new):
        names = [f"m{number}" for number in range(300)]
        new["plan"]["methods"] = [{"method": name, "estimator": "ridge-main", "policy": "random"} for name in names]
        new["plan"] |= {"seeds": 10_000, "budgets": list(range(15))}

    assert f"its plan calls for {300 * 10_000 * (15 + 15)} records; it has {len(content['records'])}" in refusal(
        content, change
    )


def test_a_python_object_is_named_as_what_cannot_be_verified(content, tmp_path):
    from command_line import run_here

    from whatworked.errors import RunError
    from whatworked.leaderboard import board_of, unpack, verified
    from whatworked.leaderboard.verification import unverifiable

    assert unverifiable(unpack(altered(content, lambda new: None), "file").plan) == []

    def forged(new):
        new["plan"]["policies"]["random"] |= {"spec": None, "origin": "python object", "stochastic": False}
        new["records"] = [packed for packed in new["records"] if not (packed[1].endswith("/random") and packed[3])]

    data = altered(content, forged)
    run = verified(unpack(data, "file"))
    told = (
        "policy random was given as a Python object: whether it made the predictions, and whether seeds change it, "
        "cannot be checked"
    )
    assert unverifiable(run.description) == [told]
    (tmp_path / "run.json.gz").write_bytes(data)
    shown = " ".join(run_here("verify-run", str(tmp_path / "run.json.gz")).stdout.split())
    assert f"Not verified, and not for the leaderboard: {told}" in shown
    with pytest.raises(RunError, match="cannot stand on the leaderboard: policy random was given as a Python object"):
        board_of(tmp_path)
