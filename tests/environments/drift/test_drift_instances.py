"""Instances as files: one form for each world, and every fault named with what is allowed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import run_here
from drift_worlds import FIGURE, figure

from whatworked.environments.drift.checking import canonical_file, instance_digest, parse_instance
from whatworked.environments.drift.order import answer_of
from whatworked.errors import InstanceError

FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"colour": "red"}, "colour"),
    ({"format": "drift-instance/9"}, "drift-instance/9"),
    ({"kinds": ["fen", "fen", "ladder", "consign", "cadastre"]}, "each once"),
    ({"w": {"stamp": {}, "retool": {}, "cull": {}}}, "`w.stamp` lacks fen, trellis"),
    ({"feed_step": -1}, "feed_step"),
    ({"feed_step": True}, "feed_step"),
    ({"labels": {"grazer-a1": [0, 0, 0, 0]}}, "`labels` lacks grazer-a2"),
    ({"states": [[[0, 2, 0, 0], 1]]}, "no body has at tick 0"),
    ({"states": [[[0, 0, 0, 0], 1], [[0, 0, 0, 0], 2]]}, "2 times"),
    ({"transforms": {"grazer-a9": [1, 0, 99, 0]}}, "did you mean grazer-a"),
    ({"transforms": {"grazer-a1": [1, 0, 99, -1]}}, "transforms"),
    ({"bases": {"printer-b1": 1}}, "`bases` names 'printer-b1'"),
    ({"stock": {"drum": 5}}, "`stock` names 'drum'"),
    ({"backlog": {"feeder-1": 5}}, "`backlog`"),
    ({"due": {"consignment-q": 24}}, "due"),
    ({"latched": ["feeder-1"]}, "`latched`"),
    ({"latched": ["beacon-c1", "beacon-c1"]}, "2 times"),
    ({"schedule": {"4": []}}, "schedule"),
    ({"schedule": {"3": [["grazer-a1", 0, 1]]}}, "grazer-a1"),
    ({"schedule": {"3": [["beacon-k", 0, 3]]}}, "counts from 0 to 2"),
    ({"schedule": {"3": [["beacon-k", 0, 1], ["beacon-k", 0, 2]]}}, "2 times"),
    ({"stall": []}, "`stall` lacks"),
    ({"order": {"tick": 8, "beacon": "beacon-k"}}, "order.tick"),
    ({"order": {"tick": 7, "beacon": "beacon-c3"}}, "order.beacon"),
    ({"order": {"tick": 7, "beacon": "beacon-k", "verb": "retool"}}, "does not know"),
    ({"answer": [12, 1, 21]}, r"gives \[12, 1, 20\]"),
    ({"switches": {"serve": "sometimes"}}, "serve"),
    ({"switches": {"serve": "next"}}, "reserved"),
    ({"switches": {"weather": "fair"}}, "weather"),
]


@pytest.mark.parametrize(
    ("change", "message"), FAULTS, ids=[f"{n}-{message[:20]}" for n, (_, message) in enumerate(FAULTS)]
)
def test_a_fault_is_named(change: dict[str, Any], message: str) -> None:
    content = json.loads(FIGURE.read_text()) | change
    with pytest.raises(InstanceError, match=message):
        parse_instance(json.dumps(content).encode())


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b'{"format": 1, "format": 2}', b"\xff", b"[" * 100_000, b"NaN"])
def test_what_is_no_instance_is_refused(text: bytes) -> None:
    with pytest.raises(InstanceError, match="is no instance of the drift"):
        parse_instance(text)


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(InstanceError, match=r"kinds.*due.*stall"):
        figure(kinds=["fen"] * 5, due={"drum": 3}, stall=[])


def test_a_world_has_one_form_and_one_digest() -> None:
    instance = figure()
    again = parse_instance(canonical_file(instance))
    assert canonical_file(again) == canonical_file(instance)
    assert instance_digest(again) == instance_digest(instance)
    assert instance_digest(figure(name="another", meta={"seed": 3})) == instance_digest(instance)
    stated = figure(states=[[[0, 0, 0, 0], 1]], stock={"mat-bank": 100}, backlog={"printer-b2": 0})
    assert instance_digest(stated) == instance_digest(instance)
    assert instance_digest(figure(feed_step=2)) != instance_digest(instance)


def test_the_wide_format_takes_another_order() -> None:
    order = {"tick": 5, "beacon": "beacon-c3", "fen": "grazer-a4", "verb": "cull", "consignment": "consignment-d5"}
    instance = figure(format="drift-instance/2", order=order)
    assert answer_of(instance) == answer_of(parse_instance(canonical_file(instance)))
    with pytest.raises(InstanceError, match=r"order\.fen"):
        figure(format="drift-instance/2", order={**order, "fen": "grazer-a1"})


def test_commands_read_and_refuse_files(tmp_path: Path) -> None:
    assert (
        run_here("drift", "answer", str(FIGURE), "--json").stdout
        == '{\n  "intake": 12,\n  "answer": 1,\n  "counter": 20\n}\n'
    )
    shown = run_here("drift", "show", str(FIGURE), "--ordered").stdout
    assert "1031" in shown
    assert "stamp beacon-k" in shown
    for path in (tmp_path / "missing.json", tmp_path):
        ended = run_here("drift", "answer", str(path))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert str(path) in ended.stderr
