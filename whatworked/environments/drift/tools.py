"""The tools as players see them."""

from __future__ import annotations

from functools import cache
from typing import Any

from whatworked.environments.drift.playing import VERBS
from whatworked.environments.drift.texts import table_file
from whatworked.environments.protocol import Tool

_TEXT: dict[str, Any] = {"type": "string"}
_NUMBER: dict[str, Any] = {"type": "integer"}
_TYPES: dict[str, dict[str, Any]] = {
    "answers": {"type": "array", "items": {"type": "string"}},
    "verb": {"type": "string", "enum": list(VERBS)},
    "mode": {"type": "string", "enum": ["append", "replace"]},
    **dict.fromkeys(("n", "intake", "answer", "counter"), _NUMBER),
    **dict.fromkeys(("first_pass", "last_pass", "first_tick", "last_tick"), _NUMBER),
}
"""Schema of an argument, where it is not a text."""
_REQUIRED = {
    "preflight": ("answers",),
    "act": ("verb",),
    "note": ("text",),
    "commit": ("intake", "answer", "counter"),
}


@cache
def tool_table() -> tuple[Tool, ...]:
    """All tools, in an order that never changes; what each is for stands in a data file."""
    return tuple(
        Tool(
            name=name,
            purpose=told["purpose"],
            parameters={
                argument: {**_TYPES.get(argument, _TEXT), "description": words}
                for argument, words in told.get("parameters", {}).items()
            },
            required=_REQUIRED.get(name, ()),
        )
        for name, told in table_file("tools.toml").items()
    )
