"""One pool: every call is answered, states travel once, and a process that dies is known and replaced."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from whatworked.errors import ExecutionError, InvalidOptionError, TransferError, UnknownNameError
from whatworked.workers.call import Call, State
from whatworked.workers.pool import DEFAULT_BACKEND, Supply, map_calls, open_pool
from whatworked.workers.profile import NumericProfile, pinned_profile
from whatworked.workers.software import common_maker


def opened(jobs: int = 1, tasks: int = 100, backend: str = DEFAULT_BACKEND) -> Any:
    return open_pool(backend, jobs, pinned_profile(), tasks)


def in_turn(calls: Iterable[Call[Any]]) -> Supply[Any]:
    waiting = iter(calls)
    return lambda lane: next(waiting, None)


def square(number: int) -> int:
    return number * number


def scaled(factor: float, number: float) -> tuple[float, int]:
    return factor * number, os.getpid()


def dies() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def breaks() -> None:
    raise ZeroDivisionError("no such number")


class Heavy:
    """Leaves a line wherever it arrives."""

    def __init__(self, log: Path) -> None:
        self.log = log

    def __setstate__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)
        with self.log.open("a") as stream:
            stream.write(f"{os.getpid()}\n")


def heard(heavy: Heavy, number: int) -> tuple[int, int]:
    assert isinstance(heavy, Heavy)
    return number, os.getpid()


class Immovable:
    def __reduce__(self) -> Any:
        raise TypeError("it is bolted to the floor")


class Unwelcome:
    """Can be sent and not be received."""

    def __reduce__(self) -> Any:
        return _refuse, ()


def _refuse() -> None:
    raise LookupError("nobody of that name")


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_call_is_answered_once(jobs: int) -> None:
    with opened(jobs) as pool:
        answers = list(pool.run(in_turn(Call(number, square, (number,)) for number in range(20))))
        assert sorted((answer.call.subject, answer.result()) for answer in answers) == [(n, n * n) for n in range(20)]
        assert sorted(map_calls(pool, square, [(number,) for number in range(7)])) == [n * n for n in range(7)]
        assert list(map_calls(pool, square, [])) == []


def test_no_more_workers_start_than_there_is_work() -> None:
    with opened(100_000, tasks=1) as pool:
        assert pool.workers == 1
        assert pool.maker().python
    with pytest.raises(InvalidOptionError, match="jobs is 0"), opened(0):
        pass


def test_a_state_is_sent_to_each_process_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    state = State(Heavy(log))
    with opened(2) as pool:
        answers = list(pool.run(in_turn(Call(number, heard, (number,), state) for number in range(30))))
    answered = {pid for _, pid in (answer.result() for answer in answers)}
    assert sorted(map(int, log.read_text().split())) == sorted(answered)


def test_calls_of_several_states_get_their_own() -> None:
    states = [State(float(factor)) for factor in range(3)]
    calls = [Call((n % 3) * n, scaled, (float(n),), states[n % 3]) for n in range(12)]
    calls.insert(5, Call(16, square, (4,)))
    with opened(2) as pool:
        for answer in pool.run(in_turn(calls)):
            result = answer.result()
            assert (result[0] if isinstance(result, tuple) else result) == answer.call.subject


def test_a_lane_is_one_process() -> None:
    state, asked = State(1.0), [0, 0]

    def supply(lane: int) -> Call[int] | None:
        asked[lane] += 1
        return Call(lane, scaled, (1.0,), state) if asked[lane] <= 5 else None

    with opened(2) as pool:
        assert pool.keeps_lanes
        answers = list(pool.run(supply))
    assert all(answer.lane == answer.call.subject for answer in answers)
    processes = {(answer.lane, answer.result()[1]) for answer in answers}
    assert len(answers) == 10
    assert len(processes) == 2


def test_a_death_is_an_answer_and_the_state_is_sent_again(tmp_path: Path) -> None:
    state = State(Heavy(tmp_path / "log"))
    calls = [Call(1, heard, (1,), state), Call(None, dies), Call(2, heard, (2,), state), Call(3, heard, (3,), state)]
    with opened() as pool:
        answers = list(pool.run(in_turn(calls)))
    assert [answer.died for answer in answers] == [False, True, False, False]
    with pytest.raises(ExecutionError, match=r"a worker process died, .* fewer --jobs"):
        answers[1].result()
    first, *later = [answer.result()[1] for answer in answers if not answer.died]
    assert later == [later[0]] * 2
    assert (tmp_path / "log").read_text().split() == [str(first), str(later[0])]


def test_what_the_caller_adds_after_a_death_is_done(tmp_path: Path) -> None:
    waiting = [Call("last", square, (2,)), Call("deadly", dies)]
    done = []
    with opened(2) as pool:
        for answer in pool.run(lambda lane: waiting.pop() if waiting else None):
            done.append(answer.call.subject)
            if answer.died:
                waiting.append(Call("instead", square, (3,)))
    assert sorted(done) == ["deadly", "instead", "last"]


def test_a_process_that_dies_with_nothing_to_do_is_replaced() -> None:
    with opened() as pool:
        (first,) = map_calls(pool, os.getpid, [()])
        os.kill(first, signal.SIGKILL)
        while Path(f"/proc/{first}").exists() and " Z " not in Path(f"/proc/{first}/stat").read_text():
            time.sleep(0.01)
        answers = list(pool.run(in_turn([Call(None, square, (3,)), Call(None, square, (3,))])))
    assert [answer.result() for answer in answers if not answer.died] in ([9, 9], [9])


def test_a_call_that_nobody_can_start_a_process_for_is_not_blamed() -> None:
    nowhere = NumericProfile({"PYTHONHOME": "/nonexistent"})
    with (
        open_pool(DEFAULT_BACKEND, 1, nowhere, 1) as pool,
        pytest.raises(ExecutionError, match="worker processes die as soon as they start"),
    ):
        pool.maker()


@pytest.mark.parametrize(
    ("argument", "cause"),
    [(Immovable(), "bolted to the floor|not pickle"), (Unwelcome(), "LookupError: nobody of that")],
)
def test_what_cannot_travel_is_named(argument: object, cause: str) -> None:
    with (
        opened() as pool,
        pytest.raises(
            TransferError, match=rf"cannot be sent to a worker process: .*({cause}).*; define it in a module"
        ),
    ):
        list(pool.run(in_turn([Call(None, str, (argument,))])))


def test_what_a_function_raises_is_raised_here() -> None:
    with opened() as pool, pytest.raises(ZeroDivisionError, match="no such number"):
        list(map_calls(pool, breaks, [()]))


def test_workers_that_compute_with_other_software_are_refused() -> None:
    with opened() as pool:
        maker = pool.maker()
    assert common_maker([maker, maker]) == maker
    other = msgspec.structs.replace(maker, packages={**maker.packages, "numpy": "1.0"})
    with pytest.raises(ExecutionError, match="workers differ in Python, packages or numeric profile"):
        common_maker([maker, other])


def test_a_process_outside_the_profile_does_no_work() -> None:
    with opened(backend="sequential") as pool:
        assert not pool.keeps_lanes
        with pytest.raises(ExecutionError, match="not numerically pinned"):
            list(map_calls(pool, square, [(1,)]))


def test_an_unknown_backend_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown backend 'dusk'; did you mean dask"), opened(backend="dusk"):
        pass


def test_ctrl_c_ends_the_wait_for_answers() -> None:
    sleep: Callable[..., Any] = time.sleep
    # Where the tests run in the background of a shell, Ctrl-C is ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupt = threading.Timer(1.0, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT))
    interrupt.start()
    try:
        with pytest.raises(KeyboardInterrupt), opened() as pool:
            list(map_calls(pool, sleep, [(60,)]))
    finally:
        interrupt.join()
        signal.signal(signal.SIGINT, before)
