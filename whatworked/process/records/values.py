"""Reading fields of logs: what has another type than expected is *not recorded*, and never an exception."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

ANSWERS = frozenset(
    {
        "answer_key", "correct", "critic_result", "expected", "expected_output", "fail_to_pass", "gold", "gold_answer",
        "gold_patch", "grade", "grades", "ground_truth", "is_correct", "is_corrected", "is_passed", "is_resolved",
        "label", "labels", "mistake_agent", "mistake_reason", "mistake_step", "pass_to_pass", "reference_answer",
        "resolved", "reward", "reward_info", "rewards", "score", "scores", "solution", "target", "targets",
        "test_patch", "total_reward", "truth", "truths", "verdict",
    }
)  # fmt: skip
"""Names of fields, in small letters, that state how a run was judged or what it should have found."""


def mapping(value: Any) -> Mapping[str, Any]:
    """`value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """`value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def objects(value: Any) -> list[dict[str, Any]]:
    """The JSON objects of a list."""
    return [item for item in items(value) if isinstance(item, dict)]


def text(value: Any) -> str | None:
    """`value` if it is a text."""
    return value if isinstance(value, str) else None


def stated(value: Any) -> str | None:
    """`value` as text if it is a text or a number: a time, an id."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def whole(value: Any) -> int | None:
    """`value` if it is a whole number, not negative."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return int(value) if value >= 0 and value == int(value) else None


def real(value: Any) -> float | None:
    """`value` as a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def flag(value: Any) -> bool | None:
    """`value` if it is true or false."""
    return value if isinstance(value, bool) else None


def written(value: Any) -> str:
    """A value as text: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def arguments(value: Any) -> str:
    r"""The arguments of a tool as text that can be quoted: ``name: value`` each, texts as they are.

    Arguments that are themselves JSON in a text are unpacked; broken JSON is kept as it is.

    Examples
    --------
    >>> print(arguments({"command": "ls\npwd", "timeout": 5}))
    command: ls
    pwd
    timeout: 5
    >>> arguments('{"x": "a\\nb"}'), arguments("{broken")
    ('x: a\nb', '{broken')
    """
    if isinstance(value, str):
        value = unpacked(value)
    if isinstance(value, dict):
        return "\n".join(f"{name}: {written(one)}" for name, one in value.items())
    return written(value)


def unpacked(value: str) -> Any:
    """What a text holds if it is a JSON object or list, else the text."""
    if value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def answers(value: Mapping[str, Any]) -> Iterator[str]:
    """Names of the fields of an object, and of the objects directly below it, that state an answer."""
    for name, below in value.items():
        if name.lower() in ANSWERS:
            yield name
        elif isinstance(below, dict):
            yield from (f"{name}.{inner}" for inner in below if inner.lower() in ANSWERS)
