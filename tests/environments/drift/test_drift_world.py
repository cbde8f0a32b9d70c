"""The world of the drift: the worked instance tick by tick, the inventory's figures, and what must hold in any pass."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from drift_worlds import figure
from hypothesis import given, settings
from hypothesis import strategies as st

from whatworked.environments.drift.inventory import (
    BODIES,
    FEN,
    FEN_SITES,
    HULK_OF,
    INSTRUMENTS,
    INTERVENTIONS,
    KIND_OF,
    NUMBER,
    OUTSIDE,
    OUTSIDE_BEACONS,
    SITE_OF,
    SITES,
    SIZES,
    STALL_TICK,
    VESS,
)
from whatworked.environments.drift.labels import COUNT, pack, unpack
from whatworked.environments.drift.order import answer_of, passes, run_pass
from whatworked.environments.drift.readings import reading
from whatworked.environments.drift.tick import run_tick
from whatworked.environments.drift.world import seeded_world, tally_of


def test_the_inventory_counts_as_stated() -> None:
    assert len({site.hulk for site in SITES.values()}) == 5
    assert len(SITES) == 15
    assert set(Counter(site.hulk for site in SITES.values()).values()) == {3}
    assert (len(BODIES), len(INSTRUMENTS), len(VESS), len(OUTSIDE)) == (36, 11, 5, 31)
    assert sum(not site.instruments for site in SITES.values()) == 5
    assert SIZES == (7, 7, 7, 8, 7)
    assert len(OUTSIDE_BEACONS) == 6
    assert [unpack(pack(unpack(label))) for label in range(COUNT)] == [unpack(label) for label in range(COUNT)]
    assert len({unpack(label) for label in range(144)}) == 144 == COUNT


def test_the_worked_instance_tick_by_tick() -> None:
    instance = figure()
    worlds = passes(instance, ordered=True)
    assert worlds[-1].counters[:15] == (20,) * 7 + (19,) + (20,) * 7
    assert worlds[-1].counters[STALL_TICK:] == (9,) * 4
    feeder = [tally_of(world.instruments, NUMBER["feeder-3"]) for world in worlds[1:]]
    assert feeder[6:15] == [9, 10, 10, 10, 11, 11, 11, 12, 12]
    labels = {name: unpack(worlds[8].labels[NUMBER[name]]) for name in ("beacon-k", "consignment-q", "feeder-3")}
    assert labels == {"beacon-k": (1, 0, 3, 1), "consignment-q": (1, 0, 3, 1), "feeder-3": (1, 2, 3, 3)}
    assert NUMBER["beacon-k"] in worlds[9].instruments.answers
    assert answer_of(instance) == (12, 1, 20)


def test_what_is_kept_of_the_worked_instance_at_its_last_ticks() -> None:
    """Nine individuals act from the stall on; of the five on Vess two are latched and one is a pair of grazers."""
    held = run_pass(figure()).instruments
    vess = {BODIES[body] for body in VESS}
    assert vess == {"grazer-a1", "grazer-a2", "printer-b1", "printer-b7", "beacon-c1"}
    assert all("printer-b7" in [BODIES[body] for body in row] for row in held.mark_rows)
    assert not any("printer-b1" in [BODIES[body] for body in row] for row in held.mark_rows)


@pytest.mark.parametrize(
    ("verb", "body", "coordinate"), [("stamp", "beacon-k", 1), ("retool", "feeder-3", 1), ("cull", "grazer-a1", 3)]
)
def test_a_rewrite_goes_round_its_alphabet_and_back(verb: str, body: str, coordinate: int) -> None:
    instance = figure(schedule=None)
    worlds = passes(instance, dict.fromkeys(range(4), (verb, body)))
    sizes = (3, 3, 4, 4)
    seen = [unpack(world.labels[NUMBER[body]])[coordinate] for world in worlds[: sizes[coordinate] + 1]]
    assert seen == [(seen[0] + step) % sizes[coordinate] for step in range(sizes[coordinate] + 1)]


def test_a_state_is_the_largest_of_those_that_meet_and_does_not_part_again() -> None:
    states = [[[1, 1, 3, 3], 1], [[1, 2, 3, 3], 5]]
    worlds = passes(figure(states=states, schedule=None), dict.fromkeys(range(3), ("retool", "feeder-3")))
    feeder = NUMBER["feeder-3"]
    assert [world.individuals[world.labels[feeder]].state for world in worlds[:4]] == [1, 5, 5, 5]
    assert worlds[3].labels[feeder] == worlds[0].labels[feeder]


def test_a_latched_body_reads_idle_until_a_request_is_served_on_it() -> None:
    rows = run_pass(figure(), {7: ("retool", "printer-b1")}).instruments.mark_rows
    marked = [NUMBER["printer-b1"] in row for row in rows]
    assert marked == [False] * 7 + [True] * 17


def test_feeding_raises_the_take_of_the_same_tick() -> None:
    quiet, fed = (run_pass(figure(), acts).instruments.tally_rows for acts in ({}, {3: ("feed", "grazer-a1")}))
    place = FEN.index(NUMBER["grazer-a1"])
    assert [fed[tick][place] - quiet[tick][place] for tick in range(7)] == [0, 0, 0, 1, 2, 3, 4]


def test_release_makes_a_body_act_now_and_its_successors_follow() -> None:
    """The cell of four consignments goes round from the one released on."""
    instance = figure(due={}, schedule=None)
    moved = [world.instruments.moved for world in passes(instance, {5: ("release", "consignment-d4")}, until=9)[1:]]
    cell = [NUMBER[f"consignment-d{n}"] for n in (1, 2, 3, 4)]
    assert [next(body for body in cell if body in row) for row in moved] == [
        cell[n] for n in (0, 1, 2, 3, 0, 3, 0, 1, 2)
    ]


def test_four_requests_wait_and_a_fifth_is_refused() -> None:
    """Overdue moves of the caretakers fill a queue; theirs enter whatever its length."""
    crowd = {f"consignment-d{n}": [0, 0, 2, 3] for n in range(1, 8)}
    labels = figure().file.labels | crowd
    due = dict.fromkeys(crowd, 4)
    instance = figure(labels=labels, due=due, schedule=None)
    world = seeded_world(instance)
    for _ in range(6):
        world, _ = run_tick(instance, world)
    world, fate = run_tick(instance, world, ("stamp", NUMBER["consignment-d1"]))
    assert fate == "refused"
    assert len(world.individuals[pack((0, 0, 2, 3))].queue) == 4


ACTS = st.dictionaries(
    st.integers(0, 23), st.tuples(st.sampled_from(INTERVENTIONS), st.sampled_from(BODIES)), max_size=24
)


@given(ACTS)
@settings(max_examples=40, deadline=None)
def test_what_holds_in_every_pass(acts: dict[int, tuple[str, str]]) -> None:
    """The counter counts labels and moves by one an act at most; gauge and tallies are conserved."""
    instance = figure(schedule=None)
    worlds = passes(instance, acts)
    for before, after in pairwise(worlds):
        assert after.counters[-1] == len(set(after.labels)) == len(after.cells) == len(after.individuals)
        assert sorted(body for cell in after.cells.values() for body in cell) == list(range(36))
        requests = [asked for individual in after.individuals.values() for asked in individual.queue]
        assert all(asked in after.individuals[after.labels[asked.body]].queue for asked in requests)
        if before.tick not in (0, STALL_TICK):
            served = before.arrivals + (before.tick in acts) - len(requests)
            assert abs(after.counters[-1] - before.counters[-1]) <= max(served, 0)
        gauge = reading(instance, after, "mat-gauge", ())
        taken = dict.fromkeys(FEN_SITES, 0)
        for body in FEN:
            taken[SITE_OF[body]] += tally_of(after.instruments, body) - instance.bases[FEN.index(body)]
        assert {site: gauge[site] + taken[site] for site in FEN_SITES} == dict.fromkeys(FEN_SITES, 100)
    assert set(worlds[-1].instruments.released) <= set(range(36))


@given(st.permutations(range(36)))
@settings(max_examples=25, deadline=None)
def test_one_act_a_tick_falls_on_each_individual(order: list[int]) -> None:
    """Over a pass without requests each individual's bodies act in turn: together once a tick, each every n-th."""
    labels = {BODIES[body]: list(unpack(pack((0, 0, 0, 0)) + place // 3)) for place, body in enumerate(order)}
    instance = figure(labels=labels, schedule=None, latched=[], due={}, states=None, bases=None)
    rows = passes(instance, until=12)
    tallies = rows[-1].instruments.tallies
    assert sorted(tallies) == [4] * 7
    marks = Counter(body for row in rows[-1].instruments.mark_rows for body in row)
    assert set(marks.values()) == {4}
    assert {HULK_OF[body] for body in VESS} == {"Vess"}
    assert {KIND_OF[body] for body in marks} == {1}
