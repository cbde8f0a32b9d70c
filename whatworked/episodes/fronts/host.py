"""What every front end needs of an episode, whether it is in this process or behind a pipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from whatworked.environments.protocol import Call, Json, Refusal, Tool
from whatworked.episodes.admission import Excerpt
from whatworked.episodes.episode import Episode
from whatworked.episodes.reply import Reply


class Host(Protocol):
    """One who answers calls."""

    @property
    def text(self) -> str:
        """What the player is told."""
        ...

    @property
    def facts(self) -> Mapping[str, Json]:
        """The same for programs."""
        ...

    def tools(self) -> Sequence[Tool]:
        """What can be called now."""
        ...

    def standing(self) -> Reply:
        """Budgets and remaining seconds now."""
        ...

    def call(self, call: Call) -> Reply:
        """Carry out or refuse a call.

        Parameters
        ----------
        call : Call
            Of any content.
        """
        ...


class EpisodeHost:
    """The host in this process.

    A full disk, a damaged journal or any other fault is a refusal with the code ``"host_fault"``: the error itself
    names folders, so it is noted in the host's log and does not reach the player.

    Parameters
    ----------
    episode : Episode
        Open.
    """

    def __init__(self, episode: Episode) -> None:
        self._episode = episode

    def refuse(self, excerpt: Excerpt, reason: str) -> Reply:
        """Write down and answer something that arrived in place of a call."""
        return self._guarded(lambda: self._episode.refuse(excerpt, reason))

    @property
    def text(self) -> str:
        """What the player is told."""
        return self._episode.opening.text

    @property
    def facts(self) -> Mapping[str, Json]:
        """The same for programs."""
        return self._episode.opening.facts

    def tools(self) -> Sequence[Tool]:
        """What can be called now."""
        return self._episode.tools()

    def standing(self) -> Reply:
        """Budgets and remaining seconds now."""
        return self._guarded(self._episode.standing)

    def call(self, call: Call) -> Reply:
        """Carry out or refuse a call."""
        return self._guarded(lambda: self._episode.call(call))

    def _guarded(self, answer: Callable[[], Reply]) -> Reply:
        try:
            return answer()
        except Exception as error:
            self._episode.folder.log(error, "a call that was not made")
            message = "the host cannot go on with the episode now, and nothing was done; ask again, or tell its people"
            return Reply(number=0, refused=Refusal(code="host_fault", message=message))


def tool_content(tool: Tool) -> dict[str, Any]:
    """A tool as a JSON object."""
    return {
        "name": tool.name,
        "purpose": tool.purpose,
        "parameters": {name: dict(schema) for name, schema in tool.parameters.items()},
        "required": list(tool.required),
        "after_deadline": tool.after_deadline,
    }


def opening_content(host: Host) -> dict[str, Any]:
    """What a player is told at the beginning, as a JSON object."""
    return {
        "text": host.text,
        "facts": dict(host.facts),
        "tools": [tool_content(tool) for tool in host.tools()],
        "standing": host.standing().content(),
    }
