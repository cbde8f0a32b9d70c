"""JSON of one's own, by a file that says where things stand in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from whatworked.errors import RecordError
from whatworked.process.records.chat import file_patches
from whatworked.process.records.draft import HARNESS, USER, Draft, Speaker, ToolUse
from whatworked.process.records.record import Actor, Kind, Scope, Tokens
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import arguments, flag, mapping, real, stated, text, whole, written
from whatworked.process.records.world import Polarity
from whatworked.storage.toml_text import read_toml


class ToolRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a mapping says of a tool.

    Attributes
    ----------
    kind, scope : str
        As for a step.
    """

    kind: Kind
    scope: Scope


class Fields(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the parts of a step stand in an entry, each a path with dots; what is not named is not recorded.

    Attributes
    ----------
    action, words, thinking, observation, tool, actor, name, call_id, turn : str or None
        Paths.
    started, ended, seconds, failed : str or None
        Paths.
    input_tokens, cached_tokens, output_tokens, thinking_tokens : str or None
        Paths of token counts.
    """

    action: str | None = None
    words: str | None = None
    thinking: str | None = None
    observation: str | None = None
    tool: str | None = None
    actor: str | None = None
    name: str | None = None
    call_id: str | None = None
    turn: str | None = None
    started: str | None = None
    ended: str | None = None
    seconds: str | None = None
    failed: str | None = None
    input_tokens: str | None = None
    cached_tokens: str | None = None
    output_tokens: str | None = None
    thinking_tokens: str | None = None


class WorldPaths(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the task stands in what surrounds the steps.

    Attributes
    ----------
    task_prompt, model, run : str or None
        Paths.
    feedback_polarity : str or None
        The polarity itself, not a path.
    """

    task_prompt: str | None = None
    model: str | None = None
    run: str | None = None
    feedback_polarity: Polarity | None = None


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mapping's file.

    Attributes
    ----------
    format : str
        What the records say of their format.
    fields : Fields
        Where the parts of a step stand.
    runs : {"file", "entry"}
        Whether a file is one run, or each of its entries is one.
    steps : str or None
        Path of the list of steps within a run; without it the entries of the file are the steps.
    answers : tuple of str
        Names of fields that hold answers, to be left out and counted.
    tools : mapping of str to ToolRow
        Kind and scope by the name of the tool.
    actors : mapping of str to str
        What the values at `fields.actor` mean: agent, subagent, user or harness.
    world : WorldPaths
        Where the task stands.
    """

    format: str
    fields: Fields
    runs: str = "file"
    steps: str | None = None
    answers: tuple[str, ...] = ()
    tools: dict[str, ToolRow] = {}
    actors: dict[str, Actor] = {}
    world: WorldPaths = WorldPaths()


def mapped_reader(path: Path) -> LogReader:
    """A reader of JSON by a mapping.

    Parameters
    ----------
    path : Path
        A TOML file; see `docs/process.md` for its fields.

    Returns
    -------
    LogReader

    Raises
    ------
    StorageError
        If it cannot be read.
    RecordError
        If it is no TOML, or has a field that is missing, unknown or of a wrong value.
    """
    try:
        layout = read_toml(path, Layout)
    except ValueError as error:
        raise RecordError(f"mapping {path}: {error}; it needs format and a table [fields]") from error
    if layout.runs not in ("file", "entry"):
        raise RecordError(f"mapping {path}: runs is {layout.runs!r}; allowed: file, entry")
    if layout.fields.action is None and layout.fields.words is None:
        raise RecordError(f"mapping {path}: [fields] names neither action nor words; name where at least one stands")
    return LogReader(layout.format, f"JSON as {path.name} describes it", _recognises, partial(_drafts, layout))


def _recognises(source: Source) -> bool:
    return source.shape in ("object", "list", "lines")


def _drafts(layout: Layout, source: Source) -> Iterator[Draft]:
    if source.shape not in ("object", "list", "lines"):
        raise RecordError(f"it is {source.shape}, not JSON{f': {source.problem}' if source.problem else ''}")
    if source.shape == "object":
        yield _run(layout, source.name, source.value, _steps(layout, source.value, ""))
    elif layout.runs == "entry":
        for where, entry in source.entries:
            yield _run(layout, f"{source.name} {where}", entry, _steps(layout, entry, f"{where}, "))
    else:
        yield _run(layout, source.name, {}, source.entries)


def _steps(layout: Layout, around: Any, prefix: str) -> list[tuple[str, Any]]:
    path = layout.steps
    found = around if path is None else at(around, path)
    if not isinstance(found, list):
        raise RecordError(f"{prefix}there is no list of steps at {path!r}; set steps in the mapping")
    return [(f"{prefix}{path or 'entry'}[{number}]", value) for number, value in enumerate(found)]


def _run(layout: Layout, name: str, around: Any, steps: list[tuple[str, Any]]) -> Draft:
    tools = {tool: ToolUse(row.kind, row.scope) for tool, row in layout.tools.items()}
    draft = Draft(layout.format, name, tools)
    world = layout.world
    draft.run = stated(at(around, world.run)) or name
    draft.model = text(at(around, world.model))
    draft.task_prompt = text(at(around, world.task_prompt))
    draft.feedback_polarity = world.feedback_polarity
    _strip(draft, layout, around)
    for where, entry in steps:
        _strip(draft, layout, entry)
        _tell(draft, layout, where, entry)
    return draft


def _strip(draft: Draft, layout: Layout, entry: Any) -> None:
    draft.strip(entry)
    draft.strip_names(name for name in layout.answers if at(entry, name) is not None)


def _tell(draft: Draft, layout: Layout, where: str, entry: Any) -> None:
    fields = layout.fields
    speaker = _speaker(draft, layout, entry)
    action, words = at(entry, fields.action), _written(at(entry, fields.words))
    shown = _written(at(entry, fields.observation))
    time = stated(at(entry, fields.started))
    call_id, turn = stated(at(entry, fields.call_id)), stated(at(entry, fields.turn)) or where
    if action is None and speaker.actor in ("user", "harness"):
        draft.message(words, where=where, speaker=speaker, time=time, mandated=speaker.actor == "harness")
        draft.result(shown, where=where, call_id=call_id)
        return
    if action is None:
        draft.think(_written(at(entry, fields.thinking)), where=where, speaker=speaker, turn=turn, time=time)
        draft.say(words, where=where, speaker=speaker, turn=turn, time=time)
        draft.result(shown, where=where, call_id=call_id)
        return
    tool = text(at(entry, fields.tool))
    draft.call(
        tool,
        arguments(action),
        where=where,
        speaker=speaker,
        call_id=call_id,
        turn=turn,
        words=words,
        thinking=_written(at(entry, fields.thinking)),
        observation=shown,
        failed=flag(at(entry, fields.failed)),
        started=time,
        ended=stated(at(entry, fields.ended)),
        seconds=real(at(entry, fields.seconds)),
        patches=file_patches(tool or "", mapping(action)),
    )
    tokens = Tokens(
        input=whole(at(entry, fields.input_tokens)),
        cached=whole(at(entry, fields.cached_tokens)),
        output=whole(at(entry, fields.output_tokens)),
        thinking=whole(at(entry, fields.thinking_tokens)),
    )
    draft.usage(turn, tokens if any(msgspec.structs.astuple(tokens)) else None)


def _speaker(draft: Draft, layout: Layout, entry: Any) -> Speaker:
    said = stated(at(entry, layout.fields.actor))
    name = stated(at(entry, layout.fields.name))
    if said is None or said in layout.actors:
        return Speaker(layout.actors.get(said or "", "agent"), name)
    known = {"agent": Speaker("agent", name), "assistant": Speaker("agent", name), "user": USER, "harness": HARNESS}
    if said not in known:
        draft.unknown(f"actor {said}")
    return known.get(said, Speaker("harness", said))


def at(value: Any, path: str | None) -> Any:
    """What stands at a path with dots in a JSON value; None where nothing does.

    Examples
    --------
    >>> at({"call": {"args": ["ls"]}}, "call.args.0"), at({"call": 1}, "call.args")
    ('ls', None)
    """
    if path is None:
        return None
    for name in path.split("."):
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value


def _written(value: Any) -> str | None:
    return None if value is None else written(value)
