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

from whatworked.errors import InvalidCodeError, InvalidOptionError, SandboxUnavailableError
from whatworked.sandbox.cures import INSTALL, cure, find_bubblewrap
from whatworked.sandbox.interface import Execution, LimitName, Limits
from whatworked.sandbox.layout import INTERPRETER, LIBRARIES, PACKAGE_FOLDER, machine_layout
from whatworked.sandbox.results import check_result
from whatworked.sandbox.seccomp import ARCHITECTURES, filter_program
from whatworked.sandbox.supervision import Ending, Watch

MOST_CODE = 1_000_000
"""Bytes that a program may have."""
WORK_FOLDER = "/work"
_RUNNER = "/runner.py"
_NAMESPACES = "/proc/sys/user/max_user_namespaces"
_EMPTY_BYTES = 4096
_SHARED_BYTES = 1 << 20
_DEVICES = ("null", "zero", "full", "random", "urandom")
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


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
        program = _program_bytes(code, "the program")
        first = _program_bytes(preamble, "the preamble")
        in_work = _work_files({} if files is None else files, limits)
        importable = _module_files({} if modules is None else modules)
        bwrap, system_calls = self._require()
        layout = machine_layout()
        with _Descriptors() as descriptors:
            channel = descriptors.memory(b"")
            arguments = [
                *_separation(),
                *("--seccomp", str(descriptors.memory(system_calls))),
                *_mounts(layout.binds, layout.masks, limits),
            ]
            shown = {"/program.py": program, "/preamble.py": first, _RUNNER: _runner_source(), **importable}
            for path, content in {**shown, **in_work}.items():
                arguments += ["--file", str(descriptors.memory(content)), path]
            read, write = descriptors.pipe()
            arguments += ["--json-status-fd", str(write), "--remount-ro", "/", "--chdir", WORK_FOLDER]
            arguments += _environment(limits)
            packed = b"\0".join(os.fsencode(argument) for argument in arguments) + b"\0"
            command = [
                bwrap,
                "--args",
                str(descriptors.memory(packed)),
                "--",
                INTERPRETER,
                "-I",
                "-S",
                "-B",
                "-X",
                "utf8",
            ]
            command += [_RUNNER, *map(str, (channel, *_kernel_limits(limits)))]
            with _few_cores(limits.cores):
                process = _start(command, descriptors.given())
            descriptors.close(write)
            ending = Watch(process, read, limits).follow()
            delivered = _read_memory(channel, limits.file_bytes)
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


def _separation() -> list[str]:
    arguments = ["--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox"]
    arguments += ["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    # In most containers this setting cannot be written; the filter refuses further namespaces in any case.
    return arguments if _read_only(_NAMESPACES) else [*arguments, "--disable-userns"]


def _read_only(path: str) -> bool:
    try:
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except OSError:
        return True


def _mounts(binds: tuple[tuple[str, str], ...], masks: tuple[str, ...], limits: Limits) -> list[str]:
    arguments: list[str] = []
    for source, shown in binds:
        arguments += ["--ro-bind", source, shown]
    for folder in masks:
        arguments += ["--size", str(_EMPTY_BYTES), "--tmpfs", folder, "--remount-ro", folder]
    for device in _DEVICES:
        arguments += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    # joblib looks for semaphores when it is imported.
    arguments += ["--size", str(_SHARED_BYTES), "--tmpfs", "/dev/shm"]  # noqa: S108 - in the sandbox
    arguments += ["--size", str(limits.folder_bytes), "--tmpfs", WORK_FOLDER]
    return [*arguments, "--symlink", WORK_FOLDER[1:], "/tmp"]  # noqa: S108 - in the sandbox


def _environment(limits: Limits) -> list[str]:
    variables = {
        "HOME": WORK_FOLDER,
        "LANG": "C.UTF-8",
        "LD_LIBRARY_PATH": LIBRARIES,
        "PATH": "/python/bin",
        "TMPDIR": WORK_FOLDER,
        "TZ": "UTC",
        **dict.fromkeys(_THREAD_VARIABLES, str(limits.cores)),
    }
    return [part for name, value in variables.items() for part in ("--setenv", name, value)]


def _kernel_limits(limits: Limits) -> tuple[int, ...]:
    return limits.cpu_seconds, limits.memory_bytes, limits.file_bytes, limits.open_files, limits.threads


def _runner_source() -> bytes:
    return Path(__file__).with_name("runner.py").read_bytes()


def _program_bytes(code: str, what: str) -> bytes:
    if not isinstance(code, str):
        raise InvalidCodeError(f"{what} is a {type(code).__name__}; give Python source as a str")
    if len(code) > MOST_CODE:
        raise InvalidCodeError(f"{what} has {len(code)} characters; at most {MOST_CODE} are allowed")
    if (place := code.find("\0")) >= 0:
        raise InvalidCodeError(f"{what} has a NUL character at position {place}; Python source has none: take it out")
    try:
        return code.encode()
    except UnicodeEncodeError as error:
        raise InvalidCodeError(
            f"{what} has half a surrogate pair, {code[error.start]!r}, at position {error.start}; it cannot be written "
            "as UTF-8: take it out"
        ) from None


def _work_files(files: Mapping[str, bytes], limits: Limits) -> dict[str, bytes]:
    total = 0
    for name, content in files.items():
        if not name or "/" in name or "\0" in name or name in {".", ".."}:
            raise InvalidOptionError(f"{name!r} is no name of a file in the work folder; give one without folders")
        if len(content) > limits.file_bytes:
            raise InvalidOptionError(
                f"the file {name!r} has {len(content)} bytes; at most {limits.file_bytes} are allowed"
            )
        total += len(content)
    if total > limits.folder_bytes:
        raise InvalidOptionError(
            f"the files have {total} bytes together; at most {limits.folder_bytes} are allowed in the work folder"
        )
    return {f"{WORK_FOLDER}/{name}": bytes(content) for name, content in files.items()}


def _module_files(modules: Mapping[str, str]) -> dict[str, bytes]:
    """Paths and contents of modules, with an empty module for each package around one."""
    packages = {name[:place] for name in modules for place, letter in enumerate(name) if letter == "."}
    paths: dict[str, bytes] = {}
    for name in sorted(packages | set(modules)):
        if not all(part.isidentifier() for part in name.split(".")):
            raise InvalidOptionError(f"{name!r} is no name of a module; give one as in an import, like helpers.ridge")
        path = f"{PACKAGE_FOLDER}/{name.replace('.', '/')}{'/__init__' if name in packages else ''}.py"
        paths[path] = _program_bytes(modules.get(name, ""), f"the module {name}")
    return paths


class _Descriptors:
    """Descriptors that bubblewrap is given, all closed at the end."""

    def __init__(self) -> None:
        self._open: list[int] = []
        self._ours: set[int] = set()

    def __enter__(self) -> _Descriptors:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self._open:
            os.close(descriptor)

    def memory(self, content: bytes) -> int:
        """A file in memory, at its start."""
        descriptor = os.memfd_create("sandbox", os.MFD_CLOEXEC)
        self._open.append(descriptor)
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor

    def pipe(self) -> tuple[int, int]:
        """A pipe whose reading end stays here."""
        read, write = os.pipe()
        self._open += [read, write]
        self._ours.add(read)
        return read, write

    def given(self) -> tuple[int, ...]:
        """Those that bubblewrap inherits."""
        return tuple(descriptor for descriptor in self._open if descriptor not in self._ours)

    def close(self, descriptor: int) -> None:
        """Close one before the end."""
        self._open.remove(descriptor)
        os.close(descriptor)


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


def _read_memory(descriptor: int, most: int) -> bytes:
    return os.pread(descriptor, most + 1, 0)


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
