"""A host in a process of its own: the player's process holds a pipe to it, and nothing of the answer."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec

from whatworked.environments.protocol import Call, Json, Tool
from whatworked.episodes.admission import admitted
from whatworked.episodes.fronts.game import Game
from whatworked.episodes.hosts import own_program
from whatworked.episodes.reply import Reply
from whatworked.episodes.ticket import Ticket, ticket_pipe
from whatworked.errors import EpisodeError

_PATIENCE = 60.0
"""Seconds that a host has to end its last call, when the player has gone."""


class LineHost:
    """A host at the other end of two streams; safe from several threads.

    Parameters
    ----------
    source, sink : binary file
        Where answers come from, and calls go.

    Raises
    ------
    EpisodeError
        If the host ends, then or in a later call; and in every call after one that was interrupted.
    """

    def __init__(self, source: IO[bytes], sink: IO[bytes]) -> None:
        self._source = source
        self._sink = sink
        self._lock = threading.Lock()
        self._waiting = False
        self._opening = self._read()["opening"]

    @property
    def text(self) -> str:
        """What the player is told."""
        return str(self._opening["text"])

    @property
    def facts(self) -> Mapping[str, Json]:
        """The same for programs."""
        facts: Mapping[str, Json] = self._opening["facts"]
        return facts

    def tools(self) -> Sequence[Tool]:
        """What can be called now."""
        return msgspec.convert(self._asked({"ask": "tools"})["tools"], tuple[Tool, ...])

    def standing(self) -> Reply:
        """Budgets and remaining seconds now."""
        return Reply.of(self._asked({"ask": "standing"}))

    def call(self, call: Call) -> Reply:
        """Carry out or refuse a call; what JSON cannot write is refused here, and does not reach the journal."""
        try:
            json.dumps([call.tool, call.arguments, call.call_id])
        except (TypeError, ValueError, RecursionError):
            return msgspec.structs.replace(self.standing(), refused=admitted(call).refusal)
        content = {"tool": call.tool, "arguments": call.arguments}
        return Reply.of(self._asked(content if call.call_id is None else {**content, "call_id": call.call_id}))

    def _asked(self, content: dict[str, Any]) -> dict[str, Any]:
        line = json.dumps(content).encode() + b"\n"
        with self._lock:
            # An interrupt (Ctrl-C, a timer of the caller's) leaves an answer on its way that no later call may take.
            if self._waiting:
                raise _ended("the connection was interrupted while a call waited for its answer")
            self._waiting = True
            try:
                self._sink.write(line)
                self._sink.flush()
                answer = self._read()
            except (BrokenPipeError, EpisodeError):
                self._waiting = False
                raise _ended() from None
            self._waiting = False
            return answer

    def _read(self) -> dict[str, Any]:
        line = self._source.readline()
        if not line.endswith(b"\n"):
            raise _ended()
        content: dict[str, Any] = json.loads(line)
        return content


def _ended(why: str = "the host has ended") -> EpisodeError:
    return EpisodeError(
        f"{why}; whatever it had answered is kept. Connect again to go on; what was asked last may or may "
        "not have been done, and a call with a call_id can be asked for again"
    )


@contextlib.contextmanager
def connect(ticket: Ticket | str | Path) -> Iterator[Game]:
    """Start a host in a child process and play with it; it ends with the block, the episode stays.

    Parameters
    ----------
    ticket : Ticket, str or Path
        What to play, or the file of a ticket. A host that is connected to again goes on with the same episode.

    Yields
    ------
    Game

    Raises
    ------
    EpisodeError
        If the host cannot begin (it says why on standard error), or ends before the block does.
    """
    reading = ticket_pipe(ticket) if isinstance(ticket, Ticket) else -1
    place = f"fd:{reading}" if isinstance(ticket, Ticket) else str(ticket)
    try:
        process = subprocess.Popen(
            own_program("whatworked", "serve", "--ticket", place, "--front", "jsonl"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[reading] if reading >= 0 else [],
        )
    finally:
        if reading >= 0:
            os.close(reading)
    with _ending(process):
        yield Game(LineHost(*_streams(process)))


def _streams(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdout is None or process.stdin is None:
        raise EpisodeError("the host was started without pipes")
    return process.stdout, process.stdin


@contextlib.contextmanager
def _ending(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Close the pipes and wait for a child; one that does not end is killed, and loses nothing that it answered."""
    try:
        yield
    finally:
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
