"""Letting a stranger's file play: in a process with a pipe to the host, told neither what is played nor where.

That keeps a player honest by accident, not by force: a process of the same user can read what the user can read.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

from whatworked.episodes.fronts.host import EpisodeHost
from whatworked.episodes.fronts.lines import serve_lines
from whatworked.episodes.hosts import own_program

_GRACE = 60.0
"""Seconds after the deadline in which a player can still hand in; then its processes are ended."""
_LONGEST = 500


def play_file(host: EpisodeHost, file: Path, function: str, seed: int) -> str | None:
    """Let a function of a file play.

    Parameters
    ----------
    host : EpisodeHost
        Who answers.
    file : Path
        Full path; its folder is the working folder of the process.
    function : str
        Its name.
    seed : int
        For one that takes a seed.

    Returns
    -------
    str or None
        What it broke on, in one line.
    """
    reading, writing = os.pipe()
    child = own_program("whatworked.episodes.fronts.stranger", str(file), function, str(seed), str(writing))
    try:
        process = subprocess.Popen(
            child,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=file.parent,
            pass_fds=[writing],
            start_new_session=True,
        )
    finally:
        os.close(writing)
    with os.fdopen(reading, "rb") as report, _ended_in_time(process, host.standing().remaining_seconds) as late:
        code = _served(host, process)
        os.set_blocking(reading, False)
        told = (report.read(_LONGEST) or b"").decode("utf-8", "replace")
    if late.is_set():
        return f"it was still playing {_GRACE:.0f} seconds after the deadline"
    return None if code == 0 else told or _ending(code)


def _served(host: EpisodeHost, process: subprocess.Popen[bytes]) -> int:
    """Answer a player until it ends; then nothing of it is left."""
    try:
        if process.stdin is not None and process.stdout is not None:
            serve_lines(host, process.stdout, process.stdin)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # its number stays its own until it is asked for
    finally:
        _end(process)
        process.wait()
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
    return process.returncode


@contextlib.contextmanager
def _ended_in_time(process: subprocess.Popen[bytes], seconds: float | None) -> Iterator[threading.Event]:
    """End processes that go on for too long, if there is a deadline; the event says whether that was done."""
    late = threading.Event()

    def end() -> None:
        late.set()
        _end(process)

    timer = threading.Timer((seconds or 0.0) + _GRACE, end)
    timer.daemon = True
    if seconds is not None:
        timer.start()
    try:
        yield late
    finally:
        timer.cancel()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a player and what it started in its session."""
    with contextlib.suppress(OSError):
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)


def _ending(code: int) -> str:
    return f"its process ended with code {code}" if code > 0 else f"its process was ended by signal {-code}"
