"""A worker process that is spoken to through pipes alone, for machines on which no semaphore can be made.

Executors of the standard library and of loky need semaphores, which Linux keeps in ``/dev/shm``. Some containers
have none that can be written to.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import IO, Any

_LENGTH = struct.Struct("<Q")

_SERVE = (
    "import sys; sys.path[:] = {path!r}; from whatworked.workers.pipes import serve; serve({read}, {write}, {parent})"
)


class PipeExecutor:
    """One worker process with the part of an executor's interface that the pools use: `submit`.

    Parameters
    ----------
    environment : mapping of str to str
        Variables to set before the process starts.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        theirs_read, ours_write = os.pipe()
        ours_read, theirs_write = os.pipe()
        code = _SERVE.format(path=sys.path, read=theirs_read, write=theirs_write, parent=os.getpid())
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs_read, theirs_write),
            )
        except BaseException:
            os.close(ours_read)
            os.close(ours_write)
            raise
        finally:
            os.close(theirs_read)
            os.close(theirs_write)
        self._requests = os.fdopen(ours_write, "wb")
        self._answers = os.fdopen(ours_read, "rb")
        self._waiting: queue.SimpleQueue[tuple[Future[Any], bytes] | None] = queue.SimpleQueue()
        self._dead = False
        self._thread = threading.Thread(target=self._speak, daemon=True)
        self._thread.start()

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Have the process call a function, after those that were submitted before.

        Raises
        ------
        BrokenProcessPool
            If the process has died.
        """
        if self._dead:
            raise _death()
        future: Future[Any] = Future()
        try:
            packed = _packed((function, arguments))
        except Exception as error:
            future.set_exception(pickle.PicklingError(f"cannot be sent to a worker: {error}"))
            return future
        self._waiting.put((future, packed))
        return future

    def close(self) -> None:
        """End the process at once, whatever it is doing; calls that wait are dropped."""
        self._process.kill()
        self._process.wait()
        self._waiting.put(None)
        self._thread.join()
        for stream in (self._requests, self._answers):
            with contextlib.suppress(OSError):
                stream.close()

    def _speak(self) -> None:
        while (asked := self._waiting.get()) is not None:
            future, packed = asked
            if not future.set_running_or_notify_cancel():
                continue
            try:
                _send(self._requests, packed)
                answer = _receive(self._answers)
            except (OSError, EOFError, ValueError):
                self._dead = True
                future.set_exception(_death())
                continue
            _settle(future, answer)


def serve(read: int, write: int, parent: int) -> None:
    """Answer calls from the pipe of a number until it ends; what runs in the worker process.

    Parameters
    ----------
    read, write : int
        Descriptors of the pipes.
    parent : int
        The process that asks; when it has gone, this one ends.
    """
    from whatworked.workers.child import prepare_process

    # The parent said what is missing, and this process is itself how the work goes on.
    warnings.filterwarnings("ignore", message=".*joblib will operate in serial mode")
    prepare_process(parent)
    with os.fdopen(read, "rb") as requests, os.fdopen(write, "wb") as answers:
        while True:
            try:
                packed = _receive(requests)
            except EOFError:
                return
            try:
                function, arguments = pickle.loads(packed)  # noqa: S301 - from the process that started this one
                answer = _packed((function(*arguments), None, ""))
            except BaseException as error:  # handed to the one who asked, as executors do
                answer = _packed_error(error)
            _send(answers, answer)


def _settle(future: Future[Any], answer: bytes) -> None:
    try:
        value, error, told = pickle.loads(answer)  # noqa: S301 - from a process that was started here
    except Exception as unreadable:
        future.set_exception(pickle.UnpicklingError(f"a worker's answer cannot be read: {unreadable}"))
        return
    if error is None:
        future.set_result(value)
        return
    error.__cause__ = RuntimeError(f'\n"""\n{told}"""')
    future.set_exception(error)


def _packed_error(error: BaseException) -> bytes:
    told = "".join(traceback.format_exception(error))
    try:
        packed = _packed((None, error, told))
        pickle.loads(packed)  # noqa: S301 - packed just now
    except Exception:  # an exception with arguments of its own may not come back
        packed = _packed((None, RuntimeError(f"{type(error).__name__}: {error}"), told))
    return packed


def _packed(content: object) -> bytes:
    """As loky's executors pack it, so that functions of a notebook's cells travel, too."""
    from joblib.externals.loky.backend.reduction import dumps

    return bytes(dumps(content))


def _send(stream: IO[bytes], data: bytes) -> None:
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes:
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data


def _death() -> Exception:
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    error: Exception = TerminatedWorkerError("a worker process ended while it was needed")
    return error
