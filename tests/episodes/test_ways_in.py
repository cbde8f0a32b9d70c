"""One player through every way in: journals equal but for times, whoever holds the pipe."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from command_line import run_here
from toy_environment import Toy

from whatworked.episodes import Call, Episode
from whatworked.episodes.about import About, read_about
from whatworked.episodes.effects import effects_environment
from whatworked.episodes.fronts.arguments import read_arguments
from whatworked.episodes.fronts.connecting import LineHost, connect
from whatworked.episodes.fronts.game import Game
from whatworked.episodes.fronts.gym import EpisodeGym
from whatworked.episodes.fronts.host import EpisodeHost
from whatworked.episodes.fronts.lines import serve_lines
from whatworked.episodes.fronts.terminal import Terminal
from whatworked.episodes.playing import RecordedHost, called, choose_player, play
from whatworked.episodes.records import read_record, replay, score_of, setup_of
from whatworked.episodes.registry import environment_names, environment_of
from whatworked.episodes.standings import find_episodes, read_rows, standings
from whatworked.episodes.ticket import Ticket, read_ticket, write_ticket
from whatworked.errors import EpisodeError, InvalidOptionError, PluginError, StorageError, UnknownNameError

TESTS = str(Path(__file__).parents[1])
TOY = ("toy_environment:Toy", "three")
SOURCE = """
def player(game, seed=0):
    game.look()
    game.draw(well="deep")
    for well in (seed % 3, 2):
        depth = game.draw(well=well).result["depth"]
        game.note(text=f"naïve: {depth}")
    game.call("sum", code="1 + 1", call_id="s")
    game.call("sum", code="1 + 1", call_id="s")
    game.nothing() if any(tool.name == "nothing" for tool in game.tools()) else game.call("nothing")
    game.leave(depth=3)
    game.leave(depth=3)
"""
"""A player that errs, repeats itself and closes twice."""


def player(game: Game, seed: int = 0) -> None:
    names: dict[str, Any] = {}
    exec(SOURCE, names)
    called(names["player"], game, seed)


def ticket(folder: Path) -> Ticket:
    return Ticket(environment=TOY[0], instance=TOY[1], options={"budget": "4"}, folder=str(folder))


def typed(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command with somebody at the keyboard."""
    return subprocess.run(
        [sys.executable, "-m", "whatworked", *arguments],
        env={**os.environ, "PYTHONPATH": TESTS},
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


def bodies(folder: Path) -> list[bytes]:
    return [entry.body for entry in read_record(folder).entries]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An episode that a scripted player played in this process."""
    folder = tmp_path_factory.mktemp("here") / "episode"
    with ticket(folder).opened() as episode:
        player(Game(episode), 3)
        assert episode.closed
    return folder


def test_a_host_in_another_process_has_the_same_journal(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", TESTS)
    (tmp_path / "msgspec.py").write_text("raise SystemExit('a file of the working folder was imported by the host')")
    monkeypatch.chdir(tmp_path)
    with connect(ticket(tmp_path)) as game:
        assert game.opening == "There are some wells."
        player(game, 3)
        assert game.closed
    assert bodies(tmp_path) == bodies(here)
    assert len(bodies(here)) == 9
    record = read_record(tmp_path)
    setup = setup_of(record, Toy())
    assert score_of(record, setup) == score_of(read_record(here), setup)
    assert replay(record, setup).difference is None


def test_an_interrupted_call_never_gives_its_answer_to_another(tmp_path: Path) -> None:
    class Interrupt(BaseException):
        pass

    class Timer(io.BytesIO):
        armed = False

        def readline(self, size: int | None = -1) -> bytes:
            if self.armed:
                raise Interrupt
            return super().readline(size)

    source = Timer(b'{"opening": {}}\n{"number": 1, "result": {"of": "draw"}}\n{"number": 2}\n')
    host = LineHost(source, io.BytesIO())
    source.armed = True
    with pytest.raises(Interrupt):
        host.call(Call(tool="draw"))
    source.armed = False
    for _ in range(2):
        with pytest.raises(EpisodeError, match=r"was interrupted.*Connect again"):
            host.call(Call(tool="look"))


def test_a_folder_that_is_no_utf_8_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidOptionError, match=r"x\\udcff.*not UTF-8"):
        write_ticket(ticket(tmp_path / "x\udcff"), tmp_path / "t")
    assert not (tmp_path / "t").exists()


def test_a_strangers_file_plays_in_a_process_that_is_told_nothing(here: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import os, sys\nprint('noise on the standard output')\n"
        "seen = open(f'/proc/{os.getppid()}/cmdline').read() + str(dict(os.environ)) + str(sys.argv) + os.getcwd()\n"
        f"assert 'three' not in seen, seen\n{SOURCE}"
    )
    out = tmp_path / "e"
    told = typed("", "play", *TOY, "--player", f"{file}:player", "--budget", "4", "--out", str(out), "--json")
    assert told.returncode == 0, told.stderr
    (result,) = json.loads(told.stdout)
    assert result["failure"] is None
    assert result["score"] == 1.0
    with ticket(tmp_path / "same").opened() as episode:
        player(Game(episode), 0)
    assert bodies(out) == bodies(tmp_path / "same")
    assert "noise on the standard output" in told.stderr


def test_a_player_that_breaks_is_a_missing_delivery_in_every_denominator(tmp_path: Path) -> None:
    file = tmp_path / "random.py"
    file.write_text(f"{SOURCE}\ndef broken(game):\n    game.draw(well=1)\n    raise RuntimeError('oops')\n")
    for number, name in enumerate(("player", "broken")):
        choice = choose_player(f"{file}:{name}")
        with ticket(tmp_path / "all" / str(number)).opened() as episode:
            about = play(episode, choice)
        assert about.failure == (None if name == "player" else "RuntimeError: oops")
    rows = read_rows(find_episodes([tmp_path / "all"]), Toy())
    assert [(row.state, row.value) for row in rows] == [("delivered", 1.0), ("broken", 0.0)]
    same = [replace(row, about=About(player="both")) for row in rows]
    (standing,) = standings(same, resamples=99)
    assert (standing.episodes, standing.delivered, standing.undefined) == (2, 1, 0)
    assert standing.interval is not None
    assert standing.interval.estimate == 0.5
    shown = run_here("episode", "table", str(tmp_path / "all"), "--environment", TOY[0], "--each", "--csv")
    assert [line.split(",")[6] for line in shown.stdout.splitlines()] == ["delivered", "True", "False"]


def test_an_episode_by_other_rules_is_refused_in_a_table_wherever_it_stands(tmp_path: Path) -> None:
    class Newer(Toy):
        version = "2"

    for rules in (Toy(), Newer()):
        Episode(tmp_path / rules.version, rules, rules.find("three"), {}).close()
    old, new = tmp_path / Toy().version, tmp_path / "2"
    for folders in ([old, new], [new, old]):
        with pytest.raises(EpisodeError, match="version of the environment: 1 there, 2 here"):
            read_rows(folders, Newer())


def test_an_episode_counts_once_and_what_an_import_left_does_not(tmp_path: Path, monkeypatch: Any) -> None:
    for name in ("a", "b", ".importing-x"):
        ticket(tmp_path / "all" / name).opened().close()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "all")
    every = [Path("all"), tmp_path / "all" / "b", Path("link")]
    assert find_episodes(every) == [Path("all/a"), Path("all/b")]
    (tmp_path / "none").mkdir()
    (tmp_path / "all" / ".importing-x").rename(tmp_path / "none" / ".importing-x")
    with pytest.raises(StorageError, match="there is no episode in"):
        find_episodes([tmp_path / "none"])


def test_a_note_of_who_played_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    held = msgspec.structs.replace(ticket(tmp_path / "e"), player="mine")
    held.opened().close()
    about = tmp_path / "e" / "about.json"
    about.write_bytes(about.read_bytes()[:-3])
    for reading in (held.opened, lambda: read_rows([tmp_path / "e"], Toy())):
        with pytest.raises(StorageError, match=r"about.json does not say who played: .*; put it back"):
            reading()
    about.unlink()
    assert [row.about for row in read_rows([tmp_path / "e"], Toy())] == [About()]


def test_a_player_that_never_ends_is_ended_after_the_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whatworked.episodes.fronts.player_file._GRACE", 0.0)
    file = tmp_path / "mine.py"
    file.write_text("import time\ndef player(game):\n    game.draw(well=1)\n    time.sleep(1000)\n")
    held = Ticket(environment=TOY[0], instance=TOY[1], options={"seconds": "2"}, folder=str(tmp_path / "e"))
    with held.opened() as episode:
        assert (
            play(episode, choose_player(f"{file}:player")).failure
            == "it was still playing 0 seconds after the deadline"
        )
    with msgspec.structs.replace(held, player="mine").opened() as episode:
        assert read_about(episode.folder).player == "mine"


def test_a_player_that_starts_again_is_answered_from_what_is_written_down(here: Path) -> None:
    with ticket(here).opened() as episode:
        player(Game(RecordedHost(episode)), 3)
    assert len(bodies(here)) == 9


def test_a_changed_journal_is_told_by_replaying(tmp_path: Path) -> None:
    class Deeper(Toy):
        def _draw(self, instance: Any, state: Any, given: Any, elapsed: float) -> Any:
            return msgspec.structs.replace(super()._draw(instance, state, given, elapsed), result={"depth": 9})

    with Episode(tmp_path, Toy(), Toy().find("three"), {}) as episode:
        episode.call(Call(tool="look"))
        episode.call(Call(tool="draw", arguments={"well": 1}))
    record = read_record(tmp_path)
    found = replay(record, setup_of(record, Deeper()))
    assert found.events == 1
    assert found.difference is not None
    assert (found.difference.number, found.difference.field) == (2, "result")
    assert (found.difference.written, found.difference.replayed) == ({"depth": 1}, {"depth": 9})
    shown = run_here("episode", "replay", str(tmp_path), "--environment", "toy_environment:Toy")
    assert (shown.returncode, shown.stdout) == (0, "2 calls replayed, every byte the same\n")


def test_a_game_is_called_by_names_and_takes_arrays(tmp_path: Path) -> None:
    with Episode(tmp_path, Toy(), Toy().find("three"), {}) as episode:
        game = Game(episode)
        assert game.draw(well=np.int64(2)).result == {"depth": 2}
        assert game.call("draw", {"well": np.array(1)}, call_id="x").number == 2
        assert game.call("draw", ["well"]).refused is not None
        assert game.budgets()["buckets"].left == 2
        with pytest.raises(AttributeError, match="did you mean draw"):
            game.darw(well=1)


def test_a_gym_pays_at_the_end(tmp_path: Path) -> None:
    gym = EpisodeGym(lambda seed: Episode(tmp_path / str(seed), Toy(), Toy().find("three"), {"seconds": 1000}))
    observation, info = gym.reset(seed=4)
    assert observation == {"wells": 3}
    assert info["budgets"]["buckets"]["left"] == 4
    steps = [gym.step(("draw", {"well": well})) for well in (0, 9, 2)]
    assert [(reward, ended) for _, reward, ended, _, _ in steps] == [(0.0, False)] * 3
    assert steps[1][4]["refused"]["code"] == "no_well"
    _, reward, terminated, truncated, info = gym.step(("leave", {"depth": 3}))
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["score"]["exact"] is True
    gym.reset()
    assert (tmp_path / "5").is_dir()
    gym.close()


def test_a_person_plays_line_by_line(tmp_path: Path) -> None:
    table = tmp_path / "depth.txt"
    table.write_text("3")
    wrong = ["drw 1", '{"x"', 'note {"text": 1', "", "draw x"]
    lines = iter(["help", "draw 1", *wrong, "draw well=2", f"leave @{table}"])
    shown: list[str] = []
    prompts: list[str] = []

    def read(prompt: str) -> str:
        prompts.append(prompt)
        return next(lines)

    with Episode(tmp_path / "e", Toy(), Toy().find("three"), {}) as episode:
        assert Terminal(EpisodeHost(episode), read, shown.append).play()
    said = "\n".join(shown)
    assert "depth: 1" in said
    assert "did you mean draw?" in said
    assert "refused (no_well): well is 'x'" in said
    assert "buckets 3 of 4 left" in prompts[2]
    assert [event.call.arguments for event in read_record(tmp_path / "e").events][-1] == {"depth": "3"}


def test_a_person_plays_the_drift_by_verbs_alone(tmp_path: Path) -> None:
    lines = iter(["goto trellis-bay", "read job-strip", "raed", "commit 3", "commit 3 4 9", "quit"])
    shown: list[str] = []
    rules = environment_of("drift")
    with Episode(tmp_path / "e", rules, rules.find("evaluation-003"), {"budget": 12}) as episode:
        assert not Terminal(EpisodeHost(episode), lambda prompt: next(lines), shown.append).play()
    said = "\n".join(shown)
    assert "JOB STRIP" in said
    assert '"printer' not in said
    assert "did you mean read?" in said
    assert "commit needs answer and counter; nothing was sent" in said
    assert [event.call.arguments for event in read_record(tmp_path / "e").events] == [
        {"verb": "goto", "target": "trellis-bay"},
        {"verb": "read", "target": "job-strip"},
        {"intake": 3, "answer": 4, "counter": 9},
    ]


def test_arguments_are_read_as_the_schema_says() -> None:
    from whatworked.episodes import Tool

    tool = Tool(
        name="t",
        purpose="",
        parameters={"masks": {"type": "array", "items": {"type": "string"}}, "n": {"type": "integer"}},
        required=("masks",),
    )
    assert read_arguments(tool, "0101, 1010") == {"masks": ["0101", "1010"]}
    assert read_arguments(tool, 'n=2 masks="01 10"') == {"n": 2, "masks": ["01", "10"]}
    assert read_arguments(tool, '{"masks": ["01"]}') == {"masks": ["01"]}
    assert read_arguments(tool, '["01"]') == {"masks": ["01"]}
    with pytest.raises(ValueError, match="more than once"):
        read_arguments(tool, '{"n": 1, "n": 2}')
    act = Tool(
        name="act",
        purpose="",
        parameters={"verb": {"enum": ["goto", "wait"]}, "target": {"type": "string"}, "n": {"type": "integer"}},
        required=("verb",),
    )
    assert read_arguments(act, "goto mat-bank") == {"verb": "goto", "target": "mat-bank"}
    assert read_arguments(act, "wait 3") == {"verb": "wait", "n": 3}
    with pytest.raises(ValueError, match="one more: 'four'"):
        read_arguments(act, "wait 3 two four")
    note = Tool(name="note", purpose="", parameters={"text": {"type": "string"}, "mode": {}}, required=("text",))
    assert read_arguments(note, "text=2 it isn't a sum") == {"text": "text=2 it isn't a sum"}


def test_a_person_who_leaves_goes_on_by_the_same_command(tmp_path: Path) -> None:
    command = ("play", *TOY, "--player", "me", "--out", str(tmp_path / "e"))
    first = typed("draw 1\ndraw 2\nquit\n", *command)
    assert "the same command goes on" in first.stdout
    second = typed("leave 3\n", *command)
    assert "buckets 2 of 4 left" in second.stdout
    assert "The episode is closed." in second.stdout
    assert "right 1.0000, 3 calls" in second.stdout
    other = run_here("play", *TOY, "--player", "me", "--budget", "8", "--out", str(tmp_path / "e"))
    assert other.returncode == 2
    assert "is another one: options" in other.stderr


def test_what_json_cannot_write_is_refused_alike_in_every_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call is not made; the next one is answered."""
    monkeypatch.setenv("PYTHONPATH", TESTS)
    values: list[Any] = [{1, 2}, 10**5000, float("nan"), {(1, 2): 3}]
    with ticket(tmp_path / "here").opened() as episode:
        expected = [Game(episode).call("draw", well=value) for value in values]
    with connect(ticket(tmp_path / "there")) as game:
        found = [game.call("draw", well=value) for value in values]
        assert game.call("look").refused is None
    assert [reply.refused.code for reply in expected if reply.refused] == ["bad_json"] * len(values)
    assert [(each.refused, each.budgets) for each in found] == [(each.refused, each.budgets) for each in expected]


def test_a_link_that_leads_nowhere_is_called_that(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere" / "x")
    with pytest.raises(StorageError, match=r"it is a link to .*x, where nothing is; make that or choose another name"):
        ticket(link).opened()
    assert os.path.lexists(link)
    assert not link.exists()


def test_one_unit_of_a_budget_is_no_plural(tmp_path: Path) -> None:
    rules = effects_environment()
    with Episode(tmp_path, rules, rules.find("wine"), {"budget": 4, "view": "opaque"}) as episode:
        Game(episode).observe_many(masks=["0001"])
        Game(episode).observe_many(masks=["0010", "0100"])
    shown = run_here("episode", "log", str(tmp_path)).stdout
    assert [line.strip() for line in shown.splitlines() if "charged " in line][-1] == "charged 2 credits"
    assert "charged 1 credit\n" in shown


def test_a_number_of_too_many_digits_is_called_that(tmp_path: Path) -> None:
    line = b'{"tool": "draw", "arguments": {"well": [NaN, 1' + b"0" * 5000 + b"]}}\n"
    sink = io.BytesIO()
    with ticket(tmp_path).opened() as episode:
        serve_lines(EpisodeHost(episode), io.BytesIO(line), sink)
    said = json.loads(sink.getvalue().splitlines()[1])["refused"]["message"]
    assert said == "this is no call: it has a number of too many digits. Send one JSON object with tool and arguments"


def test_tickets_are_private_and_salts_are_asked_for(tmp_path: Path) -> None:
    salt = tmp_path / "salt"
    salt.write_bytes(os.urandom(32))
    held = Ticket(environment=TOY[0], instance="three", folder=str(tmp_path / "e"), salt=str(salt))
    path = write_ticket(held, tmp_path / "ticket")
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_ticket(str(path)) == held
    with held.opened() as episode:
        episode.call(Call(tool="look"))
    with pytest.raises(EpisodeError, match="private salt; give its file with --salt"):
        Ticket.of_folder(tmp_path / "e")
    assert Ticket.of_folder(tmp_path / "e", salt).salt == str(salt)
    with held.opened() as episode:
        assert len(episode.entries) == 1
    salt.write_bytes(os.urandom(32))
    with pytest.raises(EpisodeError, match="is not the salt"):
        setup_of(read_record(tmp_path / "e"), Toy(), salt=salt)
    salt.write_bytes(b"short")
    with pytest.raises(InvalidOptionError, match="at least 16"):
        held.opened()
    path.chmod(0o644)
    with pytest.raises(InvalidOptionError, match=r"can be read by others \(mode 644\).* run chmod 600 .*ticket"):
        read_ticket(str(path))
    path.chmod(0o600)
    path.write_text('{"environment": "effects"}')
    with pytest.raises(InvalidOptionError, match="is no ticket"):
        read_ticket(str(path))
    with pytest.raises(StorageError, match="descriptor"):
        read_ticket("fd:none")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("play", "effects", "--player", "ridge"), "give an ENVIRONMENT and an INSTANCE"),
        (("play", "efects", "wine", "--player", "ridge"), "did you mean effects?"),
        (("play", "effects", "wine", "--player", "rigde"), "did you mean ridge or rgp?"),
        (("play", "effects", "wine", "--player", "none.py:f"), "there is no file none.py"),
        (("play", "effects", "wine", "--player", "ridge", "--option", "view"), "write --option KEY=VALUE"),
        (("play", "effects", "wine", "--player", "ridge", "--ticket", "x"), "give nothing else with it"),
        (("play", "effects", "wine", "--player", "me", "--games", "2"), "a person plays one episode"),
        (("episode", "show", "."), "episode.journal"),
        (("episode", "table", "."), "there is no episode in"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    shown = run_here(*arguments)
    assert (shown.returncode, shown.stdout, len(shown.stderr.splitlines())) == (2, "", 1)
    assert message in shown.stderr
    assert not list(tmp_path.iterdir())


def test_environments_come_from_other_packages_by_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = tmp_path / "wells-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Name: wells\nVersion: 1\n")
    (installed / "entry_points.txt").write_text("[whatworked.environments]\nwells = toy_environment:Toy\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "wells" in environment_names()
    assert isinstance(environment_of("wells"), Toy)
    with pytest.raises(PluginError, match="makes no environment"):
        environment_of("toy_environment:Slow")


def test_an_environment_that_does_not_exist_is_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean drift"):
        environment_of("drifft")
