"""Workers on a machine on which no semaphore can be made: no ``/dev/shm``, or one that cannot be written to."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from joblib.externals.loky.process_executor import BrokenProcessPool

from whatworked.errors import ExecutionError
from whatworked.workers import pipes, processes
from whatworked.workers.pipes import PipeExecutor
from whatworked.workers.processes import end_processes, first_finished, start_processes
from whatworked.workers.profile import pinned_profile

NO_SEMAPHORES = """
import _multiprocessing, sys
class SemLock:
    SEM_VALUE_MAX = 2**31 - 1
    def __init__(self, *_, **__):
        raise OSError({number}, "{reason}")
    @staticmethod
    def _rebuild(*_):
        raise OSError({number}, "{reason}")
_multiprocessing.SemLock = SemLock
from whatworked.cli import main
sys.argv = ["whatworked", *sys.argv[1:]]
main()
"""
"""The command line where every semaphore is refused, as the system refuses it for want of a writable /dev/shm."""


@pytest.fixture
def executor():
    executor = PipeExecutor(pinned_profile().environment)
    yield executor
    executor.close()


def test_it_calls_functions_in_order_under_the_profile(executor: PipeExecutor) -> None:
    seen = executor.submit(os.getenv, "PYTHONHASHSEED")
    futures = [executor.submit(pow, base, 2) for base in range(5)]
    assert seen.result() == "1"
    assert [future.result() for future in futures] == [0, 1, 4, 9, 16]
    assert executor.submit(os.getpid).result() != os.getpid()


def test_functions_without_a_name_travel_and_so_do_large_values(executor: PipeExecutor) -> None:
    assert (
        executor.submit(lambda data: data[::-1], bytes(range(250)) * 40_000).result()
        == bytes(range(250))[::-1] * 40_000
    )


def test_an_exception_comes_back_with_its_traceback(executor: PipeExecutor) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        executor.submit(divmod, 1, 0).result()
    assert "Traceback" in str(caught.value.__cause__)
    with pytest.raises(SystemExit):
        executor.submit(sys.exit, 3).result()
    assert executor.submit(int, "7").result() == 7


def test_what_cannot_travel_is_told(executor: PipeExecutor) -> None:
    with pytest.raises(Exception, match="cannot be sent to a worker"):
        executor.submit(len, threading.Lock()).result()
    with pytest.raises(Exception, match="pickle"):
        executor.submit(threading.Lock).result()
    assert executor.submit(int, "7").result() == 7


def test_a_death_is_told_as_other_executors_tell_it(executor: PipeExecutor) -> None:
    dying = executor.submit(os._exit, 1)
    with pytest.raises(BrokenProcessPool):
        dying.result()
    with pytest.raises(BrokenProcessPool):
        executor.submit(int).result()


def test_output_of_a_call_does_not_disturb_the_answers(executor: PipeExecutor) -> None:
    assert executor.submit(os.write, 1, b"printed\n").result() == 8


def test_it_is_deaf_to_interrupts_and_ends_at_once(executor: PipeExecutor) -> None:
    assert executor.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN
    busy, waiting = executor.submit(time.sleep, 3600), executor.submit(int)
    executor.close()
    for future in (busy, waiting):
        with pytest.raises(BrokenProcessPool):
            future.result(0)


def test_where_loky_cannot_start_the_work_goes_through_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(processes, "_start_loky", refused)
    executor = start_processes(pinned_profile())
    try:
        assert isinstance(executor, PipeExecutor)
        future = executor.submit(int, "7")
        assert first_finished([future]) == {future}
        assert future.result() == 7
    finally:
        end_processes(executor)
    with pytest.raises(ExecutionError, match=r"Permission denied.*writable /dev/shm.*--tmpfs /dev/shm"):
        start_processes(pinned_profile(), workers=2)


def test_a_machine_that_starts_no_process_is_no_matter_of_dev_shm(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(processes, "_start_loky", refused)
    monkeypatch.setattr(pipes.subprocess, "Popen", refused)
    with pytest.raises(ExecutionError, match="cannot start a worker process: Resource temporarily unavailable"):
        start_processes(pinned_profile())


@pytest.mark.parametrize(
    ("number", "jobs"), [(errno.EACCES, "1"), (errno.ENOSYS, "2"), (errno.EROFS, "1"), (errno.ENOSPC, "1")]
)
def test_tables_have_the_same_bytes_without_semaphores(tmp_path: Path, root: Path, number: int, jobs: str) -> None:
    code = NO_SEMAPHORES.format(number=number, reason=os.strerror(number))
    command = ["rebuild", "nile", "--offline", "--jobs", jobs, "--out", str(tmp_path / "out")]
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "serial mode" not in done.stderr
    assert (tmp_path / "out" / "nile.tsv").read_bytes() == (root / "references" / "nile.tsv").read_bytes()
