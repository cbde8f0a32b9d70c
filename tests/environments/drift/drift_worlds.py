"""Instances and scripts for the tests of the drift."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from whatworked.environments.drift.checking import parse_instance
from whatworked.environments.drift.events import Event
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.script import parse_script, run_script

FIGURE = Path(__file__).parent / "figure-9.json"


def figure(**changes: Any) -> Instance:
    """The worked instance, with fields of its file put in place of others; None takes a field away."""
    content = json.loads(FIGURE.read_text())
    if changes:
        content = {name: value for name, value in ({**content, "answer": None} | changes).items() if value is not None}
    return parse_instance(json.dumps(content).encode())


def run(instance: Instance, *actions: str, budget: int = 200, aligned: bool = False) -> list[Event]:
    """Run actions written as ``verb target``, ``wait 3`` or ``commit 1 2 3``."""
    script = {"budget": budget, "aligned": aligned, "actions": [written(action) for action in actions]}
    return list(run_script(instance, parse_script(json.dumps(script).encode())))


def written(action: str) -> dict[str, Any]:
    verb, *rest = action.split()
    if verb == "wait":
        return {"verb": verb, "n": int(rest[0])}
    if verb == "commit":
        return {"verb": verb, **dict(zip(("intake", "answer", "counter"), map(int, rest), strict=True))}
    return {"verb": verb, "target": rest[0]} if rest else {"verb": verb}
