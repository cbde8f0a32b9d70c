"""Running settings on a Dask cluster: each program on a worker, its output brought back."""

from __future__ import annotations

import importlib
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from whatworked.campaigns.asking import Ask
from whatworked.campaigns.commands import Group, log_name, outcome_of
from whatworked.campaigns.measuring import Runner, run_of
from whatworked.campaigns.plan import Plan
from whatworked.campaigns.run import Run
from whatworked.errors import ExecutionError, WhatWorkedError
from whatworked.storage.files import storage_errors

_LARGEST_LOG = 10_000_000
"""Bytes at the end of what a program printed that are brought back."""


def cluster_runner(
    plan: Plan,
    arguments: Callable[[str], list[str]],
    reading: Callable[[str], float | str],
    logs: Path,
    client: Any,
    time_limit: float | None = None,
) -> Runner:
    """A runner that starts a program for each setting on a worker of a cluster.

    Programs run in the working folder of this process, which workers must see under the same path. When this process is
    interrupted, programs under way are ended; when it is killed they go on until they are done or out of time.

    Parameters
    ----------
    plan : Plan
        What the campaign is about.
    arguments : callable
        From a mask to the program and its arguments.
    reading : callable
        From what a program printed to its result, or to the reason why there is none; it is sent to workers.
    logs : Path
        Folder for what programs print, made if it is not there.
    client : distributed.Client
        Of the cluster; see `whatworked.workers.cluster.dask_client`.
    time_limit : float, optional
        Seconds after which a program is ended with all that it started.
    """
    distributed: Any = importlib.import_module("dask.distributed")
    folder = str(Path.cwd())

    def run(asks: Sequence[Ask]) -> Generator[Run, None, None]:
        stop = distributed.Event(f"whatworked-{uuid4().hex}", client=client)
        pending = {
            client.submit(
                _run_on_worker,
                arguments(ask.mask),
                folder,
                reading,
                time_limit,
                stop.name,
                pure=False,
            ): ask
            for ask in asks
        }
        try:
            for future in distributed.as_completed(list(pending)):
                ask = pending[future]
                outcome, seconds, log = _answer(future)
                _keep(logs / log_name(ask), log)
                yield run_of(plan, ask.mask, outcome, arguments(ask.mask), seconds)
        finally:
            stop.set()
            client.cancel(list(pending))

    return run


def _answer(future: Any) -> tuple[float | str, float, bytes]:
    try:
        found: tuple[float | str, float, bytes] = future.result()
    except WhatWorkedError:
        raise
    except Exception as error:
        raise ExecutionError(
            f"backend dask failed ({type(error).__name__}: {str(error).rstrip('.')}); what had finished is kept. "
            "Run the same command again to go on, or without --backend"
        ) from error
    return found


def _keep(path: Path, log: bytes) -> None:
    with storage_errors(path, "write"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(log)


def _run_on_worker(
    ran: list[str], folder: str, reading: Callable[[str], float | str], time_limit: float | None, stop: str
) -> tuple[float | str, float, bytes]:
    """Result of a program or why there is none, seconds, and what it printed behind a line with its arguments."""
    distributed: Any = importlib.import_module("dask.distributed")
    event = distributed.Event(stop, client=distributed.get_client())
    group = Group(Path(folder))

    def watch() -> None:
        event.wait()
        group.close()

    threading.Thread(target=watch, daemon=True).start()
    with tempfile.TemporaryDirectory() as place:
        log = Path(place) / "log"
        start = time.monotonic()
        outcome = outcome_of(group, ran, log, reading, time_limit)
        seconds = round(time.monotonic() - start, 3)
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - _LARGEST_LOG))
            return outcome, seconds, stream.read()
