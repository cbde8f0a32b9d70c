"""A record in the making: readers say in order what a log says, this joins calls, results and words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from whatworked.process.records import world as worlds
from whatworked.process.records.record import (
    SCHEMA,
    Actor,
    Counts,
    Header,
    Kind,
    Patch,
    Record,
    Scope,
    SourceFile,
    Step,
    Tokens,
)
from whatworked.process.records.source import Source
from whatworked.process.records.values import answers, items, text

_SURROGATES = re.compile("[\ud800-\udfff]")
_OPTIONAL = (
    "words", "thinking", "observation", "failed", "patches", "turn", "tokens", "call_id", "started", "ended", "seconds"
)  # fmt: skip


class ToolUse(NamedTuple):
    """What the table of a format says of a tool's name.

    Attributes
    ----------
    kind : str
        What sort of tool it is.
    scope : str
        What it acts on.
    """

    kind: Kind
    scope: Scope


SHELL = ToolUse("shell", "environment")
EXPERIMENT = ToolUse("experiment", "environment")
POLL = ToolUse("poll", "environment")
READ = ToolUse("read", "workspace")
EDIT = ToolUse("edit", "workspace")
DELEGATE = ToolUse("delegate", "workspace")
BOOKKEEPING = ToolUse("bookkeeping", "workspace")
SUBMIT = ToolUse("submit", "submission")
UNKNOWN_TOOL = ToolUse("other", "not recorded")


class Speaker(NamedTuple):
    """Who acts or speaks.

    Attributes
    ----------
    actor : str
        In what part.
    name : str or None
        Under what name, where several act.
    """

    actor: Actor = "agent"
    name: str | None = None


AGENT = Speaker("agent")
USER = Speaker("user")
HARNESS = Speaker("harness")


class _Pending(msgspec.Struct):
    """Words that may turn out to stand beside an action."""

    speaker: Speaker
    turn: str | None
    where: str
    time: str | None
    words: list[str]
    thinking: list[str]


class Draft:
    """One run while its log is read.

    Parameters
    ----------
    format : str
        Name of the reader.
    run : str
        Name of the run within its source.
    tools : mapping of str to ToolUse
        The format's table of tools.
    """

    def __init__(self, format: str, run: str, tools: Mapping[str, ToolUse]) -> None:  # noqa: A002 - the field's name
        self.format = format
        self.run = run
        self.model: str | None = None
        self.tokens: Tokens | None = None
        self.task_prompt: str | None = None
        self.feedback_polarity: worlds.Polarity | None = None
        self.submission: str | None = None
        self.contract: worlds.Contract | None = None
        self.notes: list[str] = []
        self.refused: str | None = None
        self.also_from: list[Source] = []
        self.made_of: tuple[Source, ...] | None = None  # of a folder, the files that it is read from; None for all
        self._tools = tools
        self._steps: list[dict[str, Any]] = []
        self._open: dict[str, list[int]] = {}
        self._usage: dict[str, Tokens] = {}
        self._pending: _Pending | None = None
        self._unknown: Counter[str] = Counter()
        self._unknown_tools: Counter[str] = Counter()
        self._dropped: Counter[str] = Counter()
        self._stripped: Counter[str] = Counter()

    # What the log leaves to be counted

    def unknown(self, event: str, number: int = 1) -> None:
        """Count an event that the reader does not know."""
        self._unknown[event] += number

    def drop(self, reason: str, number: int = 1) -> None:
        """Count something known that is no part of the run."""
        if number:
            self._dropped[reason] += number

    def strip(self, fields: Any) -> None:
        """Count the answers among the fields of an object of the log, none of which is taken over."""
        if isinstance(fields, dict):
            self._stripped.update(answers(fields))

    def strip_names(self, names: Iterable[str]) -> None:
        """Count answers by name that stand where `strip` does not look."""
        self._stripped.update(names)

    # What was said

    def say(
        self, words: str | None, *, where: str, speaker: Speaker = AGENT, turn: str | None = None, time: Any = None
    ) -> None:
        """Words of an agent, to stand beside its next action in the same model call, or by themselves."""
        self._hold(words, None, where, speaker, turn, time)

    def think(
        self, thinking: str | None, *, where: str, speaker: Speaker = AGENT, turn: str | None = None, time: Any = None
    ) -> None:
        """Hidden reasoning of an agent, likewise."""
        self._hold(None, thinking, where, speaker, turn, time)

    def _hold(
        self, words: str | None, thinking: str | None, where: str, speaker: Speaker, turn: str | None, time: Any
    ) -> None:
        if not (words and words.strip()) and not (thinking and thinking.strip()):
            return
        held = self._pending
        if held is None or held.speaker != speaker or held.turn != turn or turn is None:
            self._flush()
            held = self._pending = _Pending(speaker, turn, where, text(time), [], [])
        if words:
            held.words.append(words)
        if thinking:
            held.thinking.append(thinking)

    def _flush(self) -> None:
        held, self._pending = self._pending, None
        if held is not None:
            self._add(
                held.speaker,
                ToolUse("message", "not recorded"),
                held.where,
                words="\n".join(held.words) or None,
                thinking="\n".join(held.thinking) or None,
                turn=held.turn,
                started=held.time,
            )

    def message(
        self,
        words: str | None,
        *,
        where: str,
        speaker: Speaker = USER,
        time: str | None = None,
        turn: str | None = None,
        mandated: bool = False,
    ) -> None:
        """A message as a step of its own, from whoever."""
        self._flush()
        if words and words.strip():
            use = ToolUse("message", "not recorded")
            self._add(speaker, use, where, words=words, started=time, turn=turn, mandated=mandated)

    # What was done

    def call(
        self,
        tool: str | None,
        action: str,
        *,
        where: str,
        speaker: Speaker = AGENT,
        call_id: str | None = None,
        turn: str | None = None,
        use: ToolUse | None = None,
        **fields: Any,
    ) -> int:
        """An action; the words held from the same model call stand beside it.

        Parameters
        ----------
        tool : str or None
            Name of the tool; the format's table gives its kind and scope, unless `use` does.
        action : str
            What was run.
        where : str
            Where in the source it stands.
        speaker : Speaker
            Who acts.
        call_id, turn : str, optional
            The log's names for the call and the model call.
        use : ToolUse, optional
            Kind and scope, where they do not follow from the name.
        **fields
            Further fields of a `Step`.

        Returns
        -------
        int
            Number of the step.
        """
        held = self._pending
        if held is not None and held.speaker == speaker and held.turn == turn and turn is not None:
            self._pending = None
            for name, texts in (("words", held.words), ("thinking", held.thinking)):
                if texts:
                    fields[name] = "\n".join([*texts, *([fields[name]] if fields.get(name) else [])])
        else:
            self._flush()
        if use is None:
            use = self._tools.get(tool or "", UNKNOWN_TOOL)
            if use is UNKNOWN_TOOL:
                self._unknown_tools[tool or "(no name)"] += 1
        number = self._add(speaker, use, where, tool=tool, action=action, call_id=call_id, turn=turn, **fields)
        if call_id is not None:
            if call_id in self._open:
                self._dropped["call id used again"] += 1
            self._open.setdefault(call_id, []).append(number)
        return number

    def result(
        self, observation: str | None, *, where: str, call_id: str | None = None, step: int | None = None, **fields: Any
    ) -> None:
        """What came back from a call, named by its id or by its step's number.

        A result whose call is not recorded, or that has its result already, becomes a step of its own.
        """
        self._flush()
        if observation is None:
            return
        if step is None:
            open_calls = [number for number in self._open.get(call_id or "", ()) if not self.answered(number)]
            step = open_calls[0] if open_calls else None
        if step is None or self.answered(step):
            self._dropped["result without its call, kept as a step"] += 1
            use = ToolUse("other", "not recorded")
            self._add(HARNESS, use, where, observation=observation, call_id=call_id, mandated=True, **fields)
            return
        fields = {name: value for name, value in fields.items() if value is not None}
        self._steps[step] |= {"observation": observation, "shown_after": len(self._steps) - 1, **fields}

    def amend(self, step: int, **fields: Any) -> None:
        """Replace fields of a step by what a log says of it later."""
        self._steps[step] |= fields

    def answered(self, step: int) -> bool:
        """Whether the result of a step is there."""
        return self._steps[step]["observation"] is not None

    def began(self, call_id: str) -> int | None:
        """Number of the first step with that call id."""
        return next(iter(self._open.get(call_id, ())), None)

    def waiting(self) -> int | None:
        """Number of the first step of the last model call with actions that has no result yet; None if none waits."""
        found: int | None = None
        last: dict[str, Any] | None = None
        for number in range(len(self._steps) - 1, -1, -1):
            fields = self._steps[number]
            if fields["action"] is None:
                continue
            if last is not None and (last["turn"] is None or fields["turn"] != last["turn"]):
                break
            last = last or fields
            found = found if self.answered(number) else number
        return found

    def usage(self, turn: str | None, tokens: Tokens | None) -> None:
        """Tokens of a model call; said twice, the last counts."""
        if turn is not None and tokens is not None:
            self._usage[turn] = tokens

    @property
    def empty(self) -> bool:
        """Whether nothing was said or done yet."""
        return not self._steps and self._pending is None

    def _add(self, speaker: Speaker, use: ToolUse, where: str, **fields: Any) -> int:
        number = len(self._steps)
        if fields.get("observation") is not None:
            fields.setdefault("shown_after", number)
        fields["patches"] = tuple(fields.get("patches") or ())
        defaults = dict.fromkeys(Step.__struct_fields__)
        head = {"id": number, "actor": speaker.actor, "name": speaker.name, "kind": use.kind, "scope": use.scope}
        self._steps.append({**defaults, "mandated": False, **head, "where": where, **fields})
        return number

    # The end

    def finish(self, sources: Iterable[SourceFile]) -> Record:
        """The record.

        Parameters
        ----------
        sources : iterable of SourceFile
            What it was made from.

        Returns
        -------
        Record
        """
        self._flush()
        self._share_usage()
        steps = tuple(Step(**self._clean(fields)) for fields in self._steps)
        acted = [step for step in steps if _counts_as_action(step)]
        counts = Counts(
            steps=len(steps),
            actions=len(acted),
            observed=sum(step.observation is not None for step in acted),
            unknown=_sorted(self._unknown),
            unknown_tools=_sorted(self._unknown_tools),
            dropped=_sorted(self._dropped),
            stripped=_sorted(self._stripped),
        )
        lacking = tuple(name for name in _OPTIONAL if all(getattr(step, name) in (None, ()) for step in steps))
        header = Header(
            schema=SCHEMA,
            format=self.format,
            run=_encodable(self.run),
            sources=tuple(sources),
            model=self.model,
            tokens=self.tokens,
            counts=counts,
            not_recorded=lacking,
            notes=tuple(self.notes),
        )
        return Record(header=header, steps=steps)

    def world(self) -> worlds.World:
        """What the log says of the task, as a manifest."""
        return worlds.World(
            schema=worlds.SCHEMA,
            task_prompt=None if self.task_prompt is None else _encodable(self.task_prompt),
            authored_channel=None,
            feedback_polarity=self.feedback_polarity,
            submission=self.submission,
            measure_size=None,
            contract=self.contract,
        )

    def _share_usage(self) -> None:
        for fields in self._steps:
            tokens = self._usage.pop(fields["turn"], None) if fields["turn"] is not None else None
            if tokens is not None:
                fields["tokens"] = tokens

    def _clean(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Texts that can be written: half of a surrogate pair is no character, and shows as U+FFFD."""
        for name, value in fields.items():
            if isinstance(value, str) and (changed := _encodable(value)) is not value:
                fields[name] = changed
                self._dropped["half of a surrogate pair, shown as U+FFFD"] += 1
        fields["patches"] = tuple(
            Patch(**{name: None if (part := getattr(patch, name)) is None else _encodable(part) for name in _PATCH})
            for patch in fields["patches"]
        )
        return fields


_PATCH = Patch.__struct_fields__


def _counts_as_action(step: Step) -> bool:
    own = step.action is not None and step.actor in ("agent", "subagent") and not step.mandated
    return own or step.kind == "experiment"


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return {_encodable(name): counts[name] for name in sorted(counts)}


def _encodable(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", value)
    return value


def patch(path: Any, *, old: Any = None, new: Any = None, diff: Any = None) -> Patch:
    """A change of one file; what is no text is not recorded."""
    return Patch(path=text(path), old=text(old), new=text(new), diff=text(diff))


def content_text(
    content: Any, draft: Draft, kinds: tuple[str, ...] = ("text", "input_text", "output_text")
) -> str | None:
    """The text of a message's content, a text or a list of parts; parts of other kinds are counted as dropped."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    found = []
    for part in items(content):
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, dict) and isinstance(part.get("text"), str) and part.get("type", "text") in kinds:
            found.append(part["text"])
        else:
            name = text(part.get("type")) if isinstance(part, dict) else type(part).__name__
            draft.drop(f"part of a message that is no text: {name}")
    return "\n".join(found) if found or isinstance(content, list) else None
