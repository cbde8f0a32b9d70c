"""The page of an episode of the drift: every pass as it was played, and no text of a player taken for markup."""

from __future__ import annotations

import re

import pytest
from command_line import run_here
from report_helpers import NASTY, Page

from whatworked.environments.drift.environment import DriftEnvironment
from whatworked.environments.drift.inventory import PRINTERS, names
from whatworked.environments.drift.scoring import events_of
from whatworked.environments.drift.spectating import ordered_pass, passes_of
from whatworked.environments.drift.structure import BLOCKS, EDGES, HYPEREDGES
from whatworked.episodes import Call, Episode
from whatworked.episodes.players.drift import play_route
from whatworked.episodes.records import read_record, setup_of
from whatworked.errors import EpisodeError, InvalidOptionError
from whatworked.report.drift import Verdicts, drift_page

CALLS = (
    ("note", {"text": f"First\n{NASTY} \x1b[2J"}),
    ("act", {"verb": "goto", "target": "registry"}),
    ("act", {"verb": "read", "target": "audit-counter"}),
    ("act", {"verb": "cull", "target": "registry-line-1"}),
    ("note", {"text": "Another account", "mode": "replace"}),
    ("note", {"text": "x" * 13_000}),
    ("act", {"verb": NASTY}),
    ("act", {"verb": "wait", "n": 24}),
    ("yield_remaining_budget", {}),
    ("act", {"verb": "goto", "target": "ladder-mast"}),
    ("act", {"verb": "stamp", "target": "beacon-k"}),
    ("commit", {"intake": NASTY, "answer": 2, "counter": 17}),
)


class Seat:
    def __init__(self, episode):
        self.episode = episode

    def call(self, tool, /, **arguments):
        return self.episode.call(Call(tool=tool, arguments=arguments))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A short episode with notes: its record and setup."""
    folder, rules = tmp_path_factory.mktemp("episodes") / "short", DriftEnvironment()
    with Episode(folder, rules, rules.find("evaluation-003"), {"budget": 16}) as episode:
        for tool, arguments in CALLS:
            episode.call(Call(tool=tool, arguments=arguments))
    record = read_record(folder)
    return record, setup_of(record)


@pytest.fixture(scope="module")
def text(made):
    return drift_page(*made, player=NASTY)


def test_what_a_player_wrote_is_text(text):
    page = Page(text)
    assert page.all("script") == []
    assert [tag for tag, attributes in page.elements if "src" in attributes] == []
    assert NASTY in "".join(page.texts["blockquote"])
    assert "\x1b" not in text
    assert NASTY not in text


def test_passes_tiles_notes_and_detectors_stand_where_they_happened(text):
    page = Page(text)
    tips = page.texts["title"]
    for tip in (
        "[pass 1, tick 2] cull registry-line-1: acknowledged; 3 paid",
        "[pass 1, tick 3] wait 24: waited; 4 paid",
        "[pass 2, tick 3] stamp beacon-k: sealed; 8 paid",
        "cull registry-line-1 at tick 2: acknowledged",
        "note 2, 3",
        "XC1: held 3, stated not judged, grounded not judged",
    ):
        assert tips.count(tip) == 2, tip  # for wide and for narrow windows
    assert (
        "Revision 2, after 3 paid actions, [pass 1, tick 2] cull registry-line-1; replaces all before"
        in page.texts["time"]
    )
    assert any(said.startswith("Revision 3") and "turned away" in said for said in page.texts["time"])
    assert {"1 of 18", "not exact", "9 of 16", "not judged"} <= set(page.texts["dd"])


def test_the_graph_has_every_block_edge_and_hyperedge(text):
    tips = Page(text).texts["title"]
    rests = [tip for tip in tips if " rests on " in tip]
    assert len(rests) == 2 * len(EDGES) == 54
    assert sum(bool(re.match(r"H[123C]: ", tip)) for tip in tips) == 2 * sum(map(len, HYPEREDGES.values()))
    assert sum(": held " in tip for tip in tips) == 2 * len(BLOCKS)


def test_a_judge_is_shown(made):
    verdicts = Verdicts(stated={"XC1": 5, "RC1": 7}, grounding={"RC1": 8}, grounded={"XC1": 5})
    page = Page(drift_page(*made, verdicts=verdicts))
    assert "not judged" not in page.texts["dd"]
    assert "XC1: held 3, stated 5, grounded 5" in page.texts["title"]
    assert "FE1: held –, stated –, grounded –" in page.texts["title"]
    assert len(page.all("g", class_="block held stated grounded")) == 2
    assert page.texts["text"].count("stated 7") == 2


def test_passes_that_are_run_again_show_what_the_player_read(tmp_path):
    rules = DriftEnvironment()
    world = rules.find("evaluation-003")
    with Episode(tmp_path / "route", rules, world, {}) as episode:
        play_route(Seat(episode))
        played = events_of([entry.event for entry in episode.entries])
    passes = passes_of(world.world, played)
    moments = {(found.number, moment.tick): moment for found in passes for moment in found.moments}
    read = [event for event in played if event.target in ("audit-counter", "job-strip") and event.outcome == "read"]
    assert {event.target for event in read} == {"audit-counter", "job-strip"}
    for event in read:
        if event.target == "audit-counter":
            assert moments[event.pass_number, event.tick].counter == event.reading
            continue
        for tick, marked in event.reading:
            bodies = sorted(turn.body for turn in moments[event.pass_number, tick].turns if turn.body in PRINTERS)
            assert [name for name in names(bodies) if name != "printer-b1"] == marked  # b1 reads idle until asked
    for moment in (*moments.values(), *ordered_pass(world.world).moments):
        assert sorted(body for turn in moment.turns for body in turn.bodies) == list(range(36))
        assert all(moment.labels[body] == turn.label for turn in moment.turns for body in turn.bodies)
    # What was yielded is told in one line.
    record = read_record(tmp_path / "route")
    assert re.findall(r"<h3>(Pass(?:es)? .*?)</h3>", drift_page(record, setup_of(record))) == [
        "Pass 1", "Pass 2", "Pass 3", "Pass 4", "Passes 5 to 10", "Pass 11",
    ]  # fmt: skip


def test_the_command_writes_it_and_others_are_refused(made, tmp_path):
    record, setup = made
    run_here("episode", "page", str(record.folder.path), "--out", str(tmp_path / "page.html"), "--title", NASTY)
    page = Page((tmp_path / "page.html").read_text())
    assert NASTY in "".join(page.texts["h1"])
    with pytest.raises(InvalidOptionError, match="episodes of drift"):
        drift_page(record, type(setup)(setup.environment, object(), setup.options, setup.opening))
    swapped = type(record)(record.folder, record.terms, record.opened, record.entries[1:])
    with pytest.raises(EpisodeError, match="episode replay"):
        drift_page(swapped, setup)
