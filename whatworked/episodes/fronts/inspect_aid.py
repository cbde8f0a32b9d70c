"""A note aid beside a model that plays the drift as an Inspect task, with tools.

It sees what the player's own calls brought, and makes none. What it writes is a message of its own, the only one of its
kind in the conversation: each turn's takes the place of the last.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import msgspec
from inspect_ai.model import ChatMessageUser, get_model
from inspect_ai.solver import TaskState

from whatworked.environments.drift.events import Event
from whatworked.environments.drift.telling import DIGEST_CHARACTERS, Experience, digest_lines
from whatworked.environments.protocol import Call, Json, Tool
from whatworked.episodes.fronts.host import Host
from whatworked.episodes.reply import Reply
from whatworked.episodes.speaking.aid_calls import AidCalls, AidView
from whatworked.episodes.speaking.aids import Aid, call_limit, new_aid
from whatworked.judging import InspectJudge, open_panel

ROLE = "aid"
"""Role of the model that the aid asks; the player's own where none is given."""


class WatchedHost:
    """A host, with what a note aid may see of the episode.

    Parameters
    ----------
    host : Host
        Who answers.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._history: list[Experience] = []
        self._notes = ""

    @property
    def text(self) -> str:
        """What the player is told."""
        return self._host.text

    @property
    def facts(self) -> Mapping[str, Json]:
        """The same for programs."""
        return self._host.facts

    def tools(self) -> Sequence[Tool]:
        """What can be called now."""
        return self._host.tools()

    def standing(self) -> Reply:
        """Budgets and remaining seconds now."""
        return self._host.standing()

    def call(self, call: Call) -> Reply:
        """Have a call answered, and keep what it brought.

        Parameters
        ----------
        call : Call
            Of any content.
        """
        reply = self._host.call(call)
        if "event" in reply.result:
            self._history.append(Experience(None, msgspec.convert(reply.result["event"], Event)))
        if reply.result.get("kept") is True and isinstance(call.arguments, Mapping):
            text = str(call.arguments["text"])
            appended = call.arguments.get("mode", "append") == "append" and self._notes
            self._notes = f"{self._notes}\n{text}" if appended else text
        return reply

    def view(self) -> AidView:
        """What a note aid sees now."""
        paid = self._history[-1].event.paid if self._history else 0
        return AidView(self._notes, digest_lines(self._history, DIGEST_CHARACTERS), paid)


class InspectAid:
    """Stands beside a sample.

    Parameters
    ----------
    aid : Aid
        Who writes.
    calls : AidCalls
        How it asks.
    host : WatchedHost
        What it sees.
    """

    def __init__(self, aid: Aid, calls: AidCalls, host: WatchedHost) -> None:
        self._aid = aid
        self._calls = calls
        self._host = host
        self._told: ChatMessageUser | None = None

    async def before(self, state: TaskState) -> None:
        """Put what the aid writes into the conversation, in place of what it wrote before."""
        await self._aid.before(self._host.view(), self._calls)
        text = "\n\n".join(part for part in (self._aid.region(), self._aid.aside()) if part)
        messages = [message for message in state.messages if message is not self._told]
        self._told = ChatMessageUser(content=text) if text else None
        state.messages = [*messages, *([] if self._told is None else [self._told])]

    async def after(self) -> None:
        """Let the aid see what the turn brought."""
        await self._aid.after(self._host.view(), self._calls)


@asynccontextmanager
async def beside(host: WatchedHost, scaffold: str | None) -> AsyncIterator[InspectAid | None]:
    """A note aid for a sample; None without a scaffold.

    Its calls are held below its own budget, and below the limits of the sample as all others are.
    """
    if scaffold is None:
        yield None
        return
    async with open_panel(InspectJudge(get_model(role=ROLE)), jobs=1) as panel:
        limit = call_limit(scaffold, int(str(host.facts["budget"])))
        yield InspectAid(new_aid(scaffold), AidCalls(panel, limit), host)
