"""From what a protocol's client sends to a call, and from a tool to the schema that a client shows its model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatworked.environments.protocol import Call, Tool

CALL_ID = "call_id"
"""Argument of every tool by which a player makes a call idempotent, where the protocol has no place of its own."""
_CALL_ID_SCHEMA = {
    "type": "string",
    "description": "Optional. Any text; a call repeated with the same text gets the first answer again.",
}


def call_of(tool: str, arguments: object) -> Call:
    """A call as a client sent it.

    Parameters
    ----------
    tool : str
        Name of the tool.
    arguments : object
        JSON as it arrived; None, as some clients send for no arguments, counts as an empty object.

    Examples
    --------
    >>> call_of("observe_many", {"masks": ["01"], "call_id": "a"})
    Call(tool='observe_many', arguments={'masks': ['01']}, call_id='a')
    """
    if arguments is None:
        return Call(tool=tool)
    if not isinstance(arguments, Mapping) or CALL_ID not in arguments:
        return Call(tool=tool, arguments=arguments)
    rest = {name: value for name, value in arguments.items() if name != CALL_ID}
    return Call(tool=tool, arguments=rest, call_id=arguments[CALL_ID])


def schema_of(tool: Tool) -> dict[str, Any]:
    """JSON schema of a tool's arguments: it describes them and forbids nothing.

    Parameters
    ----------
    tool : Tool
        As the environment lists it.
    """
    return {
        "type": "object",
        "properties": {**{name: dict(form) for name, form in tool.parameters.items()}, CALL_ID: _CALL_ID_SCHEMA},
        "required": list(tool.required),
        "additionalProperties": True,
    }
