"""Packed episodes of agents: replayed, graded again, beside the controls on the board; altered ones are refused."""

from __future__ import annotations

import gzip
import json
import pkgutil
from pathlib import Path

import pytest
from command_line import run_here

from whatworked import catalog
from whatworked.episodes import Episode
from whatworked.episodes.about import About, note_player
from whatworked.episodes.effects import effects_environment
from whatworked.episodes.fronts.game import Game
from whatworked.episodes.players import PLAYERS
from whatworked.errors import RunError
from whatworked.leaderboard.agents import pack_episodes, unpack_episodes, verified_episodes
from whatworked.leaderboard.board import agent_entries, board_of, recorded_board
from whatworked.storage.canonical import canonical_json
from whatworked.storage.timed_journal import Chain

BUDGET = 20


def episode(folder, name, player="ridge", seed=0, salt=None, **options):
    rules = effects_environment()
    options = {"budget": BUDGET, "view": "opaque", **options}
    with Episode(folder, rules, rules.find(name, salt), options, salt=salt) as made:
        pkgutil.resolve_name(PLAYERS[player])(Game(made), seed=seed)
        note_player(made.folder, About(player=player, seed=seed))
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The player `ridge` on every paired condition, and `careless` on one."""
    base = tmp_path_factory.mktemp("episodes")
    names = [condition.id for condition in catalog.conditions() if condition.track == "paired"]
    return [
        *(episode(base / name, name) for name in names),
        episode(base / "careless", "wine__d6", "careless"),
    ]


@pytest.fixture(scope="module")
def packed(folders):
    return pack_episodes(folders, "agents", "scripted")


def test_a_player_stands_beside_the_method_that_it_is(packed, tmp_path):
    (tmp_path / "agents.episodes.gz").write_bytes(packed)
    (entry,) = board_of(tmp_path)
    (control,) = [
        known
        for known in recorded_board()
        if (known.track, known.budget, known.method, known.rules) == ("paired", BUDGET, "D2", False)
    ]
    assert entry.method == "ridge (opaque)"
    assert entry.recovery == pytest.approx(control.recovery, abs=1e-9)
    assert entry.families == pytest.approx(control.families, abs=1e-9)
    assert (entry.strict, entry.exact, entry.sources) == (control.strict, control.exact, 6)


def test_a_missing_delivery_is_a_row(packed):
    rows = verified_episodes(unpack_episodes(packed, "here")).rows
    assert len(rows) == 7
    assert [(row.condition, row.delivered, row.grade.effect_recovery) for row in rows if not row.delivered] == [
        ("wine__d6", False, 0.0)
    ]


def test_who_was_given_more_than_the_published_rules_give_has_another_name(tmp_path):
    given = [{}, {"calculations": 1000}, {"deadline": 86_400, "helpers": "extended"}]
    played = [episode(tmp_path / str(number), "wine__d6", **options) for number, options in enumerate(given)]
    rows = verified_episodes(unpack_episodes(pack_episodes(played, "more"), "here")).rows
    assert [row.method for row in rows] == [
        "ridge (opaque)",
        "ridge (opaque, calculations 1000)",
        "ridge (opaque, helpers extended, deadline 86400)",
    ]


def test_the_same_episodes_have_the_same_bytes(folders, packed):
    assert pack_episodes(folders, "agents", "scripted") == packed


def altered(packed: bytes, change) -> bytes:
    content = json.loads(gzip.decompress(packed))
    change(content)
    return gzip.compress(json.dumps(content).encode())


def journal(change):
    """An alteration of the first journal of a pack."""

    def alter(content):
        content["episodes"][0]["journal"] = change(content["episodes"][0]["journal"])

    return alter


ALTERATIONS = {
    "a utility": journal(lambda text: text.replace('"utility":0.', '"utility":0.9', 1)),
    "a broken line": journal(lambda text: text.rsplit("\n", 3)[0] + "\nx\n"),
    "an empty journal": journal(lambda text: ""),
    "twice": lambda content: content["episodes"].append(content["episodes"][0]),
    "another field": lambda content: content.update(score=1.0),
    "another schema": lambda content: content.update(schema=2),
    "a name with a line break": lambda content: content.update(name="a\nb"),
}


@pytest.mark.parametrize("kind", ALTERATIONS)
def test_what_was_altered_is_refused(packed, kind):
    with pytest.raises(RunError):
        verified_episodes(unpack_episodes(altered(packed, ALTERATIONS[kind]), "here"))


def helped(packed: bytes, change) -> bytes:
    """The pack with what its first helper says of unmeasured masks changed, in a chain that is whole."""

    def forge(text: str) -> str:
        chain, out, bought = Chain(Path("x"), "episode", ""), b"", {0}
        for line in text.encode().splitlines():
            _, body, times, _ = line.split(b"\t")
            event = json.loads(body)
            call = event.get("call", {})
            bought |= {int(mask, 2) for mask in call.get("arguments", {}).get("masks", ())}
            if event.get("outcome") and call["tool"] == "submit_diagnosis":
                values = event["outcome"]["values"]
                for rank in range(len(values) - 1):
                    values[rank] = values[rank] if rank in bought else change(values[rank])
                event["events"][0]["facts"]["values"] = values
                body = canonical_json(event)
            forged = chain.line(body, json.loads(times))
            chain.take(forged)
            out += forged
        return out.decode()

    return altered(packed, journal(forge))


def test_the_table_of_a_helper_is_fitted_again(packed):
    """A well-made chain around a better table is refused by its first value; digits of another machine are not."""

    def check(change):
        return verified_episodes(unpack_episodes(helped(packed, change), "here"))

    with pytest.raises(
        RunError, match=r"call \d+ differs in its outcome, the fit of ridge_pair at 0\d*: written 0\.5, "
    ):
        check(lambda _: 0.5)
    assert len(check(lambda value: abs(value - 1e-9)).rows) == 7


@pytest.mark.parametrize("data", [b"", b"x", gzip.compress(b"["), gzip.compress(b"{}"), gzip.compress(b"{}")[:-5]])
def test_what_is_no_pack_is_refused(data):
    with pytest.raises(RunError, match="holds no packed episodes"):
        unpack_episodes(data, "here")


def test_bytes_behind_a_pack_are_refused(packed):
    with pytest.raises(RunError, match="more bytes follow"):
        unpack_episodes(packed + b"junk", "here")


def test_a_salted_episode_is_not_for_the_board(tmp_path):
    folder = episode(tmp_path / "salted", "wine", budget=2, salt=b"a private salt of mine")
    with pytest.raises(RunError, match=r"by ridge: .*in their own order"):
        verified_episodes(unpack_episodes(pack_episodes([folder], "agents"), "here"))


def test_what_is_wrong_with_a_journal_is_said_of_the_pack(packed):
    """Not of the file that it was unpacked into, with advice for an episode of one's own."""
    with pytest.raises(RunError) as told:
        verified_episodes(unpack_episodes(altered(packed, ALTERATIONS["a utility"]), "here"))
    start = "episode 1 of agents, by ridge: its journal is damaged or was altered: line "
    end = " does not fit; leave it out, or pack it again from its folder"
    assert str(told.value).startswith(start)
    assert str(told.value).removesuffix(end)[len(start) :].isdigit()


def test_a_part_of_a_track_has_no_entry_and_the_board_says_so(folders, tmp_path):
    rows = verified_episodes(unpack_episodes(pack_episodes(folders[1:], "agents"), "here"))
    assert agent_entries(rows) == []
    (tmp_path / "a.episodes.gz").write_bytes(pack_episodes(folders[1:2], "agents"))
    done = run_here("leaderboard", "--results", str(tmp_path))
    assert " ".join(done.stdout.split()).startswith("no results: 1 pack in ")
    assert "an entry needs all conditions of a track" in " ".join(done.stdout.split())
    (tmp_path / "a.episodes.gz").unlink()
    assert "holds no packed runs" in " ".join(run_here("leaderboard", "--results", str(tmp_path)).stdout.split())


def test_a_name_with_control_characters_is_told_as_that(packed):
    def rename(content):
        content["episodes"][0]["player"] = "a\x1b[31m"

    with pytest.raises(RunError, match=r"the name of a player, 'a\\x1b\[31m', has characters that steer a terminal"):
        unpack_episodes(altered(packed, rename), "here")


def test_commands_pack_and_verify(folders, tmp_path):
    file = tmp_path / "agents.episodes.gz"
    done = run_here("episode", "pack", *map(str, folders[-2:]), "--name", "two", "--out", str(file))
    assert (done.returncode, "2 episodes replayed, 1 without a delivery" in done.stdout) == (0, True), done.stderr
    rows = json.loads(run_here("episode", "verify", str(file), "--json").stdout)["rows"]
    assert [row["method"] for row in rows] == ["ridge (opaque)", "careless (opaque)"]
    assert run_here("episode", "pack", str(folders[0]), "--name", "x", "--out", str(tmp_path / "x.gz")).returncode == 2
