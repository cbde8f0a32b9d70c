"""Whole episodes through the SDK's own client: in memory, and over HTTP with what must be kept out there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp_hosts import http_host
from toy_environment import Toy

from whatworked.episodes import Call, Episode

pytest.importorskip("mcp", reason="serving through MCP needs the extra: pip install 'whatworked[mcp]'")

from mcp import Client

from whatworked.episodes.fronts import mcp as front
from whatworked.episodes.fronts.host import EpisodeHost

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("look", {}),
    ("draw", {"well": 0}),
    ("draw", {"well": True}),
    ("draw", {"well": "0", "call_id": "a"}),
    ("draw", {"well": 1, "call_id": "b"}),
    ("draw", {"well": 1, "call_id": "b"}),
    ("dig", {}),
    ("note", {"text": "\x1b[2J"}),
    ("leave", {"depth": 3}),
    ("look", {}),
)


@pytest.fixture
def episode(tmp_path: Path) -> Iterator[Episode]:
    with Episode(tmp_path / "mcp", Toy(), Toy().find("three")) as made:
        yield made


async def play(client: Any) -> list[Any]:
    return [await client.call_tool(tool, arguments) for tool, arguments in CALLS]


def bodies(episode: Episode) -> list[bytes]:
    return [entry.body for entry in episode.entries]


def called_directly(folder: Path) -> list[bytes]:
    with Episode(folder, Toy(), Toy().find("three")) as episode:
        for tool, arguments in CALLS:
            rest = {name: value for name, value in arguments.items() if name != "call_id"}
            episode.call(Call(tool=tool, arguments=rest, call_id=arguments.get("call_id")))
        return bodies(episode)


def test_a_client_in_memory_makes_the_same_journal(episode: Episode, tmp_path: Path) -> None:
    async def game() -> None:
        async with Client(front.mcp_server(EpisodeHost(episode))) as client:
            listed = (await client.list_tools()).tools
            assert [tool.name for tool in listed] == [tool.name for tool in episode.tools()]
            results = await play(client)
        for result in results:
            assert json.loads(result.content[0].text) == result.structured_content
            assert result.is_error == ("refused" in result.structured_content)
        assert [result.is_error for result in results] == [
            False,
            False,
            True,
            True,
            False,
            False,
            True,
            False,
            False,
            True,
        ]
        assert results[4].structured_content["number"] == results[5].structured_content["number"]

    anyio.run(game)
    assert bodies(episode) == called_directly(tmp_path / "direct")


def test_a_schema_forbids_nothing(episode: Episode) -> None:
    async def game() -> None:
        async with Client(front.mcp_server(EpisodeHost(episode))) as client:
            for tool in (await client.list_tools()).tools:
                assert tool.input_schema["additionalProperties"] is True
            refused = await client.call_tool("draw", {"deep": [1]})
        assert refused.is_error
        assert refused.structured_content["refused"]["code"] == "no_well"

    anyio.run(game)


def test_http_lets_in_one_token_and_no_foreign_page(episode: Episode, tmp_path: Path) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def game(url: str) -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": "Bearer right"}) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            await play(client)

    with http_host(episode, "right") as url:
        good = {"Authorization": "Bearer right"}
        for headers, status in (
            ({}, 401),
            ({"Authorization": "Bearer wrong"}, 401),
            ({"Authorization": "Bearer righ"}, 401),
            ({"Authorization": "Bearer r\u00efght".encode()}, 401),
            ({"Authorization": "Basic right"}, 401),
            ({**good, "Host": "example.org"}, 421),
            ({**good, "Origin": "http://example.org"}, 403),
        ):
            assert httpx2.post(url, json={}, headers=headers).status_code == status, headers
        assert bodies(episode) == []
        anyio.run(game, url)
    assert bodies(episode) == called_directly(tmp_path / "direct")


def test_what_fails_inside_says_nothing_of_the_host(episode: Episode, capfd: pytest.CaptureFixture[str]) -> None:
    async def game() -> Any:
        async with Client(front.mcp_server(EpisodeHost(episode))) as client:
            return await client.call_tool("crash", {})

    result = anyio.run(game)
    said = result.content[0].text + "".join(capfd.readouterr())
    assert result.is_error
    assert str(Path(__file__).parent) not in said
    assert "Traceback" not in said
