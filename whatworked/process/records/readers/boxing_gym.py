"""BoxingGym: a scientist who asks for observations and, between them, is tested on predictions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from whatworked.process.records.draft import EXPERIMENT, HARNESS, USER, Draft, ToolUse
from whatworked.process.records.registry import LogReader
from whatworked.process.records.source import Source
from whatworked.process.records.values import items, mapping, text

TOOLS: Mapping[str, ToolUse] = {"observe": EXPERIMENT, "answer": ToolUse("message", "not recorded")}
_MESSAGE = re.compile(r"role:(\w+), mess?a+ge:(.*)", re.DOTALL)
_THOUGHT = re.compile(r"<thought>(.*?)</thought>", re.DOTALL)
_OBSERVE = re.compile(r"<observe>(.*?)</observe>", re.DOTALL)


def recognises(source: Source) -> bool:
    """An object with `scientist_messages`, `config` and `data`."""
    return (
        source.shape == "object" and isinstance(source.value.get("scientist_messages"), list) and "data" in source.value
    )


def drafts(source: Source) -> Iterator[Draft]:
    """The one run of a file."""
    draft = Draft("boxing-gym", source.name, TOOLS)
    config, data = mapping(source.value.get("config")), mapping(source.value.get("data"))
    draft.model = text(mapping(config.get("llms")).get("model_name"))
    draft.strip_names(f"data.{name}" for name in ("results",) if data.get(name))
    draft.notes.append("predictions are asked for between the experiments, and are told nothing in return")
    awaited: int | None = None
    for number, value in enumerate(items(source.value.get("scientist_messages"))):
        found = _MESSAGE.fullmatch(value) if isinstance(value, str) else None
        where = f"scientist_messages[{number}]"
        if found is None:
            draft.unknown("message without a role")
            continue
        role, words = found[1], found[2]
        if role == "assistant":
            awaited = _tell_scientist(draft, where, words)
        elif role == "system":
            draft.task_prompt = words
            draft.message(words, where=where, speaker=HARNESS, mandated=True)
        elif awaited is not None:
            draft.result(
                words,
                where=where,
                step=awaited,
                failed=words.startswith(("Error", "Please stick to the specified format")),
            )
            awaited = None
        else:
            draft.message(words, where=where, speaker=USER, mandated=True)
    yield draft


def _tell_scientist(draft: Draft, where: str, words: str) -> int | None:
    asked = _OBSERVE.search(words)
    if asked is None:
        draft.say(words, where=where)
        return None
    thought = _THOUGHT.search(words)
    rest = (
        thought[1] if thought and _THOUGHT.sub("", _OBSERVE.sub("", words)).strip() == "" else _OBSERVE.sub("", words)
    )
    return draft.call("observe", asked[1], where=where, turn=where, words=rest or None)


READER = LogReader("boxing-gym", "an object with scientist_messages and data", recognises, drafts)
