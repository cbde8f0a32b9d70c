"""Hosts that speak the Model Context Protocol, for tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from whatworked.episodes import Episode
from whatworked.episodes.fronts import mcp as front
from whatworked.episodes.fronts.host import EpisodeHost


@contextmanager
def http_host(episode: Episode, token: str) -> Iterator[str]:
    """A host over HTTP in this process; its address."""
    listener = front.bound_socket(0)
    server = front.http_server(EpisodeHost(episode), token)
    port = listener.getsockname()[1]
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://{front.LOOPBACK}:{port}/mcp"
    finally:
        server.should_exit = True
        thread.join()
