"""Running a command for each setting: a template of arguments, the output read for a number.

No shell takes part. The template is split into arguments once, and what an option puts into one stays in it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from whatworked.campaigns.asking import Ask
from whatworked.campaigns.coding import Coding, inputs_of
from whatworked.campaigns.measuring import Runner, run_of
from whatworked.campaigns.options import Option, named
from whatworked.campaigns.plan import Plan
from whatworked.campaigns.run import Run
from whatworked.errors import InvalidOptionError
from whatworked.storage.files import storage_errors
from whatworked.surfaces.masks import mask_rank
from whatworked.wording import printable
from whatworked.workers.processes import LOOK_SECONDS

_PLACE = re.compile(r"\{\{|\}\}|\{([^{}:]+)(?::([^{}|]*)\|([^{}|]*))?\}|[{}]")
_READ_LAST = 1_000_000
"""Bytes at the end of the output in which the result is looked for."""
_SHOWN = 160
NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"


@dataclass(frozen=True)
class Template:
    """Arguments with places for options.

    ``{lr}`` stands for the level of an option, ``{amp:--amp|}`` for the text before the bar where it is at its second
    level and for the one behind it otherwise, ``{{`` and ``}}`` for braces. An argument that is one place and becomes
    empty is left out.

    Attributes
    ----------
    arguments : tuple of str
        The program and its arguments.
    """

    arguments: tuple[str, ...]

    @classmethod
    def read(cls, text: str, options: Sequence[Option], codings: Sequence[Coding] = ()) -> Template:
        """Split a text as a shell would; raises `InvalidOptionError` for one that does not fit the options."""
        try:
            arguments = tuple(shlex.split(text))
        except ValueError as error:
            raise InvalidOptionError(f"the command {text!r} cannot be split into arguments: {error}") from None
        if not arguments:
            raise InvalidOptionError("the command is empty; give a program and its arguments")
        used, places = set(), inputs_of(options, codings)
        for argument in arguments:
            for found in _PLACE.finditer(argument):
                if found[0] in ("{", "}"):
                    raise InvalidOptionError(
                        f"argument {argument!r} has a brace that belongs to no option; write {{{{ or }}}} for a brace, "
                        "and quotes around a place that has blanks in it"
                    )
                if found[1] is not None:
                    used.add(named(places, found[1]).name)
                    if found[2] is not None and found[1] in {coding.name for coding in codings}:
                        raise InvalidOptionError(
                            f"{found[0]} is for two levels, and {found[1]} has more; write {{{found[1]}}}"
                        )
        if unused := [place.name for place in places if place.name not in used]:
            raise InvalidOptionError(f"option {unused[0]!r} is not in the command; write {{{unused[0]}}} where it goes")
        return cls(arguments)

    def fill(self, plan: Plan, mask: str) -> list[str]:
        """The arguments for a setting."""
        bits = {option.name: int(bit) for option, bit in zip(plan.options, mask, strict=True)}
        levels = plan.labels(mask_rank(mask))
        filled = [(_fill(argument, levels, bits), argument) for argument in self.arguments]
        return [text for text, argument in filled if text or not _PLACE.fullmatch(argument)]


def _fill(argument: str, levels: Mapping[str, str], bits: Mapping[str, int]) -> str:
    def text(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0][0]
        if found[2] is None:
            return levels[found[1]]
        return found[2] if bits[found[1]] else found[3]

    return _PLACE.sub(text, argument)


@dataclass(frozen=True)
class Reading:
    """How the result is found in the output.

    Attributes
    ----------
    pattern : re.Pattern or None
        Its last match counts, and there its first group, or all of it without one. None: the last line that is a
        number.
    """

    pattern: re.Pattern[str] | None = None

    @classmethod
    def of(cls, text: str | None) -> Reading:
        """From a regular expression; raises `InvalidOptionError` for one that is none."""
        if text is None:
            return cls()
        try:
            return cls(re.compile(text, re.MULTILINE))
        except re.error as error:
            raise InvalidOptionError(f"--read is {text!r}, which is no regular expression: {error}") from None

    def __call__(self, output: str) -> float | str:
        """The result, or why there is none."""
        if self.pattern is None:
            lines = [line.strip() for line in output.splitlines()]
            numbers = [line for line in lines if re.fullmatch(NUMBER, line)]
            return float(numbers[-1]) if numbers else f"no line of the output is a number{_last_line(output)}"
        found = deque(self.pattern.finditer(output), maxlen=1)
        if not found:
            return f"nothing in the output matches {self.pattern.pattern}{_last_line(output)}"
        text = found[0][1 if self.pattern.groups else 0]
        try:
            return float(text)
        except (TypeError, ValueError):
            return f"the output has {text!r} where a number should be"


@dataclass
class Group:
    """Programs under way, so that all can be ended; they run in `folder`, by default that of this process."""

    folder: Path | None = None
    running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)
    closed: bool = False

    def start(self, ran: Sequence[str], log: int) -> subprocess.Popen[bytes]:
        """Start a program whose output goes to an open file."""
        with self.lock:
            if self.closed:
                raise InterruptedError
            process = subprocess.Popen(
                ran,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=self.folder,
            )
            self.running.add(process)
        return process

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """End a program with all that it started, and forget it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        with self.lock:
            self.running.discard(process)

    def close(self) -> None:
        """End all programs; none is started afterwards."""
        with self.lock:
            self.closed = True
            left = list(self.running)
        for process in left:
            self.end(process)


def command_runner(
    plan: Plan,
    arguments: Callable[[str], list[str]],
    reading: Callable[[str], float | str],
    logs: Path,
    jobs: int = 1,
    time_limit: float | None = None,
) -> Runner:
    """A runner that starts a program for each setting, up to `jobs` at a time.

    What each printed is kept in `logs`, behind a line with its arguments.

    Parameters
    ----------
    plan : Plan
        What the campaign is about.
    arguments : callable
        From a mask to the program and its arguments.
    reading : callable
        From what a program printed to its result, or to the reason why there is none.
    logs : Path
        Folder for what programs print, made if it is not there.
    jobs : int
        Programs at a time.
    time_limit : float, optional
        Seconds after which a program is ended with all that it started.
    """

    def run_one(group: Group, ask: Ask) -> Run:
        ran = arguments(ask.mask)
        start = time.monotonic()
        outcome = outcome_of(group, ran, logs / log_name(ask), reading, time_limit)
        return run_of(plan, ask.mask, outcome, ran, round(time.monotonic() - start, 3))

    def run(asks: Sequence[Ask]) -> Generator[Run, None, None]:
        group, left, under_way = Group(), deque(asks), set[Future[Run]]()
        with ThreadPoolExecutor(jobs) as pool:
            try:
                while left or under_way:
                    # A run begins when those that are done have been taken in, so that an interrupt loses none of them.
                    while left and len(under_way) < jobs:
                        under_way.add(pool.submit(run_one, group, left.popleft()))
                    done, under_way = wait(under_way, LOOK_SECONDS, FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
            finally:
                group.close()

    return run


def log_name(ask: Ask) -> str:
    """The file for what a run prints; each run of a setting has its own."""
    return f"{ask.mask}-{ask.repeat + 1}.log" if ask.repeat else f"{ask.mask}.log"


def outcome_of(
    group: Group, ran: Sequence[str], log: Path, reading: Callable[[str], float | str], time_limit: float | None
) -> float | str:
    """Run a program, and say its result or why there is none; what it prints goes into `log`."""
    with storage_errors(log, "write"):
        log.parent.mkdir(parents=True, exist_ok=True)
        stream = log.open("wb")
    with stream:
        stream.write(printable(f"$ {shlex.join(ran)}").encode() + b"\n")
        stream.flush()
        begin = stream.tell()
        try:
            process = group.start(ran, stream.fileno())
        except (OSError, ValueError) as error:
            # A program that cannot be started is a mistake in the command, not a result.
            reason = getattr(error, "strerror", None) or str(error) or "interrupted"
            raise InvalidOptionError(f"cannot start {ran[0]!r}: {reason}; correct the command") from error
        try:
            process.wait(time_limit)
        except subprocess.TimeoutExpired:
            group.end(process)
            return f"not done within the time limit of {time_limit:g} s"
        group.end(process)
    output = _end_of(log, begin)
    if process.returncode:
        how = f"exit code {process.returncode}" if process.returncode > 0 else f"ended by signal {-process.returncode}"
        return f"{how}{_last_line(output)}"
    return reading(output)


def _end_of(log: Path, begin: int) -> str:
    with storage_errors(log, "read"), log.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(begin, size - _READ_LAST))
        return stream.read().decode("utf-8", "replace")


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return f"; last line: {printable(lines[-1])[:_SHOWN]}" if lines else "; it printed nothing"
