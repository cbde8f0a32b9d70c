"""Cutting a run into windows for extraction: consecutive steps with all their texts, none too long for one question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from whatworked.process.graph.gates import AUTHORED, OWN
from whatworked.process.graph.text import step_text
from whatworked.process.juries.settings import SETTINGS, Settings
from whatworked.process.records import Record, Step

Labelled = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Window:
    """Steps that are read together.

    Attributes
    ----------
    steps : tuple of int
        Their ids.
    texts : tuple of (str, str)
        Their texts, with labels.
    before : tuple of (str, str)
        What the agent wrote in the steps before.
    """

    steps: tuple[int, ...]
    texts: Labelled
    before: Labelled


def windows(record: Record, settings: Settings = SETTINGS) -> tuple[Window, ...]:
    """The windows of a run.

    Parameters
    ----------
    record : Record
        The run.
    settings : Settings
        Bounds.

    Returns
    -------
    tuple of Window
        In order. Every text of every step stands in one of them. A step whose texts are longer than a window has
        several windows of its own, in which its long texts are cut in numbered parts.
    """
    found = []
    for group in _groups(record.steps, settings):
        before = _words_before(record.steps, group[0][0], settings)
        ids = tuple(dict.fromkeys(step for step, _ in group))
        found.append(Window(ids, tuple(text for _, texts in group for text in texts), before))
    return tuple(found)


def cut(text: str, size: int) -> list[str]:
    """A text in parts of at most `size` characters, at ends of lines where there are any.

    Parameters
    ----------
    text : str
        Any text.
    size : int
        Most characters of a part.

    Returns
    -------
    list of str
        Joined, they are the text.
    """
    parts = []
    start = 0
    while len(text) - start > size:
        line = text.rfind("\n", start, start + size) + 1
        end = line if line > start else start + size
        parts.append(text[start:end])
        start = end
    return [*parts, text[start:]]


def labelled_parts(label: str, text: str, size: int) -> Labelled:
    """A text with its label; if it is long, its parts with numbered ones."""
    parts = cut(text, size)
    if len(parts) == 1:
        return ((label, text),)
    return tuple((f"{label}.{number}", part) for number, part in enumerate(parts, 1))


def _groups(steps: Sequence[Step], settings: Settings) -> Iterator[list[tuple[int, Labelled]]]:
    group: list[tuple[int, Labelled]] = []
    size = 0
    for step in steps:
        texts = _texts(step, settings)
        length = sum(len(text) for _, text in texts)
        full = len(group) == settings.window_steps or size + length > settings.window_characters
        if group and full:
            yield group
            group, size = [], 0
        if length > settings.window_characters:
            yield from ([(step.id, part)] for part in _shares(texts, settings.window_characters))
            continue
        if texts:
            group.append((step.id, texts))
            size += length
    if group:
        yield group


def _texts(step: Step, settings: Settings) -> Labelled:
    found: list[tuple[str, str]] = []
    action = "writes" if step.kind in AUTHORED else "action"
    for field, name in (("words", "words"), ("action", action), ("observation", "result")):
        text = step_text(step, field)  # type: ignore[arg-type]
        if text:
            label = f"{step.id}.{name}" if step.actor in OWN or field != "words" else f"{step.id}.{step.actor}"
            found += labelled_parts(label, text, settings.part)
    return tuple(found)


def _shares(texts: Labelled, size: int) -> Iterator[Labelled]:
    """Texts of one step in shares that fit a window each."""
    share: list[tuple[str, str]] = []
    for label, text in texts:
        if share and sum(len(other) for _, other in share) + len(text) > size:
            yield tuple(share)
            share = []
        share.append((label, text))
    if share:
        yield tuple(share)


def _words_before(steps: Sequence[Step], first: int, settings: Settings) -> Labelled:
    found = []
    for step in steps[max(0, first - settings.context_steps) : first]:
        text = step_text(step, "words") if step.actor in OWN else None
        if text:
            found.append((f"{step.id}.words", text[-settings.context_characters :]))
    return tuple(found)
