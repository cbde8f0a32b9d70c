"""One scripted player through every front end: the journals are equal but for times, and so are the scores."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import pytest

from whatworked.environments.protocol import Call, Json, Tool
from whatworked.episodes.about import read_about
from whatworked.episodes.folder import EpisodeFolder
from whatworked.episodes.fronts.connecting import connect
from whatworked.episodes.fronts.game import Game
from whatworked.episodes.playing import called, choose_player, named_player, play
from whatworked.episodes.records import read_record, score_of, setup_of
from whatworked.episodes.reply import Reply
from whatworked.episodes.standings import find_episodes, read_rows
from whatworked.episodes.ticket import Ticket, write_ticket

PLAYER = "careless"
OPTIONS = {"budget": 5, "view": "opaque"}


def ticket(folder: Path) -> Ticket:
    return Ticket(environment="effects", instance="nile", options=OPTIONS, folder=str(folder))


def by_python(folder: Path) -> None:
    with ticket(folder).opened() as episode:
        play(episode, choose_player(PLAYER))


def by_json_lines(folder: Path) -> None:
    with connect(ticket(folder)) as game:
        called(named_player(PLAYER), game, 0)


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


def through_client(target: Any) -> None:
    from mcp import Client

    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(target)) as client,
    ):
        called(named_player(PLAYER), Game(McpHost(portal, client)), 0)


def by_mcp_stdio(folder: Path) -> None:
    from mcp import StdioServerParameters

    configuration = configured(folder, "--front", "mcp", "--configure")["whatworked"]
    through_client(StdioServerParameters(command=configuration["command"], args=configuration["args"]))


def configured(folder: Path, *arguments: str) -> Any:
    """The configuration that `serve` writes for a client."""
    place = write_ticket(ticket(folder), folder.parent / f"{folder.name}.ticket")
    command = [sys.executable, "-m", "whatworked", "serve", "--ticket", str(place), *arguments]
    said = subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    path = Path(said.stdout.strip())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "nile" not in path.read_text()
    assert not (folder / "episode.journal").exists()  # its seconds do not run before the client has come
    return json.loads(path.read_text())["mcpServers"]


@contextmanager
def served(folder: Path) -> Iterator[Any]:
    """A host over HTTP in a process of its own, and what its clients are told."""
    place = write_ticket(ticket(folder), folder.parent / f"{folder.name}.ticket")
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


def by_http(folder: Path) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    with served(folder) as first:
        pass
    # A host that starts again goes on with the same token at the same place.
    with served(folder) as configuration:
        assert configuration == first
        client = httpx2.AsyncClient(headers=configuration["headers"])
        wait_for(configuration["url"])
        through_client(streamable_http_client(configuration["url"], http_client=client))


def wait_for(url: str) -> None:
    """Wait until the host answers at all."""
    import httpx2

    with httpx2.Client(transport=httpx2.HTTPTransport(retries=20)) as client:
        assert client.post(url, json={}).status_code == 401


def by_inspect(folder: Path) -> None:
    from inspect_ai import eval as run

    from whatworked._inspect import effects

    task = effects(condition="nile", **OPTIONS, episodes=str(folder.parent))
    (log,) = run(task, model=f"wwscript/{PLAYER}", log_dir=str(folder.parent / "logs"), display="none")
    assert log.status == "success", log.error
    assert log.samples
    (sample,) = log.samples
    assert sample.store["whatworked:journal"] == (folder.parent / "nile-1" / "episode.journal").read_text()
    (folder.parent / "nile-1").rename(folder)
    assert read_about(EpisodeFolder(folder)).player == f"wwscript/{PLAYER}"
    assert sample.scores
    (score,) = sample.scores.values()
    assert isinstance(score.value, dict)
    assert score.value["effect_recovery"] == scored(folder)["effect_recovery"]


def test_a_closed_game_refuses_its_tools(tmp_path: Path) -> None:
    with ticket(tmp_path).opened() as episode:
        game = Game(episode)
        game.submit_diagnosis(estimator="ridge_pair")
        late = game.observe_many(masks=["0001"])
        assert late.refused is not None
        assert late.refused.code == "closed"
        with pytest.raises(AttributeError):
            getattr(game, "_repr_html_")  # noqa: B009 - as a notebook asks


def test_another_model_has_no_part_in_the_episode_of_the_one_before(tmp_path: Path) -> None:
    from inspect_ai import eval as run

    from whatworked._inspect import effects

    for player in ("ridge", "random"):
        task = effects(condition="nile", budget=4, view="opaque", episodes=str(tmp_path / "episodes"))
        (log,) = run(task, model=f"wwscript/{player}", log_dir=str(tmp_path / "logs"), display="none")
        assert log.samples
        assert len(log.samples[0].messages) > 2
    rows = read_rows(find_episodes([tmp_path / "episodes"]))
    assert [row.about.player for row in rows] == ["wwscript/ridge", "wwscript/random"]


def scored(folder: Path) -> Mapping[str, Any]:
    record = read_record(folder)
    return score_of(record, setup_of(record)).values


def bodies(folder: Path) -> list[bytes]:
    return [entry.body for entry in read_record(folder).entries]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fronts") / "python"
    by_python(folder)
    return folder


@pytest.mark.parametrize("front", [by_json_lines, by_mcp_stdio, by_http, by_inspect])
def test_journal_and_score_are_the_same(front: Callable[[Path], None], expected: Path, tmp_path: Path) -> None:
    front(tmp_path / "episode")
    assert bodies(tmp_path / "episode") == bodies(expected)
    assert scored(tmp_path / "episode") == scored(expected)


def test_the_player_was_refused_and_told_why(expected: Path) -> None:
    refused = [entry.event.refusal for entry in read_record(expected).entries if entry.event.refusal]
    assert refused
