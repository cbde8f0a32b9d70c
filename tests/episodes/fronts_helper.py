"""One match played through every way in: who plays what, and how each front is driven from outside."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread

from whatworked.environments.protocol import Call, Json, Tool
from whatworked.episodes.about import read_about
from whatworked.episodes.folder import EpisodeFolder
from whatworked.episodes.fronts.connecting import connect
from whatworked.episodes.fronts.game import Game
from whatworked.episodes.playing import called, choose_player, named_player, play
from whatworked.episodes.records import read_record, score_of, setup_of
from whatworked.episodes.reply import Reply
from whatworked.episodes.ticket import Ticket, write_ticket


@dataclass(frozen=True)
class Match:
    """A scripted player on an instance, and the figures of its score that Inspect is told."""

    environment: str
    instance: str
    options: Mapping[str, Any]
    player: str
    told: tuple[str, ...]

    def ticket(self, folder: Path) -> Ticket:
        return Ticket(environment=self.environment, instance=self.instance, options=self.options, folder=str(folder))

    def task(self, tasks: Any) -> Any:
        """The task of that environment in the module that Inspect imports."""
        return getattr(tasks, self.environment)


def by_python(match: Match, folder: Path) -> None:
    with match.ticket(folder).opened() as episode:
        play(episode, choose_player(match.player, match.environment))


def by_json_lines(match: Match, folder: Path) -> None:
    with connect(match.ticket(folder)) as game:
        called(named_player(match.player, match.environment), game, 0)


class McpHost:
    """A player's side of an MCP client, as the scripted players know it."""

    def __init__(self, portal: Any, client: Any) -> None:
        self._portal, self._client = portal, client
        self._last = Reply(number=0)
        self.text = ""
        self.facts: Mapping[str, Json] = {}

    def tools(self) -> Sequence[Tool]:
        listed = self._portal.call(self._client.list_tools).tools
        return tuple(Tool(name=tool.name, purpose=tool.description) for tool in listed)

    def standing(self) -> Reply:
        return self._last

    def call(self, call: Call) -> Reply:
        named = {} if call.call_id is None else {"call_id": call.call_id}
        result = self._portal.call(self._client.call_tool, call.tool, {**call.arguments, **named})
        assert result.is_error == ("refused" in result.structured_content)
        self._last = Reply.of(json.loads(result.content[0].text))
        return self._last


def through_client(match: Match, target: Any) -> None:
    from mcp import Client

    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(target)) as client,
    ):
        called(named_player(match.player, match.environment), Game(McpHost(portal, client)), 0)


def by_mcp_stdio(match: Match, folder: Path) -> None:
    from mcp import StdioServerParameters

    configuration = configured(match, folder, "--front", "mcp", "--configure")["whatworked"]
    through_client(match, StdioServerParameters(command=configuration["command"], args=configuration["args"]))


def configured(match: Match, folder: Path, *arguments: str) -> Any:
    """The configuration that `serve` writes for a client."""
    place = write_ticket(match.ticket(folder), folder.parent / f"{folder.name}.ticket")
    command = [sys.executable, "-m", "whatworked", "serve", "--ticket", str(place), *arguments]
    said = subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    path = Path(said.stdout.strip())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert match.instance not in path.read_text()
    assert not (folder / "episode.journal").exists()  # its seconds do not run before the client has come
    return json.loads(path.read_text())["mcpServers"]


@contextmanager
def served(match: Match, folder: Path) -> Iterator[Any]:
    """A host over HTTP in a process of its own, and what its clients are told."""
    place = write_ticket(match.ticket(folder), folder.parent / f"{folder.name}.ticket")
    command = [sys.executable, "-m", "whatworked", "serve", "--ticket", str(place), "--front", "http"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    try:
        assert process.stderr is not None
        assert "client.json" in process.stderr.readline()
        path = folder / "client.json"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        yield json.loads(path.read_text())["mcpServers"]["whatworked"]
    finally:
        process.terminate()
        process.communicate()


def by_http(match: Match, folder: Path) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    with served(match, folder) as first:
        pass
    # A host that starts again goes on with the same token at the same place.
    with served(match, folder) as configuration:
        assert configuration == first
        client = httpx2.AsyncClient(headers=configuration["headers"])
        wait_for(configuration["url"])
        through_client(match, streamable_http_client(configuration["url"], http_client=client))


def wait_for(url: str) -> None:
    """Wait until the host answers at all."""
    import httpx2

    with httpx2.Client(transport=httpx2.HTTPTransport(retries=20)) as client:
        assert client.post(url, json={}).status_code == 401


def by_inspect(match: Match, folder: Path) -> None:
    from inspect_ai import eval as run

    from whatworked import _inspect

    task = match.task(_inspect)(match.instance, **match.options, episodes=str(folder.parent))
    (log,) = run(task, model=f"wwscript/{match.player}", log_dir=str(folder.parent / "logs"), display="none")
    assert log.status == "success", log.error
    assert log.samples
    (sample,) = log.samples
    assert sample.store["whatworked:journal"] == (folder.parent / f"{match.instance}-1" / "episode.journal").read_text()
    (folder.parent / f"{match.instance}-1").rename(folder)
    assert read_about(EpisodeFolder(folder)).player == f"wwscript/{match.player}"
    assert sample.scores
    (score,) = sample.scores.values()
    assert isinstance(score.value, dict)
    assert {name: score.value[name] for name in match.told} == {name: scored(folder)[name] for name in match.told}


def scored(folder: Path) -> Mapping[str, Any]:
    record = read_record(folder)
    return score_of(record, setup_of(record)).values


def bodies(folder: Path) -> list[bytes]:
    return [entry.body for entry in read_record(folder).entries]


FRONTS = (by_json_lines, by_mcp_stdio, by_http, by_inspect)
