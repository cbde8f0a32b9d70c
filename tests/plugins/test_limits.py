"""Time limits: what hangs is ended, counted and named, whichever way it has to be ended."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import random
import signal
import sys
import threading
import time
import warnings
from io import FileIO

import msgspec
import pytest
from plugin_files import HANGING
from run_helpers import lowest, make_plan, mean, synthetic_task
from slow_sample import slow_but

from whatworked.errors import InvalidOptionError
from whatworked.leaderboard.rerunning import plan_of
from whatworked.plugins import load
from whatworked.plugins.limits import LONGEST, TimeLimitError, Watch, opened, overrun
from whatworked.plugins.process_state import noticing, preserved
from whatworked.runs import bench
from whatworked.runs.benchmark import run_in_process
from whatworked.runs.folder import claim

REASON = "TimeLimitError: not done within the time limit of 1 s"


def spin(*_):
    while True:
        pass


@pytest.fixture
def calm():
    """After the test no timer runs and no handler is left."""
    yield
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, None)


def catching(kind):
    """Hang again after each exception of a kind."""
    while True:
        with contextlib.suppress(kind):
            spin()


def late():
    """Answer, but not before the time is up."""
    with contextlib.suppress(BaseException):
        spin()


class Closing:
    """Hangs when it is thrown away, where no exception gets out."""

    closed = 0

    def __del__(self):
        Closing.closed += 1
        spin()


def closing():
    """Hang once where the exception gets lost, then again."""
    Closing()
    assert Closing.closed
    spin()


@pytest.mark.usefixtures("calm")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "work",
    [spin, functools.partial(catching, Exception), late, closing],
    ids=["spins", "catches", "is late", "loses it"],
)
def test_a_step_that_hangs_is_interrupted(work):
    with pytest.raises(TimeLimitError, match=r"not done within the time limit of 0\.1 s"), Watch(0.1).step("one"):
        work()


@pytest.mark.usefixtures("calm")
def test_what_is_done_in_time_is_left_alone():
    with Watch(60.0).step("one"):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 1
    with Watch().step("two"):
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_another_timer_goes_on():
    def theirs(*_):
        pytest.fail("it is not due")

    before = signal.signal(signal.SIGALRM, theirs)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1000.0)
        with Watch(9000.0).step("one"):
            assert signal.getitimer(signal.ITIMER_REAL)[0] > 1000.0
            time.sleep(0.2)
        assert 0.0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 999.9
        assert signal.getsignal(signal.SIGALRM) is theirs
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_other_threads_are_limited_too():
    raised = []

    def work(seconds):
        try:
            with Watch(0.05).step("one"):
                time.sleep(seconds)
        except TimeLimitError as error:
            raised.append(str(error))

    for seconds in (0.2, 0.0):
        thread = threading.Thread(target=work, args=(seconds,))
        thread.start()
        thread.join()
    assert raised == ["not done within the time limit of 0.05 s"]


def test_steps_that_were_ended_or_have_no_time_left_fail_at_once(tmp_path):
    with FileIO(tmp_path / "note", "a") as note:
        watch = Watch(60.0, note, frozenset({'["policy", 8, 2]'}))
        for budget in (62, 8):
            with watch.step("policy", budget, 1):
                assert (tmp_path / "note").read_text() == f'["policy", {budget}, 1]\n'
        for names, spent in ((("policy", 8, 2), 0.0), (("policy", 8, 3), 60.0)):
            with pytest.raises(TimeLimitError), watch.step(*names, spent=spent):
                pytest.fail("it ran")


def test_a_note_is_of_an_overrun_only_if_the_process_was_ended(tmp_path):
    note = tmp_path / "note"
    assert overrun(note) is None
    note.write_text("step\n")
    assert overrun(note) is None
    note.write_text("step\nTimeout (0:00:01)!\nThread\n")
    assert overrun(note) == ("step", "Timeout (0:00:01)!\nThread\n")
    assert not note.exists()


def test_a_note_that_cannot_be_written_leaves_the_soft_way(tmp_path):
    assert opened(tmp_path / "none" / "note") is None
    (tmp_path / "note").touch()
    with (
        FileIO(tmp_path / "note", "r") as note,
        pytest.raises(TimeLimitError, match=r"0\.05 s"),
        Watch(0.05, note).step("one"),
    ):
        spin()


TASK = synthetic_task("one", 3, 1, "left")


def limited(estimators, policies, budgets=(1, 2, 4), limit=1.0):
    return dataclasses.replace(make_plan([TASK], estimators, policies, budgets), time_limit=limit)


def failures(results):
    records = [record for result in results for record in result.records]
    return {(record.method, record.budget): record.failure for record in records}


def test_a_fit_that_hangs_is_a_missing_delivery_and_others_are_not_touched():
    class HangsAtFour:
        def fit(self, masks, utilities):
            warnings.warn("soon", stacklevel=1)
            if len(masks) == 4:
                spin()
            return self

        def predict(self, masks):
            return masks[:, 0] * 0.5

    results = run_in_process(limited([HangsAtFour, mean], [lowest]))
    expected = dict.fromkeys(failures(results)) | {("HangsAtFour/lowest", 2): f"estimator: {REASON}"}
    assert failures(results) == expected
    (missing,) = [record for result in results for record in result.records if record.predictions is None]
    assert (missing.grade.effect_recovery, missing.grade.strict, missing.grade.exact) == (0.0, False, False)
    (log,) = [result.log for result in results]
    assert log == (
        f"HangsAtFour/lowest on one budget 2 seed 0: estimator: {REASON}\n",
        "HangsAtFour: UserWarning × 2",
    )


def test_a_policy_that_hangs_delivers_what_it_bought_before():
    def stops(state, n):
        if len(state.masks) == 5:
            spin()
        return lowest(state, n)

    found = failures(run_in_process(limited([mean], [stops])))
    assert found == {("mean/stops", 1): None, ("mean/stops", 2): None, ("mean/stops", 4): f"policy: {REASON}"}


def test_the_limit_is_for_all_asks_of_a_record_together():
    def slow(state, n):
        time.sleep(0.4)
        return lowest(state, n)

    found = failures(run_in_process(limited([mean], [slow], budgets=(1, 6))))
    assert found == {("mean/slow", 1): None, ("mean/slow", 6): f"policy: {REASON}"}


def test_a_policy_that_hangs_while_it_is_built():
    plan = limited([mean], [lowest])

    def build():
        spin()

    policy = load(build, "policy")
    methods = tuple(dataclasses.replace(method, policy=policy) for method in plan.methods)
    found = failures(run_in_process(dataclasses.replace(plan, methods=methods)))
    assert set(found.values()) == {f"policy: {REASON}"}


TASKS = (TASK, synthetic_task("two", 3, 2, "right"))
FILES = ("records.jsonl", "records.csv", "manifest.json", "plan.json", "plugins.log", "surfaces.json")


@pytest.fixture
def hanging(tmp_path):
    """Texts of plug-ins of the file of hanging ones, which hang on the second condition."""
    path, at = tmp_path / "hanging.py", float(TASKS[1].surface.utilities[0])
    path.write_text(HANGING)
    return lambda name, how=None: f"{path}:{name}" + ("" if how is None else f"(how={how!r}, at={at!r})")


# The ways that only end with the process are tried every day beside a plug-in that dies, below.
@pytest.mark.parametrize("how", slow_but(["spin", "swallow", "in_c"], quick={"spin"}))
def test_whatever_way_a_plugin_hangs_the_same_deliveries_are_missing(tmp_path, hanging, how):
    estimators = [f"e={hanging('Hangs', how)}", hanging("mean")]
    policies = [f"p={hanging('HangingPolicy', how)}", hanging("lowest")]
    for jobs in (1, 2):
        run = bench(estimators, policies, (1, 2, 4), tmp_path / str(jobs), TASKS, jobs=jobs, time_limit=1)
        missing = {(r.condition, r.method, r.budget): r.failure for r in run.records if r.predictions is None}
        assert missing == {
            ("two", "e/lowest", 2): f"estimator: {REASON}",
            ("two", "e/p", 2): f"estimator: {REASON}",
            ("two", "e/p", 4): f"policy: {REASON}",
            ("two", "mean/p", 4): f"policy: {REASON}",
        }
        bought = {(r.method, r.budget): len(r.purchases) for r in run.records if r.condition == "two"}
        assert {method: bought[method, 4] for method in ("e/lowest", "e/p", "mean/p")} == {
            "e/lowest": 4,
            "e/p": 2,
            "mean/p": 2,
        }
        assert run.manifest.missing == 4
        assert run.manifest.plan.time_limit == 1.0
        assert len(run.records) == 2 * 4 * 3
    for name in FILES:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_a_plugin_that_dies_beside_one_that_hangs(tmp_path, hanging):
    path = tmp_path / "dies.py"
    path.write_text("import os\ndef dies(masks, utilities, cube):\n    os._exit(3)\n")
    estimators = [f"e={hanging('Hangs', 'in_c')}", f"{path}:dies", hanging("mean")]
    run = bench(estimators, [hanging("lowest")], (1, 2), tmp_path / "out", TASKS, time_limit=1)
    missing = {(r.condition, r.method, r.budget): r.failure for r in run.records if r.predictions is None}
    assert missing.pop(("two", "e/lowest", 2)) == f"estimator: {REASON}"
    assert set(missing) == {(task.condition, "dies/lowest", budget) for task in TASKS for budget in (1, 2)}
    assert all("worker process died" in str(failure) for failure in missing.values())


def test_a_run_with_another_limit_is_refused(tmp_path):
    claim(tmp_path, limited([mean], [lowest], limit=5.0))
    claim(tmp_path, limited([mean], [lowest], limit=5))
    for other in (6.0, None):
        with pytest.raises(InvalidOptionError, match="holds a run with other time_limit;"):
            claim(tmp_path, limited([mean], [lowest], limit=other))


def test_a_run_begun_before_there_were_limits_goes_on_without_one(tmp_path):
    plan = limited([mean], [lowest], limit=None)
    claim(tmp_path, plan)
    held = json.loads((tmp_path / "plan.json").read_text())
    del held["time_limit"]
    (tmp_path / "plan.json").write_text(json.dumps(held))
    claim(tmp_path, plan)
    with pytest.raises(InvalidOptionError, match="other time_limit"):
        claim(tmp_path, limited([mean], [lowest]))


def test_a_run_is_repeated_under_its_own_limit(tmp_path):
    run = bench(["mean"], ["design-main"], (2,), tmp_path, time_limit=300)
    assert plan_of(run.description).time_limit == 300.0
    assert plan_of(msgspec.structs.replace(run.description, time_limit=None)).time_limit is None


@pytest.mark.parametrize("limit", [0, -1.0, float("nan"), float("inf"), LONGEST * 2])
def test_what_is_no_limit_is_refused(limit):
    with pytest.raises(InvalidOptionError, match=r"the time limit is .* s; give more than 0 and at most 10000000 s"):
        limited([mean], [lowest], limit=limit)


def test_what_a_library_draws_as_it_is_imported_is_put_back_and_not_held_against_a_plugin(monkeypatch):
    monkeypatch.delitem(sys.modules, "rich.style", raising=False)
    before = random.getstate()
    with noticing() as changed, preserved():
        random.random()
    assert changed == {"Python's global random generator"}
    with noticing() as changed, preserved():
        random.random()
        monkeypatch.setitem(sys.modules, "rich.style", sys)
    assert not changed
    assert random.getstate() == before
