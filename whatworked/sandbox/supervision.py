"""Watching a program in the sandbox from outside: its output, its time, its threads, and its end."""

from __future__ import annotations

import contextlib
import json
import os
import select
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from whatworked.sandbox.interface import LimitName, Limits

LOOK_SECONDS = 0.05
"""How often time and threads are looked at."""
GRACE_SECONDS = 5.0
"""How long to wait for the kernel to take away what was ended."""
_CHUNK = 65_536


class Tape:
    """The start and the end of a stream, at most `most` bytes together; what lies between is counted."""

    def __init__(self, most: int) -> None:
        self._head, self._tail = bytearray(), bytearray()
        self._for_head, self._for_tail = most - most // 2, most // 2
        self.total = 0

    def write(self, chunk: bytes) -> None:
        """Take the next bytes of the stream."""
        self.total += len(chunk)
        room = self._for_head - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > self._for_tail:
            del self._tail[: len(self._tail) - self._for_tail]

    @property
    def cut(self) -> int:
        """Bytes that were left out."""
        return self.total - len(self._head) - len(self._tail)

    def text(self) -> str:
        """What was kept, with a line that says how much is missing; invalid UTF-8 is replaced."""
        gap = f"\n[{self.cut} bytes left out]\n".encode() if self.cut else b""
        return bytes(self._head + gap + self._tail).decode("utf-8", "replace")


@dataclass(frozen=True)
class Ending:
    """How a program ended.

    Attributes
    ----------
    started : bool
        Whether it was started at all; if not, `stderr` says why.
    code : int
        Exit status as bubblewrap passes it on: 128 and the number of the signal for one that ended it.
    limit : str or None
        The limit for which it was ended from here.
    stdout, stderr : Tape
        Its output.
    wall_seconds, cpu_seconds : float
        Time, the latter as last seen.
    """

    started: bool
    code: int
    limit: LimitName | None
    stdout: Tape
    stderr: Tape
    wall_seconds: float
    cpu_seconds: float


class Watch:
    """Reads what a started bubblewrap says, until everything in the sandbox has ended.

    Parameters
    ----------
    process : Popen
        Bubblewrap, in a session of its own, with pipes for both outputs.
    status : int
        Descriptor from which its own messages (``--json-status-fd``) are read.
    limits : Limits
        What the program may use.
    """

    def __init__(self, process: subprocess.Popen[bytes], status: int, limits: Limits) -> None:
        self._process, self._limits = process, limits
        self._began = time.monotonic()
        self._said = bytearray()
        self._tapes = (Tape(limits.output_bytes), Tape(limits.output_bytes))
        self._first: int | None = None
        """Process number of the sandbox's first process; when that ends, the kernel ends all others in it."""
        self._handle: int | None = None
        self._cpu = 0.0
        self._limit: LimitName | None = None
        self._status = status

    def follow(self) -> Ending:
        """Watch until the end; whatever is raised here, nothing is left running."""
        try:
            self._read_all()
        finally:
            self._end()
        code = self._exit_code()
        return Ending(
            started=code is not None or self._limit is not None,
            code=-1 if code is None else code,
            limit=self._limit,
            stdout=self._tapes[0],
            stderr=self._tapes[1],
            wall_seconds=time.monotonic() - self._began,
            cpu_seconds=self._cpu,
        )

    def _read_all(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - both are pipes
        assert self._process.stderr is not None  # noqa: S101
        with selectors.DefaultSelector() as selector:
            for stream, take in (
                (self._process.stdout.fileno(), self._tapes[0].write),
                (self._process.stderr.fileno(), self._tapes[1].write),
                (self._status, self._hear),
            ):
                selector.register(stream, selectors.EVENT_READ, take)
            while selector.get_map() and self._limit is None:
                for key, _ in selector.select(LOOK_SECONDS):
                    if chunk := os.read(key.fd, _CHUNK):
                        key.data(chunk)
                    else:
                        selector.unregister(key.fd)
                self._look()

    def _hear(self, chunk: bytes) -> None:
        """Take what bubblewrap says; its first message names the sandbox's first process."""
        self._said += chunk
        if self._first is None and (found := self._message("child-pid")) is not None:
            self._first = found
            with contextlib.suppress(OSError):
                self._handle = os.pidfd_open(found)

    def _message(self, name: str) -> int | None:
        for line in self._said.split(b"\n"):
            with contextlib.suppress(ValueError):
                if name in (message := json.loads(line)):
                    return int(message[name])
        return None

    def _exit_code(self) -> int | None:
        return self._message("exit-code")

    def _look(self) -> None:
        """End the program if it has passed a limit that the kernel does not watch."""
        threads = self._measure()
        if time.monotonic() - self._began > self._limits.wall_seconds:
            self._limit = "wall"
        elif sum(tape.total for tape in self._tapes) > self._limits.drained_bytes:
            self._limit = "output"
        elif threads > self._limits.threads:
            self._limit = "threads"

    def _measure(self) -> int:
        """Note the processor time of the program, and return the number of its threads."""
        if self._first is None:
            return 0
        try:
            children = Path(f"/proc/{self._first}/task/{self._first}/children").read_text(encoding="ascii").split()
            fields = Path(f"/proc/{children[0]}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except (OSError, IndexError):
            return 0
        self._cpu = max(self._cpu, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
        return int(fields[17])

    def _end(self) -> None:
        """End whatever still runs in the sandbox, and wait until it is gone."""
        if self._handle is None:
            self._end_group()
        else:
            self._end_first(self._handle)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _end_first(self, handle: int) -> None:
        """End the sandbox's first process: the kernel ends all others in it, and bubblewrap ends by itself."""
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        try:
            self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._end_group()
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.poll(GRACE_SECONDS * 1000)
        os.close(handle)

    def _end_group(self) -> None:
        """End bubblewrap, and what it started before it told of it: until the program runs, all is in one group."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        # Of the group only bubblewrap itself is our child.
        until = time.monotonic() + GRACE_SECONDS
        with contextlib.suppress(OSError):
            while time.monotonic() < until:
                os.killpg(self._process.pid, 0)
                time.sleep(LOOK_SECONDS / 10)
