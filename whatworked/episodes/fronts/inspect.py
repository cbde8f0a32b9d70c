"""Episodes as Inspect tasks.

Tools are declared to Inspect with a schema that forbids nothing: the engine judges arguments, so that refused calls are
recorded and their reasons reach the model. Only `whatworked._inspect`, Inspect's entry point, imports this module.
"""

from __future__ import annotations

import itertools
import json
import math
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import anyio.to_thread
import msgspec
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, execute_tools
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool as InspectTool
from inspect_ai.tool import ToolDef, ToolError, ToolParams
from inspect_ai.util import JSONSchema, store

from whatworked.environments.protocol import Tool
from whatworked.episodes.about import About, note_player
from whatworked.episodes.fronts.calls import call_of, schema_of
from whatworked.episodes.fronts.host import EpisodeHost, Host
from whatworked.episodes.fronts.inspect_aid import InspectAid, WatchedHost, beside
from whatworked.episodes.speaking.aids import MARK, new_aid
from whatworked.episodes.ticket import Ticket
from whatworked.errors import InvalidOptionError, WhatWorkedError
from whatworked.storage.files import storage_errors, user_path

_LONGEST = 1 << 22
"""Bytes of a tool's answer that Inspect hands on; it would cut a whole table otherwise."""
_ANYTHING: Mapping[str, Any] = MappingProxyType({"properties": {}, "required": []})
VERSION = "1"
"""Of the tasks; changes when equal replies of a model may give other scores."""
JOURNAL = "whatworked:journal"
"""Where a sample's store holds the journal of its episode, as text."""
REMINDER = "The episode is still open. Go on with a tool call, or close it."
SCORE = "whatworked:score"
"""Where it holds the whole score, as JSON."""


@task
def effects(
    condition: str | list[str] = "wine",
    budget: int | None = None,
    view: str = "full",
    receipts: str | None = None,
    delivery: str | None = None,
    helpers: str | None = None,
    salt: str | None = None,
    episodes: str | None = None,
    reminders: int = 0,
    message_limit: int = 200,
) -> Task:
    """Measure a few configurations of a workflow, then predict all of them.

    Parameters
    ----------
    condition : str or list of str
        One or several, separated by commas; each is a sample.
    budget : int, optional
        Credits; default: the condition's.
    view, receipts, delivery, helpers : str, optional
        Arms of the protocol, as in ``whatworked play effects --help``.
    salt : str, optional
        File with a private salt that permutes order and names of the options.
    episodes : str, optional
        Folder for the episodes, a new one in it for each sample; default: they stand in the log alone.
    reminders : int, default 0
        How often a model that stops without submitting is told that the episode is open.
    message_limit : int, default 200
        Messages of a sample.
    """
    chosen = {"budget": budget, "view": view, "receipts": receipts, "delivery": delivery, "helpers": helpers}
    return _task("effects", condition, chosen, salt, episodes, reminders, message_limit)


@task
def drift(
    instance: str | list[str] = "",
    budget: int | None = None,
    variant: str | None = None,
    salt: str | None = None,
    episodes: str | None = None,
    reminders: int = 0,
    scaffold: str | None = None,
    message_limit: int = 1000,
) -> Task:
    """Find out what five domains on a clock are about, then predict three numbers.

    Parameters
    ----------
    instance : str or list of str
        One or several, separated by commas; each is a sample.
    budget : int, optional
        Paid actions.
    variant : str, optional
        Which of the four texts the player is given.
    salt : str, optional
        File with a private salt from which the instance is drawn.
    episodes : str, optional
        Folder for the episodes, a new one in it for each sample; default: they stand in the log alone.
    reminders : int, default 0
        How often a model that stops without committing is told that the episode is open.
    scaffold : str, optional
        A note aid: self-critique, falsification or evolution. It asks the model in the role ``aid``, by default the
        player's.
    message_limit : int, default 1000
        Messages of a sample.
    """
    new_aid(scaffold)  # a wrong name is told before any model is asked
    chosen = {"budget": budget, "variant": variant}
    return _task("drift", instance, chosen, salt, episodes, reminders, message_limit, scaffold)


def _task(
    environment: str,
    instances: str | list[str],
    options: Mapping[str, Any],
    salt: str | None,
    episodes: str | None,
    reminders: int,
    message_limit: int,
    scaffold: str | None = None,
) -> Task:
    given = {name: value for name, value in options.items() if value is not None}
    secret = None if salt is None else str(user_path(salt).absolute())
    # Inspect's command line turns a text with commas into a list.
    given_names = instances.split(",") if isinstance(instances, str) else [str(name) for name in instances]
    names = [name.strip() for name in given_names if name.strip()]
    if not names:
        raise InvalidOptionError("no instance is named; give for instance -T condition=wine")
    samples = []
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(names):
            # Opened once here, so that a wrong name or option ends the command before any model is asked.
            with _ticket(environment, name, given, Path(folder) / str(number), secret).opened() as episode:
                samples.append(Sample(id=name, input=episode.opening.text))
    return Task(
        dataset=samples,
        solver=play(environment, given, secret, episodes, reminders, scaffold),
        scorer=graded(),
        message_limit=message_limit,
        version=VERSION,
        metadata={"environment": environment, "options": given} | ({"scaffold": scaffold} if scaffold else {}),
    )


@solver
def play(
    environment: str,
    options: dict[str, Any],
    salt: str | None,
    episodes: str | None,
    reminders: int,
    scaffold: str | None = None,
) -> Solver:
    """Let a model play an episode, its tools the episode's own, until it is closed or the model stops calling.

    Parameters
    ----------
    environment : str
        Name.
    options : dict
        Of the episode.
    salt : str or None
        Full path of the file with the private salt.
    episodes : str or None
        Folder for the episodes.
    reminders : int
        How often a model that stops before the end is told so.
    scaffold : str or None
        A note aid beside a player of the drift.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        with (
            _folder(episodes, f"{state.sample_id}-{state.epoch}") as folder,
            _ticket(environment, str(state.sample_id), options, folder, salt, str(state.model)).opened() as episode,
        ):
            note_player(episode.folder, About(player=MARK.join([str(state.model), *([scaffold] if scaffold else [])])))
            host = WatchedHost(EpisodeHost(episode))
            try:
                async with beside(host, scaffold) as aid:
                    return await _played(host, state, generate, reminders, aid)
            finally:
                # Limits and dead providers end a sample by an exception: what was bought counts all the same.
                store().set(JOURNAL, episode.folder.journal.read_text(encoding="utf-8"))
                store().set(SCORE, msgspec.to_builtins(episode.score()))

    return solve


def _ticket(
    environment: str, instance: str, options: Mapping[str, Any], folder: Path, salt: str | None, player: str = ""
) -> Ticket:
    return Ticket(
        environment=environment, instance=instance, options=options, folder=str(folder), salt=salt, player=player
    )


async def _played(
    host: Host, state: TaskState, generate: Generate, reminders: int, aid: InspectAid | None
) -> TaskState:
    while not (await anyio.to_thread.run_sync(host.standing)).closed:
        tools = host.tools()
        state.tools = [_tool(host, tool, schema_of(tool)) for tool in tools]
        if aid is not None:
            await aid.before(state)
        state = await generate(state, tool_calls="none")
        if calls := state.output.message.tool_calls:
            known = {tool.name for tool in tools}
            # Inspect answers a call of no tool, or with arguments that are no JSON, by itself. The engine is to know of
            # both: the first it refuses, the second it notes.
            unknown = [Tool(name=name, purpose="no tool") for name in {call.function for call in calls} - known]
            for call in calls:
                if call.parse_error:
                    await anyio.to_thread.run_sync(host.call, call_of(call.function, call.parse_error))
            # Run without the types that the model was shown: Inspect would hold arguments to them, and answer itself.
            runnable = [_tool(host, tool, _ANYTHING) for tool in (*tools, *unknown)]
            done = await execute_tools(state.messages, runnable, _LONGEST)
            state.messages.extend(done.messages)
            if aid is not None:
                await aid.after()
            continue
        if reminders <= 0:
            break
        reminders -= 1
        state.messages.append(ChatMessageUser(content=REMINDER))
    state.completed = True
    return state


def _tool(host: Host, tool: Tool, schema: Mapping[str, Any]) -> InspectTool:
    async def call(**arguments: Any) -> str:
        reply = await anyio.to_thread.run_sync(host.call, call_of(tool.name, arguments))
        text = json.dumps(reply.content(), ensure_ascii=False)
        if reply.refused is not None:
            raise ToolError(text)
        return text

    parameters = ToolParams(
        properties={name: JSONSchema.model_validate(form) for name, form in schema["properties"].items()},
        required=schema["required"],
        additionalProperties=True,
    )
    return ToolDef(call, name=tool.name, description=tool.purpose, parameters=parameters).as_tool()


@scorer(metrics={"*": [mean(), stderr()]})
def graded() -> Scorer:
    """The environment's own score; a missing delivery is scored like any other."""

    async def score(state: TaskState, target: Target) -> Score:
        del state, target
        content = store().get(SCORE)
        if content is None:
            raise WhatWorkedError("the episode of this sample never began, so there is nothing to score")
        # What ranks episodes stands first; dozens of columns would hide it.
        scores = {"delivered": content["delivered"], **content["values"]}
        names = (content["primary"], "delivered", *content["shown"])
        values = {name: math.nan if scores[name] is None else float(scores[name]) for name in names}
        said = "delivered" if content["delivered"] else "nothing was delivered"
        rest = {"primary": content["primary"], "values": content["values"], **content["details"]}
        return Score(value=values, explanation=said, metadata=rest)

    return score


@contextmanager
def _folder(episodes: str | None, name: str) -> Iterator[Path]:
    if episodes is None:
        with tempfile.TemporaryDirectory(prefix="whatworked-") as folder:
            yield Path(folder) / "episode"
    else:
        yield _new_folder(user_path(episodes), name.replace("/", "_"))


def _new_folder(place: Path, name: str) -> Path:
    """A folder that no sample had before: another model, or the same one asked anew, has no part in an old episode."""
    with storage_errors(place, "write"):
        place.mkdir(parents=True, exist_ok=True)
        for number in itertools.count(1):
            folder = place / (name if number == 1 else f"{name}-{number}")
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700)
                break
    return folder
