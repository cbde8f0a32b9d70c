"""Runs with experience: what is handed out, to whom, and that results keep apart."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whatworked import ResponseSurface, bench
from whatworked.comparing.collection import collect_runs
from whatworked.environments.effects.experience import experience_for
from whatworked.environments.effects.task import Task
from whatworked.errors import RunError
from whatworked.leaderboard.board import entries_of, ranked
from whatworked.leaderboard.packing import pack, unpack
from whatworked.leaderboard.verification import verified
from whatworked.plugins import load
from whatworked.runs import Plan, catalog_tasks, crossed
from whatworked.runs.benchmark import run_in_process
from whatworked.surfaces import Experience

SEEN: list[Experience | None] = []


class Watcher:
    """Keeps what it is handed."""

    def fit(self, masks: np.ndarray, utilities: np.ndarray, experience: Experience | None = None) -> Watcher:
        SEEN.append(experience)
        self.mean = float(utilities.mean())
        return self

    def predict(self, masks: np.ndarray) -> np.ndarray:
        return np.full(len(masks), self.mean)


def test_no_experience_holds_a_table_of_the_source_that_is_played() -> None:
    tasks = catalog_tasks(experience=True)
    assert len(tasks) == 36
    plain = {task.condition: task for task in catalog_tasks()}
    for task in tasks:
        assert task.experience is not None
        assert task.experience.options == task.surface.options
        sources = [surface.source for surface in task.experience]
        assert task.source not in sources
        assert len(set(sources)) == len(sources)
        own = [other.surface.utilities for other in plain.values() if other.source == task.source]
        for surface, mine in itertools.product(task.experience, own):
            assert not np.array_equal(surface.utilities, mine)
        family = {other.source for other in plain.values() if other.family == task.family} - {task.source}
        assert set(sources) <= family
        assert task.track == f"{plain[task.condition].track}+experience"


names = st.sampled_from(["a", "b", "c", "d"])


@given(st.lists(st.tuples(names, st.integers(0, 3)), min_size=1, max_size=8), names, st.dictionaries(names, names))
def test_a_source_under_another_name_is_left_out(held: list[tuple[str, int]], played: str, raw: dict[str, str]) -> None:
    def task(source: str, number: int) -> Task:
        values = np.linspace(0.1, 0.2 + 0.1 * number, 4)
        return Task(f"{source}{number}", source, "family", "four", ResponseSurface(("A", "B"), values))

    mine = task(played, 0)
    files = {name: frozenset([file]) for name, file in raw.items()}
    experience = experience_for(mine, [task(*one) for one in held], files)
    for surface in experience:
        assert surface.source != played
        assert not np.array_equal(surface.utilities, mine.surface.utilities)
        assert not files.get(surface.source, frozenset()) & files.get(played, frozenset())
    # A source that once had the same table is left out with all of its tables.
    twins = {source for source, number in held if number == 0}
    assert not twins & {surface.source for surface in experience}


def test_all_tables_of_the_source_that_is_played_are_left_out_however_they_are_written() -> None:
    values = np.linspace(0.1, 0.9, 8) ** 2

    def task(condition: str, source: str, column: np.ndarray, options: str) -> Task:
        return Task(condition, source, "family", "four", ResponseSurface(tuple(options), column))

    two = task("mine-2", "mine", values[:4], "AB")
    three = task("mine-3", "mine", values, "ABC")
    turned = ResponseSurface(tuple("ABC"), values * (1 + 1e-14)).reordered(tuple("CAB"))
    copied = Task("copy-3", "copy", "family", "paired", turned)
    by_copy = task("copy-2", "copy", values[4:], "AB")
    of_copy = task("again-2", "again", values[4:], "AB")
    other = task("other-2", "other", values[2:6], "AB")
    experience = experience_for(two, [of_copy, two, three, copied, by_copy, other], {})
    assert [surface.source for surface in experience] == ["other"]


def test_who_takes_experience_is_handed_it_in_the_order_of_its_masks(tmp_path: Path) -> None:
    methods = crossed([load(Watcher, "estimator")], [load("random", "policy")])
    for experience in (False, True):
        SEEN.clear()
        tasks = catalog_tasks(["nile"], experience=experience)
        run_in_process(Plan(tasks, methods, (4,), seeds=1, relabel=2))
        assert [one is not None for one in SEEN] == [experience, experience]
    first, second = SEEN
    assert first is not None
    assert second is not None
    assert first.digests == second.digests
    assert sorted(first.options) == sorted(second.options)
    assert first.options != second.options


def test_results_do_not_depend_on_jobs_and_are_on_a_track_of_their_own(tmp_path: Path) -> None:
    how = {"budgets": 4, "methods": ["RGP", "ERGP"], "tasks": ["nile"]}
    runs = {
        name: bench([], [], out=tmp_path / name, jobs=jobs, experience=experience, **how)  # type: ignore[arg-type]
        for name, jobs, experience in (("one", 1, True), ("two", 2, True), ("without", 1, False))
    }
    bytes_of = {name: (tmp_path / name / "records.jsonl").read_bytes() for name in runs}
    assert bytes_of["one"] == bytes_of["two"]
    plan = runs["one"].description
    assert plan.experience
    assert all(condition.experience for condition in plan.conditions)
    assert not runs["without"].description.experience
    held = json.loads((tmp_path / "without" / "plan.json").read_bytes())
    assert "experience" not in {**held, **held["conditions"][0]}

    rows = collect_runs([runs["one"], runs["without"]]).rows
    of = {(row.track, row.method.partition("@")[0], row.condition): row.grade.effect_recovery for row in rows}
    for condition in plan.by_condition:
        assert of["four", "ERGP", condition] == of["four", "RGP", condition]
        assert of["four+experience", "RGP", condition] == of["four", "RGP", condition]
        assert of["four+experience", "ERGP", condition] != of["four", "ERGP", condition]


def test_a_pack_is_verified_with_the_same_experience_and_ranked_apart(tmp_path: Path) -> None:
    run = bench("experienced-gp", "random", 1, tmp_path / "run", tracks=["four"], seeds=1, experience=True)
    submission = unpack(pack(run, "mine", ""), "a test")
    again = verified(submission)
    (entry,) = entries_of(again, "0" * 64)
    assert entry.track == "four+experience"
    assert ranked([replace_track(entry, "added"), entry, replace_track(entry, "four")])[1] is entry
    altered = submission.plan.conditions[0]
    lied = msgspec.structs.replace(altered, experience=altered.experience[1:])  # type: ignore[index]
    plan = msgspec.structs.replace(submission.plan, conditions=(lied, *submission.plan.conditions[1:]))
    with pytest.raises(RunError, match="its experience is"):
        verified(replace(submission, plan=plan))


def replace_track(entry, track):  # type: ignore[no-untyped-def]
    return msgspec.structs.replace(entry, track=track)
