"""Whole runs: files, resumption after kill -9, any number of jobs, processes that die."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from plugin_files import COUNTING
from run_helpers import lowest, make_plan, mean, noise, shuffled, three_tasks
from slow_sample import slow_but

from whatworked.errors import InvalidOptionError, PluginError, RunError, UnknownNameError
from whatworked.plugins import load
from whatworked.runs import bench, catalog_tasks, named_methods, read_run
from whatworked.runs.benchmark import RecordProgress, execute, load_all, run_in_process
from whatworked.runs.dispatch import run_units
from whatworked.runs.folder import claim, claim_software, finish
from whatworked.runs.journal import JOURNAL, BenchJournal
from whatworked.workers.pool import DEFAULT_BACKEND, open_pool
from whatworked.workers.profile import pinned_profile

SOFTWARE = {"python": "3.11.0", "packages": {"numpy": "2.4.0"}}


def write_folder(folder, plan):
    """A finished run without worker processes."""
    claim(folder, plan)
    return finish(folder, plan, run_in_process(plan), SOFTWARE)


@pytest.fixture
def plugin_file(tmp_path):
    def write(at=-1.0, trap=""):
        path = tmp_path / "plugin.py"
        path.write_text(COUNTING.format(log=str(tmp_path / "log"), at=at, trap=trap))
        return path

    return write


def test_files_of_a_finished_run(tmp_path, tasks):
    plan = make_plan(tasks, [mean, noise], [lowest, shuffled], seeds=2)
    run = write_folder(tmp_path, plan)
    again = read_run(tmp_path)
    assert again.records == run.records
    assert again.costs == run.costs
    assert [(r.condition, r.method, r.budget, r.seed) for r in run.records] == list(plan.expected())
    lines = (tmp_path / "records.csv").read_text().splitlines()
    assert len(lines) == 1 + len(run.records)
    header, first = lines[0].split(","), lines[1].split(",")
    row = dict(zip(header, first, strict=False))
    assert (row["condition"], row["source"], row["family"], row["track"]) == ("one", "one", "left", "outside")
    assert (row["method"], row["estimator"], row["policy"], row["budget"], row["seed"]) == (
        "mean/lowest",
        "mean",
        "lowest",
        "0",
        "0",
    )
    assert float(row["effect_recovery"]) == run.records[0].grade.effect_recovery
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["software"] == SOFTWARE
    described = manifest["plan"]["estimators"]["noise"]
    assert described.pop("origin").startswith("python object sha256:")
    assert described == {"spec": None, "stochastic": True, "parameters": {}}
    assert {entry["table"] for entry in manifest["plan"]["conditions"]} == {task.digest for task in tasks}


def test_seconds_are_in_no_hashed_file(tmp_path, tasks):
    plan = make_plan(tasks[:1])
    write_folder(tmp_path / "a", plan)
    write_folder(tmp_path / "b", plan)
    for name in ("records.jsonl", "records.csv", "manifest.json", "plan.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
        assert b"seconds" not in (tmp_path / "a" / name).read_bytes()
    assert "policy_seconds,fit_seconds" in (tmp_path / "a" / "costs.csv").read_text()


@pytest.mark.parametrize("stochastic", slow_but(["noise", "forest"], quick={"noise"}))
def test_any_number_of_jobs_gives_the_same_bytes(tmp_path, plugin_file, tasks, stochastic):
    path = plugin_file()
    for jobs in (1, 2):
        bench(
            [f"{path}:mean", f"{path}:{stochastic}"],
            [f"{path}:lowest", "random"],
            (0, 3),
            tmp_path / str(jobs),
            tasks,
            2,
            jobs=jobs,
        )
    for name in ("records.jsonl", "records.csv", "manifest.json", "plan.json", "plugins.log"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
from run_helpers import three_tasks
from whatworked.runs import bench, dispatch
dispatch._WINDOW = 1  # finish a unit before masks are bought for the next
bench([{path!r} + ":mean"], [{path!r} + ":kills_parent"], (2,), {out!r}, three_tasks(), jobs=1)
"""


WAITING = """
import pathlib, time
def waits(masks, utilities, cube):
    while len(masks) == 5 and not pathlib.Path({seen!r}).exists():
        time.sleep(0.01)
    return cube[:, 0] * 0.5
"""


def test_records_of_an_unfinished_unit_are_counted(tmp_path, tasks):
    plugin, seen = tmp_path / "waits.py", tmp_path / "seen"
    plugin.write_text(WAITING.format(seen=str(seen)))
    plan = make_plan(tasks[:1], [f"{plugin}:waits"], [lowest], budgets=(0, 1, 2, 3, 4))
    told = []

    def under_way(records):
        told.append(records)
        if records == 3:
            seen.touch()  # the unit cannot finish before it is known how far it is

    with open_pool(DEFAULT_BACKEND, 1, pinned_profile(), 1) as pool:
        ((_, result),) = run_units(plan, plan.units(), pool, under_way)
    assert len(result.records) == 5
    assert told == sorted(told)
    assert set(told) <= set(range(6))
    assert 3 in told


def test_progress_never_goes_back():
    class Bar:
        shown = 0

        def update(self, n=1):
            assert n > 0
            self.shown += n

    bar, seen = Bar(), []
    shown = RecordProgress(bar)
    for told, finished in ((2, 0), (5, 0), (1, 0), (0, 4), (3, 0), (0, 6)):
        shown.finished(finished) if finished else shown.under_way(told)
        seen.append(bar.shown)
    assert seen == [2, 5, 5, 5, 7, 10]


def test_a_run_killed_with_kill_9_goes_on_where_it_stopped(tmp_path, plugin_file, root):
    tasks = three_tasks()
    trap = tmp_path / "trap"
    trap.touch()
    path = str(plugin_file(at=float(tasks[2].surface.utilities[0]), trap=str(trap)))
    out = tmp_path / "out"
    script = SCRIPT.format(tests=str(root / "tests"), path=path, out=str(out))
    killed = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)
    assert killed.returncode == -9
    assert not (out / "manifest.json").exists()
    with pytest.raises(InvalidOptionError, match="an unfinished run; repeat its bench command"):
        read_run(out)
    before = (tmp_path / "log").read_text().splitlines()
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    after = (tmp_path / "log").read_text().splitlines()[len(before) :]
    # Two units had finished and are not run again; the third is run from its beginning.
    assert len(before) == 5
    assert len(after) == 2
    assert not (out / JOURNAL).exists()
    whole = bench([path + ":mean"], [path + ":kills_parent"], (2,), tmp_path / "whole", tasks)
    assert (out / "records.jsonl").read_bytes() == (tmp_path / "whole" / "records.jsonl").read_bytes()
    assert len(whole.records) == 3


def test_a_torn_journal_loses_only_its_last_unit(tmp_path, tasks):
    plan = make_plan(tasks)
    results = run_in_process(plan)
    with BenchJournal(tmp_path, plan.digest) as journal:
        for unit, result in zip(plan.units(), results, strict=True):
            journal.append(unit, result)
    path = tmp_path / JOURNAL
    path.write_bytes(path.read_bytes()[:-5])
    with BenchJournal(tmp_path, plan.digest) as journal:
        finished = journal.finished()
        assert list(finished) == [unit.key for unit in plan.units()][:-1]
        journal.append(plan.units()[-1], results[-1])
        assert [result.records for result in journal.finished().values()] == [result.records for result in results]


def test_a_plugin_that_ends_its_process_is_missing_where_it_did(tmp_path, plugin_file, tasks):
    path = plugin_file(at=float(tasks[1].surface.utilities[0]))
    run = bench([f"{path}:Dies", f"{path}:mean"], [f"{path}:lowest"], (2,), tmp_path / "out", tasks, jobs=1)
    missing = {(r.condition, r.method): r.failure for r in run.records if r.predictions is None}
    assert list(missing) == [("two", "Dies/lowest")]
    assert "worker process died" in missing["two", "Dies/lowest"]
    assert run.manifest.missing == 1
    assert len(run.records) == 6


def test_a_finished_run_is_read_and_not_run_again(tmp_path, tasks):
    plan = make_plan(tasks)
    run = write_folder(tmp_path, plan)
    assert execute(plan, tmp_path).records == run.records


def test_another_run_in_the_folder_is_refused_and_the_difference_named(tmp_path, tasks):
    claim(tmp_path, make_plan(tasks))
    claim(tmp_path, make_plan(tasks))
    with pytest.raises(InvalidOptionError, match="with other policies, methods, budgets;"):
        claim(tmp_path, make_plan(tasks, policies=[shuffled], budgets=(1,)))
    with pytest.raises(InvalidOptionError, match="with other conditions;"):
        claim(tmp_path, make_plan(tasks[:2]))


def test_other_software_is_refused(tmp_path, tasks):
    claim_software(tmp_path, SOFTWARE)
    claim_software(tmp_path, dict(SOFTWARE))
    with pytest.raises(InvalidOptionError, match="begun with other software"):
        claim_software(tmp_path, SOFTWARE | {"python": "3.12.0"})


@pytest.mark.parametrize("name", ["plan.json", "software.json", "manifest.json"])
@pytest.mark.parametrize("content", ["\0", "[]"])
def test_a_damaged_file_of_a_run_is_named_and_fresh_replaces_the_run(tmp_path, tasks, name, content):
    how = {"budgets": 1, "out": tmp_path, "tasks": tasks[:1]}
    bench("mean", "design-main", **how)
    if name != "manifest.json":
        (tmp_path / "manifest.json").unlink()
    (tmp_path / name).write_text(content)
    with pytest.raises(RunError, match=rf"{name} is damaged: .* --fresh"):
        bench("mean", "design-main", **how)
    assert bench("mean", "design-main", **how, fresh=True).manifest.records == 1


def test_altered_records_and_other_schemas_are_refused(tmp_path, tasks):
    write_folder(tmp_path, make_plan(tasks))
    records = tmp_path / "records.jsonl"
    original = records.read_bytes()
    records.write_bytes(original.replace(b'"seed":0', b'"seed":1', 1))
    with pytest.raises(RunError, match="was altered since the run"):
        read_run(tmp_path)
    records.write_bytes(original)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"schema": 99}))
    with pytest.raises(RunError, match="schema 99"):
        read_run(tmp_path)


def test_no_run_in_the_folder(tmp_path):
    with pytest.raises(InvalidOptionError, match="holds no run"):
        read_run(tmp_path)


def test_broken_plugins_are_found_before_anything_runs(tmp_path, tasks):
    with pytest.raises(PluginError, match=r"Ridge\(wrong=1\)' cannot be built"):
        bench(["sklearn.linear_model:Ridge(wrong=1)"], [lowest], (2,), tmp_path / "out", tasks)
    assert not (tmp_path / "out").exists()


def test_a_plugin_edited_while_the_run_starts_is_named(tmp_path, tasks):
    path = tmp_path / "edited.py"
    path.write_text("import numpy as np\ndef mine(masks, utilities, cube):\n    return np.full(len(cube), 0.5)\n")
    plugin = load(f"{path}:mine", "estimator")
    path.write_text(path.read_text().replace("0.5", "0.25"))
    with pytest.raises(PluginError, match=r"^estimator '.*edited\.py:mine' changed while it was in use: .*is kept$"):
        bench(plugin, "design-main", 1, tmp_path / "out", tasks[:1])


def test_objects_that_cannot_travel_are_named(tmp_path, tasks):
    class Stuck:
        def __deepcopy__(self, memo):
            return self

        def __reduce__(self):
            raise TypeError("cannot pickle this lock")

        def fit(self, masks, utilities): ...

    with pytest.raises(PluginError, match=r"cannot be sent to a worker process: .*give plug-ins as texts"):
        bench([Stuck()], [lowest], (2,), tmp_path / "out", tasks)


def test_one_of_a_thing_will_do_where_several_may_be_given(tmp_path):
    from sklearn.ensemble import RandomForestRegressor

    assert [task.condition for task in catalog_tasks("wine")] == ["wine"]
    assert [task.condition for task in catalog_tasks(families="retrieval", tracks="paired")] == ["scifact__d6"]
    run = bench("mean", "design-main", 4, tmp_path / "run", catalog_tasks("wine")[0])
    assert [(one.condition, one.method, one.budget) for one in run.records] == [("wine", "mean/design-main", 4)]
    # A forest can be iterated over and is one plug-in all the same.
    things = [mean, RandomForestRegressor, RandomForestRegressor(n_estimators=2), load("mean", "estimator")]
    for thing in things:
        assert len(load_all(thing, "estimator")) == 1
    assert [plugin.label for plugin in load_all(iter(["gp", "mean"]), "estimator")] == ["gp", "mean"]
    assert [method.label for method in named_methods("GP-E")] == ["GP-E"]


def test_named_methods():
    methods = named_methods(["GP-E", "D1"])
    assert [(one.label, one.estimator.label, one.policy.label) for one in methods] == [
        ("GP-E", "gp", "gp-effect"),
        ("D1", "ridge-main", "design-main"),
    ]
    with pytest.raises(UnknownNameError, match="unknown method 'GP-X'"):
        named_methods(["GP-X"])


def test_a_named_method_and_its_parts_may_stand_together(tasks):
    from whatworked.runs import Plan, crossed

    parts = crossed(load_all(["gp"], "estimator"), load_all(["gp-effect"], "policy"))
    plan = Plan(tuple(tasks), (*parts, *named_methods(["GP-E"])), (2,))
    made = [record for result in run_in_process(plan) for record in result.records]
    by_method = {m: [r.predictions for r in made if r.method == m] for m in ("gp/gp-effect", "GP-E")}
    assert by_method["gp/gp-effect"] == by_method["GP-E"]
    assert len(made) == 6
