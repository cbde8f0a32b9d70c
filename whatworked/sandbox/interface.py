"""What a sandbox takes and gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, Protocol

from whatworked.arguments import shown
from whatworked.errors import InvalidOptionError

LimitName = Literal["cpu", "wall", "memory", "threads", "output"]


@dataclass(frozen=True)
class Limits:
    """What one execution may use; the defaults are those of an episode's calculations.

    Parameters
    ----------
    cpu_seconds : int
        Processor time, of all threads together.
    wall_seconds : float
        Time from start to end.
    memory_bytes : int
        Address space.
    file_bytes : int
        Length of a file, and of a delivered result.
    folder_bytes : int
        All files in the work folder together.
    cores : int
        Processors that may be used at once, and threads that BLAS starts.
    threads : int
        Threads at a time.
    open_files : int
        Files that may be open at a time.
    output_bytes : int
        Standard output that is kept, and as much again of standard error; what is more is cut out of the middle.
    drained_bytes : int
        Output after which the program is ended.

    Raises
    ------
    InvalidOptionError
        For a limit that is no positive number, or, but for `wall_seconds`, no whole one.
    """

    cpu_seconds: int = 30
    wall_seconds: float = 45.0
    memory_bytes: int = 2_000_000_000
    file_bytes: int = 2_000_000
    folder_bytes: int = 64_000_000
    cores: int = 2
    threads: int = 64
    open_files: int = 128
    output_bytes: int = 65_536
    drained_bytes: int = 16_000_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            if not (whole or (field.name == "wall_seconds" and isinstance(value, float))) or not value > 0:
                kind = "number" if field.name == "wall_seconds" else "whole number"
                raise InvalidOptionError(f"limit {field.name} is {shown(value)}; give a {kind} more than 0")


@dataclass(frozen=True)
class Execution:
    """What became of one program.

    All of it comes from the program and may say anything: escape it before it is shown on a terminal.

    Attributes
    ----------
    status : int or None
        Exit status; None where a signal or a limit ended the program.
    signal : str or None
        Name of the signal that ended it, as ``SIGSEGV``.
    limit : str or None
        The limit that ended it: ``cpu``, ``wall``, ``memory``, ``threads`` or ``output``.
    stdout, stderr : str
        What it printed; invalid UTF-8 is replaced, and a line in the middle says how much was cut out there.
    stdout_cut, stderr_cut : int
        Bytes that were cut out.
    wall_seconds, cpu_seconds : float
        Time it took, with its start; processor time is measured to about 0.05 s.
    result : str or None
        JSON text of what it delivered, if that is JSON of finite numbers without repeated keys.
    result_problem : str or None
        Why what it delivered is not given.
    """

    status: int | None
    signal: str | None
    limit: LimitName | None
    stdout: str
    stderr: str
    stdout_cut: int
    stderr_cut: int
    wall_seconds: float
    cpu_seconds: float
    result: str | None
    result_problem: str | None


class Sandbox(Protocol):
    """A place where a stranger's program can do no harm and see no answer."""

    def run(
        self,
        code: str,
        *,
        files: Mapping[str, bytes] | None = None,
        preamble: str = "",
        modules: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> Execution:
        """Run one program in a fresh process, and end that process and all it started.

        The program is run as ``__main__``, in a work folder that holds nothing but `files` and is gone afterwards. It
        has numpy, scipy and scikit-learn, no network, and no other process. Lines of its tracebacks are its own. A
        global variable ``result`` that it sets, or the last call of ``deliver(value)``, is its result.

        Parameters
        ----------
        code : str
            Python source of the program.
        files : mapping of str to bytes, optional
            Files put into the work folder, by plain name.
        preamble : str, optional
            Python source that is run before, in the same names; the program does not see its lines.
        modules : mapping of str to str, optional
            Source of further importable modules, by dotted name; packages are made as needed.
        limits : Limits, optional
            What it may use.

        Returns
        -------
        Execution
            Whatever the program does, its mistakes and its end by a limit included.

        Raises
        ------
        InvalidCodeError
            If `code` cannot be a program: too long, a NUL character, half a surrogate pair. Nothing was run.
        InvalidOptionError
            If the name of a file or module is none, or the files are larger than the limits allow. Nothing was run.
        SandboxUnavailableError
            If this machine has no working sandbox; the message has the cure. Nothing was run.
        """
        ...
