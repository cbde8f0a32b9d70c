"""Clients of the Model Context Protocol that vanish, and hosts whose code prints where the protocol's lines go."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from toy_environment import Toy

from whatworked.episodes import Episode

pytest.importorskip("mcp", reason="serving through MCP needs the extra: pip install 'whatworked[mcp]'")

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_hosts import http_host

TOKEN = "right"

PRINTING_HOST = """
import os, sys
from pathlib import Path
from toy_environment import Toy
from whatworked.episodes import Episode
from whatworked.episodes.fronts.host import EpisodeHost
from whatworked.episodes.fronts.mcp import serve_stdio

class Printing(Toy):
    def apply(self, *given):
        print("a library says hello")
        os.write(1, b'{"jsonrpc": "2.0", "id": 1, "result": {}}')
        return super().apply(*given)

with Episode(Path(sys.argv[1]), Printing(), Toy().find("three")) as episode:
    serve_stdio(EpisodeHost(episode))
"""


class Slow:
    """A performer that is still at work when its client goes."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.times = 0

    def perform(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        self.times += 1
        self.begun.set()
        time.sleep(0.5)
        return {"printed": "7"}


@asynccontextmanager
async def coming_in(url: str) -> AsyncIterator[Any]:
    """A client of a host over HTTP."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


def test_what_is_printed_stays_out_of_the_protocol(tmp_path: Path) -> None:
    script = tmp_path / "host.py"
    script.write_text(PRINTING_HOST)
    tests = str(Path(__file__).resolve().parent.parent)
    server = StdioServerParameters(
        command=sys.executable, args=[str(script), str(tmp_path / "episode")], env={"PYTHONPATH": tests}
    )

    async def game() -> list[Any]:
        async with Client(server) as client:
            return [await client.call_tool("draw", {"well": well}) for well in (0, 1)]

    first, second = anyio.run(game)
    assert first.structured_content["result"] == {"depth": 0}
    assert second.structured_content["number"] == 2


def test_a_client_that_vanishes_in_a_call_finds_its_answer(tmp_path: Path) -> None:
    slow = Slow()
    with Episode(tmp_path / "episode", Toy(), Toy().find("three"), performers={"python": slow}) as episode:

        async def game(url: str) -> Any:
            arguments = {"code": "print(3 + 4)", "call_id": "mine"}
            with anyio.CancelScope() as going:
                async with coming_in(url) as client, anyio.create_task_group() as tasks:
                    tasks.start_soon(client.call_tool, "sum", arguments)
                    await anyio.to_thread.run_sync(slow.begun.wait)
                    going.cancel()
            async with coming_in(url) as client:
                return await client.call_tool("sum", arguments)

        with http_host(episode, TOKEN) as url:
            found = anyio.run(game, url)
        assert slow.times == 1
        assert found.structured_content["result"] == {"printed": "7"}
        assert found.structured_content["budgets"]["sums"]["used"] == 1
        assert len(episode.entries) == 1
