"""The tools as players see them."""

from __future__ import annotations

from functools import cache
from typing import Any

from whatworked.environments.drift.playing import VERBS
from whatworked.environments.drift.texts import table_file
from whatworked.environments.protocol import Tool

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}
_PARAMETERS: dict[str, dict[str, dict[str, Any]]] = {
    "preflight": {"answers": {"type": "array", "items": {"type": "string"}}},
    "act": {"verb": {"type": "string", "enum": list(VERBS)}, "target": _TEXT, "n": _NUMBER},
    "note": {"text": _TEXT, "mode": {"type": "string", "enum": ["append", "replace"]}},
    "recall": {
        **dict.fromkeys(("first_pass", "last_pass", "first_tick", "last_tick"), _NUMBER),
        **dict.fromkeys(("site", "instrument", "kind"), _TEXT),
    },
    "commit": dict.fromkeys(("intake", "answer", "counter"), _NUMBER),
}
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
            purpose=purpose,
            parameters=_PARAMETERS.get(name, {}),
            required=_REQUIRED.get(name, ()),
        )
        for name, purpose in table_file("tools.toml").items()
    )
