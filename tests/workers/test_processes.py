"""How many workers start, and that an interrupt never reaches one that is still starting."""

from __future__ import annotations

import signal
import threading
import time
from concurrent.futures import Future

import pytest
from joblib import cpu_count
from joblib.externals.loky.process_executor import ShutdownExecutorError

from whatworked.errors import InvalidOptionError
from whatworked.workers.processes import end_processes, first_finished, start_processes, worker_count
from whatworked.workers.profile import pinned_profile


def blocked() -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.parametrize("jobs", [0, -1])
def test_no_worker_at_all_is_refused(jobs: int) -> None:
    with pytest.raises(InvalidOptionError, match=f"--jobs is {jobs}"):
        worker_count(jobs, 10)


def test_no_more_workers_than_work_or_than_the_machine_bears() -> None:
    assert worker_count(2, 1) == 1
    assert worker_count(3, 100) == 3
    assert worker_count(1000, 10**6) <= 4 + 2 * cpu_count()
    assert worker_count(4, 0) == 1


def test_workers_start_deaf_to_interrupts_and_we_do_not() -> None:
    executor = start_processes(pinned_profile())
    try:
        assert executor.submit(blocked).result()
        assert not blocked()
    finally:
        end_processes(executor)


def test_processes_end_quietly_right_after_they_were_given_work(monkeypatch: pytest.MonkeyPatch) -> None:
    failures: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    executor = start_processes(pinned_profile())
    executor.submit(int).result()
    futures = [executor.submit(time.sleep, 60) for _ in range(8)]
    end_processes(executor)
    assert failures == []
    assert all(isinstance(future.exception(timeout=60), ShutdownExecutorError) for future in futures)


def test_no_thread_that_hands_out_calls_outlives_the_processes() -> None:
    executor = start_processes(pinned_profile())
    executor.submit(int).result()
    executor.submit(time.sleep, 60)
    more_than_a_pipe_holds = executor.submit(len, bytes(1 << 20))
    while not more_than_a_pipe_holds.running():
        time.sleep(0.01)
    feeder = executor._call_queue._thread
    end_processes(executor)
    assert not feeder.is_alive()


def test_a_signal_that_does_not_wake_the_waiting_thread_is_noticed():
    never: Future[int] = Future()
    interrupt = threading.Timer(0.3, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT))
    rescue = threading.Timer(30.0, never.set_result, (1,))
    interrupt.start()
    rescue.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            first_finished([never])
        assert not never.done()
    finally:
        rescue.cancel()
        interrupt.join()


def test_waiting_looks_up_and_returns_what_is_done():
    late: Future[int] = Future()
    looks = []

    def on_wait():
        looks.append(1)
        late.set_result(3)

    assert first_finished({late, Future()}, on_wait) == {late}
    assert looks == [1]
