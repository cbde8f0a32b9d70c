"""Packing a run, grading it again, refusing what does not match; rerunning; the leaderboard."""

from __future__ import annotations

import copy
import gzip
import json

import numpy as np
import pytest
from click.testing import CliRunner

from whatworked.canonical import canonical_json, sha256
from whatworked.cli.submit import leaderboard, submit, verify_run
from whatworked.errors import InvalidOptionError, PluginError, RunError
from whatworked.grading import grade
from whatworked.plugins import load
from whatworked.runs import Plan, catalog_tasks, crossed
from whatworked.runs.benchmark import run_in_process
from whatworked.runs.folder import claim, finish
from whatworked.runs.leaderboard import entries_of
from whatworked.runs.rerun import plan_of, plugin_files, rerun
from whatworked.runs.submission import claims_of, pack, unpack
from whatworked.runs.verification import expected_count, expected_keys, verified

CONDITIONS = ["wine", "wine__d6"]


def finished(folder, tasks=None, estimators=("ridge-main", "class-gp"), policies=("design-main", "random"), **how):
    plan = Plan(
        tuple(tasks or catalog_tasks(CONDITIONS, rules=True)),
        crossed([load(one, "estimator") for one in estimators], [load(one, "policy") for one in policies]),
        **{"budgets": (0, 3), "seeds": 2, **how},
    )
    claim(folder, plan)
    return finish(folder, plan, run_in_process(plan), {"python": "3"})


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return finished(tmp_path_factory.mktemp("submission"))


@pytest.fixture(scope="module")
def content(run):
    """The content of a sound submission, to be altered."""
    return json.loads(gzip.decompress(pack(run, "ours", "nothing tuned")))


def sealed(content):
    """Bytes of a submission with a digest that fits: what a careful forger would send."""
    content = {key: value for key, value in content.items() if key != "digest"}
    return gzip.compress(canonical_json(content | {"digest": sha256(canonical_json(content))}))


def altered(content, change):
    new = copy.deepcopy(content)
    change(new)
    return sealed(new)


def record(content, condition="wine__d6", method="ridge-main/design-main", budget=3, seed=0):
    """One packed record: condition, method, budget, seed, purchases, aliases, predictions, failure, claims."""
    return next(one for one in content["records"] if one[:4] == [condition, method, budget, seed])


def refusal(content, change):
    with pytest.raises(RunError) as caught:
        verified(unpack(altered(content, change), "file"))
    return str(caught.value)


def test_a_run_survives_the_way_through_a_file(run):
    data = pack(run, "ours", "nothing tuned")
    assert data == pack(run, "ours", "nothing tuned")
    submission = unpack(data, "file")
    assert (submission.name, submission.note) == ("ours", "nothing tuned")
    again = verified(submission)
    for mine, theirs in zip(run.records, again.records, strict=True):
        assert mine.predictions == theirs.predictions
        assert mine.purchases == theirs.purchases
        assert mine.aliases == theirs.aliases
        assert mine.grade == theirs.grade
    assert any(one.aliases for one in again.records)


def test_a_run_is_not_packed_with_a_note_that_could_pass_for_output(run):
    with pytest.raises(InvalidOptionError, match=r"the note of the run is 'a.*b'; give a text in one line, or none"):
        pack(run, "ours", "a\x1b[1mb")


@pytest.mark.parametrize("name", ["", " ", "two\nlines"])
def test_a_run_is_not_packed_without_a_name(run, name):
    with pytest.raises(InvalidOptionError, match=r"the name of the run is .*; give a text in one line"):
        pack(run, name)


def test_expected_keys_are_counted_without_listing_them(run):
    assert expected_count(run.description) == len(list(expected_keys(run.description))) == len(run.records)


def test_expected_keys_are_those_of_the_plan(run):
    assert list(expected_keys(run.description)) == [(r.condition, r.method, r.budget, r.seed) for r in run.records]


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

    assert "random: seeds change it, and the file says otherwise" in refusal(content, change)


def test_seeds_cannot_be_claimed_of_what_they_do_not_change(content):
    text = refusal(content, lambda new: new["plan"]["estimators"]["class-gp"].update(stochastic=True))
    assert "class-gp: seeds do not change it, and the file says otherwise" in text


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


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is not a packed run"),
        (b"not gzip", "is not a packed run"),
        (gzip.compress(b"{", mtime=0), "is not a packed run"),
        (gzip.compress(b"[]", mtime=0), "is not a packed run of schema"),
        (gzip.compress(b'{"kind":"whatworked run","schema":99}', mtime=0), "is not a packed run of schema"),
        (gzip.compress(b'{"kind":"whatworked run","schema":1,"x":NaN}', mtime=0), "NaN, which is no number"),
        (gzip.compress(b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", mtime=0), "it is nested too deeply"),
        (gzip.compress(b'{"kind":"whatworked run","schema":1,"x":1e400}', mtime=0), "is not a packed run: "),
        (gzip.compress(b'{"kind":"whatworked run","schema":1,"x":"\\ud800"}', mtime=0), "is not a packed run: "),
        (gzip.compress(b"[]", mtime=0)[:10] + b"\xff" * 20, "is not a packed run: "),
        (gzip.compress(b'{"kind":"whatworked run","schema":1,"digest":"0"}', mtime=0), "damaged or was altered"),
    ],
)
def test_files_of_another_kind_are_refused(data, words):
    with pytest.raises(RunError, match=words):
        unpack(data, "file")


def test_damage_is_told_from_claims(run):
    data = bytearray(pack(run, "ours"))
    text = gzip.decompress(bytes(data)).replace(b'"seed', b'"sead', 1)
    with pytest.raises(RunError, match="damaged or was altered"):
        unpack(gzip.compress(text), "file")
    with pytest.raises(RunError, match="is not a packed run"):
        unpack(bytes(data[:-20]), "file")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda new: new.pop("plan"), "not a whole packed run"),
        (lambda new: new["plan"].pop("rules"), "missing required field `rules`"),
        (lambda new: new["plan"]["conditions"][0].update(dimensions=99), "<= 20"),
        (lambda new: new["plan"].update(seeds=10**9), "<= 10000"),
        (lambda new: new["plan"]["policies"].clear(), "does not describe design-main, random"),
        (lambda new: new["records"][0].__setitem__(6, ["a"]), "not a whole packed run"),
        (lambda new: new["records"].__setitem__(0, [1, 2]), "not a whole packed run"),
        (lambda new: new.update(name=5), "`name` is 5; it must be a text in one line"),
        (lambda new: new.update(name=" "), "`name` is ' '; it must be a text in one line"),
        (lambda new: new.update(name="a\nb"), "`name` is 'a.*nb'; it must be a text in one line"),
        (lambda new: new.update(note=["tuned"]), r"`note` is \['tuned'\]; it must be a text in one line"),
        (lambda new: new.update(note="tuned\n9 records graded again"), "it must be a text in one line, which may be"),
        (lambda new: new["plan"]["methods"][0].update(method="a\x1b[2Jb"), "a name is a text in one line"),
        (lambda new: new.pop("note"), "`note` is missing"),
        (lambda new: new.update(software="3"), "`software` is '3'; it must be an object"),
        (lambda new: new.update(records={}), "`records` is {}; it must be a list"),
        (lambda new: new.update(off_leaderboard="wine"), "`off_leaderboard` is 'wine'; it must be a list"),
        (lambda new: new["plan"]["conditions"].append(new["plan"]["conditions"][0]), "condition wine more than once"),
        (lambda new: new["plan"]["methods"].append(new["plan"]["methods"][0]), "method ridge-main/.* more than once"),
        (lambda new: new["plan"].update(budgets=[3, 3]), "budget 3 more than once"),
        (lambda new: new["plan"].update(conditions=[], methods=[]), "plan has no condition; its plan has no method"),
    ],
)
def test_malformed_content_is_refused_in_one_line(content, change, words):
    with pytest.raises(RunError, match=words):
        unpack(altered(content, change), "file")


def test_all_that_is_wrong_with_the_form_is_told_at_once(content):
    def change(new):
        new.update(name=5, note=[], software="x")
        new["plan"]["methods"].append(new["plan"]["methods"][0])
        for one in new["records"][:7]:
            one[0] = 1

    with pytest.raises(RunError) as caught:
        unpack(altered(content, change), "file")
    text = str(caught.value)
    for words in ("`name` is 5", "`note` is []", "`software` is 'x'", "more than once", "record 5: ", "and 2 more rec"):
        assert words in text
    assert "record 6: " not in text
    assert len(text.splitlines()) == 11


def test_problems_of_tables_plan_and_records_are_told_at_once(content):
    def change(new):
        new["plan"]["conditions"][0]["table"] = "0" * 64
        new["records"].append(new["records"][0])
        record(new)[7] = "estimator: ValueError"

    text = refusal(content, change)
    assert "is refused for 3 reasons" in text
    assert "wine: its table is" in text
    assert "record given 2 times" in text
    assert "on wine__d6, budget 3, seed 0: it is called a failure and holds predictions" in text


def test_a_run_without_records_is_refused(content):
    text = refusal(content, lambda new: new.update(records=[], plan=new["plan"] | {"budgets": [100]}))
    assert "its plan calls for no record" in text


def test_a_file_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr("whatworked.runs.submission.LARGEST", 1000)
    with pytest.raises(RunError, match="unpacks to more than"):
        unpack(gzip.compress(b" " * 2000), "file")


def test_a_missing_delivery_stays_missing(tmp_path):
    def broken(masks, utilities, cube):
        raise RuntimeError("no")

    run = finished(tmp_path, catalog_tasks(["wine"]), [broken], ["design-main"])
    again = verified(unpack(pack(run, "broken"), "file"))
    assert again.manifest["missing"] == 2
    assert {one.failure for one in again.records} == {"estimator: RuntimeError: no"}


def test_running_again_tells_identical_rounded_and_different(run, tmp_path, content):
    def change(new):
        one, two = record(new, "wine"), record(new, "wine", "class-gp/design-main")
        one[6][5] = float(np.nextafter(one[6][5], 1)) if 5 not in one[4] else one[6][5]
        hidden = next(r for r in range(1, 15) if r not in two[4] and r not in two[5])
        two[6][hidden] = min(1.0, two[6][hidden] + 1e-7)

    new = copy.deepcopy(content)
    change(new)
    two = record(new, "wine", "class-gp/design-main")
    (task,) = catalog_tasks(["wine"], rules=True)
    for one in (record(new, "wine"), two):
        one[8] = list(claims_of(grade(task.surface, one[6], [0, 15, *one[4]]).to_dict()))
    found = rerun(verified(unpack(sealed(new), "file")), tmp_path / "again")
    # The run was made in this process and is made again in pinned workers, so last digits may differ.
    assert sum(map(len, found.values())) == 24
    assert len(found["equal up to rounding"]) >= 1
    assert found["different"] == ["class-gp/design-main on wine, budget 3, seed 0"]


def test_what_is_said_of_seeds_must_be_so_when_it_runs_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "seeded.py").write_text(
        "import numpy as np\n"
        "def noisy(masks, utilities, cube, random_state=0):\n"
        "    return np.random.default_rng(random_state).random(len(cube))\n"
    )
    chance = finished(tmp_path / "run", catalog_tasks(["wine"]), ["./seeded.py:noisy"], ["design-main"])
    assert {one.seed for one in chance.records} == {0, 1}

    def change(new):
        new["plan"]["estimators"]["noisy"]["stochastic"] = False
        new["records"] = [one for one in new["records"] if one[3] == 0]

    # Nothing in the file itself speaks against it, and what is in another file is not loaded to grade it.
    run = verified(unpack(altered(json.loads(gzip.decompress(pack(chance, "ours"))), change), "file"))
    with pytest.raises(RunError, match="stated wrongly of noisy whether seeds change it"):
        rerun(run, tmp_path / "again")


def test_a_plan_for_more_records_than_memory_holds_is_refused(content):
    def change(new):
        names = [f"m{number}" for number in range(300)]
        new["plan"]["methods"] = [{"method": name, "estimator": "ridge-main", "policy": "random"} for name in names]
        new["plan"] |= {"seeds": 10_000, "budgets": list(range(15))}

    assert f"its plan calls for {300 * 10_000 * (15 + 15)} records; it has {len(content['records'])}" in refusal(
        content, change
    )


def test_python_objects_cannot_be_run_again(tmp_path):
    def mean(masks, utilities, cube):
        return np.full(len(cube), 0.5)

    run = finished(tmp_path, catalog_tasks(["wine"]), [mean], ["design-main"])
    with pytest.raises(RunError, match="mean cannot be run again"):
        plan_of(run.description)


def test_entries_are_for_whole_tracks_and_budgets_that_leave_something(run, tmp_path):
    assert entries_of(run, "digest") == []
    whole = finished(tmp_path, catalog_tasks(tracks=["paired"]), ["mean"], ["design-main"], budgets=(8, 62))
    (entry,) = entries_of(whole, "digest")
    assert (entry.track, entry.budget, entry.method, entry.sources, entry.rules) == (
        "paired",
        8,
        "mean/design-main",
        6,
        False,
    )
    assert entry.low <= entry.recovery <= entry.high


def test_the_commands(tmp_path):
    finished(tmp_path / "run", catalog_tasks(tracks=["paired"]), ["mean", "ridge-main"], ["design-main"], budgets=(8,))
    out = tmp_path / "results" / "both.json.gz"
    packed = CliRunner().invoke(
        submit, [str(tmp_path / "run"), "--name", "both", "--note", "as they come", "--out", str(out)]
    )
    assert packed.exit_code == 0, packed.output
    assert "12 records, all graded again" in packed.output

    shown = CliRunner().invoke(verify_run, [str(out)])
    assert shown.exit_code == 0
    assert "note: as they come" in shown.output
    content = json.loads(CliRunner().invoke(verify_run, [str(out), "--json"]).output)
    assert (content["records"], content["missing"], content["rerun"]) == (12, 0, None)

    board = CliRunner().invoke(leaderboard, ["--results", str(out.parent), "--update"])
    assert board.exit_code == 0, board.output
    *table, written = board.output.splitlines()
    assert written == f"{out.parent / 'leaderboard.json'} written: 2 entries"
    lines = [line.split() for line in table[1:]]
    assert [line[3] for line in lines] == ["ridge-main/design-main", "mean/design-main"]
    assert float(lines[0][4]) >= float(lines[1][4])
    stored = json.loads((out.parent / "leaderboard.json").read_text())["entries"]
    assert [one["method"] for one in stored] == ["ridge-main/design-main", "mean/design-main"]
    none = CliRunner().invoke(leaderboard, ["--results", str(out.parent), "--track", "four"])
    assert none.output == "no results\n"
    unknown = CliRunner().invoke(leaderboard, ["--results", str(out.parent), "--budget", "9"])
    assert str(unknown.exception) == "unknown budget '9' (1 exist: 8)"
    assert isinstance(CliRunner().invoke(leaderboard, ["--update"]).exception, InvalidOptionError)

    (out.parent / "again.json.gz").write_bytes(out.read_bytes())
    assert "several runs called both" in str(CliRunner().invoke(leaderboard, ["--results", str(out.parent)]).exception)


def test_a_refused_file_is_an_error_of_the_command(tmp_path, content):
    path = tmp_path / "file.json.gz"
    path.write_bytes(altered(content, lambda new: new["records"].pop()))
    result = CliRunner().invoke(verify_run, [str(path)])
    assert isinstance(result.exception, RunError)


def test_a_plugin_file_must_travel_along(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    text = "import numpy as np\ndef half(masks, utilities, cube):\n    return np.full(len(cube), 0.5)\n"
    (tmp_path / "here" / "mine.py").write_text(text)
    finished(tmp_path / "run", catalog_tasks(["wine"]), ["./mine.py:half"], ["design-main"])
    packed = CliRunner().invoke(
        submit, [str(tmp_path / "run"), "--name", "half", "--out", str(tmp_path / "half.json.gz")]
    )
    assert packed.exit_code == 0, packed.output
    assert "./mine.py (SHA-256 " in packed.output
    monkeypatch.chdir(tmp_path)
    away = CliRunner().invoke(verify_run, ["half.json.gz", "--rerun", "--jobs", "1"])
    assert "half was run from the file ./mine.py with SHA-256" in str(away.exception)
    (tmp_path / "mine.py").write_text(text + "# edited\n")
    other = CliRunner().invoke(verify_run, ["half.json.gz", "--rerun", "--jobs", "1"])
    assert "is another file" in str(other.exception)


def test_files_beside_a_plugin_must_travel_along_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (
        "import numpy as np, helper_of_travel\ndef half(masks, utilities, cube):\n    return np.full(len(cube), 0.5)\n"
    )
    (tmp_path / "travel.py").write_text(text)
    (tmp_path / "helper_of_travel.py").write_text("")
    run = finished(tmp_path / "run", catalog_tasks(["wine"]), ["./travel.py:half"], ["design-main"])
    assert list(plugin_files(run.description)) == ["./travel.py", "./helper_of_travel.py"]
    assert plan_of(run.description).digest == run.manifest["plan_digest"]
    before = copy.deepcopy(run.description)
    facts = before["estimators"]["half"]
    facts["origin"] = facts["origin"].partition(",")[0]
    assert plan_of(before).estimators[0].label == "half"
    (tmp_path / "helper_of_travel.py").write_text("x = 1\n")
    assert plan_of(before).estimators[0].label == "half"
    with pytest.raises(PluginError, match=r"another file: half was run from .*, and helper_of_travel\.py beside it"):
        plan_of(run.description)
