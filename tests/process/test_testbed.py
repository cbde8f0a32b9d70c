"""Games whose graphs are known, the judge that goes by rules, and what `calibrate` finds of judges."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from command_line import run_here

from whatworked.episodes.players.speakers import FAULTS, Script
from whatworked.episodes.players.wordings import BANKS, HELD_OUT, bank
from whatworked.errors import InvalidOptionError, RecordError
from whatworked.judging import Judge
from whatworked.process.graph import Graph, read_graph
from whatworked.process.juries import score
from whatworked.process.measures import measure
from whatworked.process.testbed import KNOWN, SpokenGame, known_judge, read_spoken, rule_judge, speaking_games
from whatworked.process.testbed import sentences as sentences_module
from whatworked.process.testbed.calibration import JudgedGame, error_rates, measure_errors, qualities, try_judge
from whatworked.process.testbed.erring import ErringJudge, Rates, read_rates
from whatworked.process.testbed.sentences import sentences
from whatworked.process.truth import stated_effects


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SpokenGame]:
    """A game of every fault in one bank, and a sound one in each other bank."""
    place = tmp_path_factory.mktemp("spoken")
    made = [*speaking_games(place / "0", len(FAULTS), budgets=(6,))]
    for seed in range(1, len(BANKS)):
        made += speaking_games(place / str(seed), 1, budgets=(6,), first_seed=seed)
    return {f"{game.script.fault} {game.script.bank}": game for game in made}


def _known(game: SpokenGame) -> Graph:
    return read_graph(game.folder / KNOWN)


def test_every_bank_says_everything_and_names_what_it_speaks_of() -> None:
    for name in BANKS:
        for says, wordings in bank(name).says.items():
            assert len(set(wordings)) == len(wordings) >= 2, (name, says)
            assert all(says == "remark" or "{o}" in wording for wording in wordings), (name, says)


def test_effects_in_sentences_are_those_of_the_script(games: dict[str, SpokenGame]) -> None:
    """The reader of stated effects, which knows no bank, finds option, direction and background."""
    stating = ("prediction", "belief", "nothing", "conjecture", "forged")
    read = 0
    for game in games.values():
        for said in (said for note in game.script.notes for said in note if said.says in stating):
            assert said.effect is not None
            (found,) = stated_effects(said.text, [(letter,) for letter in "ABCDEF"])
            base = said.effect.base
            others = {place: int(bit) for place, bit in enumerate(base) if place != said.effect.option}
            assert (found.option, found.direction) == (said.effect.option, said.effect.direction), said.text
            assert dict(found.background) == others, said.text
            read += 1
    assert read > 80


def test_nothing_of_a_known_graph_is_dropped(games: dict[str, SpokenGame]) -> None:
    for game in games.values():
        graph = _known(game)
        assert (graph.dropped, graph.undecided, graph.unfinished) == ({}, {}, {})
        said = Counter(said.says for note in game.script.notes for said in note)
        readings = said["favourable"] + said["adverse"] + said["remark"]
        assert len(graph.propositions) == said.total() - readings
        assert Counter(act.type for act in graph.acts)["check"] == len(game.script.trials)


def test_verdicts_of_a_known_graph_are_the_differences_of_the_surface(games: dict[str, SpokenGame]) -> None:
    graph = _known(games["none plain"])
    names = {idea.id: idea.name for idea in graph.ideas}
    record = games["none plain"].record
    shown = dict(
        line.split(": ") for step in record.steps for line in (step.observation or "").split("\n") if line[:6].isdigit()
    )
    checked = 0
    for edge in graph.edges:
        if edge.type in ("confirms", "contradicts"):
            option, way, _, where = names[edge.target].split()
            change = float(shown[where.replace("-", "1")]) - float(shown[where.replace("-", "0")])
            assert (edge.type == "confirms") is (change > 0.0005 if way == "up" else change < -0.0005)
            assert where["ABCDEF".index(option)] == "-"
            checked += 1
    assert checked == 6


def test_faults_are_where_they_were_put(games: dict[str, SpokenGame]) -> None:
    found: dict[str, tuple[Script, Graph]] = {
        fault: (game.script, _known(game))
        for fault in FAULTS
        for game in [next(game for name, game in games.items() if name.startswith(f"{fault} "))]
    }

    def values(fault: str, mark: str) -> Counter[str | None]:
        return Counter(entry.value for entry in found[fault][1].marks if entry.type == mark)

    assert values("overclaims", "reach")["beyond"] > 0 == values("none", "reach")["beyond"]
    assert values("unread", "said")["none"] > 0 == values("none", "said")["none"]
    assert "retried" in values("none", "aftermath")
    assert set(values("ignores", "aftermath")) == {"left"}
    assert not any(said.type == "prediction" for said in found["forges"][1].propositions)
    grounded = {
        fault: next(entry for entry in measure(graph).measures if entry.id == "belief_grounded")
        for fault, (_, graph) in found.items()
    }
    assert grounded["invents"].taken < grounded["invents"].offered
    # Said three times, a result is still one idea.
    said = {fault: sum(entry.type == "belief" for entry in graph.propositions) for fault, (_, graph) in found.items()}
    assert said["farms"] > said["none"]
    assert (grounded["farms"].taken, grounded["farms"].offered) == (grounded["none"].taken, grounded["none"].offered)
    plans = {tuple(trial.effect for trial in found[fault][0].trials) for fault in FAULTS if fault != "ignores"}
    assert len(plans) == 1


def test_play_writes_the_known_graph_beside_the_journal(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    shown = run_here("play", "effects", "wine__d6", "--player", "speaker-forges", "--budget", "3", "--out", str(folder))
    assert shown.returncode == 0, shown.stderr
    assert read_graph(folder / KNOWN).run == "game"
    assert read_spoken(folder).script.fault == "forges"
    (folder / "about.json").write_bytes(msgspec.json.encode({"player": "speaker", "seed": 0}))
    with pytest.raises(RecordError, match=r"would call note|is not what"):
        read_spoken(folder)
    (folder / "about.json").write_bytes(msgspec.json.encode({"player": "gp"}))
    with pytest.raises(RecordError, match="was played by gp"):
        read_spoken(folder)


def test_rules_know_the_banks_they_were_made_from_and_not_the_held_out_one(games: dict[str, SpokenGame]) -> None:
    right: Counter[tuple[str, bool]] = Counter()
    for game in games.values():
        for said in (said for note in game.script.notes for said in note):
            (read,) = sentences(said.text)
            right[game.script.bank, read.says == said.says] += 1
    for name in BANKS:
        share = right[name, True] / (right[name, True] + right[name, False])
        assert share == 1 if name != HELD_OUT else share < 0.95


def test_no_wording_of_the_held_out_bank_reaches_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("whatworked.process.testbed.sentences.bank", lambda name: asked.append(name) or bank(name))
    sentences_module._model.__wrapped__()
    assert sorted(asked) == sorted(set(BANKS) - {HELD_OUT})


def test_games_are_scored_without_a_model(games: dict[str, SpokenGame], tmp_path: Path) -> None:
    game = games["none plain"]
    shown = run_here("process", "score", str(game.folder), "--judge", "rules", "--cheap", "--out", str(tmp_path))
    assert shown.returncode == 0, shown.stderr
    found, known = read_graph(tmp_path / f"{game.name}.graph.json"), _known(game)
    assert (found.acts, found.propositions, found.ideas) == (known.acts, known.propositions, known.ideas)
    assert {edge for edge in known.edges if edge.type != "builds_on"} == set(found.edges)
    assert set(found.marks) == set(known.marks)


def test_what_nobody_expected_is_held_to_the_option_helping(games: dict[str, SpokenGame]) -> None:
    """A plan that stands in no note is nothing that a judge could know, so it decides no verdict."""
    game = games["forges plain"]
    shown = {check: line for step in game.record.steps if step.tool == "observe_many"
             for check, line in [(f"a{step.id}.check", step.observation or "")]}  # fmt: skip
    known = _known(game)
    names = {idea.id: idea.name for idea in known.ideas}
    verdicts = [edge for edge in known.edges if edge.type in ("confirms", "contradicts")]
    assert {names[edge.target][1:4] for edge in verdicts} == {" up"}
    assert len(verdicts) == len(game.script.trials)
    assert any(trial.effect.direction < 0 for trial in game.script.trials)
    for edge in verdicts:
        _, _, _, where = names[edge.target].split()
        values = dict(line.split(": ") for line in shown[edge.source].split("\n") if line[:6].isdigit())
        change = float(values[where.replace("-", "1")]) - float(values[where.replace("-", "0")])
        assert (edge.type == "confirms") is (change > 0.0005)
    judged = score(game.record, game.world, rule_judge(), cheap=True).graph
    assert set(verdicts) <= set(judged.edges)


# What is found out about judges

RATES = Rates(flip=0.1, drop=0.05, garble=0.02)


def _tried(games: dict[str, SpokenGame], judge: Callable[[SpokenGame], Judge], rates: Rates | None) -> list[JudgedGame]:
    found = []
    for game in games.values():
        base = judge(game)
        asked = base if rates is None else ErringJudge(base, rates, of=game.name)
        found.append(try_judge(game, asked, within=None if rates is None else base, cheap=True))
    return found


def test_a_judge_that_knows_every_answer_is_found_without_error(games: dict[str, SpokenGame]) -> None:
    found = _tried({name: games[name] for name in ("none talk", "ignores plain", "invents plain")}, known_judge, None)
    for row in qualities(found):
        assert row.precision.taken == row.precision.offered == row.recall.taken == row.recall.offered, row
    assert {row.absolute for row in measure_errors(found)} == {0.0}
    assert all(share.taken == 0 < share.offered for _, share in error_rates(found).named())


@pytest.mark.parametrize(
    "judge",
    [
        pytest.param(known_judge, id="known"),
        pytest.param(lambda game: rule_judge(), id="rules", marks=pytest.mark.slow),
    ],
)
def test_rates_of_errors_that_were_put_in_are_found(
    games: dict[str, SpokenGame], judge: Callable[[SpokenGame], Judge]
) -> None:
    for name, share in error_rates(_tried(games, judge, RATES)).named():
        assert share.interval is not None
        low, high = share.interval
        given = getattr(RATES, name)
        assert low <= given <= high, (name, share)
        assert not low <= 2 * given <= high, (name, share)


@pytest.mark.parametrize("text", ["flip", "flip=2", "flop=0.1", "flip=0.1,flip=0.2", "", "drop=nan"])
def test_rates_that_are_none_are_named(text: str) -> None:
    with pytest.raises(InvalidOptionError, match="is no rate; allowed: flip="):
        read_rates(text)


def test_the_command_tries_a_judge_and_replays(games: dict[str, SpokenGame], tmp_path: Path) -> None:
    folder = str(games["none talk"].folder)
    given = ("process", "calibrate", folder, "--cheap", "--out", str(tmp_path), "--judge", "rules")
    shown = run_here(*given, "--json")
    assert shown.returncode == 0, shown.stderr
    told = json.loads(shown.stdout)
    assert set(told) == {"all", "fault none", "bank talk (held out)"}
    claims = next(row for row in told["all"]["found"] if (row["asked"], row["choice"]) == ("claims", "all"))
    assert 0.5 < claims["recall"]["share"] < 0.95
    assert claims["recall"]["interval"][0] < claims["recall"]["share"] < claims["recall"]["interval"][1]
    assert json.loads(run_here(*given, "--json", "--replay").stdout) == told
    text = run_here(*given).stdout
    assert "0 calls sent" in text
    assert "bank talk (held out)" in text
    short = run_here(*given[:-3], str(tmp_path / "short"), "--judge", "rules", "--max-calls", "3")
    assert short.returncode == 2
    assert "3" in short.stderr
    assert "Nothing was sent" in run_here(*given, "--dry-run").stdout


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--judge", "provider/model", "--wrapper", "flip=0.1"), "give --judge known or rules"),
        (("--judge", "rules", "--games", "3"), "leave them out or give no FOLDER"),
        (("--judge", "rules", "--wrapper", "flip=3"), "is no rate"),
        (("/nowhere", "--judge", "rules"), "there is no folder"),
        ((), "nobody is named"),
    ],
)
def test_mistakes_in_calibrating_are_named(
    games: dict[str, SpokenGame], tmp_path: Path, more: tuple[str, ...], message: str
) -> None:
    folder = str(games["none talk"].folder)
    ended = run_here("process", "calibrate", folder, "--out", str(tmp_path), *more)
    assert ended.returncode == 2
    assert message in ended.stderr
