"""What a hostile player, a crash or an altered file can do to an episode: nothing gets in and nothing is lost."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from toy_environment import Toy, Wells

from whatworked.episodes import Call, Episode, Reply
from whatworked.episodes.fronts.host import EpisodeHost
from whatworked.episodes.fronts.lines import serve_lines
from whatworked.episodes.fronts.terminal import Terminal
from whatworked.episodes.records import read_record, setup_of
from whatworked.episodes.ticket import Ticket, ticket_pipe
from whatworked.errors import EpisodeError, JournalError
from whatworked.storage.timed_journal import Chain, TimedLine

TESTS = str(Path(__file__).parents[1])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "episode"


def opened(folder: Path, **options: Any) -> Episode:
    return Episode(folder, Toy(), Toy().find("three"), options)


def code(reply: Reply) -> str | None:
    return reply.refused.code if reply.refused else None


def short_game(folder: Path) -> bytes:
    """A journal with accepted, refused and unjudged calls, ids and results."""
    with opened(folder) as episode:
        episode.call(Call(tool="draw", arguments={"well": 1}, call_id="a"))
        episode.call(Call(tool="draw", arguments={"well": float("nan")}))
        episode.call(Call(tool="note", arguments={"text": "naïve\n"}))
        episode.call(Call(tool="draw", arguments={"well": 7}))
    return (folder / "episode.journal").read_bytes()


def spoken(host: EpisodeHost, *lines: bytes) -> list[dict[str, Any]]:
    """Answers to some lines, the opening left out."""
    sink = io.BytesIO()
    serve_lines(host, io.BytesIO(b"\n".join(lines) + b"\n"), sink)
    return [json.loads(line) for line in sink.getvalue().splitlines()][1:]


def read_from(data: bytes) -> list[TimedLine]:
    return Chain(Path("journal"), "episode", "").take(data)


def test_a_journal_cut_at_any_byte_goes_on_from_the_last_whole_event(folder: Path) -> None:
    whole = short_game(folder)
    journal = folder / "episode.journal"
    lines = read_from(whole)
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")][1:]
    for cut in range(len(whole) + 1):
        kept = sum(end <= cut for end in ends)
        assert read_from(whole[:cut]) == lines[:kept]
        if not cut % 41 or cut in ends or cut + 1 in ends:
            journal.write_bytes(whole[:cut])
            with opened(folder) as episode:
                assert [entry.body for entry in episode.entries] == [line.body for line in lines[1:kept]]
                assert episode.call(Call(tool="look")).number == max(kept, 1)
            assert len(read_record(folder).entries) == max(kept, 1)


def test_a_byte_changed_anywhere_is_named_and_nothing_is_changed(folder: Path) -> None:
    whole = short_game(folder)
    journal = folder / "episode.journal"
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        with pytest.raises(JournalError, match="Nothing was changed"):
            read_from(bytes(damaged))
        if not place % 41:
            journal.write_bytes(damaged)
            with pytest.raises(JournalError, match="Nothing was changed"):
                opened(folder)
            assert journal.read_bytes() == bytes(damaged)


def test_times_that_were_altered_with_their_digit_alone_are_seen(folder: Path) -> None:
    whole = short_game(folder)
    altered = whole.replace(b'"elapsed":0.', b'"elapsed":9.', 1)
    assert altered != whole
    (folder / "episode.journal").write_bytes(altered)
    with pytest.raises(JournalError, match="line 3 does not fit"):
        opened(folder)


def test_an_altered_instance_is_named(folder: Path) -> None:
    short_game(folder)
    with pytest.raises(EpisodeError, match="content of the instance"):
        Episode(folder, Toy(), Wells("three", (9, 9, 9)), {})
    with pytest.raises(EpisodeError, match="content of the instance"):
        setup_of(read_record(folder), Toy(), Wells("three", (9, 9, 9)))


PROCESS = """
import sys
from pathlib import Path
from toy_environment import Toy
from whatworked.episodes import Call, Episode
with Episode(Path(sys.argv[1]), Toy(), Toy().find("three"), {"budget": 9}) as episode:
    sys.stdin.readline()
    replies = [episode.call(Call(tool="draw", arguments={"well": 1})) for _ in range(9)]
    taken = sum(reply.refused is None for reply in replies)
    closing = episode.call(Call(tool="leave", arguments={"depth": int(sys.argv[2])}))
    print(taken, closing.refused.code if closing.refused else "closed it")
"""


def child(*arguments: str, **how: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": TESTS},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        **how,
    )


def test_two_processes_at_once_neither_overspend_nor_close_twice(folder: Path) -> None:
    players = [child("-c", PROCESS, str(folder), str(depth)) for depth in (1, 2)]
    said = [player.communicate("go\n", timeout=120)[0].split(maxsplit=1) for player in players]
    assert sum(int(taken) for taken, _ in said) <= 9
    assert sorted(ending.strip() for _, ending in said) == ["closed", "closed it"]
    record = read_record(folder)
    assert sum(event.charges.get("buckets", 0) for event in record.events) <= 9
    assert sum(event.call.tool == "leave" and event.refusal is None for event in record.events) == 1
    with opened(folder, budget=9) as episode:
        assert len(episode.entries) == 20  # each call of each process is written down once
        assert episode.closed


def test_what_is_no_number_or_no_json_is_refused_and_written_down(folder: Path) -> None:
    deep = b'{"tool":"note","arguments":' + b'{"text":' * 100_000 + b"1" + b"}" * 100_001
    lines = [
        b'{"tool":"draw","arguments":{"well":NaN}}',
        b'{"tool":"draw","arguments":{"well":-Infinity}}',
        b'{"tool":"draw","arguments":{"well":1,"well":2}}',
        b'{"tool":"draw","arguments":{"well":1},"extra":2}',
        b'{"tool":"draw","arguments":[1]}',
        b'["draw"]',
        b'{"tool":{"draw":1}}',
        b'{"tool":"draw","arguments":{"well":"\\ud800"}}',
        b'{"tool":"note","arguments":{"text":' + b"[" * 5000 + b"]" * 5000 + b"}}",
        deep,
        b"\xff\xfe",
        b'{"tool":"draw","arguments":{"well":' + b"9" * 9999 + b"}}",
    ]
    with opened(folder) as episode:
        answers = spoken(EpisodeHost(episode), *lines)
        codes = [answer["refused"]["code"] for answer in answers]
        assert codes == [*["bad_json"] * 4, "bad_argument", "bad_json", "unknown_tool", *["bad_json"] * 5]
        assert "more than once" in answers[2]["refused"]["message"]
        assert all(answer["budgets"]["buckets"]["left"] == 4 for answer in answers)
        assert code(episode.call(Call(tool="draw", arguments={"well": True}))) == "no_well"  # the rules' own refusal
        nested: Any = []
        for _ in range(100_000):
            nested = [nested]
        assert code(episode.call(Call(tool="note", arguments={"text": nested}))) == "bad_json"
        del nested
    with opened(folder) as again:
        assert len(again.entries) == len(lines) + 2
    assert (folder / "episode.journal").stat().st_size < 20_000


class Endless(io.RawIOBase):
    """So many bytes without a line break, then one call."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._rest = b'"}}\n{"tool":"look"}\n'

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._left:
            size = min(self._left, len(buffer))
            buffer[:size] = b"x" * size
            self._left -= size
            return size
        size = min(len(self._rest), len(buffer))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


def test_a_hundred_megabytes_and_a_million_masks_are_refused_and_not_kept(folder: Path) -> None:
    with opened(folder) as episode:
        sink = io.BytesIO()
        serve_lines(EpisodeHost(episode), io.BufferedReader(Endless(100_000_000)), sink)
        long, look = [json.loads(line) for line in sink.getvalue().splitlines()][1:]
        assert "100000003 bytes" in long["refused"]["message"]
        assert look["result"]["drawn"] == []
        many = episode.call(Call(tool="draw", arguments={"masks": ["0101"] * 10**6}))
        assert code(many) == "too_large"
    entries = read_record(folder).entries
    assert entries[0].event.call.arguments["bytes"] == 100_000_003
    assert entries[2].event.call.arguments["bytes"] == len('{"masks":[]}') + 10**6 * 7 - 1
    assert (folder / "episode.journal").stat().st_size < 5_000


def test_free_calls_without_end_do_not_fill_the_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whatworked.episodes.episode.MOST_FREE", 5)
    with opened(folder) as episode:
        replies = [episode.call(Call(tool="look")) for _ in range(8)]
        assert [code(reply) for reply in replies] == [None] * 5 + ["too_many_calls"] * 3
        assert code(episode.call(Call(tool="nothing"))) == "too_many_calls"
        assert episode.call(Call(tool="draw", arguments={"well": 1})).number == 6
        episode.call(Call(tool="draw", arguments={"well": 2}))
        assert code(episode.call(Call(tool="look"))) == "too_many_calls"
        assert episode.call(Call(tool="leave", arguments={"depth": 3})).closed
        assert code(episode.call(Call(tool="look"))) == "too_many_calls"
    with opened(folder) as again:
        assert len(again.entries) == 8


def test_escape_sequences_in_notes_never_reach_a_terminal(folder: Path) -> None:
    from command_line import run_here

    evil = "\x1b[2Jwiped\x07\u202edesrever"
    lines = iter([f'note {{"text": {json.dumps(evil)}}}', "look", "quit"])
    shown: list[str] = []
    with opened(folder) as episode:
        Terminal(EpisodeHost(episode), lambda _: next(lines), shown.append, lambda: evil).play()
    log = run_here("episode", "log", str(folder)).stdout
    for text in ("\n".join(shown), log):
        assert "wiped" in text
        assert not {"\x1b", "\x07", "\u202e"} & set(text)


def test_a_full_disk_tells_the_player_no_path_and_loses_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with opened(folder) as episode:
        host = EpisodeHost(episode)
        monkeypatch.setattr(os, "fsync", full)
        reply = host.call(Call(tool="draw", arguments={"well": 1}))
        assert code(reply) == "host_fault"
        assert str(folder) not in str(reply.content())
        monkeypatch.undo()
        assert host.call(Call(tool="draw", arguments={"well": 1})).number == 1
    assert "No space left" in (folder / "host.log").read_text()


@contextlib.contextmanager
def served(folder: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """A host in a process of its own, and its opening."""
    ticket = Ticket(environment="toy_environment:Loud", instance="three", folder=str(folder), options={"budget": "4"})
    reading = ticket_pipe(ticket)
    host = child("-m", "whatworked", "serve", "--ticket", f"fd:{reading}", pass_fds=[reading], stderr=subprocess.PIPE)
    os.close(reading)
    assert host.stdout is not None
    try:
        yield host, json.loads(host.stdout.readline())["opening"]
    finally:
        host.kill()
        host.wait()
        for stream in (host.stdin, host.stdout, host.stderr):
            if stream is not None:
                stream.close()


def say(host: subprocess.Popen[str], **content: Any) -> None:
    assert host.stdin is not None
    host.stdin.write(json.dumps(content) + "\n")
    host.stdin.flush()


def answer(host: subprocess.Popen[str]) -> dict[str, Any]:
    assert host.stdout is not None
    content: dict[str, Any] = json.loads(host.stdout.readline())
    return content


def wait_until_asleep(folder: Path) -> None:
    """Until the toy's slow work has begun; it leaves a file."""
    for _ in range(1200):
        if (folder / "asleep").exists():
            return
        time.sleep(0.05)
    raise AssertionError("the work never began")


def test_a_client_that_vanishes_or_a_host_that_is_killed_in_mid_call_loses_nothing(folder: Path) -> None:
    slow = {"tool": "sum", "arguments": {"code": str(folder / "asleep")}, "call_id": "s"}
    with served(folder) as (host, opening):
        assert opening["facts"] == {"wells": 3}
        assert b"three" not in Path(f"/proc/{host.pid}/cmdline").read_bytes()
        say(host, tool="draw", arguments={"well": 1})
        assert answer(host)["result"] == {"depth": 1}  # what the rules print on descriptor 1 is not among the answers
        say(host, **slow)
        wait_until_asleep(folder)
        host.send_signal(signal.SIGKILL)
        host.wait()
        assert host.stderr is not None
        assert "printed by the rules" in host.stderr.read()
    first = read_record(folder)
    assert len(first.entries) == 1
    (folder / "asleep").unlink()
    with served(folder) as (host, opening):
        assert opening["standing"]["budgets"]["sums"]["left"] == 5
        say(host, **slow)
        wait_until_asleep(folder)
        assert host.stdin is not None
        assert host.stdout is not None
        host.stdin.close()
        host.stdout.close()
        assert host.wait(60) == 0
    with served(folder) as (host, opening):
        assert opening["standing"]["budgets"]["sums"]["left"] == 4
        say(host, **slow)
        assert answer(host)["number"] == 2
        say(host, ask="standing")
        assert answer(host)["remaining_seconds"] <= 100 - (read_record(folder).elapsed)
    record = read_record(folder)
    assert record.opened == first.opened
    assert [event.call.tool for event in record.events] == ["draw", "sum"]
