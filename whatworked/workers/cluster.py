"""A Dask cluster: one that exists, by the address of its scheduler, or one on this machine."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.errors import ExecutionError, InvalidOptionError, MissingExtraError

DASK = "dask"


def scheduler_of(backend: str) -> str:
    """The address behind ``dask:``, as in ``dask:tcp://host:8786``; empty without one.

    Raises
    ------
    InvalidOptionError
        For an address that is none.
    """
    name, colon, address = backend.partition(":")
    if name != DASK or not colon:
        return ""
    scheme, between, place = address.partition("://")
    if not scheme or not between or not place or not address.isprintable() or " " in address:
        raise InvalidOptionError(f"backend {backend!r} names no scheduler; write dask:tcp://host:8786")
    return address


def is_dask(backend: str) -> bool:
    """Whether a backend is Dask, with the address of a scheduler or without."""
    return backend == DASK or bool(scheduler_of(backend))


@contextlib.contextmanager
def dask_client(backend: str, jobs: int, environment: Mapping[str, str]) -> Iterator[Any]:
    """A client of the cluster that the backend or Dask's configuration names, or of one of our own.

    Parameters
    ----------
    backend : str
        ``"dask"`` or ``"dask:ADDRESS"``.
    jobs : int
        Workers of a cluster of our own.
    environment : mapping of str to str
        Variables under which the workers of a cluster of our own start.

    Yields
    ------
    distributed.Client

    Raises
    ------
    MissingExtraError
        Without Dask.
    ExecutionError
        If no scheduler answers at the address.
    """
    try:
        dask: Any = importlib.import_module("dask")
        distributed: Any = importlib.import_module("dask.distributed")
    except ImportError as error:
        raise MissingExtraError("--backend dask needs Dask; install it with: pip install 'whatworked[dask]'") from error
    if address := scheduler_of(backend) or dask.config.get("scheduler-address", None):
        with _connected(distributed, address) as client:
            yield client
        return
    settings = {
        # Dask's nanny sets variables of its own before a worker starts, over what the worker would inherit.
        "distributed.nanny.pre-spawn-environ": dict(environment),
        # A call that ends its worker would end the next one, too.
        "distributed.scheduler.allowed-failures": 0,
    }
    with (
        dask.config.set(settings),
        # Any free port: Dask warns where its usual one is taken.
        distributed.LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address="127.0.0.1:0") as local,
        distributed.Client(local) as client,
    ):
        yield client


def _connected(distributed: Any, address: str) -> Any:
    try:
        return distributed.Client(address)
    except (OSError, ValueError) as error:
        raise ExecutionError(
            f"no Dask scheduler answers at {address} ({type(error).__name__}); start one there with `dask scheduler`, "
            "or correct the address"
        ) from error
