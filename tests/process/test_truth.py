"""Stated effects beside the truth: what words state, what is true, what was measured, and what goes with it."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from command_line import run_here
from hypothesis import given, settings
from hypothesis import strategies as st
from truth_games import HAND_IN, buy, graph_of, note, play

from whatworked.environments.effects.instance import SurfaceInstance
from whatworked.environments.protocol import Call
from whatworked.episodes.effects import effects_environment
from whatworked.episodes.episode import Episode
from whatworked.errors import InvalidOptionError, RecordError
from whatworked.process.graph import write_graph
from whatworked.process.truth import (
    StatedEffect,
    TruthGame,
    belief_row,
    check_effect,
    game_row,
    limits_of,
    read_games,
    relation_sentence,
    relations,
    stated_effects,
    tallies,
)
from whatworked.surfaces import ResponseSurface
from whatworked.surfaces.edges import edges

NAMES = [("A",), ("B", "scaler"), ("C",), ("D",)]

PHRASES = {
    "B raises the utility by 0.12.": [(1, 1, 0.12, "----")],
    "B raises the utility from 0.43 to 0.89 where all others are off.": [(1, 1, 0.46, "0-00")],
    "Switching D off costs 0.05 at 01-0.": [(3, 1, 0.05, "01--")],
    "the effect of B where A = 1 and C is off is -0.2": [(1, -1, -0.2, "1-0-")],
    "With A on, C has no effect; D hurts.": [(2, 0, None, "1---"), (3, -1, None, "----")],
    "B adds 0.1 with A on, but costs 0.2 with A off.": [(1, 1, 0.1, "1---"), (1, -1, -0.2, "0---")],
    "A and C both help.": [(0, 1, None, "----"), (2, 1, None, "----")],
    "The scaler improves the score by about 0.03 without A.": [(1, 1, 0.03, "0---")],
    "B: +0.12, C: -0.01": [(1, 1, 0.12, "----"), (2, -1, -0.01, "----")],
    "Going from 0001 to 0101 lowers utility by 0.2": [(1, -1, -0.2, "0-01")],
    "B with A on raises it by 12%": [(1, 1, None, "1---")],
    "A's effect is negligible once B is on, and D to C does nothing unless B is on.": [(0, 0, None, "-1--")],
    "Flipping D to off changes utility by -0.02 at 010-; C gives +0.1.": [(3, 1, 0.02, "010-"), (2, 1, 0.1, "----")],
    "I expect D to raise it. C appears inert whenever B=0.": [(3, 1, None, "----"), (2, 0, None, "-0--")],
    "Adding A on top of B yields +0.03.": [],
    "A change of plan helps. B does not raise anything. C reduces the error.": [],
    "A and B together raise it by 0.3. 0101 has 0.45. A is on.": [],
    "B raises it with A on and A off.": [],
}


@pytest.mark.parametrize("text", PHRASES, ids=lambda text: text[:24])
def test_what_words_state(text: str) -> None:
    assert [(e.option, e.direction, e.size, _others(e)) for e in stated_effects(text, NAMES)] == PHRASES[text]


def _others(effect: StatedEffect) -> str:
    fixed = dict(effect.background)
    return "".join(str(fixed.get(place, "-")) for place in range(4))


@given(
    st.integers(0, 3),
    st.sampled_from([1, -1]),
    st.integers(1, 999),
    st.lists(st.sampled_from("01-"), min_size=4, max_size=4),
    st.integers(0, 3),
)
@settings(max_examples=80, deadline=None)
def test_what_is_written_is_read(option, direction, size, others, form) -> None:
    letter, amount = "ABCD"[option], f"{size / 1000:.3f}"
    others[option] = "-"
    conditions = " and ".join(
        f"{'ABCD'[p]} is {'on' if bit == '1' else 'off'}" for p, bit in enumerate(others) if bit != "-"
    )
    up, down = ("raises the utility by", "costs") if form % 2 else ("adds", "lowers the score by")
    told = f"{letter} {up if direction > 0 else down} {amount}"
    mask = "".join(others)
    sign = "+" if direction > 0 else "-"
    text = (
        f"{told} at {mask}." if form == 0
        else f"{told}{f' where {conditions}' if conditions else ''}." if form == 1
        else f"{f'With {conditions}, ' if conditions else ''}{told}" if form == 2
        else f"The effect of {letter} is {sign}{amount}{f' when {conditions}' if conditions else ''}."
    )  # fmt: skip
    if form == 0 and set(mask) == {"-"}:
        return
    (found,) = stated_effects(text, NAMES)
    assert (found.option, found.direction, found.size) == (option, direction, direction * float(amount))
    assert _others(found) == mask


def _table() -> tuple[SurfaceInstance, dict[str, float]]:
    """Three options: A adds 0.3, B adds 0.2 where A is on and takes 0.1 where it is off, C does nothing."""
    table = {}
    for a, b, c in itertools.product((0, 1), repeat=3):
        table[f"{a}{b}{c}"] = 0.2 + 0.3 * a + b * (0.2 if a else -0.1)
    return SurfaceInstance("made-up", ResponseSurface.from_mapping(table)), table


@pytest.mark.parametrize(
    ("text", "effect", "true"),
    [
        ("B raises it by 0.05", 0.05, True),
        ("B raises it", 0.05, True),
        ("B always raises it", 0.05, False),
        ("B raises it by 0.2 with A on", 0.2, True),
        ("B raises it by 0.31 with A on", 0.2, False),
        ("B raises it by 0.25 with A on", 0.2, True),
        ("B lowers it with A off", -0.1, True),
        ("B raises it at 0-1", -0.1, False),
        ("C has no effect", 0.0, True),
        ("C raises it", 0.0, False),
        ("A has no effect", 0.45, False),
    ],
)
def test_true_is_what_the_surface_says(text: str, effect: float, true: bool) -> None:
    instance, _ = _table()
    (stated,) = stated_effects(text, "ABC")
    checked = check_effect(stated, instance, [0, 7], program_shown=False)
    assert checked.effect == pytest.approx(effect)
    assert checked.true is true
    assert checked.tolerance == pytest.approx(0.06)


@pytest.mark.parametrize(
    ("measured", "evidence"),
    [
        (["000", "010"], "measured"),
        (["000"], "not measured"),
        (["001", "010"], "not measured"),
    ],
)
def test_measured_needs_both_ends(measured: list[str], evidence: str) -> None:
    instance, _ = _table()
    (stated,) = stated_effects("B lowers it at 0-0", "ABC")
    ranks = [int(mask, 2) for mask in measured]
    assert check_effect(stated, instance, ranks, program_shown=True).evidence == evidence
    (average,) = stated_effects("B lowers it with A off", "ABC")
    expected = "partly" if evidence == "measured" else "not measured"
    assert check_effect(average, instance, ranks, program_shown=False).evidence == expected


def test_what_is_the_same_program_is_derived_where_the_program_was_shown() -> None:
    instance = effects_environment().find("wine__d6")
    classes = instance.shown_equivalence
    assert classes is not None
    starts, ends = edges(6)
    same = np.flatnonzero(classes.representative[starts] == classes.representative[ends])
    assert same.size
    place, start = int(same[0]) // 32, f"{starts[same[0]]:06b}"
    stated = StatedEffect(place, 0, background=tuple((p, int(start[p])) for p in range(6) if p != place))
    # That the option does nothing there follows from the program, without a measurement.
    shown, hidden = (check_effect(stated, instance, [], program_shown=told) for told in (True, False))
    assert (shown.evidence, hidden.evidence, shown.true) == ("derived", "not measured", True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games: one states what it measured, one guesses before it measures."""
    place = tmp_path_factory.mktemp("truth")
    measured = "With all others off, B raises the utility by 0.464."
    play(place / "games" / "good", buy("010000"), note(measured), note(measured), note("I like B."), HAND_IN, budget=1)
    guess = "Perhaps B lowers the utility by 0.3 at 0-0000."
    play(
        place / "games" / "bad",
        note("I expect that B lowers it at 0-0000."),
        note(guess),
        note(guess),
        buy("010000"),
        HAND_IN,
        budget=1,
    )
    play(place / "games" / "silent", HAND_IN, budget=1)
    for name in ("good", "bad"):
        write_graph(place / "graphs" / f"{name}.graph.json", graph_of(place / "games" / name))
    return place


def test_beliefs_stand_beside_the_reference_table(folder: Path) -> None:
    found = read_games([folder])
    games = {game.name: game for game in found.games}
    assert (found.unscored, found.unplayed) == (("silent",), ())
    good, again = (belief_row(games["good"], belief) for belief in games["good"].beliefs)
    table = effects_environment().find("wine__d6").surface
    assert good["true_effect"] == table["010000"] - table["000000"]
    assert (good["true"], good["evidence"], good["ground"], good["again"]) == (True, "measured", "shown", False)
    assert (again["again"], games["good"].unread, games["good"].share_true) == (True, 1, 1.0)
    predicted, bad, _ = (belief_row(games["bad"], belief) for belief in games["bad"].beliefs)
    assert (predicted["type"], predicted["true"], predicted["evidence"]) == ("prediction", False, "not measured")
    assert (len(games["bad"].distinct), len(games["bad"].held), games["bad"].share_true) == (2, 1, 0.0)
    # The mask was bought after it was said, and so had not been measured.
    assert (bad["true"], bad["evidence"], bad["ground"], bad["size"]) == (False, "not measured", "not shown", -0.3)
    assert [game_row(games[name])["purchases"] for name in ("good", "bad")] == [1, 1]


def test_options_are_those_that_the_player_saw(tmp_path: Path) -> None:
    salt = tmp_path / "salt"
    salt.write_bytes(bytes(range(16)))
    rules = effects_environment()
    instance = rules.find("wine__d6", salt.read_bytes())
    assert instance.order[1] != 1
    shown = instance.shown_utilities
    start = next(rank for rank in range(64) if not rank & 16 and abs(shown[rank | 16] - shown[rank]) > 0.1)
    effect = shown[start | 16] - shown[start]
    words = f"B {'raises' if effect > 0 else 'lowers'} the utility by {abs(effect):.3f} at {start:06b}."
    bought = buy(f"{start:06b}", f"{start | 16:06b}")
    with Episode(tmp_path / "game", rules, instance, {"budget": 2}, salt=salt.read_bytes()) as episode:
        for tool, arguments in (bought, note(words), HAND_IN):
            assert episode.call(Call(tool=tool, arguments=arguments)).refused is None
    write_graph(tmp_path / "game.graph.json", graph_of(tmp_path / "game"))
    ((belief,),) = (game.beliefs for game in read_games([tmp_path], salt).games)
    assert (belief.checked.true, belief.checked.evidence) == (True, "measured")
    assert belief.checked.effect == effect


def test_kinds_count_each_statement_once(folder: Path) -> None:
    counts = {(tally.group, tally.kind): (tally.stated, tally.true) for tally in tallies(read_games([folder]).games)}
    assert (counts["type", "belief"], counts["type", "prediction"]) == ((2, 1), (1, 0))
    assert (counts["evidence", "measured"], counts["evidence", "not measured"]) == ((1, 1), (1, 0))


def test_graphs_and_episodes_that_do_not_belong_together_are_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no graph here is of an episode here"):
        read_games([folder / "graphs"])
    write_graph(tmp_path / "copy.graph.json", graph_of(folder / "games" / "good"))
    with pytest.raises(RecordError, match="second graph of run good"):
        read_games([folder, tmp_path])


def _games(folder: Path, *told: tuple[str, int, float, float | None]) -> list[TruthGame]:
    """Games made of one: source, purchases, score of E1, recovery."""
    first = read_games([folder]).games[0]
    made = []
    for source, purchases, e1, recovery in told:
        axes = tuple(msgspec.structs.replace(axis, score=e1 if axis.id == "E1" else None) for axis in first.scores.axes)
        scores = msgspec.structs.replace(first.scores, axes=axes)
        score = msgspec.structs.replace(first.score, values={"effect_recovery": recovery})
        made.append(
            dataclasses.replace(first, source=source, instance=source, purchases=purchases, scores=scores, score=score)
        )
    return made


def test_games_are_compared_at_equal_purchases(folder: Path) -> None:
    # Who buys more knows more and works worse; of equal purchases the better process knows more.
    told = [
        (source, bought, 0.5 - bought / 40 + step / 10, bought / 40 + step / 20)
        for source in ("one", "two", "three")
        for bought in (4, 16)
        for step in (0, 1)
    ]
    found = relations(_games(folder, *told), resamples=200)
    relation = next(entry for entry in found if entry.process == "E1")
    number = sum(entry.equal.low is not None for entry in found)
    assert f"Intervals given: {number}," in limits_of(found)[-1]
    assert f"about {number / 20:.2g} of them" in limits_of(found)[-1]
    assert (relation.equal.tau, relation.equal.pairs, relation.verdict) == (1.0, 6, "rises")
    assert relation.overall.tau is not None
    assert relation.overall.tau < 0
    assert "in 100% (tau +1.00, 95% interval +1.00 to +1.00, 3 sources): the two rise together." in relation_sentence(
        relation
    )


def test_scores_of_two_judges_are_not_compared(folder: Path) -> None:
    left, right = _games(folder, ("one", 4, 0.1, 0.2), ("one", 4, 0.3, 0.4))
    other = dataclasses.replace(right, scores=msgspec.structs.replace(right.scores, judge="another"))
    with pytest.raises(InvalidOptionError, match="several judges"):
        relations([left, other])


def test_the_command_prints_tables_and_writes_a_page(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "truth.html"
    shown = run_here("process", "truth", str(folder), "--page", str(page), "--resamples", "50")
    assert shown.returncode == 0, shown.stderr
    for words in ("left out, without a graph: 1 episode", "no effect can be read in 1 belief", "What this cannot say"):
        assert words in shown.stdout
    assert "Truth beside process: 2 games" in page.read_text()
    told = json.loads(run_here("process", "truth", str(folder), "--json", "--resamples", "50").stdout)
    for table in ("beliefs", "games", "relations"):
        rows = list(csv.DictReader(io.StringIO(run_here("process", "truth", str(folder), "--csv", table).stdout)))
        assert [list(row) for row in rows] == [[name for name in row if name != "sentence"] for row in told[table]]
    assert {game["game"]: game["true"] for game in told["games"]} == {"good": 1, "bad": 0}


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (["--csv", "games", "--json"], "give one of them"),
        (["/nowhere"], "there is no /nowhere"),
        (["--confidence", "1.5"], "confidence is 1.5"),
    ],
)
def test_the_command_names_what_is_wrong(folder: Path, more: list[str], named: str) -> None:
    ended = run_here("process", "truth", str(folder), *more)
    assert ended.returncode == 2
    assert named in ended.stderr
