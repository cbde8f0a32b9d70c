"""The sandbox by bubblewrap: new namespaces, a few read-only folders, a filter of system calls, limits.

A program gets no ``/proc``, no ``/sys`` and no folder of this machine but those in `whatworked.sandbox.layout`. What is
put there travels through memory, so nothing is written on this machine.
"""

from __future__ import annotations

import contextlib
import os
import platform
import random
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from whatworked.errors import SandboxUnavailableError
from whatworked.sandbox.arguments import environment, kernel_limits, mounts, separation
from whatworked.sandbox.cures import INSTALL, cure, find_bubblewrap
from whatworked.sandbox.descriptors import Descriptors
from whatworked.sandbox.inputs import module_files, program_bytes, work_files
from whatworked.sandbox.interface import Execution, LimitName, Limits
from whatworked.sandbox.layout import INTERPRETER, WORK_FOLDER, machine_layout
from whatworked.sandbox.results import check_result
from whatworked.sandbox.seccomp import ARCHITECTURES, filter_program
from whatworked.sandbox.supervision import Ending, Watch

_RUNNER = "/runner.py"
_PLAIN = ("-I", "-S", "-B", "-X", "utf8")
"""Options of Python: no variables, no packages of this machine, no compiled modules written, UTF-8."""


class BubblewrapSandbox:
    """Runs each program by ``bwrap`` in namespaces of its own; see `Sandbox` for what holds.

    Parameters
    ----------
    program : str, optional
        Path of ``bwrap``; looked for on the search path if not given.
    """

    def __init__(self, program: str | None = None) -> None:
        self._program = program

    def run(
        self,
        code: str,
        *,
        files: Mapping[str, bytes] | None = None,
        preamble: str = "",
        modules: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> Execution:
        """Run one program; see `Sandbox.run`."""
        limits = Limits() if limits is None else limits
        shown = {
            "/program.py": program_bytes(code, "the program"),
            "/preamble.py": program_bytes(preamble, "the preamble"),
            _RUNNER: Path(__file__).with_name("runner.py").read_bytes(),
            **module_files({} if modules is None else modules),
            **work_files({} if files is None else files, limits),
        }
        bwrap, system_calls = self._require()
        layout = machine_layout()
        with Descriptors() as descriptors:
            channel, (read, write) = descriptors.memory(b""), descriptors.pipe()
            arguments = [*separation(), "--seccomp", str(descriptors.memory(system_calls)), *mounts(layout, limits)]
            for path, content in shown.items():
                arguments += ["--file", str(descriptors.memory(content)), path]
            arguments += ["--json-status-fd", str(write), "--remount-ro", "/", "--chdir", WORK_FOLDER]
            arguments += environment(limits)
            # In memory, because the first process of the sandbox shows its command line, and paths of this machine are
            # no business of the program.
            packed = descriptors.memory(b"".join(os.fsencode(argument) + b"\0" for argument in arguments))
            command = [bwrap, "--args", str(packed), "--", INTERPRETER, *_PLAIN, _RUNNER, str(channel)]
            with _few_cores(limits.cores):
                process = _start([*command, *map(str, kernel_limits(limits))], descriptors.given())
            descriptors.close(write)
            ending = Watch(process, read, limits).follow()
            delivered = os.pread(channel, limits.file_bytes + 1, 0)
        if not ending.started:
            raise _refusal(ending, bwrap)
        return _execution(ending, delivered, limits)

    def _require(self) -> tuple[str, bytes]:
        """Path of bubblewrap and the filter of system calls, or the reason why there is no sandbox here."""
        machine = platform.machine()
        architecture = ARCHITECTURES.get(machine)
        if not hasattr(os, "memfd_create") or not hasattr(os, "pidfd_open") or architecture is None:
            raise SandboxUnavailableError(
                f"the sandbox needs Linux on {' or '.join(ARCHITECTURES)}; this is {platform.system()} on {machine}",
                "run the program on such a machine, or in a virtual one",
            )
        bwrap = find_bubblewrap(self._program)
        if bwrap is None:
            raise SandboxUnavailableError(f"the program {self._program or 'bwrap'} was not found", INSTALL)
        return bwrap, filter_program(architecture)


@contextlib.contextmanager
def _few_cores(cores: int) -> Iterator[None]:
    """Have what this thread starts meanwhile run on so many processors; the filter keeps the program from more."""
    allowed = os.sched_getaffinity(0)
    if len(allowed) <= cores:
        yield
        return
    os.sched_setaffinity(0, random.SystemRandom().sample(sorted(allowed), cores))
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def _start(command: list[str], descriptors: tuple[int, ...]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=descriptors,
            start_new_session=True,
        )
    except OSError as error:
        raise SandboxUnavailableError(f"cannot start {command[0]}: {error.strerror or error}", INSTALL) from error


def _refusal(ending: Ending, bwrap: str) -> SandboxUnavailableError:
    said = " ".join(ending.stderr.text().split())[:400] or f"it ended with code {ending.code}"
    return SandboxUnavailableError(f"bubblewrap cannot make a sandbox here ({said})", cure(bwrap))


def _execution(ending: Ending, delivered: bytes, limits: Limits) -> Execution:
    by_signal = ending.limit is None and ending.code > 128
    limit = ending.limit or _kernel_limit(ending, limits)
    result, problem = check_result(delivered, limits.file_bytes)
    return Execution(
        status=None if limit not in (None, "memory") or by_signal else ending.code,
        signal=_signal_name(ending.code - 128) if by_signal else None,
        limit=limit,
        stdout=ending.stdout.text(),
        stderr=ending.stderr.text(),
        stdout_cut=ending.stdout.cut,
        stderr_cut=ending.stderr.cut,
        wall_seconds=ending.wall_seconds,
        cpu_seconds=ending.cpu_seconds,
        result=result,
        result_problem=problem,
    )


def _kernel_limit(ending: Ending, limits: Limits) -> LimitName | None:
    """The limit for which the kernel ended the program, or refused what it could not do without."""
    if ending.code == 128 + signal.SIGXCPU:
        return "cpu"
    # A program that ignores that signal is killed a second later.
    if ending.code == 128 + signal.SIGKILL and ending.cpu_seconds >= limits.cpu_seconds:
        return "cpu"
    last = ending.stderr.text().rstrip().rpartition("\n")[2]
    if ending.code == 1 and last.partition(":")[0].rpartition(".")[2] in {"MemoryError", "_ArrayMemoryError"}:
        return "memory"
    return None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
