"""``whatworked serve``: let a player from another process play one episode."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatworked.cli.episodes import episode_options, ticket_of
from whatworked.cli.output import echo

if TYPE_CHECKING:
    from whatworked.episodes.ticket import Ticket

_FRONTS = {
    "jsonl": "JSON lines on standard input and output",
    "mcp": "the Model Context Protocol on standard input and output",
    "http": "the same over HTTP on the loopback address",
}


@click.command()
@click.argument("environment", required=False)
@click.argument("instance", required=False)
@episode_options
@click.option("--player", metavar="NAME", help="Who plays, for `whatworked episode table`; nobody verifies it.")
@click.option("--ticket", metavar="FILE", help="File of mode 600 with all of this; then nothing else is given.")
@click.option(
    "--front",
    type=click.Choice(list(_FRONTS)),
    default="jsonl",
    show_default=True,
    help="; ".join(f"{name}: {what}" for name, what in _FRONTS.items()) + ".",
)
@click.option("--port", type=click.IntRange(0, 65535), help="Of --front http [as before, or any free one].")
@click.option("--configure", is_flag=True, help="With --front mcp: write what a client needs to start the host itself.")
def serve(
    environment: str | None,
    instance: str | None,
    player: str | None,
    ticket: str | None,
    front: str,
    port: int | None,
    configure: bool,
    **chosen: object,
) -> None:
    """Serve an episode to a player in another process.

    It is begun, or gone on with where it exists. For a coding agent, --front http and --front mcp --configure write
    client.json into the episode's folder, with mode 600: paste it into the agent's own configuration. A host that
    starts again goes on with the same episode, deadline and token. The name of the instance stands in the command line,
    which every process of the machine can read; with --ticket it does not.

    Example: whatworked serve effects wine --budget 8 --out episode --front http
    """
    _check(front, port, configure)
    held = _by(player, ticket_of(environment, instance, ticket, chosen))
    if configure:
        _configure(held)
    elif front == "http":
        _serve_http(held, port)
    elif front == "mcp":
        _serve_mcp(held)
    else:
        _serve_lines(held)


def _check(front: str, port: int | None, configure: bool) -> None:
    from whatworked.errors import InvalidOptionError

    if port is not None and front != "http":
        raise InvalidOptionError(f"--port is of --front http; --front is {front}")
    if configure and front != "mcp":
        raise InvalidOptionError(f"--configure is of --front mcp, --front is {front}; --front http writes it by itself")


def _by(player: str | None, held: Ticket) -> Ticket:
    import msgspec

    return held if player is None else msgspec.structs.replace(held, player=player)


def _configure(held: Ticket) -> None:
    from whatworked.episodes.folder import EpisodeFolder, write_private
    from whatworked.episodes.fronts.clients import TICKET, stdio_configuration
    from whatworked.episodes.ticket import ticket_bytes

    content = ticket_bytes(held)
    folder = EpisodeFolder(Path(held.folder))
    left = _tried(held, begun=folder.journal.exists())
    folder.make()
    write_private(folder.path / TICKET, content)
    echo(str(stdio_configuration(folder.path)))
    if left is not None:
        echo(f"the episode has begun: {left:.0f} seconds are left from now", err=True)


def _tried(held: Ticket, begun: bool) -> float | None:
    """Open what is to be played, so that a name that does not exist is said to a person and not to a client.

    Elsewhere, if it has not begun: its time is to run from the client's first start of the host. Returns the seconds
    that are left of one that has.
    """
    import tempfile

    import msgspec

    if begun:
        with held.opened() as episode:
            return episode.standing().remaining_seconds
    with (
        tempfile.TemporaryDirectory(prefix="whatworked-") as elsewhere,
        msgspec.structs.replace(held, folder=str(Path(elsewhere) / "episode")).opened(),
    ):
        return None


def _serve_lines(held: Ticket) -> None:
    from whatworked.episodes.fronts.host import EpisodeHost
    from whatworked.episodes.fronts.lines import serve_lines
    from whatworked.episodes.hosts import keep_private, take_output

    output = take_output()
    keep_private()
    with contextlib.suppress(BrokenPipeError), held.opened() as episode, os.fdopen(output, "wb") as sink:
        serve_lines(EpisodeHost(episode), sys.stdin.buffer, sink)


def _serve_mcp(held: Ticket) -> None:
    from whatworked.episodes.fronts.host import EpisodeHost
    from whatworked.episodes.fronts.mcp import serve_stdio
    from whatworked.episodes.hosts import keep_private

    keep_private()
    with held.opened() as episode:
        serve_stdio(EpisodeHost(episode))


def _serve_http(held: Ticket, port: int | None) -> None:
    from whatworked.episodes.fronts.clients import http_configuration, port_of, token_of
    from whatworked.episodes.fronts.host import EpisodeHost
    from whatworked.episodes.fronts.mcp import serve_http
    from whatworked.episodes.hosts import keep_private

    keep_private()
    with held.opened() as episode:
        folder = episode.folder.path
        listener = _listener(folder, port_of(folder) if port is None else port)
        try:
            token = token_of(folder)
            configuration = http_configuration(folder, listener.getsockname()[1], token)
            echo(f"serving until Ctrl-C; a client is told how to come in by {configuration}", err=True)
            serve_http(EpisodeHost(episode), token, listener)
        finally:
            listener.close()


def _listener(folder: Path, port: int) -> Any:
    from whatworked.episodes.fronts.mcp import bound_socket
    from whatworked.errors import InvalidOptionError

    try:
        return bound_socket(port)
    except OSError as error:
        raise InvalidOptionError(
            f"port {port} of {folder} cannot be listened on: {error.strerror}; another host of this episode may be "
            "running. Stop it, or give another with --port (0: any free one)"
        ) from None
