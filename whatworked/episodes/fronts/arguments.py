"""Arguments as a person writes them behind the name of a tool."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from whatworked.environments.protocol import Tool
from whatworked.episodes.admission import LARGEST_CALL
from whatworked.storage.files import read_file, user_path
from whatworked.storage.json_text import parse_json

_NUMERIC = ("integer", "number")


def read_arguments(tool: Tool, text: str) -> dict[str, Any]:
    """Arguments from a line.

    Parameters
    ----------
    tool : Tool
        Whose arguments.
    text : str
        A JSON object; or ``name=value`` words; or values in the order of the parameters, a number for the next one that
        is a number; or, for a tool that is told one thing (a text, a list), that thing.

    Returns
    -------
    dict
        What cannot be read as the tool's parameters say is passed on as text, for the rules to judge.

    Raises
    ------
    ValueError
        If it is a broken JSON object, a quote is left open, or there are more values than parameters.
    WhatWorkedError
        If a file that it names cannot be read.

    Examples
    --------
    >>> tool = Tool(name="wait", purpose="", parameters={"n": {"type": "integer"}}, required=("n",))
    >>> read_arguments(tool, "n=3"), read_arguments(tool, "3"), read_arguments(tool, '{"n": 3}')
    ({'n': 3}, {'n': 3}, {'n': 3})
    """
    if text.startswith("{"):
        content: dict[str, Any] = parse_json(text.encode("utf-8", "replace"))
        return content
    if not text:
        return {}
    if not tool.parameters:
        raise ValueError(f"{tool.name} takes no arguments")
    if named := _by_name(tool, text):
        return named
    first = next(iter([*tool.required, *tool.parameters]))
    if _is_told_one_thing(tool, first):
        return {first: _value(tool.parameters[first], text)}
    return _in_order(tool, shlex.split(text))


def _by_name(tool: Tool, text: str) -> dict[str, Any]:
    """Values of ``name=value`` words; nothing if one of them is something else, such as a word of a note."""
    if text.partition("=")[0] not in tool.parameters:
        return {}
    try:
        pairs = [word.partition("=") for word in shlex.split(text)]
    except ValueError:
        return {}
    if not all(name in tool.parameters and mark for name, mark, _ in pairs):
        return {}
    return {name: _value(tool.parameters[name], value) for name, _, value in pairs}


def _is_told_one_thing(tool: Tool, first: str) -> bool:
    """Whether all of a line is one argument: a list, or a text of any words."""
    schema = tool.parameters[first]
    return len(tool.required) < 2 and schema.get("type") not in _NUMERIC and "enum" not in schema


def _in_order(tool: Tool, words: Sequence[str]) -> dict[str, Any]:
    """Values for the parameters one after another."""
    left = dict(tool.parameters)
    found: dict[str, Any] = {}
    for word in words:
        if not left:
            raise ValueError(f"{tool.name} has {len(tool.parameters)} arguments, and this is one more: {word!r}")
        numeric = [name for name, schema in left.items() if schema.get("type") in _NUMERIC and _is_number(word)]
        name = next(iter([*numeric, *left]))
        found[name] = _value(left.pop(name), word)
    return found


def _is_number(word: str) -> bool:
    return word.lstrip("-").replace(".", "", 1).isdigit()


def _value(schema: Mapping[str, Any], text: str) -> Any:
    if text.startswith("@"):
        return read_file(user_path(Path(text[1:])), LARGEST_CALL).decode("utf-8", "replace")
    kind = schema.get("type")
    if kind == "array" and not text.startswith("["):
        items = schema.get("items", {})
        return [_value(items, word) for word in text.replace(",", " ").split()]
    if kind in (*_NUMERIC, "boolean", "array", "object"):
        try:
            return parse_json(text.encode("utf-8", "replace"))
        except ValueError:
            return text
    return text
