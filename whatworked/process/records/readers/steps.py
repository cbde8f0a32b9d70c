"""Lists of steps with an action and what came back, under the names that most programs give them.

Tried last, beside chats: a reader that knows more goes before it. What has other names is read with a mapping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.process.records.chat import file_patches, usage_tokens
from whatworked.process.records.draft import HARNESS, USER, Draft
from whatworked.process.records.readers.openai_messages import TOOLS
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import arguments, flag, items, mapping, objects, real, stated, text, written

_LISTS = (
    "steps",
    "trajectory",
    "traj",
    "history",
    "actions",
    "log",
    "logs",
    "events",
    "trace",
    "turns",
    "interactions",
)
_ACTIONS = ("action", "tool_input", "command", "tool_call", "code", "action_input", "code_action")
_ARGUMENTS = ("input", "inputs", "args", "arguments", "parameters", "params")
"""Names that an action has only beside the name of its tool."""
_TOOLS = ("tool", "tool_name", "action_name", "function_name", "name")
_RESULTS = (
    "observation",
    "observations",
    "obs",
    "result",
    "output",
    "tool_output",
    "response_from_env",
    "env_response",
    "execution_result",
)
_WORDS = ("thought", "thoughts", "reasoning", "rationale", "plan", "message", "think", "model_output")
_PROMPTS = ("task", "prompt", "instruction", "question", "problem_statement", "goal", "query")


def _is_step(value: Mapping[str, Any]) -> bool:
    return _first(value, _names(value)) is not None and any(name in value for name in _RESULTS)


def _names(value: Mapping[str, Any]) -> tuple[str, ...]:
    """Under which names the action of a step may stand."""
    return (*_ACTIONS, *_ARGUMENTS) if any(text(value.get(name)) for name in _TOOLS) else _ACTIONS


def _is_list(value: Any) -> bool:
    rows = objects(value)
    return bool(rows) and sum(map(_is_step, rows)) >= 0.5 * len(items(value))


def recognises(source: Source) -> bool:
    """A list of objects with an action and an observation, alone or in a field of an object, or one a line."""
    if source.shape == "object":
        return any(_is_list(source.value.get(name)) for name in _LISTS)
    return source.shape in ("list", "lines") and (
        _is_list(source.sample) or any(_is_list(entry.get(name)) for entry in source.sample[:20] for name in _LISTS)
    )


def drafts(source: Source) -> Iterator[Draft]:
    """One run a list of steps."""
    if source.shape != "object" and _is_list([value for _, value in source.entries]):
        yield _run(source.name, {}, source.entries)
        return
    entries = [("", source.value)] if source.shape == "object" else source.entries
    for number, (where, value) in enumerate(entries):
        around = mapping(value)
        name = next((name for name in _LISTS if _is_list(around.get(name))), None)
        if name is None:
            continue
        prefix = f"{where}, " if where else ""
        steps = [(f"{prefix}{name}[{place}]", step) for place, step in enumerate(around[name])]
        yield _run(source.name if not where else str(number), around, steps)


def _run(name: str, around: Mapping[str, Any], steps: list[tuple[str, Any]]) -> Draft:
    draft = Draft("steps", name, TOOLS)
    draft.notes.append("read by the usual names of fields; a mapping of one's own is exact")
    draft.strip(around)
    draft.model = text(around.get("model"))
    draft.task_prompt = next((around[field] for field in _PROMPTS if text(around.get(field))), None)
    for where, value in steps:
        step = mapping(value)
        draft.strip(step)
        if _is_step(step):
            _tell_step(draft, where, step)
        elif (words := _first(step, _WORDS)) is not None:
            speaker = USER if step.get("role", step.get("source")) in ("user", "human") else HARNESS
            draft.message(written(words), where=where, speaker=speaker)
        else:
            draft.unknown("step without action, observation and words")
    return draft


def _tell_step(draft: Draft, where: str, step: Mapping[str, Any]) -> None:
    action, shown, words = _first(step, _names(step)), _first(step, _RESULTS), _first(step, _WORDS)
    called = mapping(action)
    # What a step says of its tool goes before what its arguments happen to be called.
    tool = _first(step, _TOOLS[:-1]) or _first(called, (*_TOOLS, "type")) or _first(step, _TOOLS[-1:])
    given = next((called[name] for name in ("arguments", "args", "input", "params") if name in called), action)
    if given is None:
        draft.say(None if words is None else written(words), where=where)
        draft.message(None if shown is None else written(shown), where=where, speaker=HARNESS, mandated=True)
        return
    draft.call(
        text(tool),
        arguments(given),
        where=where,
        turn=where,
        words=None if words is None else written(words),
        observation=None if shown is None else written(shown),
        failed=flag(step.get("is_error")),
        started=stated(step.get("timestamp")),
        seconds=real(step.get("execution_time", step.get("seconds"))),
        patches=file_patches("", mapping(given)),
    )
    draft.usage(where, usage_tokens(step.get("usage")))


def _first(values: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((values[name] for name in names if values.get(name) is not None), None)


READER = LogReader("steps", "a list of steps with action and observation", recognises, drafts, generic=True)
