"""The rules of an episode: prices, window, seal, yield, postings, and the trace of a script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import run_here
from drift_worlds import FIGURE, figure, run, written

from whatworked.environments.drift.inventory import BODIES, SITE_OF, SITES
from whatworked.environments.drift.script import parse_script
from whatworked.errors import InstanceError


def test_the_clock_and_the_price_of_each_verb() -> None:
    events = run(figure(), "goto registry", "read audit-counter", "wait 24", "goto drum", "feed beacon-c3")
    assert [(event.paid, event.pass_number, event.tick) for event in events] == [
        (1, 1, 0), (2, 1, 1), (3, 1, 2), (4, 2, 0), (5, 2, 1),
    ]  # fmt: skip
    assert [event.outcome for event in events] == ["arrived", "read", "waited", "arrived", "acknowledged"]
    assert events[2].ticks == 22


def test_what_is_not_here_is_no_action() -> None:
    events = run(
        figure(), "read audit-counter", "goto registry", "read job-strip", "feed feeder-1", "read audit-counter"
    )
    assert [event.verb for event in events] == ["goto", "read"]


def test_the_ledger_holds_the_pass_before() -> None:
    first, second = (
        event.reading
        for event in run(
            figure(), "goto ledger-stack", "read pass-ledger", "goto registry", "stamp registry-line-1", "wait 24",
            "goto ledger-stack", "read pass-ledger",
        )
        if event.verb == "read"
    )  # fmt: skip
    assert first == []
    assert second[:4] == [20, 20, 20, 21]
    assert len(second) == 24


@pytest.mark.parametrize(("before", "charged"), [(59, 131), (119, 71), (146, 44)])
def test_a_yield_pays_for_all_but_the_window(before: int, charged: int) -> None:
    events = run(figure(), *["goto drum"] * before, "yield", "yield", "goto drum")
    assert events[before].charged == charged
    assert events[before].paid == 190
    assert [event.verb for event in events[before:]] == ["yield", "goto"]
    ticks = (events[-1].pass_number - 1) * 24 + events[-1].tick
    assert ticks == 190


def test_the_seal_covers_what_the_order_names_and_all_outside_beacons() -> None:
    """The same sentence at both sites, from the moment that ten actions are left, and never a tick earlier."""
    sealed = set()
    for body in BODIES:
        early, late = (
            run(figure(), f"goto {SITE_OF[BODIES.index(body)]}", f"stamp {body}", budget=12)[1:],
            run(figure(), f"goto {SITE_OF[BODIES.index(body)]}", f"stamp {body}", budget=11)[1:],
        )
        assert early[0].outcome != "sealed"
        if late[0].outcome == "sealed":
            assert late[0].sentence == "sealed"
            sealed.add(body)
    beacons = {*SITES["ladder-mast"].bodies, *SITES["drum"].bodies}
    assert sealed == {"feeder-3", "consignment-q"} | beacons


def test_one_commit_in_its_window_and_nine_more_actions() -> None:
    actions = ["goto drum", "commit 1 2 3", *["goto drum"] * 9, "commit 1 2 3", "commit 4 5 6", *["goto drum"] * 20]
    events = run(figure(), *actions, budget=20)
    assert [event.paid for event in events if event.verb == "commit"] == [11]
    assert events[-1].paid == 20


def test_a_deferral_and_a_refusal_are_answered_by_the_fixed_sentences() -> None:
    crowd = {f"consignment-d{n}": [0, 0, 2, 3] for n in range(1, 8)}
    instance = figure(labels=figure().file.labels | crowd, due=dict.fromkeys(crowd, 4), schedule=None)
    events = run(instance, "wait 5", "goto consign-floor", "stamp consignment-d1", *["feed consignment-d1"] * 6)
    assert {(event.outcome, event.sentence) for event in events[2:]} >= {("refused", "stamp"), ("refused", "feed")}
    deferred = run(instance, "wait 6", "goto consign-floor", *["feed consignment-d1"] * 7)[2:]
    assert ("deferred", "consign") in {(event.outcome, event.sentence) for event in deferred}


def test_postings_describe_the_pass_before_the_one_arrived_in() -> None:
    instance = figure()
    events = run(
        instance, "goto registry", "stamp registry-line-1", "wait 21", "goto ladder-mast", "goto fen-shallows",
        "goto registry", "goto drum", aligned=True,
    )  # fmt: skip
    assert events[0].posted == []
    assert (events[3].tick, events[3].pass_number) == (23, 1)
    stamped, counter = events[3].posted or ()
    assert (stamped.stream, stamped.pass_number) == ("S2", 1)
    assert stamped.rows == [{"tick": 1, "verb": "stamp", "target": "registry-line-1", "before": 20, "after": 21}]
    assert [row["counter"] for row in counter.rows] == [9] * 4
    assert [posting.stream for posting in events[4].posted or ()] == ["S1", "S3"]
    assert [row["tick"] for row in (events[4].posted or ())[0].rows] == [20, 21, 22, 23]
    assert [posting.stream for posting in events[5].posted or ()] == ["S3"]
    assert events[6].posted is None
    assert all(event.posted is None for event in run(instance, "goto registry", "wait 24", "goto registry"))


def test_a_posted_row_is_the_live_reading_of_its_moment() -> None:
    live = run(figure(), "wait 19", "goto fen-shallows", *["read intake-tallyboard"] * 4)[2:]
    posted = run(figure(), "wait 24", "goto fen-shallows", aligned=True)[1].posted or ()
    assert [row["tally"] for row in posted[0].rows] == [event.reading for event in live]
    strips = run(figure(), "wait 19", "goto trellis-bay", *["read job-strip"] * 4)[2:]
    assert [[row["tick"], row["marks"]] for row in posted[0].rows] == strips[-1].reading
    # Twelve actions over two passes against one.
    assert live[-1].paid + strips[-1].paid == 12


def test_the_trace_of_a_script(tmp_path: Path) -> None:
    script = tmp_path / "walk.json"
    actions = ["goto registry", "read audit-counter", "wait 24", "read audit-counter"]
    script.write_text(json.dumps({"budget": 20, "aligned": True, "actions": [written(action) for action in actions]}))
    ended = run_here("drift", "trace", str(FIGURE), str(script))
    assert ended.returncode == 0
    lines = ended.stdout.splitlines()
    assert lines[:3] == [
        '{"verb":"goto","target":"registry","paid":1,"pass":1,"tick":0,"outcome":"arrived","posted":[]}',
        '{"verb":"read","target":"audit-counter","paid":2,"pass":1,"tick":1,"outcome":"read","reading":20}',
        '{"verb":"wait","n":24,"paid":3,"pass":1,"tick":2,"outcome":"waited","ticks":22}',
    ]
    assert len(lines) == 5
    assert set(json.loads(lines[-1])["detectors"].values()) == {None}


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ({"verb": "fly"}, "allowed: goto, read"),
        ({"verb": "goto", "target": "registri"}, "did you mean registry"),
        ({"verb": "read"}, "has the target None"),
        ({"verb": "wait", "n": 25}, "1 to 24"),
        ({"verb": "feed", "target": "feeder-1", "n": 2}, "only wait"),
        ({"verb": "yield", "target": "drum"}, "does not take"),
        ({"verb": "goto", "target": "drum", "counter": 2}, "only commit"),
        ({"verb": "goto", "target": "drum", "speed": 2}, "speed"),
    ],
)
def test_a_fault_of_a_script_is_named(action: dict[str, object], message: str) -> None:
    with pytest.raises(InstanceError, match=message):
        parse_script(json.dumps({"actions": [action]}).encode())
