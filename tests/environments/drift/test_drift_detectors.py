"""The eighteen detectors: what the route's log holds, a walk that satisfies all, and the edges of each rule."""

from __future__ import annotations

from collections import Counter

import pytest
from drift_worlds import figure, run
from slow_sample import slow_but

from whatworked.environments.drift.detectors import DETECTORS, first_truths
from whatworked.environments.drift.generation import generate
from whatworked.environments.drift.metrics import area, block_score, interventions, prediction, reach
from whatworked.environments.drift.order import answer_of
from whatworked.environments.drift.patterns import moving_ticks
from whatworked.environments.drift.rules import Options
from whatworked.environments.drift.strategies.hands import Hands, Table
from whatworked.environments.drift.strategies.walks import document_copier, full_walk, passive_reader, route
from whatworked.environments.drift.structure import BLOCKS, EDGES, HYPEREDGES, PASSIVE, SOURCES, STATED_BY_DOCUMENT

ROUTE = {"FE1", "FE2", "TR1", "LD1", "CA3", "XC1"}


def held(*actions: str, aligned: bool = False) -> dict[str, int]:
    """First truths of the blocks whose evidence a run of the worked instance holds."""
    instance = figure()
    truths = first_truths(run(instance, *actions, aligned=aligned), moving_ticks(instance))
    return {block: paid for block, paid in truths.items() if paid is not None}


def test_the_structure_counts_as_stated() -> None:
    assert tuple(detector.block for detector in DETECTORS) == BLOCKS
    assert Counter(edge.kind for edge in EDGES) == {"joint": 20, "alternative": 2, "supporting": 5}
    assert len(set(EDGES)) == 27
    assert {name: len(blocks) for name, blocks in HYPEREDGES.items()} == {"H1": 3, "H2": 3, "H3": 3, "HC": 5}
    assert set(STATED_BY_DOCUMENT) == {"FE1", "TR2", "CO1", "CO3", "RC1"}
    assert set(SOURCES) == {"RC1", "RC2", "RC3"}
    rest = {block: {edge.on for edge in EDGES if edge.block == block} for block in BLOCKS}
    order: list[str] = []
    while len(order) < len(BLOCKS):
        ready = [block for block in BLOCKS if block not in order and rest[block] <= set(order)]
        assert ready, "the edges go in a circle"
        order += ready


@pytest.mark.parametrize("number", slow_but(range(120), ("0", "57", "119")))
@pytest.mark.parametrize("aligned", [False, True])
def test_the_route_satisfies_exactly_what_is_named(number: int, aligned: bool) -> None:
    instance = generate("reserved", number)
    table = Table(instance, Options(budget=39, aligned=aligned))
    route(Hands(table), answer_of(instance))
    assert len(table.events) == table.events[-1].paid == 39
    assert not {"refused", "sealed"} & {event.outcome for event in table.events}
    assert Counter(event.pass_number for event in table.events) == {1: 13, 2: 14, 3: 7, 4: 5}
    truths = first_truths(table.events, moving_ticks(instance))
    assert {block for block, paid in truths.items() if paid} == ROUTE | ({"CA1"} if aligned else set())
    assert prediction(table.events, answer_of(instance)).exact


def test_no_detector_is_vacuous_and_none_is_true_of_nothing() -> None:
    table = Table(generate("reserved", 0), Options())
    assert set(first_truths(table.events, frozenset()).values()) == {None}
    full_walk(Hands(table))
    truths = first_truths(table.events, moving_ticks(generate("reserved", 0)))
    assert all(truths.values())
    assert len(table.events) == 63


def test_a_reader_who_never_acts_holds_only_passive_blocks() -> None:
    for number in range(3):
        table = Table(generate("reserved", number), Options())
        passive_reader(Hands(table))
        truths = first_truths(table.events, frozenset())
        assert {block for block, paid in truths.items() if paid} <= {*PASSIVE, "CA3"}
        assert interventions(table.events) == 0


def test_copying_the_document_grounds_nothing() -> None:
    table = Table(figure(), Options(disclosed=True))
    document_copier(Hands(table))
    evidence = first_truths(table.events, frozenset())
    stated = dict.fromkeys(("FE1", "TR2", "CO1", "CO3", "RC1"), 1)
    result = block_score(evidence, stated, {}, budget=200, disclosed=True)
    assert (result.blocks, result.rc, result.evidenced, result.auc) == (0, 1, (), 0.0)


BOARD = ("goto ladder-mast", "read answer-board")
COUNTED = ("read audit-counter", "feed registry-line-1")
FEN = ("goto fen-shallows", "read intake-tallyboard")
LOAD = ("feed printer-b2", "cull printer-b2", "read job-strip")
SLATE = ("goto consign-floor", "read manifest-slate")
CASES: list[tuple[str, bool, tuple[str, ...]]] = [
    ("FE1", True, (*FEN, "cull feeder-1", "read intake-tallyboard")),
    ("FE1", False, (*FEN, "feed feeder-1", "read intake-tallyboard")),
    ("FE2", False, (*FEN, "feed feeder-1", "read intake-tallyboard", "feed feeder-1", "read intake-tallyboard")),
    ("FE2", True, (*FEN, "feed feeder-1", "feed feeder-2", "read intake-tallyboard")),
    ("FE2", False, ("goto fen-shallows", "feed feeder-1", "feed feeder-2", "read intake-tallyboard")),
    ("FE3", True, (*FEN, "feed feeder-1", "goto mat-bank", "read mat-gauge", *FEN)),
    ("FE3", False, (*FEN, "feed feeder-1", "read intake-tallyboard", "goto mat-bank", "read mat-gauge", *FEN)),
    ("TR1", True, ("goto trellis-bay", "read job-strip", "read job-strip")),
    ("TR1", False, ("goto trellis-bay", "read job-strip")),
    ("TR2", True, ("goto trellis-bay", "read job-strip", *LOAD[:1], "wait 3", *LOAD[1:])),
    ("TR2", False, ("goto trellis-bay", "read job-strip", *LOAD[:1], "wait 4", *LOAD[1:])),
    ("TR2", False, ("goto trellis-bay", "feed printer-b2", "read job-strip", "cull printer-b2", "read job-strip")),
    ("TR3", True, ("goto trellis-bay", "retool printer-b2", "read job-strip", "retool printer-b2", "read job-strip")),
    ("TR3", False, ("goto trellis-bay", "retool printer-b2", "retool printer-b2", "read job-strip", "read job-strip")),
    ("LD1", True, (*BOARD, "wait 1", "read answer-board", "read answer-board")),
    ("LD1", False, ("goto ladder-mast", *["read answer-board"] * 5)),
    ("LD1", False, (*BOARD, "wait 1", "feed beacon-k", *["read answer-board"] * 3)),
    ("LD2", True, (*BOARD, "stamp beacon-c2", "cull beacon-c4", "read answer-board")),
    ("LD2", False, (*BOARD, "stamp beacon-c2", "cull beacon-c2", "read answer-board")),
    ("LD2", False, (*BOARD, "stamp beacon-c2", "stamp beacon-c4", "read answer-board")),
    ("LD3", True, (*FEN, "wait 22", "cull feeder-1", "read intake-tallyboard")),
    ("LD3", False, (*FEN, "wait 23", "read intake-tallyboard")),
    ("CO1", True, ("wait 7", "goto consign-floor", *["read manifest-slate"] * 6)),
    ("CO1", False, ("goto consign-floor", *["read manifest-slate"] * 8)),
    ("CO2", True, ("wait 6", *SLATE, "stamp consignment-d1", "read manifest-slate")),
    ("CO2", False, ("wait 5", *SLATE, "stamp consignment-d1", "read manifest-slate")),
    ("CO3", True, ("wait 9", *SLATE, "feed consignment-d1", "read manifest-slate")),
    ("CO3", False, (*SLATE, "feed consignment-d1", "read manifest-slate")),
    ("CA1", True, ("goto registry", "read audit-counter", "read standing-roster")),
    ("CA1", True, ("goto registry", "read audit-counter", "goto consign-floor", "read manifest-slate")),
    ("CA1", False, ("goto registry", "read audit-counter", "wait 24", "read standing-roster")),
    ("CA2", True, ("goto registry", "read audit-counter", "feed registry-line-1", "read audit-counter")),
    ("CA2", False, ("goto registry", "read audit-counter", "feed registry-line-1", "wait 16", "read audit-counter")),
    ("CA2", False, ("wait 5", "goto registry", "read audit-counter", "feed registry-line-1", "read audit-counter")),
    ("CA3", True, ("wait 24", "goto ledger-stack", "read pass-ledger")),
    ("CA3", False, ("goto ledger-stack", "read pass-ledger")),
    ("CA3", False, ("wait 24", "goto ledger-stack", "wait 19", "read pass-ledger")),
    ("XC1", True, ("goto drum", "feed beacon-c3")),
    ("XC1", False, ("goto drum", "read charge-dial")),
    ("XC2", True, ("goto registry", "read audit-counter", "feed registry-line-1", "stamp registry-line-1",
                   "cull registry-line-2", "read audit-counter")),
    ("XC2", False, ("goto registry", "read audit-counter", "feed registry-line-1", "stamp registry-line-1",
                    "stamp registry-line-2", "read audit-counter")),
    ("XC3", False, ("goto registry", *(COUNTED * 3), "read audit-counter")),
    ("XC3", True, ("goto registry", *(COUNTED * 2), "read audit-counter", "wait 24",
                   "read audit-counter", "feed registry-line-1", "read audit-counter")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("block", "expected", "actions"), CASES, ids=[f"{n}-{case[0]}" for n, case in enumerate(CASES)]
)
def test_the_edges_of_a_rule(block: str, expected: bool, actions: tuple[str, ...]) -> None:
    """CA2's last case spans tick 8, at which the counter of this instance moves."""
    assert moving_ticks(figure()) == {8, 20}
    assert (block in held(*actions)) is expected
    if expected:
        assert held(*actions)[block] == len(actions), "it came true at the last action and not before"


def test_posted_rows_are_readings_and_perform_no_act() -> None:
    """S2 rows count for three verbs around the counter; no other rule takes a posted act for one's own."""
    acts = ("goto registry", "stamp registry-line-1", "retool registry-line-2", "cull registry-line-5", "wait 24")
    assert "XC2" not in held(*acts, "goto ladder-mast")
    assert held(*acts, "goto ladder-mast", aligned=True).keys() == {"XC1", "XC2"}
    # Tally and strip of ticks 20 to 23 close the brackets of acts before them.
    late = ("wait 18", "goto trellis-bay", "read job-strip", "feed printer-b2", "cull printer-b2", "wait 1")
    assert "TR2" not in held(*late, "goto fen-shallows")
    assert "TR2" in held(*late, "goto fen-shallows", aligned=True)


def test_what_the_curve_and_the_counts_are() -> None:
    evidence = dict.fromkeys(BLOCKS, 10) | {"CO1": None}
    stated: dict[str, int | None] = {**dict.fromkeys(BLOCKS, 20), "FE1": 5, "TR3": None, "RC1": 7, "RC2": 9}
    open_ = block_score(evidence, stated, {}, budget=200, disclosed=False)
    assert (open_.blocks, open_.xc, open_.rc, open_.evidenced) == (16, 3, 2, ("RC1", "RC2"))
    assert open_.times["FE1"] == 10
    by_hand = sum(sum(time <= t for time in open_.times.values()) for t in range(1, 201)) / (18 * 200)
    assert open_.auc == pytest.approx(by_hand, abs=1e-12)
    told = block_score(evidence, stated, {"FE1": 50}, budget=200, disclosed=True)
    assert (told.blocks, told.times["FE1"]) == (14, 50)
    assert reach(evidence) == 3
    assert reach(dict.fromkeys(SOURCES["RC3"][:2], 4)) == 2
    assert area([131], 131) == pytest.approx(1 / (18 * 131))
