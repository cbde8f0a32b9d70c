"""What `drift calibrate` finds of judges: nothing wrong with one that knows, and the rates of one that errs."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from command_line import run_here

from whatworked.environments.drift.scoring import revisions_of
from whatworked.errors import RecordError
from whatworked.judging import Reply, Request
from whatworked.process.drift import criteria, stub_judge
from whatworked.process.testbed.drift_calibration import (
    ErringReader,
    note_error_rates,
    note_groups,
    note_qualities,
    try_drift_judge,
)
from whatworked.process.testbed.drift_games import (
    KNOWN_NOTES,
    NOTE_BANKS,
    NOTE_FAULTS,
    SpokenDrift,
    _words,
    known_drift_judge,
    read_spoken_drift,
    speaking_drift_games,
)
from whatworked.process.testbed.erring import Rates

RATES = Rates(flip=0.1, drop=0.05, garble=0.02)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> list[SpokenDrift]:
    return list(speaking_drift_games(tmp_path_factory.mktemp("drift"), 2 * len(NOTE_FAULTS)))


def test_every_bank_has_words_of_its_own_for_every_criterion() -> None:
    for bank in NOTE_BANKS:
        assert set(_words()[bank]) == set(criteria())
    said = [text for bank in NOTE_BANKS for pair in _words()[bank].values() for text in pair]
    assert not [(one, other) for one in said for other in said if one is not other and one in other]
    assert not [text for text in said for entry in criteria().values() if text in entry.negative]


def test_a_judge_that_knows_is_right_and_on_time(games: list[SpokenDrift]) -> None:
    tried = [try_drift_judge(game, known_drift_judge(game)) for game in games]
    for row in note_qualities(tried):
        assert row.precision.value == row.recall.value == row.on_time.value == 1
        assert (row.late, row.low, row.high) == (0, 0, 0)
    # Grounds that are written later have later times than the statements.
    late = next(game for game in games if game.known.fault == "late")
    times = [(known.stated_at, known.grounded_at) for known in late.statements if known.stated_at is not None]
    assert len(times) == 8
    assert all(grounded is not None and grounded > stated for stated, grounded in times if stated is not None)


def test_a_judge_that_names_the_last_note_is_late_by_what_was_paid_since(games: list[SpokenDrift]) -> None:
    game = next(game for game in games if game.known.fault == "none")
    last = len(game.known.notes)

    class Late:
        name = "late"

        async def reply(self, request: Request) -> Reply:
            reply = await known_drift_judge(game).reply(request)
            answer = json.loads(reply.text)
            return msgspec.structs.replace(reply, text=json.dumps(answer | {"first_revision": last * answer["hit"]}))

    stated, grounded = note_qualities([try_drift_judge(game, Late())])
    paid = [revision.paid for revision in revisions_of(game.episode.record.events)]
    behind = [paid[-1] - known.stated_at for known in game.statements if known.stated_at is not None]
    assert stated.late == pytest.approx(sum(behind) / len(behind))
    assert (stated.on_time.taken, grounded.on_time.value) == (behind.count(0), 1)


def test_the_stub_reads_the_words_of_the_examples_alone(games: list[SpokenDrift]) -> None:
    tried = [try_drift_judge(game, stub_judge()) for game in games]
    recalls = {name: note_qualities(members)[0].recall.value for name, members in note_groups(tried)}
    assert (recalls["bank examples"], recalls["bank plain"], recalls["fault near"]) == (1, 0, None)
    assert note_error_rates(tried).flip.taken == 32


def test_rates_of_errors_are_found(games: list[SpokenDrift]) -> None:
    tried = [
        try_drift_judge(game, ErringReader(judge, RATES, seed, game.episode.name), within=judge)
        for seed in range(3)
        for game in games
        for judge in (stub_judge(),)
    ]
    for name, share in note_error_rates(tried).named():
        assert share.interval is not None
        assert share.interval[0] <= getattr(RATES, name) <= share.interval[1], (name, share)
        assert share.offered > 550


def test_known_notes_must_be_those_of_the_episode(tmp_path: Path) -> None:
    (game,) = speaking_drift_games(tmp_path, 1)
    folder = tmp_path / game.episode.name
    assert [again.statements for again in speaking_drift_games(tmp_path, 1)] == [game.statements]
    path = folder / KNOWN_NOTES
    path.write_bytes(path.read_bytes().replace(b"states", b"neither", 1).replace(b'"text":"', b'"text":"x', 1))
    with pytest.raises(RecordError, match="other notes"):
        read_spoken_drift(folder)
    path.write_bytes(b"{}")
    with pytest.raises(RecordError, match="cannot be read"):
        read_spoken_drift(folder)
    path.unlink()
    with pytest.raises(RecordError, match="is not known"):
        read_spoken_drift(folder)


def test_the_command_tries_a_judge_and_replays(tmp_path: Path) -> None:
    asked = ("drift", "calibrate", "--judge", "stub", "--games", "2", "--out", str(tmp_path), "--json")
    first, again = run_here(*asked), run_here(*asked, "--replay")
    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout) == json.loads(again.stdout)
    assert json.loads(first.stdout)["all"]["found"][0]["recall"]["taken"] == 16
    refused = run_here("drift", "calibrate", "--judge", "a/b", "--wrapper", "flip=0.1", "--out", str(tmp_path))
    assert refused.returncode == 2
    unnamed = run_here("drift", "calibrate", "--out", str(tmp_path / "new"))
    assert (unnamed.returncode, (tmp_path / "new").exists()) == (2, False)
    assert "give --judge known or stub" in refused.stderr
