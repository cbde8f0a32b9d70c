"""What a client of the Model Context Protocol must be told: files of mode 600, never a command line.

A token in a command line is read by every process of the machine, and so is the name of what is played.
"""

from __future__ import annotations

import json
import secrets
import sys
from pathlib import Path
from typing import Any

from whatworked.episodes.folder import write_private
from whatworked.episodes.fronts.mcp import LOOPBACK, SERVER_NAME
from whatworked.errors import EpisodeError
from whatworked.storage.files import read_file

CLIENT = "client.json"
"""Configuration to paste into a client's own, in the folder of the episode."""
TICKET = "ticket.json"
"""What is played, for a host that the client starts itself."""
TOKEN = "token"  # noqa: S105 - the name of the file
_LARGEST = 1 << 16
_TOKEN_BYTES = 32
_SHORTEST = 32


def stdio_configuration(folder: Path) -> Path:
    """Write the configuration of a client that starts the host itself, from the ticket in the episode's folder.

    Parameters
    ----------
    folder : Path
        Of the episode; it holds `TICKET`.

    Returns
    -------
    Path
        Of the configuration.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    arguments = ["-P", "-m", "whatworked", "serve", "--ticket", str(folder / TICKET), "--front", "mcp"]
    return _write(folder, {"type": "stdio", "command": sys.executable, "args": arguments})


def http_configuration(folder: Path, port: int, token: str) -> Path:
    """Write the configuration of a client of a host that listens on the loopback address.

    Parameters
    ----------
    folder : Path
        Of the episode.
    port : int
        Where the host listens.
    token : str
        What it lets in.

    Returns
    -------
    Path
        Of the configuration.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    url = f"http://{LOOPBACK}:{port}/mcp"
    return _write(folder, {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {token}"}})


def token_of(folder: Path) -> str:
    """The token of an episode: drawn once, and the same when its host starts again.

    Parameters
    ----------
    folder : Path
        Of the episode.

    Returns
    -------
    str

    Raises
    ------
    EpisodeError
        If the file holds no token.
    StorageError
        If it cannot be read or written.
    """
    path = folder / TOKEN
    if not path.exists():
        write_private(path, f"{secrets.token_urlsafe(_TOKEN_BYTES)}\n".encode())
    token = read_file(path, _LARGEST).decode("ascii", "replace").strip()
    if len(token) < _SHORTEST or not all(mark.isalnum() or mark in "-_" for mark in token):
        raise EpisodeError(f"{path} holds no token; remove it, and the next start draws a new one")
    return token


def port_of(folder: Path) -> int:
    """The port that the episode's clients were told, or 0 for any where there is none yet.

    Parameters
    ----------
    folder : Path
        Of the episode.

    Returns
    -------
    int
    """
    try:
        content = json.loads(read_file(folder / CLIENT, _LARGEST))
        return int(content["mcpServers"][SERVER_NAME]["url"].rsplit(":", 1)[1].split("/")[0])
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return 0


def _write(folder: Path, server: dict[str, Any]) -> Path:
    text = json.dumps({"mcpServers": {SERVER_NAME: server}}, indent=2)
    return write_private(folder / CLIENT, f"{text}\n".encode())
