"""Episodes through the Model Context Protocol: over standard input and output, or over HTTP on the loopback address.

The low-level server of the SDK is used, because the other one would coerce arguments, answer bad ones by itself and
hide the reasons of refusals. Here every call reaches the engine as it was sent, and every answer is the engine's.
"""

from __future__ import annotations

import functools
import json
import secrets
import socket
from typing import TYPE_CHECKING, Any

from whatworked import __version__
from whatworked.environments.protocol import Tool
from whatworked.episodes.fronts.calls import call_of, schema_of
from whatworked.errors import MissingExtraError

if TYPE_CHECKING:
    import uvicorn
    from mcp.server import Server

    from whatworked.episodes.fronts.host import Host

SERVER_NAME = "whatworked"
"""The same for every episode: a server's name stands in clients' logs and must not say what is played."""
LOOPBACK = "127.0.0.1"


def mcp_server(host: Host) -> Server[Any]:
    """The server of one episode.

    Parameters
    ----------
    host : Host
        Who answers; its calls may come from any thread.

    Returns
    -------
    mcp.server.Server
        To be run over any transport of the SDK, or in memory.

    Raises
    ------
    MissingExtraError
        If the `mcp` extra is not installed.
    """
    types, server_class = _sdk()
    import anyio

    async def list_tools(context: Any, params: Any) -> Any:
        del context, params
        return types.ListToolsResult(tools=[_listed(types, tool) for tool in host.tools()])

    async def call_tool(context: Any, params: Any) -> Any:
        del context
        # In a thread, and not abandoned when the client goes away: what the engine began it writes down.
        reply = await anyio.to_thread.run_sync(host.call, call_of(params.name, params.arguments))
        content = reply.content()
        text = json.dumps(content, ensure_ascii=False)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=content,
            is_error=reply.refused is not None,
        )

    server: Server[Any] = server_class(
        SERVER_NAME,
        version=__version__,
        instructions=host.text,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    return server


def serve_stdio(host: Host) -> None:
    """Serve one client over standard input and output until it goes away.

    Parameters
    ----------
    host : Host
        Who answers. Whatever else writes to descriptor 1 meanwhile ends up on standard error.

    Raises
    ------
    MissingExtraError
        If the `mcp` extra is not installed.
    """
    server = mcp_server(host)
    import anyio
    from mcp.server.stdio import stdio_server

    async def run() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(run)


def bound_socket(port: int) -> socket.socket:
    """A listening socket on the loopback address, so that the port is known before a client is told of it.

    Parameters
    ----------
    port : int
        0 for any free one.

    Raises
    ------
    OSError
        If the port is taken.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen()
    except BaseException:
        listener.close()
        raise
    return listener


def serve_http(host: Host, token: str, listener: socket.socket) -> None:
    """Serve over streamable HTTP until the process is told to end.

    Parameters
    ----------
    host : Host
        Who answers.
    token : str
        The bearer token without which nothing is answered.
    listener : socket
        See `bound_socket`; closed at the end.

    Raises
    ------
    MissingExtraError
        If the `mcp` extra is not installed.
    """
    http_server(host, token).run(sockets=[listener])


def http_server(host: Host, token: str) -> uvicorn.Server:
    """The HTTP server of one episode, not yet running.

    Parameters
    ----------
    host : Host
        Who answers.
    token : str
        The bearer token without which nothing is answered.

    Returns
    -------
    uvicorn.Server
        To be run on a socket of `bound_socket`.

    Raises
    ------
    MissingExtraError
        If the `mcp` extra is not installed.
    """
    server = mcp_server(host)
    import uvicorn
    from mcp.server.auth.settings import AuthSettings

    app = server.streamable_http_app(
        # The SDK refuses a foreign Host or Origin for a server on the loopback address.
        host=LOOPBACK,
        auth=AuthSettings(issuer_url=f"http://{LOOPBACK}", resource_server_url=None),  # type: ignore[arg-type]
        token_verifier=_OneToken(token),
    )
    # No access log: its lines would hold what a client asks for.
    return uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))


class _OneToken:
    """Knows one token, and takes equally long to refuse any other."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> Any:
        from mcp.server.auth.provider import AccessToken

        if not secrets.compare_digest(token.encode("utf-8", "surrogateescape"), self._token):
            return None
        return AccessToken(token=token, client_id="player", scopes=[])


def _listed(types: Any, tool: Tool) -> Any:
    return types.Tool(name=tool.name, description=tool.purpose, input_schema=schema_of(tool))


@functools.cache
def _sdk() -> tuple[Any, Any]:
    try:
        import mcp_types
        from mcp.server import Server
    except ImportError:
        raise MissingExtraError(
            "serving episodes through the Model Context Protocol needs the mcp extra: pip install 'whatworked[mcp]'"
        ) from None
    return mcp_types, Server
