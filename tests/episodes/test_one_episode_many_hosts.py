"""Whoever holds an episode, and however often it is opened again: the journal is that of one host from start to end."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from toy_environment import Toy

from whatworked.episodes import Call, Episode
from whatworked.episodes.records import read_record, replay, setup_of

ARGUMENTS = st.one_of(
    st.just({}),
    st.dictionaries(st.sampled_from(["well", "text", "depth", "code"]), st.integers(-1, 3) | st.text(max_size=3)),
    st.recursive(
        st.none() | st.floats() | st.text(max_size=2), lambda inner: st.lists(inner, max_size=2), max_leaves=4
    ),
)
CALLS = st.builds(
    Call,
    tool=st.sampled_from(["look", "draw", "note", "sum", "leave", "crash", "", "drow"]),
    arguments=ARGUMENTS,
    call_id=st.none() | st.sampled_from(["a", "b", ""]),
)
HOSTS = st.sampled_from(["first", "second", "new"])


def opened(folder: Path) -> Episode:
    return Episode(folder, Toy(), Toy().find("three"), {"budget": 3, "seconds": 10**6})


def told(reply: Any) -> dict[str, Any]:
    return {name: value for name, value in reply.content().items() if name not in ("remaining_seconds", "times")}


@settings(max_examples=25, deadline=None)
@given(plan=st.lists(st.tuples(HOSTS, CALLS), max_size=12))
def test_any_number_of_hosts_are_one(plan: list[tuple[str, Call]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        alone, shared = Path(name) / "alone", Path(name) / "shared"
        with opened(alone) as episode:
            expected = [told(episode.call(call)) for _, call in plan]
        with opened(shared) as first, opened(shared) as second:
            answers = []
            for host, call in plan:
                with opened(shared) as new:
                    answers.append(told({"first": first, "second": second, "new": new}[host].call(call)))
        assert answers == expected
        record = read_record(shared)
        assert [entry.body for entry in record.entries] == [entry.body for entry in read_record(alone).entries]
        assert replay(record, setup_of(record, Toy())).difference is None
        spent = sum(event.charges.get("buckets", 0) for event in record.events)
        assert spent <= 3
        assert not expected or expected[-1]["budgets"]["buckets"]["used"] <= spent
