"""An episode for a person, line by line: works wherever lines can be read and written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from whatworked.environments.protocol import Call, Tool
from whatworked.episodes.fronts.arguments import read_arguments
from whatworked.episodes.fronts.host import Host
from whatworked.episodes.reply import Reply
from whatworked.errors import WhatWorkedError, nearest
from whatworked.wording import counted, printable

HELP = """\
A line is the name of a tool and its arguments: in their order (`observe_many 0101 1010`, `act goto registry`, \
`note text of a note`), by name (`submit_diagnosis estimator=ridge_pair`), or as JSON (`act {"verb": "wait", "n": 3}`).
Where a tool is told one of a few words first, that word is enough: `goto registry`. A line that \
lacks an argument is not sent.
A value @FILE is the text of that file.
Other words: tools (what can be called), opening (the task again), budgets, help, quit (the episode stays; the same \
command goes on)."""

Show = Callable[[str], None]
Read = Callable[[str], str]
Sketch = Callable[[], str]


class Terminal:
    """A person's side of an episode.

    Parameters
    ----------
    host : Host
        Who answers.
    read : callable
        From a prompt to a line; raises EOFError at the end.
    show : callable
        Prints text of any content.
    sketch : callable
        What to show before each prompt: a map, or what was measured; may be empty.
    """

    def __init__(self, host: Host, read: Read, show: Show, sketch: Sketch = lambda: "") -> None:
        self._host = host
        self._read = read
        self._print = show
        self._sketch = sketch
        self._shown = ""
        self._words: dict[str, Callable[[], None]] = {
            "help": lambda: self._show(HELP),
            "tools": self._show_tools,
            "opening": lambda: self._show(self._host.text),
            "budgets": lambda: self._show(_standing(self._host.standing())),
        }

    def play(self) -> bool:
        """Read and answer lines until the episode is closed or the person leaves.

        Returns
        -------
        bool
            Whether the episode is closed.
        """
        self._show(self._host.text)
        self._show("")
        self._show_tools()
        self._show("\nhelp says how to write a line; quit leaves, and the same command goes on.")
        reply = self._host.standing()
        while not reply.closed:
            self._show_sketch()
            try:
                line = self._read(f"\n{_standing(reply)}\n> ").strip()
            except EOFError:
                return False
            if line in ("quit", "exit"):
                return False
            reply = self._answered(line) or self._host.standing()
        return True

    def _show(self, text: str) -> None:
        self._print(printable(text, keep="\n"))

    def _answered(self, line: str) -> Reply | None:
        word, _, rest = line.partition(" ")
        if not word:
            return None
        if word in self._words and not rest.strip():
            self._words[word]()
            return None
        tools = {tool.name: tool for tool in self._host.tools()}
        short = {verb: tool for tool in tools.values() for verb in _first_words(tool)}
        tool, said = (tools[word], rest) if word in tools else (short.get(word), line)
        if tool is None:
            near = nearest(word, [*tools, *short, *self._words])
            self._show(
                f"there is no tool or word {word[:60]!r}; " + (f"did you mean {near[0]}?" if near else "see help")
            )
            return None
        try:
            arguments = read_arguments(tool, said.strip())
        except (ValueError, WhatWorkedError) as error:
            self._show(f"{error}")
            return None
        if missing := [name for name in tool.required if name not in arguments]:
            self._show(f"{tool.name} needs {' and '.join(missing)}; nothing was sent")
            return None
        reply = self._host.call(Call(tool=tool.name, arguments=arguments))
        self._show("\n".join(_lines_of(reply)))
        return reply

    def _show_sketch(self) -> None:
        if (text := self._sketch()) != self._shown:
            self._shown = text
            self._show(f"\n{text}")

    def _show_tools(self) -> None:
        for tool in self._host.tools():
            names = " ".join(name if name in tool.required else f"[{name}]" for name in tool.parameters)
            self._show(f"  {tool.name} {names}".rstrip())
            self._show(f"      {tool.purpose}")


def _first_words(tool: Tool) -> Sequence[str]:
    """The words one of which a tool must be told first, if it is told one of a few."""
    words: Sequence[str] = tool.parameters[tool.required[0]].get("enum", ()) if tool.required else ()
    return words


def _standing(reply: Reply) -> str:
    parts = [f"{name} {budget.left} of {budget.limit} left" for name, budget in reply.budgets.items()]
    if reply.remaining_seconds is not None:
        minutes, seconds = divmod(int(reply.remaining_seconds), 60)
        parts.append(f"time {minutes}:{seconds:02d} left")
    return " · ".join(parts)


def _lines_of(reply: Reply) -> Iterator[str]:
    if reply.refused is not None:
        yield f"refused ({reply.refused.code}): {reply.refused.message}"
    if "text" in reply.result:
        # It says in words what happened; the figures beside it, which are for programs, would say it again.
        yield from (value for value in reply.result.values() if isinstance(value, str))
    else:
        for name, value in reply.result.items():
            yield from _shown(name, value)
    for name, value in reply.times.items():
        yield f"{name}: {value}"
    if reply.closed:
        yield "The episode is closed."


def _shown(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, str) and "\n" in value:
        yield f"{name}:"
        yield from (f"  {line}" for line in value.splitlines())
    elif isinstance(value, list) and any(isinstance(row, str) and "\n" in row for row in value):
        yield f"{name} ({len(value)}):"
        yield from (f"  {line}" for row in value for line in str(row).splitlines())
    elif isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        yield f"{name} ({counted(len(value), 'row')}):"
        yield from (f"  {line}" for line in _table(value))
    elif isinstance(value, dict) and value:
        yield f"{name}:"
        yield from (f"  {key}: {_flat(inner)}" for key, inner in value.items())
    else:
        yield f"{name}: {_flat(value)}"


def _table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names, *([_flat(row.get(name, "")) for name in names] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(names))]
    for row in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and not any(isinstance(inner, list | dict) for inner in value):
        return " ".join(map(_flat, value)) or "none"
    return json.dumps(value, ensure_ascii=False)
