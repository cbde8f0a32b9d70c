"""Plans and schedules: every cell once, shared work together, nothing lost between lanes."""

from __future__ import annotations

import itertools

import pytest
from toy_family import CONDITIONS, FOUR, OTHER, SIX, WORKFLOW, Shelf

from whatworked.execution.plan import SourcePlan, plan_source, tree_order
from whatworked.execution.schedule import CHUNK, Schedule
from whatworked.execution.worker import SharedStages, Work
from whatworked.surfaces import mask_strings


def plan(*conditions: object, **how: object) -> SourcePlan:
    return plan_source(Shelf()("box"), WORKFLOW, conditions, **how)  # type: ignore[arg-type]


def cells(one: SourcePlan) -> list[tuple[str, str]]:
    return sorted(cell for program in one.programs for cell in program.cells)


EVERY_CELL = sorted((one.id, mask) for one in (FOUR, SIX) for mask in mask_strings(one.dimensions))


@pytest.mark.parametrize("cold", [False, True])
def test_every_cell_stands_in_exactly_one_program(cold: bool) -> None:
    assert cells(plan(FOUR, SIX, cold=cold)) == EVERY_CELL


def test_a_staged_plan_has_one_program_per_equivalence_class() -> None:
    assert len(plan(FOUR, SIX).programs) == len(plan(SIX).programs) == len(WORKFLOW.equivalence())
    assert len(plan(FOUR).programs) == len(WORKFLOW.equivalence(4))


def test_all_cells_of_a_program_have_its_settings() -> None:
    for program in plan(FOUR, SIX).programs:
        settings = {WORKFLOW.settings(mask.ljust(6, "0")) for _, mask in program.cells}
        assert settings == {WORKFLOW.settings(program.mask)}


def test_a_cold_plan_has_one_program_per_cell() -> None:
    assert len(plan(FOUR, SIX, cold=True).programs) == 16 + 64


def test_done_cells_are_left_out() -> None:
    done = {("box", "0000"), ("box__d6", "000000"), ("box__d6", "111111")}
    assert cells(plan(FOUR, SIX, done=done)) == [cell for cell in EVERY_CELL if cell not in done]
    assert plan(FOUR, done=set(EVERY_CELL)).programs == ()


def test_programs_stand_in_depth_first_order() -> None:
    settings = [WORKFLOW.settings(program.mask) for program in plan(SIX).programs]
    for length in (1, 2):
        prefixes = [setting[:length] for setting in settings]
        changes = sum(left != right for left, right in itertools.pairwise(prefixes))
        assert changes == len(set(prefixes)) - 1


def test_settings_that_cannot_be_compared_can_be_ordered() -> None:
    assert tree_order([(None, 1), ("a", 2), (None, 2)]) == [(None, 1), (None, 2), ("a", 2)]


@pytest.mark.parametrize("lanes", [1, 2, 5])
@pytest.mark.parametrize("cold", [False, True])
def test_lanes_together_run_every_program_once(lanes: int, cold: bool) -> None:
    plans = [plan_source(Shelf()(one.source), WORKFLOW, [one], cold=cold) for one in CONDITIONS]
    schedule, ran, idle, turn = Schedule(plans), [], set(), 0
    while len(idle) < lanes:
        lane, turn = turn % lanes, turn + 1
        chosen = schedule.next(lane)
        if chosen is None:
            idle.add(lane)
            continue
        assert 1 <= len(chosen[1]) <= CHUNK
        ran += [(id(chosen[0].plan), program) for program in chosen[1]]
    assert sorted(ran) == sorted((id(one), number) for one in plans for number in range(len(one.programs)))


def test_a_lane_stays_with_its_source_and_helps_others_at_the_end() -> None:
    schedule = Schedule([plan(SIX), plan_source(Shelf()("jar"), WORKFLOW, [OTHER])])
    first, second = schedule.next(0), schedule.next(1)
    assert first is not None
    assert second is not None
    assert first[0] is not second[0]
    while (mine := schedule.next(0)) is not None and mine[0] is first[0]:
        pass
    assert mine is not None
    assert mine[0] is second[0]
    assert max(mine[1]) == len(second[0].plan.programs) - 1


def test_a_large_source_has_one_worker_and_waits_for_another_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whatworked.execution.schedule.LARGE", 1)
    schedule = Schedule([plan(SIX)])
    assert schedule.next(0) is not None
    assert schedule.next(1) is None


def test_stages_are_dropped_when_nothing_needs_them_any_more() -> None:
    one = plan(SIX)
    work = Work(one.prepared, one.workflow, tuple(program.mask for program in one.programs), cold=False)
    shared, most = SharedStages(work), 0
    for mask in work.masks:
        WORKFLOW.run(one.prepared, mask, shared)
        shared.drop_prediction(WORKFLOW.stage_keys(mask)[-1])
        most = max(most, len(shared))
    assert len(shared) == 0
    assert most <= 3
