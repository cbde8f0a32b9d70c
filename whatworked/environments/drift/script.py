"""Scripts of actions: read from a file, run against an instance."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from whatworked.environments.drift.detectors import first_truths
from whatworked.environments.drift.events import Action, Event, event_line
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import BODIES, INSTRUMENTS, INTERVENTIONS, SITES
from whatworked.environments.drift.patterns import moving_ticks
from whatworked.environments.drift.rules import LONGEST_WAIT, Options, apply, obstacle, opening_state
from whatworked.errors import InstanceError, nearest
from whatworked.storage.files import read_file
from whatworked.storage.json_text import parse_json
from whatworked.wording import first_few

MOST_BYTES = 1 << 20
"""Bytes that a script may have."""


class Script(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Actions to be carried out in their order.

    Attributes
    ----------
    budget : int
        Paid actions; 200 by default.
    aligned : bool
        Whether transcripts are posted.
    actions : tuple of Action
        What is asked for; those that cannot be asked for where the agent stands are passed over.
    """

    budget: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 200
    aligned: bool = False
    actions: tuple[Action, ...] = ()


def read_script(path: Path) -> Script:
    """Read a script from a file.

    Parameters
    ----------
    path : Path
        JSON: ``{"budget": 200, "aligned": false, "actions": [{"verb": …, "target": …}, …]}``.

    Returns
    -------
    Script

    Raises
    ------
    StorageError
        If it cannot be read.
    InstanceError
        If it is no script; the message names everything that is wrong with it.
    """
    return parse_script(read_file(path, MOST_BYTES, "read the script"), str(path))


def parse_script(data: bytes, where: str = "script") -> Script:
    """The script that a file's bytes describe.

    Parameters
    ----------
    data : bytes
        JSON text.
    where : str
        How errors name it.

    Returns
    -------
    Script

    Raises
    ------
    InstanceError
        If it is no script; the message names everything that is wrong with it.
    """
    try:
        script = msgspec.convert(parse_json(data), Script)
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        raise InstanceError(f"{where} is no script for the drift: {error}; correct it and read it again") from error
    faults = [fault for place, action in enumerate(script.actions) for fault in _faults(place, action)]
    if faults:
        raise InstanceError(f"{where} is no script for the drift: {first_few(faults, 8)}. Correct it and read it again")
    return script


def run_script(instance: Instance, script: Script) -> Iterator[Event]:
    """Carry a script out, one event an action that could be asked for.

    Parameters
    ----------
    instance : Instance
        The world.
    script : Script
        What is asked for.

    Yields
    ------
    Event
    """
    options = Options(budget=script.budget, aligned=script.aligned)
    state = opening_state(instance)
    for action in script.actions:
        if obstacle(state, options, action) is None:
            state, event = apply(instance, options, state, action)
            yield event


def trace_lines(instance: Instance, script: Script) -> Iterator[str]:
    """The trace of a script: a line of JSON an event, then one with the first truth of every detector.

    Parameters
    ----------
    instance : Instance
        The world.
    script : Script
        What is asked for.

    Yields
    ------
    str
        Without the line break. The last is ``{"detectors":{"FE1":12,"FE2":null,…}}``: paid actions at the first truth.
    """
    events = []
    for event in run_script(instance, script):
        events.append(event)
        yield event_line(event)
    truths = first_truths(events, moving_ticks(instance))
    yield json.dumps({"detectors": truths}, separators=(",", ":"))


def _faults(place: int, action: Action) -> Iterator[str]:
    """What is wrong with an action wherever it is asked for."""
    where = f"action {place}"
    verb = action.verb
    known = ("goto", "read", "wait", *INTERVENTIONS, "commit", "yield")
    if verb not in known:
        yield f"{where} has the verb {verb!r:.60}; allowed: {', '.join(known)}"
        return
    targets = {"goto": tuple(SITES), "read": INSTRUMENTS, **dict.fromkeys(INTERVENTIONS, BODIES)}.get(verb)
    if targets is not None and action.target not in targets:
        near = nearest(action.target, targets) if action.target else []
        hint = f"; did you mean {near[0]}?" if near else f"; there are {first_few(targets, 4)}"
        yield f"{where}, {verb}, has the target {action.target!r:.60}{hint}"
    if targets is None and action.target is not None:
        yield f"{where}, {verb}, has a target, which {verb} does not take"
    if verb == "wait" and not (type(action.n) is int and 1 <= action.n <= LONGEST_WAIT):
        yield f"{where} waits {action.n!r} ticks; 1 to {LONGEST_WAIT} are allowed"
    if verb != "wait" and action.n is not None:
        yield f"{where}, {verb}, has `n`, which only wait takes"
    if verb != "commit" and (action.intake, action.answer, action.counter) != (None, None, None):
        yield f"{where}, {verb}, has a prediction, which only commit takes"
